"""Delivery into the inbox folder: one file for each message, complete or not there at all.

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

from resolvers.files import sync
from sdl.errors import UnavailableError

_PARTS = ("tmp", "new", "cur")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_STALE_SECONDS = 36 * 3600  # Maildir: a file that old in tmp will never be finished

log = logging.getLogger("studiograph.letters")


class Maildir:
    """A transport that stores messages in a folder, each key once."""

    def __init__(self, folder: Path, to: str) -> None:
        self.folder = folder
        self.to = to

    def describe(self) -> str:
        """Return where the folder is."""
        return f"the inbox in {self.folder}"

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Write the message to disk. Raises: UnavailableError."""
        del sender  # a folder sends no bounces
        if recipient not in {None, self.to}:
            raise UnavailableError("Without a mail server, messages can go to the inbox only.")
        try:
            await asyncio.to_thread(self._store, message, unique_name(key))
        except OSError as error:
            log.error(  # noqa: TRY400 - the reason is enough
                "%s cannot be written (%s). Fix: see that it is a folder of this user with space.",
                *(self.describe(), error.strerror),
            )
            raise UnavailableError("The inbox cannot be written now.") from None

    def _store(self, message: bytes, name: str) -> None:
        self._create_folders()
        if self._contains(name):
            return
        self._delete_stale()
        target = self.folder / "new" / name
        temporary = self.folder / "tmp" / f"{name}.{token_hex(8)}"
        try:
            _write(temporary, message)
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        sync(target.parent)

    def _create_folders(self) -> None:
        if all((self.folder / part).is_dir() for part in _PARTS):
            return
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in _PARTS:
            (self.folder / part).mkdir(mode=0o700, exist_ok=True)
        sync(self.folder)
        sync(self.folder.parent)

    def _contains(self, name: str) -> bool:
        moved_files = (self.folder / "cur").glob(f"{name}:*")
        return (self.folder / "new" / name).exists() or next(moved_files, None) is not None

    def _delete_stale(self) -> None:
        """Delete the temporary files of killed writers."""
        oldest = time.time() - _STALE_SECONDS
        for file in (self.folder / "tmp").iterdir():
            with suppress(FileNotFoundError):  # its writer has just finished
                if file.is_file() and file.stat().st_mtime < oldest:
                    file.unlink()


def unique_name(key: str) -> str:
    """Return the file name for a key."""
    return key if _NAME.fullmatch(key) else f"m-{sha256(key.encode()).hexdigest()[:32]}"


def _write(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
