"""The LMTP or SMTP server that takes mails for the agents' mailbox from the owner's mail server.

A mail is accepted with 250 only when it is on disk. There is no relaying, no login, and no way to
list mailboxes. aiosmtpd does the protocol, except for DATA: it would keep each line as an object
and refuse lines over 1,000 bytes.

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
from aiosmtpd.smtp import Envelope as SmtpEnvelope

from resolvers.db.database import DatabaseError
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES

MAX_RECIPIENTS = 100
RETRY_SECONDS = 2.0
_CHUNK_BYTES = 64 * 1024
_END = b"\r\n.\r\n"
_PATH = re.compile(r"(<[^<>]*>|[^<>\s]+) *(.*)")
_TOO_LARGE = "552 5.3.4 The mail is larger than this mailbox accepts"
_TOO_MANY = b"421 4.3.2 Too many connections; try again later\r\n"
_TRY_LATER = "451 4.3.0 The mail cannot be stored now; try again later"
_UNSUPPORTED = ("AUTH", "EXPN", "HELP", "STARTTLS", "VRFY")

AcceptFn = Callable[[bytes, Envelope], Awaitable[object]]

log = logging.getLogger("studiograph.mailbox")


@dataclass(frozen=True)
class SmtpLimits:
    """The limits for a mail server that connects."""

    mail_bytes: int = MAX_BYTES
    connections: int = 50
    idle_seconds: float = 60
    session_seconds: float = 600


class MailHandler:
    """The handler of SMTP commands; aiosmtpd calls its methods by name."""

    def __init__(self, mailbox: str, accept: AcceptFn) -> None:
        self.mailbox = mailbox
        self._accept = accept

    async def handle_EHLO(  # noqa: N802 - aiosmtpd's
        self, _: SMTP, session: Session, __: SmtpEnvelope, name: str, responses: list[str]
    ) -> list[str]:
        """Return the supported extensions."""
        session.host_name = name
        return [*responses[:-1], "250 PIPELINING"]

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's
        self, _: SMTP, __: Session, envelope: SmtpEnvelope, recipient: str, ___: list[str]
    ) -> str:
        """Accept a recipient if it is the mailbox, in any case and with any tag."""
        if sender_digest(recipient) != sender_digest(self.mailbox):
            return "550 5.7.1 There is no such mailbox here"
        if len(envelope.rcpt_tos) == MAX_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(recipient)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802 - aiosmtpd's
        self, _: SMTP, __: Session, smtp_envelope: SmtpEnvelope
    ) -> str:
        """Store the mail and return the reply."""
        envelope = Envelope(smtp_envelope.mail_from, tuple(smtp_envelope.rcpt_tos))
        try:
            await self._accept(smtp_envelope.original_content or b"", envelope)
        except Exception as error:  # noqa: BLE001 - after any error the mail server keeps the mail
            return await self.handle_exception(error)
        return "250 2.0.0 The mail is stored"

    async def handle_exception(self, error: Exception) -> str:
        """Log an error of ours and return the reply that makes the mail server try again."""
        reason = str(error) if isinstance(error, DatabaseError) else type(error).__name__
        log.error("a mail was not stored and will be sent again: %s", reason)
        return _TRY_LATER


class _Session(SMTP):
    """An SMTP connection of a mail server."""

    line_length_limit = _CHUNK_BYTES
    replies_per_recipient = False

    def __init__(self, handler: MailHandler, limits: SmtpLimits, sessions: "set[_Session]") -> None:
        super().__init__(
            handler,
            data_size_limit=limits.mail_bytes,
            enable_SMTPUTF8=True,
            hostname=handler.mailbox.rpartition("@")[2],
            ident="studiograph",
            timeout=limits.idle_seconds,
            loop=asyncio.get_running_loop(),
        )
        self._limits = limits
        self._sessions = sessions
        for name in _UNSUPPORTED:
            self._smtp_methods.pop(name, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the conversation, unless too many connections are open."""
        if len(self._sessions) >= self._limits.connections:
            cast("asyncio.Transport", transport).write(_TOO_MANY)
            transport.close()
            return
        self._sessions.add(self)
        self._deadline = self.loop.call_later(self._limits.session_seconds, transport.close)
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        """Process data, and restart the idle time."""
        if self in self._sessions:
            self._reset_timeout()
            super().data_received(data)

    def eof_received(self) -> bool | None:
        """Return whether to keep the connection open."""
        return super().eof_received() if self in self._sessions else None

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the connection and its time limit."""
        if self in self._sessions:
            self._sessions.remove(self)
            self._deadline.cancel()
            super().connection_lost(error)

    async def _handle_client(self) -> None:
        """Reply to commands until the connection ends; do not log that the client closed it."""
        with suppress(ConnectionError):
            await super()._handle_client()

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return a path unchanged, and the rest; aiosmtpd's own method changes some paths."""
        match = _PATH.fullmatch(arg)
        return (match[1].strip("<>") or "<>", match[2]) if match else (None, None)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's
        """Read a mail, store it, and reply."""
        envelope = self.envelope
        if envelope is None or not envelope.rcpt_tos:
            await self.push("503 5.5.1 There is no recipient")
            return
        if arg:
            await self.push("501 5.5.4 DATA takes no arguments")
            return
        await self.push("354 End the mail with a dot on a line of its own")
        envelope.original_content = await self._read_mail()
        fits = envelope.original_content is not None
        reply = await self._call_handler_hook("DATA") if fits else _TOO_LARGE
        count = len(envelope.rcpt_tos) if self.replies_per_recipient else 1
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        await self.push("\r\n".join([reply] * count))

    async def _read_mail(self) -> bytes | None:
        """Return the mail up to CRLF, dot, CRLF; None if it is too large.

        Only this sequence ends a mail: other line ends would allow SMTP smuggling.
        """
        self._reader._buffer[:0] = b"\r\n"  # type: ignore[attr-defined]  # noqa: SLF001 - an empty mail has no CRLF before its dot
        chunks: list[bytes] = []
        size, is_complete = 0, False
        while not is_complete:
            try:
                chunk = await self._reader.readuntil(_END)
                is_complete = True
            except asyncio.LimitOverrunError as error:
                chunk = await self._reader.readexactly(error.consumed)
            size += len(chunk)
            if size - len(_END) <= self._limits.mail_bytes:
                chunks.append(chunk)
            else:
                chunks.clear()
        return b"".join(chunks)[:-3].replace(b"\r\n.", b"\r\n")[2:] if chunks else None


class _LmtpSession(_Session, LMTP):
    """An LMTP connection of a mail server."""

    replies_per_recipient = True


@asynccontextmanager
async def serve_mail(
    url: str, mailbox: str, accept: AcceptFn, limits: SmtpLimits | None = None
) -> AsyncIterator["asyncio.Future[int]"]:
    """Take mails at a URL within the block; yield a future of the port.

    Of several processes, the first one listens; the others wait until the port is free.
    """
    logging.getLogger("mail.log").disabled = True  # aiosmtpd logs addresses and mails there
    handler, sessions = MailHandler(mailbox, accept), set[_Session]()
    parts = urlsplit(url)
    session_class = _LmtpSession if parts.scheme == "lmtp" else _Session
    port = asyncio.get_running_loop().create_future()

    async def listen() -> None:
        server = await _create_server(
            url, lambda: session_class(handler, limits or SmtpLimits(), sessions)
        )
        async with server:
            port.set_result(server.sockets[0].getsockname()[1])
            await server.serve_forever()

    task = asyncio.create_task(listen())
    try:
        yield port
    finally:
        task.cancel()
        for session in sessions:
            if session.transport is not None:
                session.transport.close()
        await asyncio.wait([task])


async def _create_server(url: str, make: Callable[[], asyncio.Protocol]) -> asyncio.Server:
    """Listen as soon as the port is free, and return the server."""
    parts, logged_errno = urlsplit(url), 0
    host, port = parts.hostname or "", parts.port or 0
    while True:
        try:
            loop = asyncio.get_running_loop()
            return await loop.create_server(make, host, port)
        except OSError as error:
            if error.errno != logged_errno:
                _log_cannot_listen(url, error)
            logged_errno = error.errno or 0
        await asyncio.sleep(RETRY_SECONDS)


def _log_cannot_listen(url: str, error: OSError) -> None:
    if error.errno == errno.EADDRINUSE:
        log.info("%s is in use; this process listens there once it is free", url)
        return
    log.error(
        "cannot listen for mail at %s (%s). Fix: name another address in STUDIOGRAPH_MAIL_LISTEN.",
        url,
        error.strerror,
    )
