"""The URL of a mail server, as the owner writes it in the settings.

Source: RFC 8314 section 3.3 (implicit TLS), RFC 3207 (STARTTLS), RFC 3986 (the address).
"""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

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
