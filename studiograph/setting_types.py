"""Patterns and checks of settings, and the texts that describe the allowed values."""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr

from resolvers.contact.smtp_url import SmtpUrl
from sdl.types.scalar_types import Email

NAME = r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*"
IPV6 = r"[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*"
IPV4 = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
RATE_PATTERN = r"^(?:0|[1-9][0-9]{0,5}/(?:second|minute|hour|day))$"
_TOKEN = re.compile(r"[A-Za-z0-9._-]{1,255}")
PATH = r"(?:/[A-Za-z0-9._~!$&'()*+,;=:@%-]*)*"
_WEB_URL = re.compile(rf"https?://(?:{NAME}|\[{IPV6}\])(?::[0-9]{{1,5}})?{PATH}(?:\?[!-~]*)?")


@dataclass(frozen=True)
class Allowed:
    """The allowed values in words; an error shows only this, since the value may be a secret."""

    text: str


RATE_ALLOWED = Allowed("a number and second, minute, hour or day, for example 20/hour; or 0")
MAILBOX = Allowed("an e-mail address, for example agents@studio.example")
MAILBOX_CHECK = AfterValidator(Email.check)


def split_names(value: Any) -> Any:
    """Split a list with commas."""
    if isinstance(value, str):
        return tuple(name.strip() for name in value.split(",") if name.strip())
    return value


class PortError(ValueError):
    """The port of an address is no port; the text says what one is, and has no part of it."""

    def __init__(self) -> None:
        super().__init__("its port must be a whole number from 1 to 65535")


def check_url(url: str) -> str:
    """Return the URL if it is valid. Raises: ValueError."""
    parts = urlsplit(url)  # refuses what stands in brackets and is no IPv6 address
    try:
        port = parts.port
    except ValueError:  # it is over 65535
        port = 0
    if port == 0:
        raise PortError
    return url


def check_host(host: str) -> str:
    """Return the host if what has colons is an IPv6 address. Raises: ValueError."""
    if ":" in host:
        ip_address(host)
    return host


def check_secret_url(url: SecretStr) -> SecretStr:
    """Return the URL if it is a valid one of http or https. Raises: ValueError."""
    if not _WEB_URL.fullmatch(check_url(url.get_secret_value())):
        raise ValueError
    return url


def check_resolver(text: str) -> str:
    """Return the IP address, with or without a port, if it is valid. Raises: ValueError."""
    parts = urlsplit(f"//{text}")
    ip_address(parts.hostname or "")
    if parts.port == 0:
        raise ValueError
    return text


def check_token(secret: SecretStr) -> SecretStr:
    """Return the token if it is valid. Raises: ValueError."""
    if not _TOKEN.fullmatch(secret.get_secret_value()):
        raise ValueError
    return secret


def check_database_url(url: str) -> str:
    """Return the URL if it names a SQLite file or PostgreSQL. Raises: ValueError."""
    parts = urlsplit(url)
    kind = parts.scheme.partition("+")[0]
    if kind == "sqlite" and parts.path.startswith("//") and not parts.netloc:
        return url
    if kind != "postgresql" or not parts.hostname or parts.port == 0:
        raise ValueError
    return url


def check_smtp_url(secret: SecretStr) -> SecretStr:
    """Return the URL if it names a mail server. Raises: ValueError."""
    SmtpUrl.parse(secret.get_secret_value())
    return secret
