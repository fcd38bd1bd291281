"""Files that several processes share: written whole or not at all, and locked while they change."""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def atomic_write(file: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file; after a crash there is the old one or the whole new one.

    Raises: OSError.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as written:
            written.write(data)
            written.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    sync(file.parent)


@contextmanager
def atomic_replace(target: Path) -> Iterator[Path]:
    """Yield a path to write to, which takes the target's name at the end, or goes after an error.

    For files that are long in the making: one process at a time writes, the next one waits and may
    find that all is done. What a killed one left is overwritten. Raises: OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with locked(target.with_name(f"{target.name}.lock")):
        try:
            yield part
            if part.exists():
                sync(part)
                part.replace(target)
                sync(target.parent)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold a lock file, which is made if it is not there; others wait. Raises: OSError."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def try_lock(path: Path, *, is_folder: bool = False) -> int | None:
    """Return the descriptor of a locked file or folder, to be closed later; None if it is taken.

    A file is made if it is not there, a folder must be. Raises: OSError.
    """
    flags = os.O_RDONLY if is_folder else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits. Raises: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Have a written file or a changed folder survive a loss of power. Raises: OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
