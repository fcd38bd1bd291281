"""The inbox on this machine: a folder in which every message is a file, written whole or not.

Knows nothing of what stands in a message, and only the human gets any here.

Source: the Maildir format (tmp, new, cur); a name may not hold a slash or a colon.
"""

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from sdl.errors import UnavailableError

_PARTS = ("tmp", "new", "cur")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_LEFT_SECONDS = 36 * 3600  # what a writer leaves in tmp that long was never finished

log = logging.getLogger("studiograph.letters")


class Maildir:
    """A target that keeps messages in a folder, each once under its key."""

    def __init__(self, folder: Path, to: str) -> None:
        self.folder = folder
        self.to = to

    def describe(self) -> str:
        """The folder."""
        return f"the inbox in {self.folder}"

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Nothing, once the message is on the disk. Raises: Unavailable."""
        del sender  # nothing here bounces
        if recipient not in {None, self.to}:
            raise UnavailableError("Nothing can be sent from here but to the human.")
        try:
            await asyncio.to_thread(self._keep, message, unique_name(key))
        except OSError as error:
            log.error(  # noqa: TRY400 - the reason says it all
                "%s cannot be written (%s). Fix: see that it is a folder of this user with space.",
                *(self.describe(), error.strerror),
            )
            raise UnavailableError("The inbox cannot be written now.") from None

    def _keep(self, message: bytes, name: str) -> None:
        self._make()
        if self._holds(name):
            return
        self._sweep()
        target = self.folder / "new" / name
        beside = self.folder / "tmp" / f"{name}.{token_hex(8)}"
        try:
            _write(beside, message)
            beside.replace(target)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        _settle(target.parent)

    def _make(self) -> None:
        if all((self.folder / part).is_dir() for part in _PARTS):
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in _PARTS:
            (self.folder / part).mkdir(mode=0o700, exist_ok=True)
        _settle(self.folder)
        _settle(self.folder.parent)

    def _holds(self, name: str) -> bool:
        seen = (self.folder / "cur").glob(f"{name}:*")
        return (self.folder / "new" / name).exists() or next(seen, None) is not None

    def _sweep(self) -> None:
        """Remove what a writer that was killed left."""
        oldest = time.time() - _LEFT_SECONDS
        for file in (self.folder / "tmp").iterdir():
            with suppress(FileNotFoundError):  # its writer has just finished
                if file.is_file() and file.stat().st_mtime < oldest:
                    file.unlink()


def unique_name(key: str) -> str:
    """The name of the file of what is delivered under a key."""
    return key if _NAME.fullmatch(key) else f"m-{sha256(key.encode()).hexdigest()[:32]}"


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """Nothing, once the names in the folder are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
