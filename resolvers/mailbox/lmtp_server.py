"""The port on which a mail server hands us mails for the agents' mailbox, by LMTP or SMTP.

250 is said once the mail is on the disk, and not before. No relaying, no log-in, no list of who is
here. The protocol is aiosmtpd's; a mail's lines are read here, because aiosmtpd keeps each of them
as an object of its own and refuses those over 1,000 octets.

Source: RFC 5321 (SMTP), RFC 2033 (LMTP), RFC 1870 (SIZE), RFC 2920 (PIPELINING).
"""

import asyncio
import errno
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlsplit

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Session
from aiosmtpd.smtp import Envelope as Given

from resolvers.db.database import DatabaseError
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES

MAX_RECIPIENTS = 100
RETRY_SECONDS = 2.0
_CHUNK_BYTES = 64 * 1024
_END = b"\r\n.\r\n"
_PATH = re.compile(r"(<[^<>]*>|[^<>\s]+) *(.*)")
_TOO_LARGE = "552 5.3.4 This is larger than the mailbox takes"
_TOO_MANY = b"421 4.3.2 Too many connections; try again later\r\n"
_LATER = "451 4.3.0 The mail cannot be stored now; try again later"
_UNOFFERED = ("AUTH", "EXPN", "HELP", "STARTTLS", "VRFY")

AcceptFn = Callable[[bytes, Envelope], Awaitable[object]]

log = logging.getLogger("studiograph.mailbox")


@dataclass(frozen=True)
class SmtpLimits:
    """How much a mail server may ask of us."""

    mail_bytes: int = MAX_BYTES
    connections: int = 50
    idle_seconds: float = 60
    session_seconds: float = 600


class MailHandler:
    """What is answered to the commands that matter, under the names by which aiosmtpd asks."""

    def __init__(self, mailbox: str, accept: AcceptFn) -> None:
        self.mailbox = mailbox
        self._accept = accept

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's
        self, _: SMTP, session: Session, __: Given, name: str, offered: list[str]
    ) -> list[str]:
        """What is offered."""
        session.host_name = name
        return [*offered[:-1], "250 PIPELINING"]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's
        self, _: SMTP, __: Session, envelope: Given, recipient: str, ___: list[str]
    ) -> str:
        """Whether a recipient is the mailbox; its tag and case do not matter."""
        if sender_digest(recipient) != sender_digest(self.mailbox):
            return "550 5.7.1 There is no such mailbox here"
        if len(envelope.rcpt_tos) == MAX_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(recipient)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _: SMTP, __: Session, given: Given) -> str:  # noqa: N802 - aiosmtpd's
        """Whether the mail is on the disk."""
        envelope = Envelope(given.mail_from, tuple(given.rcpt_tos))
        try:
            await self._accept(given.original_content or b"", envelope)
        except Exception as error:  # noqa: BLE001 - whatever it is, the mail server keeps the mail
            return await self.handle_exception(error)
        return "250 2.0.0 The mail is stored"

    async def handle_exception(self, error: Exception) -> str:
        """What is said when something failed that is not the mail server's fault."""
        told = str(error) if isinstance(error, DatabaseError) else type(error).__name__
        log.error("a mail was not taken and will be sent again: %s", told)
        return _LATER


class _Session(SMTP):
    """A connection of a mail server, by SMTP."""

    line_length_limit = _CHUNK_BYTES
    answers_each_recipient = False

    def __init__(self, desk: MailHandler, limits: SmtpLimits, present: "set[_Session]") -> None:
        super().__init__(
            desk,
            data_size_limit=limits.mail_bytes,
            enable_SMTPUTF8=True,
            hostname=desk.mailbox.rpartition("@")[2],
            ident="studiograph",
            timeout=limits.idle_seconds,
            loop=asyncio.get_running_loop(),
        )
        self._limits = limits
        self._present = present
        for name in _UNOFFERED:
            self._smtp_methods.pop(name, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, unless there are too many already."""
        if len(self._present) >= self._limits.connections:
            cast("asyncio.Transport", transport).write(_TOO_MANY)
            transport.close()
            return
        self._present.add(self)
        self._last = self.loop.call_later(self._limits.session_seconds, transport.close)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Take in what came; only who says nothing is idle."""
        if self in self._present:
            self._reset_timeout()
            super().data_received(data)

    def eof_received(self) -> bool | None:
        """Whether to keep the connection."""
        return super().eof_received() if self in self._present else None

    def connection_lost(self, error: Exception | None) -> None:
        """End."""
        if self in self._present:
            self._present.remove(self)
            self._last.cancel()
            super().connection_lost(error)

    async def _handle_client(self) -> None:
        """Answer until one of the two leaves; that the other left is nothing to tell."""
        with suppress(ConnectionError):
            await super()._handle_client()

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """A path as it was written, and what follows; aiosmtpd's makes others of some."""
        found = _PATH.fullmatch(arg)
        return (found[1].strip("<>") or "<>", found[2]) if found else (None, None)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's
        """Read a mail and say what becomes of it."""
        given = self.envelope
        if given is None or not given.rcpt_tos:
            await self.push("503 5.5.1 There is no recipient")
            return
        if arg:
            await self.push("501 5.5.4 DATA takes no arguments")
            return
        await self.push("354 End the mail with a dot on a line of its own")
        given.original_content = await self._mail()
        is_small = given.original_content is not None
        status = await self._call_handler_hook("DATA") if is_small else _TOO_LARGE
        answers = len(given.rcpt_tos) if self.answers_each_recipient else 1
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        await self.push("\r\n".join([status] * answers))

    async def _mail(self) -> bytes | None:
        """The mail up to the one line end, dot and line end that count; None if it is too large."""
        self._reader._buffer[:0] = b"\r\n"  # type: ignore[attr-defined]  # noqa: SLF001 - a mail can begin with its end
        pieces: list[bytes] = []
        size, is_whole = 0, False
        while not is_whole:
            try:
                piece = await self._reader.readuntil(_END)
                is_whole = True
            except asyncio.LimitOverrunError as more:
                piece = await self._reader.readexactly(more.consumed)
            size += len(piece)
            if size - len(_END) <= self._limits.mail_bytes:
                pieces.append(piece)
            else:
                pieces.clear()
        return b"".join(pieces)[:-3].replace(b"\r\n.", b"\r\n")[2:] if pieces else None


class _LoopbackSession(_Session, LMTP):
    """A connection of a mail server, by LMTP."""

    answers_each_recipient = True


@asynccontextmanager
async def serve_mail(
    url: str, mailbox: str, accept: AcceptFn, limits: SmtpLimits | None = None
) -> AsyncIterator["asyncio.Future[int]"]:
    """While inside, mails are taken at the address; the port, once it is ours.

    Whoever of several processes comes first has it; the others wait for it to be free.
    """
    logging.getLogger("mail.log").disabled = True  # aiosmtpd's: it holds addresses and whole mails
    desk, present = MailHandler(mailbox, accept), set[_Session]()
    parts = urlsplit(url)
    kind = _LoopbackSession if parts.scheme == "lmtp" else _Session
    port = asyncio.get_running_loop().create_future()

    async def listen() -> None:
        server = await _server(url, lambda: kind(desk, limits or SmtpLimits(), present))
        async with server:
            port.set_result(server.sockets[0].getsockname()[1])
            await server.serve_forever()

    task = asyncio.create_task(listen())
    try:
        yield port
    finally:
        task.cancel()
        for one in present:
            if one.transport is not None:
                one.transport.close()
        await asyncio.wait([task])


async def _server(url: str, make: Callable[[], asyncio.Protocol]) -> asyncio.Server:
    """The port, as soon as it can be had."""
    parts, told = urlsplit(url), 0
    host, port = parts.hostname or "", parts.port or 0
    while True:
        try:
            loop = asyncio.get_running_loop()
            return await loop.create_server(make, host, port)
        except OSError as error:
            if error.errno != told:
                _log_taken(url, error)
            told = error.errno or 0
        await asyncio.sleep(RETRY_SECONDS)


def _log_taken(url: str, error: OSError) -> None:
    if error.errno == errno.EADDRINUSE:
        log.info("%s is taken; this process listens there once it is free", url)
        return
    log.error(
        "no mail can be taken at %s (%s). Fix: name another address in STUDIOGRAPH_MAIL_LISTEN.",
        url,
        error.strerror,
    )
