"""The addresses of a name, asked of the DNS alone: no hosts file, no search list, no cache.

Nothing is decided here about the addresses that come back.
"""

import asyncio
from ipaddress import ip_address
from urllib.parse import urlsplit

import dns.asyncbackend
import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

from resolvers.http_client.errors import ConnectionFailedError
from resolvers.http_client.targets import Address

SECONDS = 2
"""How long a lookup may take."""
_DATAGRAM_SECONDS = 0.7
"""How long an answer is waited for before the question is sent again."""


async def resolve(name: str, resolver: str = "") -> list[Address]:
    """Every address of a name, IPv4 first; none where there is no such name. Raises: Unreachable.

    `resolver` is an IP address, with a port if it is not 53; without it, the machine's own.
    """
    try:
        asked = _resolver(resolver)
        async with asyncio.timeout(SECONDS):
            found = await asyncio.gather(*(_records(asked, name, kind) for kind in ("A", "AAAA")))
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError):  # a time-out is an OSError too
        raise ConnectionFailedError from None
    return [address for each in found for address in each]


async def _records(asked: dns.asyncresolver.Resolver, name: str, kind: str) -> list[Address]:
    answer = await asked.resolve(
        dns.name.from_text(name),
        kind,
        raise_on_no_answer=False,
        lifetime=SECONDS,
        backend=dns.asyncbackend.get_backend("asyncio"),
    )
    return [ip_address(record.address) for record in answer.rrset or ()]


def _resolver(address: str) -> dns.asyncresolver.Resolver:
    made = dns.asyncresolver.Resolver(configure=not address)
    made.timeout = _DATAGRAM_SECONDS
    if address:
        parts = urlsplit(f"//{address}")
        made.nameservers, made.port = [parts.hostname or ""], parts.port or 53
    return made
