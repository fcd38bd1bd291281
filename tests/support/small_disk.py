"""A disk of a few MiB of its own, which a test can fill and empty."""

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PAGE = 4096
"""What the smallest file takes of it."""


@dataclass(frozen=True)
class Disk:
    """Where it is mounted."""

    folder: Path

    @property
    def _filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, pages: int = 0) -> None:
        """Leave space for so many pages, or fewer, as others may write meanwhile."""
        self.empty()
        room = os.statvfs(self.folder)
        size = (room.f_bavail - pages) * room.f_bsize
        with self._filler.open("wb", buffering=0) as file:
            while True:
                try:
                    os.posix_fallocate(file.fileno(), 0, size)
                    break
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    size -= room.f_bsize
        assert os.statvfs(self.folder).f_bavail <= pages

    def empty(self) -> None:
        """Give the space back."""
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_disk(folder: Path, mebibytes: int = 16) -> Iterator[Disk]:
    """A disk of this size at a new folder; the test is skipped where none can be mounted."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=700", "tmpfs", str(folder)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted, which only root may: {mounted.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
