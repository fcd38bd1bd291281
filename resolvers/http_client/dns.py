"""DNS lookup of addresses, without hosts file, search list or cache."""

import asyncio
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

import dns.asyncbackend
import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

from resolvers.http_client.errors import ConnectionFailedError

SECONDS = 2
"""The time limit of a lookup."""
_DATAGRAM_SECONDS = 0.7
"""The time after which an unanswered query is sent again."""


async def resolve(name: str, resolver: str = "") -> list[IPv4Address | IPv6Address]:
    """Return every address of a name, IPv4 first; an empty list if the name does not exist.

    `resolver` is the IP address of a resolver, with a port if it is not 53. By default, the
    machine's own resolver is used. Raises: ConnectionFailedError.
    """
    try:
        client = _make_resolver(resolver)
        async with asyncio.timeout(SECONDS):
            answers = await asyncio.gather(
                *(_lookup(client, name, record_type) for record_type in ("A", "AAAA"))
            )
    except dns.resolver.NXDOMAIN:
        return []
    except (dns.exception.DNSException, OSError):  # TimeoutError is an OSError
        raise ConnectionFailedError from None
    return [address for addresses in answers for address in addresses]


async def _lookup(
    client: dns.asyncresolver.Resolver, name: str, record_type: str
) -> list[IPv4Address | IPv6Address]:
    answer = await client.resolve(
        dns.name.from_text(name),
        record_type,
        raise_on_no_answer=False,
        lifetime=SECONDS,
        backend=dns.asyncbackend.get_backend("asyncio"),
    )
    return [ip_address(record.address) for record in answer.rrset or ()]


def _make_resolver(address: str) -> dns.asyncresolver.Resolver:
    client = dns.asyncresolver.Resolver(configure=not address)
    client.timeout = _DATAGRAM_SECONDS
    if address:
        parts = urlsplit(f"//{address}")
        client.nameservers, client.port = [parts.hostname or ""], parts.port or 53
    return client
