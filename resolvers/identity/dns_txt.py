"""TXT records of a domain, asked of one DNS resolver by UDP, and by TCP where UDP is too short.

The socket is connected, so that a closed port is told apart from a silent one. No DNSSEC.
"""

import asyncio
import socket
from contextlib import suppress
from typing import cast
from urllib.parse import urlsplit

import dns.asyncbackend
import dns.asyncquery
import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype

from resolvers.signing.errors import ProofError

SECONDS = 3
"""How long a resolver has for its answer."""
_DATAGRAM_SECONDS = 1
"""How long a datagram is waited for before it is held to be lost."""


async def lookup_txt(resolver: str, name: str) -> list[str]:
    """The TXT records of a name, sorted, the strings of each joined. Raises: ProofFault.

    `resolver` is an IP address, with a port if it is not 53.
    """
    try:
        query = dns.message.make_query(name, dns.rdatatype.TXT)
    except dns.exception.DNSException:
        raise ProofError("The domain makes no name of the DNS.") from None
    try:
        async with asyncio.timeout(SECONDS):
            return _texts_in(await _response(resolver, query))
    except TimeoutError:
        raise ProofError(f"The resolver gave no answer within {SECONDS} s.") from None
    except OSError:
        raise ProofError("The resolver cannot be reached.") from None
    except (dns.exception.DNSException, EOFError):
        raise ProofError("The resolver's answer could not be read.") from None


async def _response(resolver: str, query: dns.message.QueryMessage) -> dns.message.QueryMessage:
    parts = urlsplit(f"//{resolver}")
    address, port = parts.hostname or "", parts.port or 53
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    backend = dns.asyncbackend.get_backend("asyncio")
    while True:
        connected = await backend.make_socket(  # type: ignore[no-untyped-call]
            family, socket.SOCK_DGRAM, 0, None, (address, port)
        )
        async with connected:
            with suppress(dns.exception.Timeout):
                response, _ = await dns.asyncquery.udp_with_fallback(
                    query, address, _DATAGRAM_SECONDS, port, udp_sock=connected
                )
                return cast("dns.message.QueryMessage", response)


def _texts_in(response: dns.message.QueryMessage) -> list[str]:
    rcode = response.rcode()
    if rcode == dns.rcode.NXDOMAIN:
        raise ProofError("There is no such name.")
    if rcode != dns.rcode.NOERROR:
        raise ProofError(f"The resolver answered {dns.rcode.to_text(rcode)}.")
    found = response.resolve_chaining().answer
    if found is None:
        raise ProofError("The name has no TXT record.")
    return sorted(b"".join(one.strings).decode(errors="backslashreplace") for one in found)
