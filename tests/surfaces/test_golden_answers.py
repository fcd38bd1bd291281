"""Every surface of two studios answers as it stands in `tests/golden`."""

from collections.abc import Iterator
from difflib import unified_diff

import pytest
from golden_answers import GOLDEN, STUDIOS, SURFACES, golden_files

FILES = [f"{studio}/{surface}.txt" for studio in STUDIOS for surface in SURFACES]
MOST_LINES = 400
"""How many lines of a difference are shown."""
MOST_BYTES = 500_000
"""So that a file can be read, and its difference shown."""


@pytest.fixture(scope="module")
def answered() -> dict[str, str]:
    return golden_files()


@pytest.mark.parametrize("name", FILES)
def test_what_a_surface_answers_has_not_changed(name: str, answered: dict[str, str]) -> None:
    file, new = GOLDEN / name, answered[name]
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if old != new:
        lines = [*difference(old.splitlines(), new.splitlines())]
        told = "\n".join([*lines[:MOST_LINES], f"{len(lines)} lines in all"])
        pytest.fail(f"{name}: if this is meant, `make golden` writes it.\n{told}", pytrace=False)


def difference(old: list[str], new: list[str]) -> Iterator[str]:
    """Yield the lines of a unified diff, with what was asked above each part."""
    for line in unified_diff(old, new, "golden", "answered", lineterm=""):
        if line.startswith("@@"):
            first = int(line.split()[1].strip("-").partition(",")[0])
            asked = [each for each in old[:first] if each.startswith("=== ")]
            yield f"{line} {''.join(asked[-1:])}"
        else:
            yield line


def test_no_other_file_lies_there_and_none_is_too_long() -> None:
    sizes = {f.relative_to(GOLDEN).as_posix(): f.stat().st_size for f in GOLDEN.glob("**/*.*")}
    assert {*sizes} == {*FILES}
    assert [name for name, size in sizes.items() if size > MOST_BYTES] == []
