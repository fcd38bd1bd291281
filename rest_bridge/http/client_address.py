"""Who sent a request: the peer, or the address that trusted proxies in front say it came from.

No other header and nothing in a body changes it.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from starlette.datastructures import Headers
from starlette.types import Scope

from sdl.caller import Caller, Channel

ClientAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_ENTRY = re.compile(r"\[([^\[\]]*:[^\[\]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")
"""An entry with brackets or a port; anything else is an address as it stands."""


def caller_of(scope: Scope, trusted: Sequence[Network]) -> Caller:
    """The caller of an HTTP request; without an address where the peer has none."""
    peer = address_of((scope.get("client") or ("",))[0])
    return Caller(str(_behind(peer, scope, trusted)) if peer else "", Channel.HTTP)


def _behind(peer: ClientAddress, scope: Scope, trusted: Sequence[Network]) -> ClientAddress:
    """The nearest address that is not a trusted proxy's; the peer where there is none to read."""
    entries = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    address: ClientAddress | None = peer
    while address and any(address in network for network in trusted):
        address = _entry(entries.pop()) if entries else None
    return address or peer


def _entry(text: str) -> ClientAddress | None:
    text = text.strip(" \t")
    match = _ENTRY.fullmatch(text)
    return address_of((match[1] or match[2]) if match else text)


def address_of(text: str) -> ClientAddress | None:
    """The address without its zone, IPv4 where it is mapped; None for anything else."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    if isinstance(parsed, IPv4Address):
        return parsed
    return parsed.ipv4_mapped or IPv6Address(int(parsed))
