"""The LMTP or SMTP server that takes mails for the agents' mailbox from the owner's mail server.

A mail is accepted with 250 only when it is on disk. There is no relaying, no login, and no way to
list mailboxes. aiosmtpd does the protocol, except for DATA.

Source: RFC 5321 (SMTP), RFC 2033 (LMTP), RFC 1870 (SIZE).
"""

import asyncio
import errno
import logging
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import AnyStr, cast
from urllib.parse import urlsplit

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Session
from aiosmtpd.smtp import Envelope as SmtpEnvelope

from resolvers.db.database import DatabaseError
from resolvers.mailbox.rules import Envelope, sender_digest
from resolvers.mailbox.service import MAX_BYTES

MAX_RECIPIENTS = 100
RETRY_SECONDS = 2.0
_END = b"\r\n.\r\n"
_UNREADABLE_ERRORS = (LookupError, AttributeError, NameError)  # email's, for addresses like <a@[
_UNREADABLE = "501 5.1.3 The address cannot be read"
_TOO_LARGE = "552 5.3.4 The mail is larger than this mailbox accepts"
_TOO_MANY = b"421 4.3.2 Too many connections; try again later\r\n"
_TRY_LATER = "451 4.3.0 The mail cannot be stored now; try again later"

AcceptFn = Callable[[bytes, Envelope], Awaitable[object]]

log = logging.getLogger("studiograph.mailbox")


@dataclass(frozen=True)
class SmtpLimits:
    """The limits for a mail server that connects."""

    mail_bytes: int = MAX_BYTES
    connections: int = 50
    seconds: float = 300
    """From one command to the next, and so for a whole mail: RFC 5321 4.5.3.2.7."""


class MailHandler:
    """The handler of SMTP commands; aiosmtpd calls its methods by name."""

    def __init__(self, mailbox: str, accept: AcceptFn) -> None:
        self.mailbox = mailbox
        self._accept = accept

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
            return self._try_later(error)
        return "250 2.0.0 The mail is stored"

    async def handle_exception(self, error: Exception) -> str:
        """Return the reply to a command that failed; log an error of ours."""
        if isinstance(error, _UNREADABLE_ERRORS):
            return _UNREADABLE
        return self._try_later(error)

    @staticmethod
    def _try_later(error: Exception) -> str:
        """Log why a mail was not stored and return the reply that makes the mail server keep it."""
        reason = str(error) if isinstance(error, DatabaseError) else type(error).__name__
        log.error("a mail was not stored and will be sent again: %s", reason)
        return _TRY_LATER


class _Session(SMTP):
    """An SMTP connection of a mail server."""

    def __init__(self, handler: MailHandler, limits: SmtpLimits, sessions: "set[_Session]") -> None:
        super().__init__(
            handler,
            data_size_limit=limits.mail_bytes,
            enable_SMTPUTF8=True,
            hostname=handler.mailbox.rpartition("@")[2],
            ident="studiograph",
            timeout=limits.seconds,
            loop=asyncio.get_running_loop(),
        )
        self._sessions = sessions
        sessions.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the connection."""
        self._sessions.discard(self)
        super().connection_lost(error)

    async def push(self, status: AnyStr) -> None:
        """Send a reply, unless the client is gone: asyncio would log that as an error."""
        with suppress(ConnectionError):
            await super().push(status)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - aiosmtpd's
        """Read a mail, store it, and reply.

        aiosmtpd's own method makes an object of each line, so that a mail of line ends alone would
        take half a gigabyte and hold up the loop, and refuses lines over 1,000 bytes.
        """
        if self.envelope is None or not self.envelope.rcpt_tos:
            await self.push("503 5.5.1 There is no recipient")
            return
        if arg:
            await self.push("501 5.5.4 DATA takes no arguments")
            return
        await self.push("354 End the mail with a dot on a line of its own")
        data = await self._read_mail()
        reply = _TOO_LARGE
        if data is not None:
            self.envelope.original_content = data
            reply = await self.event_handler.handle_DATA(self, self.session, self.envelope)
        count = len(self.envelope.rcpt_tos) if isinstance(self, LMTP) else 1
        self.envelope = SmtpEnvelope()
        await self.push("\r\n".join([reply] * count))

    async def _read_mail(self) -> bytes | None:
        """Return the mail up to CRLF, dot, CRLF; None if it is too large.

        Only this sequence ends a mail: other line ends would allow SMTP smuggling.
        """
        reader = self._reader  # aiosmtpd has no public name for it
        max_bytes = self.data_size_limit or 0
        data, start, is_too_large = bytearray(b"\r\n"), 0, False  # the line end of the command
        while (end := data.find(_END, start)) < 0:
            if len(data) - len(_END) >= max_bytes:
                is_too_large = True
                del data[: 1 - len(_END)]
            start = max(0, len(data) + 1 - len(_END))
            chunk = await reader.read(sys.maxsize)  # all that is there
            if not chunk:
                raise ConnectionResetError
            data += chunk
        reader.feed_data(data[end + len(_END) :])  # the commands that came with it
        if is_too_large or end > max_bytes:
            return None
        return bytes(data[: end + 2]).replace(b"\r\n.", b"\r\n")[2:]


class _LmtpSession(_Session, LMTP):
    """An LMTP connection of a mail server, with a reply for each recipient."""


class _Busy(asyncio.Protocol):
    """A connection over the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Say so and close it."""
        cast("asyncio.Transport", transport).write(_TOO_MANY)
        transport.close()


@asynccontextmanager
async def serve_mail(
    url: str, mailbox: str, accept: AcceptFn, limits: SmtpLimits | None = None
) -> AsyncIterator["asyncio.Future[int]"]:
    """Take mails at a URL within the block; yield a future of the port.

    Of several processes, the first one listens; the others wait until the port is free.
    """
    logging.getLogger("mail.log").disabled = True  # aiosmtpd logs addresses and mails there
    handler, sessions = MailHandler(mailbox, accept), set[_Session]()
    limits = limits or SmtpLimits()
    session_class = _LmtpSession if urlsplit(url).scheme == "lmtp" else _Session
    port = asyncio.get_running_loop().create_future()

    def make() -> asyncio.Protocol:
        if len(sessions) >= limits.connections:
            return _Busy()
        return session_class(handler, limits, sessions)

    async def listen() -> None:
        async with await _create_server(url, make) as server:
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
    """Listen as soon as the port is free, and return the server; log each reason to wait once."""
    parts, loop, logged_errno = urlsplit(url), asyncio.get_running_loop(), 0
    while True:
        try:
            return await loop.create_server(make, parts.hostname or "", parts.port or 0)
        except OSError as error:
            if error.errno == errno.EADDRINUSE != logged_errno:
                log.info("%s is in use; this process listens there once it is free", url)
            elif error.errno != logged_errno:
                log.error(  # noqa: TRY400 - the reason is enough
                    "cannot listen for mail at %s (%s). Fix: name another address in"
                    " STUDIOGRAPH_MAIL_LISTEN.",
                    *(url, error.strerror),
                )
            logged_errno = error.errno or 0
        await asyncio.sleep(RETRY_SECONDS)
