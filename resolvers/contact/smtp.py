"""Delivery to a mail server by SMTP, tried once; imported only if a server is configured.

Source: RFC 5321 (SMTP), RFC 3207 (STARTTLS), RFC 4954 (AUTH).
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

from resolvers.contact.transport import SmtpUrl
from sdl.errors import ApiError, DeliveryFailedError, UnavailableError

_QUIT_SECONDS = 1.0
_PERMANENT, _LOGIN_CODES = 500, {530, 534, 535, 538}
_ERRORS = (SMTPException, OSError, ValueError)  # aiosmtplib: garbled replies are ValueErrors
_CONNECTED_ERRORS = (SMTPException, ssl.SSLError, ConnectionResetError, TimeoutError)

log = logging.getLogger("studiograph.letters")


class SmtpTransport:
    """A transport to a mail server; a delivery takes at most `seconds` in all."""

    def __init__(
        self,
        url: str,
        mail_from: str,
        to: str,
        seconds: float = 8.5,  # so that a caller waits at most 10 with everything else
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self.to = to
        self._server = SmtpUrl.parse(url)
        self._mail_from = mail_from
        self._seconds = seconds
        self._tls_context = tls_context

    def describe(self) -> str:
        """Return the address of the mail server, without the login."""
        return f"the mail server {self._server}"

    async def deliver(
        self, message: bytes, key: str, *, sender: str | None = None, recipient: str | None = None
    ) -> None:
        """Send a message, which is ASCII, until the server accepts it with 250.

        Raises: DeliveryFailedError, UnavailableError.
        """
        del key  # mail servers recognise a message by its Message-ID only
        connection = self._connection()
        try:
            async with asyncio.timeout(self._seconds):
                await self._log_in(connection)
                await connection.mail(self._mail_from if sender is None else sender)
                await connection.rcpt(recipient or self.to)
                await connection.data(message)
            with suppress(*_ERRORS):  # the message is delivered, even if QUIT fails
                await connection.quit(timeout=_QUIT_SECONDS)
        except _ERRORS as error:
            raise self._to_error(error) from None
        finally:
            _abort(connection)

    def _connection(self) -> SMTP:
        return SMTP(
            hostname=self._server.host,
            port=self._server.port,
            timeout=None,  # `deliver` limits the whole conversation
            local_hostname=self._mail_from.rpartition("@")[2],
            use_tls=self._server.scheme == "smtps",
            start_tls=self._server.scheme == "smtp+starttls",
            tls_context=self._tls_context,
        )

    async def _log_in(self, connection: SMTP) -> None:
        await connection.connect()
        await connection.ehlo()
        if self._server.user:
            if not connection.supported_auth_methods:
                raise SMTPNotSupported("it offers no way to log in")
            await connection.login(self._server.user, self._server.password)

    def _to_error(self, error: Exception) -> ApiError:
        """Return the error for the caller, and log the reason without any text of the server."""
        if _is_unusable(error):
            log.error("%s: %s. Fix: check STUDIOGRAPH_SMTP_URL.", self.describe(), _reason(error))
            return UnavailableError("No mail can be sent now.")
        log.error("%s: %s", self.describe(), _reason(error))
        return DeliveryFailedError("The mail server refused the message or took too long.")


def _is_unusable(error: Exception) -> bool:
    """Return whether the error concerns every message, like a refused login, not only this one."""
    if isinstance(error, SMTPResponseException):
        is_login = isinstance(error, SMTPAuthenticationError)
        return error.code in _LOGIN_CODES or (is_login and error.code >= _PERMANENT)
    cause = error.__cause__ if isinstance(error, SMTPConnectError) else None
    could_not_connect = isinstance(cause, OSError) and not isinstance(cause, _CONNECTED_ERRORS)
    return could_not_connect or isinstance(error, SMTPNotSupported)


def _reason(error: Exception) -> str:
    if isinstance(error, SMTPResponseException):
        return f"it answered {error.code}"
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, SMTPNotSupported):
        return error.message
    return type(error.__cause__ or error).__name__


def _abort(connection: SMTP) -> None:
    """Abort the connection: closing it would wait for a server that does not read."""
    if connection.transport is not None:
        cast("asyncio.WriteTransport", connection.transport).abort()
