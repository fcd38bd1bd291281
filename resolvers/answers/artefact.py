"""Files that are made once and kept: each stands whole under its name, or not at all.

Knows nothing of what stands in them.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """A path to write to, which takes the target's name in the end; after an error it is gone.

    One process at a time: the next one waits, and may find that all is done. What a killed one
    left is overwritten, so there is never more than one such rest.

    Raises: OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f"{target.name}.part")
    with target.with_name(f"{target.name}.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield beside
            if beside.exists():
                _settle(beside)
                beside.replace(target)
                _settle(target.parent)
        finally:
            beside.unlink(missing_ok=True)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file. Shape: hexadecimal. Raises: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _settle(path: Path) -> None:
    """Have what was written survive a loss of power."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
