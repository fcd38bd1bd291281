"""What is no longer used goes back to the system."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from resolvers.ai.memory import release_freed_memory

STATUS = Path("/proc/self/statm")
ARENAS = """
import ctypes, sys, threading
from resolvers.ai.memory import share_one_arena
if sys.argv[1] == "shared":
    share_one_arena()
all_began = threading.Barrier(8)
def work():
    kept = [bytes(1000) for _ in range(100)]
    all_began.wait()
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
out = libc.fdopen(1, b"w")
libc.malloc_info(0, ctypes.c_void_p(out))
libc.fflush(ctypes.c_void_p(out))
"""
"""A process with eight threads, which prints the places that they take memory from."""


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


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="only glibc tells it")
def test_threads_share_one_place() -> None:
    def arenas(how: str) -> int:
        words = [sys.executable, "-c", ARENAS, how]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.count(
            "<heap nr="
        )

    assert arenas("shared") == 1
    assert arenas("apart") > 1
