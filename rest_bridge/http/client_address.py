"""The address of a caller: that of the peer, or the one that trusted proxies report.

Only `X-Forwarded-For` is read, and only from trusted proxies.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.types import Scope

from sdl.caller import Caller, Channel

ClientAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
RawHeaders = Sequence[tuple[bytes, bytes]]
"""Headers as they came, with their names in lower case."""

_ENTRY = re.compile(r"\[([^\[\]]*:[^\[\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")
"""An entry with brackets or a port; any other entry is a plain address."""


def caller_of(scope: Scope, trusted: Sequence[Network]) -> Caller:
    """Return the caller of an HTTP request; its address is empty if the peer has none."""
    peer = address_of((scope.get("client") or ("",))[0])
    address = str(_behind(peer, scope["headers"], trusted)) if peer else ""
    return Caller(address, Channel.HTTP)


def logged_address(peer: str, headers: RawHeaders, trusted: Sequence[Network]) -> str:
    """Return the caller's address as text, or that of the peer where no proxy is trusted."""
    if not trusted or (address := address_of(peer)) is None:
        return peer
    return str(_behind(address, headers, trusted))


def _behind(peer: ClientAddress, headers: RawHeaders, trusted: Sequence[Network]) -> ClientAddress:
    """Return the nearest address that is not a trusted proxy, or the peer if none is readable."""
    values = (value.decode("latin-1") for name, value in headers if name == b"x-forwarded-for")
    entries = ",".join(values).split(",")
    address: ClientAddress | None = peer
    while address and any(address in network for network in trusted):
        address = _entry(entries.pop()) if entries else None
    return address or peer


def _entry(text: str) -> ClientAddress | None:
    text = text.strip(" \t")
    match = _ENTRY.fullmatch(text)
    return address_of((match[1] or match[2]) if match else text)


def address_of(text: str) -> ClientAddress | None:
    """Parse an address, without its zone and with mapped IPv4 as IPv4; None if it is invalid."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, IPv4Address):
        return parsed
    return parsed.ipv4_mapped or IPv6Address(int(parsed))
