"""Files that several processes share: atomic writes, and locks."""

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def atomic_write(file: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file; after a crash there is either the old or the complete new one.

    Raises: OSError.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f"{file.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(descriptor, mode)
            os.fsync(descriptor)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    sync(file.parent)


@contextmanager
def atomic_replace(target: Path) -> Iterator[Path]:
    """Yield a temporary path; rename it to the target at the end, or delete it after an error.

    For files that take long to write: one process writes at a time, and the next one waits and may
    then find the target complete. A file that a killed process left is overwritten.

    Raises: OSError.
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
    """Hold a lock file within the block, created if missing; others wait. Raises: OSError."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def try_lock(path: Path, *, is_folder: bool = False) -> int | None:
    """Lock a file or folder and return its descriptor, to be closed later; None if it is locked.

    A missing file is created; a folder must exist. Raises: OSError.
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
    """Return the SHA-256 of a file in hexadecimal. Raises: OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(path: Path) -> None:
    """Flush a written file or a changed folder to disk. Raises: OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
