"""A mail server that takes our messages, spoken to with SMTP. Keeps nothing, tries once.

Imported only where such a server is set.

Source: RFC 5321 (SMTP), RFC 3207 (STARTTLS), RFC 4954 (AUTH), RFC 6152 (8BITMIME).
"""

import asyncio
import logging
import ssl
from contextlib import suppress
from typing import cast

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPConnectError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponseException,
)

from resolvers.contact.smtp_url import SmtpUrl
from sdl.errors import DeliveryFailedError, StudioError, UnavailableError

_GOODBYE_SECONDS = 1.0
_PERMANENT, _NOT_LET_IN = 500, {530, 534, 535, 538}
_FAILURES = (SMTPException, OSError, ValueError)  # garbled answers are ValueErrors
_BROKEN = (SMTPException, ssl.SSLError, ConnectionResetError, TimeoutError)

log = logging.getLogger("studiograph.letters")


class SmtpTransport:
    """A target that hands messages to a mail server, within `seconds` for everything."""

    def __init__(
        self,
        url: str,
        mail_from: str,
        to: str,
        seconds: float = 8.5,  # so that with all else a caller waits at most 10
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self.to = to
        self._server = SmtpUrl.read(url)
        self._mail_from = mail_from
        self._seconds = seconds
        self._tls_context = tls_context

    def describe(self) -> str:
        """The mail server, without who we are there."""
        return f"the mail server {self._server}"

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Nothing, once the server has said 250. Raises: DeliveryFailed, Unavailable."""
        del key  # a message's own id is all that a mail server goes by
        connection = self._connection()
        try:
            async with asyncio.timeout(self._seconds):
                await self._enter(connection)
                await connection.mail(
                    self._mail_from if sender is None else sender,
                    options=_options(connection, message),
                )
                await connection.rcpt(recipient or self.to)
                await connection.data(message)
            with suppress(*_FAILURES):  # they have it, however they part
                await connection.quit(timeout=_GOODBYE_SECONDS)
        except _FAILURES as error:
            raise self._failure(error) from None
        finally:
            _drop(connection)

    def _connection(self) -> SMTP:
        return SMTP(
            hostname=self._server.host,
            port=self._server.port,
            timeout=None,  # ours is for all of it
            local_hostname=self._mail_from.rpartition("@")[2],
            use_tls=self._server.scheme == "smtps",
            start_tls=self._server.scheme == "smtp+starttls",
            tls_context=self._tls_context,
        )

    async def _enter(self, connection: SMTP) -> None:
        await connection.connect()
        await connection.ehlo()
        if self._server.user:
            if not connection.supported_auth_methods:
                raise SMTPNotSupported("it offers no way to log in")
            await connection.login(self._server.user, self._server.password)

    def _failure(self, error: Exception) -> StudioError:
        """What the caller is told; the log says more to the owner, in no words of the server."""
        if _is_unusable(error):
            log.error("%s: %s. Fix: check STUDIOGRAPH_SMTP_URL.", self.describe(), _reason(error))
            return UnavailableError("No mail can be sent now.")
        log.error("%s: %s", self.describe(), _reason(error))
        return DeliveryFailedError("The mail server refused the message or took too long.")


def _options(connection: SMTP, message: bytes) -> list[str]:
    if message.isascii():
        return []
    if not connection.supports_extension("8bitmime"):
        raise SMTPNotSupported("it takes no 8-bit mail")
    return ["BODY=8BITMIME"]


def _is_unusable(error: Exception) -> bool:
    """Whether the server cannot be used, rather than that it failed with this message."""
    if isinstance(error, SMTPResponseException):
        is_login = isinstance(error, SMTPAuthenticationError)
        return error.code in _NOT_LET_IN or (is_login and error.code >= _PERMANENT)
    cause = error.__cause__ if isinstance(error, SMTPConnectError) else None
    was_never_there = isinstance(cause, OSError) and not isinstance(cause, _BROKEN)
    return was_never_there or isinstance(error, SMTPNotSupported)


def _reason(error: Exception) -> str:
    if isinstance(error, SMTPResponseException):
        return f"it answered {error.code}"
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, SMTPNotSupported):
        return error.message
    return type(error.__cause__ or error).__name__


def _drop(connection: SMTP) -> None:
    """End what is left of the connection: closing it would wait for who does not read."""
    if connection.transport is not None:
        cast("asyncio.WriteTransport", connection.transport).abort()
