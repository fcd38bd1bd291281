"""Lookup of TXT records at one DNS resolver by UDP, and by TCP if the answer was truncated.

The UDP socket is connected, so that a closed port gives an error at once. DNSSEC is not checked.
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

from resolvers.signing.keys import ProofError

SECONDS = 3
"""How long to wait for the resolver."""
_DATAGRAM_SECONDS = 1
"""How long to wait for a datagram before it is sent again."""


async def lookup_txt(resolver: str, name: str) -> list[str]:
    """Return the TXT records of a name, sorted, the strings of each joined. Raises: ProofError.

    `resolver` is an IP address, with a port unless it is 53.
    """
    try:
        query = dns.message.make_query(name, dns.rdatatype.TXT)
    except dns.exception.DNSException:
        raise ProofError("The domain is not a valid DNS name.") from None
    try:
        async with asyncio.timeout(SECONDS):
            return _texts_in(await _response(resolver, query))
    except TimeoutError:
        raise ProofError(f"The resolver did not answer within {SECONDS} s.") from None
    except OSError:
        raise ProofError("The resolver cannot be reached.") from None
    except (dns.exception.DNSException, EOFError):
        raise ProofError("The resolver's answer could not be read.") from None


async def _response(resolver: str, query: dns.message.QueryMessage) -> dns.message.QueryMessage:
    parts = urlsplit(f"//{resolver}")
    address, port = parts.hostname or "", parts.port or 53
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    backend = dns.asyncbackend.get_backend("asyncio")
    for _ in range(SECONDS // _DATAGRAM_SECONDS):
        connected = await backend.make_socket(  # type: ignore[no-untyped-call]
            family, socket.SOCK_DGRAM, 0, None, (address, port)
        )
        async with connected:
            with suppress(dns.exception.Timeout):
                response, _ = await dns.asyncquery.udp_with_fallback(
                    query, address, _DATAGRAM_SECONDS, port, udp_sock=connected
                )
                return cast("dns.message.QueryMessage", response)
    raise TimeoutError


def _texts_in(response: dns.message.QueryMessage) -> list[str]:
    rcode = response.rcode()
    if rcode == dns.rcode.NXDOMAIN:
        raise ProofError("The name does not exist.")
    if rcode != dns.rcode.NOERROR:
        raise ProofError(f"The resolver answered {dns.rcode.to_text(rcode)}.")
    records = response.resolve_chaining().answer
    if records is None:
        raise ProofError("The name has no TXT record.")
    return sorted(b"".join(r.strings).decode(errors="backslashreplace") for r in records)
