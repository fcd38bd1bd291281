"""What is no longer used goes back to the system."""

from pathlib import Path

import pytest

from resolvers.ai.memory import release_freed_memory

STATUS = Path("/proc/self/statm")


def resident_pages() -> int:
    """How much memory this process has."""
    return int(STATUS.read_text(encoding="ascii").split()[1])


@pytest.mark.skipif(not STATUS.exists(), reason="only Linux tells it")
def test_freed_memory_is_given_back() -> None:
    blocks = [bytes(1000) for _ in range(50_000)]
    kept = blocks[-1]
    taken = resident_pages()
    del blocks
    release_freed_memory()
    assert resident_pages() < taken - 5_000
    assert kept == bytes(1000)
