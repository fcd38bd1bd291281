"""The ways to deliver mail: the inbox folder, a mail server (`smtp.py`), a notice after either.

A message in the folder is one file, complete or not there at all. A notice says without a word of
the message that somebody has written: a POST of plain text, as ntfy and similar services take it.
It is tried once, and a message that is delivered does not wait for it, nor fail with it.

Source: RFC 8314 section 3.3 (implicit TLS), RFC 3207 (STARTTLS), RFC 3986 (a server's address); the
Maildir format (tmp, new, cur), in which a name may not hold a slash or a colon.
"""

import asyncio
import logging
import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from secrets import token_hex
from typing import Protocol
from urllib.parse import unquote, urlsplit

from resolvers.files import sync
from sdl.errors import UnavailableError


class MailTransport(Protocol):
    """A way to deliver messages to the human."""

    to: str
    """The human's address, for the `To` field."""

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Deliver a message and return when it is stored safely.

        A folder stores a message once for each key. `sender` gets the bounces: None means our
        mailbox, an empty text nobody. `recipient` None means the human.

        Raises: DeliveryFailedError if the message was refused or took too long, UnavailableError
        if the transport cannot be used.
        """

    def describe(self) -> str:
        """Return a description for logs, without secrets."""
        ...


PORTS = {"smtps": 465, "smtp+starttls": 587, "smtp": 25}
URL_RULE = (
    "smtps://user:password@host:465, smtp+starttls://user:password@host:587 or smtp://host:25,"
    " with a password only where there is TLS or on the loopback"
)
_HOST = re.compile(r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")


@dataclass(frozen=True)
class SmtpUrl:
    """A mail server: protocol, address and login."""

    scheme: str
    host: str
    port: int
    user: str = field(repr=False)
    password: str = field(repr=False)

    @classmethod
    def parse(cls, url: str) -> "SmtpUrl":
        """Parse a URL. Raises: ValueError, whose text never contains the URL."""
        try:
            parts = urlsplit(url)
            port = parts.port  # raises for one over 65535
        except ValueError:
            raise ValueError(URL_RULE) from None
        host, rest = parts.hostname or "", (parts.path.rstrip("/"), parts.query, parts.fragment)
        if parts.scheme not in PORTS or not _HOST.fullmatch(host) or port == 0 or any(rest):
            raise ValueError(URL_RULE)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if (user or password) and parts.scheme == "smtp" and not _is_loopback(host):
            raise ValueError(URL_RULE)
        return cls(parts.scheme, host, port or PORTS[parts.scheme], user, password)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_PARTS = ("tmp", "new", "cur")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_STALE_SECONDS = 36 * 3600  # Maildir: a file that old in tmp will never be finished

NOTICE_SECONDS = 5
"""How long the receiver of a notice may take."""

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


class Notices:
    """The notices of one process."""

    def __init__(self, url: str, studio: str) -> None:
        """Send notices to a URL, which may hold a secret, so that no log names it."""
        self._url = url
        self._text = f"Somebody has written to {studio}. `studiograph inbox`, or your mail, has it."
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self) -> None:
        """Begin to send a notice."""
        task = asyncio.create_task(self._post())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Wait for the notices that are under way."""
        await asyncio.gather(*self._tasks)

    async def _post(self) -> None:
        import httpx  # noqa: PLC0415 - 0.1 s, only where somebody has written

        headers = {"title": "studiograph", "content-type": "text/plain; charset=utf-8"}
        try:
            async with httpx.AsyncClient(timeout=NOTICE_SECONDS) as client:
                answer = await client.post(self._url, content=self._text, headers=headers)
            answer.raise_for_status()
        except httpx.HTTPStatusError as error:
            log.warning("the notice was answered %s", error.response.status_code)
        except httpx.HTTPError as error:
            log.warning("the notice was not sent: %s", type(error).__name__)


class NoticeTransport(MailTransport):
    """A transport after which the owner gets a notice of each message to the human."""

    def __init__(self, transport: MailTransport, notices: Notices) -> None:
        """Deliver by another transport."""
        self.to = transport.to
        self._transport, self._notices = transport, notices

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Deliver a message, and begin to send a notice if it is for the human."""
        await self._transport.deliver(message, key, sender=sender, recipient=recipient)
        if recipient is None:
            self._notices.send()

    def describe(self) -> str:
        """Return the description of the other transport."""
        return self._transport.describe()
