"""Lookup of the records behind claims, of which nothing is imported where nobody is asked.

TXT records come from one DNS resolver by UDP, and by TCP if the answer was truncated. The UDP
socket is connected, so that a closed port gives an error at once. DNSSEC is not checked.
ENS records come from one Ethereum node by `eth_call`: the registry gives the resolver of a name,
the resolver the record. Off-chain records (EIP-3668) are not fetched.

Source: EIP-137, ENSIP-5, JSON-RPC 2.0.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import AnyStr, cast
from urllib.parse import urlsplit

import dns.asyncbackend
import dns.asyncquery
import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype
import httpx
from Crypto.Hash import keccak

from resolvers.signing.keys import ProofError
from sdl.arguments.strict_json import read_json
from sdl.errors import InvalidInputError

SECONDS = 3
"""How long to wait for the resolver, or for the node."""
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


REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
MAX_BYTES = 65_536

_RESOLVER = bytes.fromhex("0178b8bf")
_ADDR = bytes.fromhex("3b3b57de")
_TEXT = bytes.fromhex("59d1d43c")
_LABEL = r"(?!..--)[A-Za-z0-9-]+"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_BYTES = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_UNREADABLE = "The endpoint's answer could not be read."


@dataclass(frozen=True)
class Node:
    """An Ethereum node."""

    url: str
    transport: httpx.AsyncHTTPTransport
    """A bare transport: a client would follow redirects, use proxies and log the address."""

    async def address(self, name: str) -> str:
        """Return the address of a name, in lower case. Raises: ProofError."""
        return _address(_non_empty(await self._record(name, _ADDR), "addr record"))

    async def text_record(self, name: str, key: str) -> str:
        """Return a text record of a name. Raises: ProofError."""
        data = await self._record(name, _TEXT, _word(64) + _encode_bytes(key.encode()))
        return _non_empty(_text(_non_empty(data, "text record")), "text record")

    async def _record(self, name: str, selector: bytes, argument: bytes = b"") -> bytes:
        if not _NAME.fullmatch(name):
            raise ProofError("The name needs ENSIP-15 normalisation, which is not supported.")
        node = namehash(name.lower())
        resolver = _address(_non_empty(await self._call(REGISTRY, _RESOLVER + node), "resolver"))
        return await self._call(resolver, selector + node + argument)

    async def _call(self, contract: str, data: bytes) -> bytes:
        call = {"to": contract, "data": f"0x{data.hex()}"}
        request = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]}
        try:
            async with asyncio.timeout(SECONDS):
                return _result(await self._post(request))
        except TimeoutError:
            raise ProofError(f"The endpoint did not answer within {SECONDS} s.") from None
        except (
            httpx.ConnectError,
            httpx.InvalidURL,
            ValueError,
        ):  # ValueError: a host name that IDNA rejects
            raise ProofError("The endpoint cannot be reached.") from None
        except (httpx.HTTPError, InvalidInputError):
            raise ProofError(_UNREADABLE) from None

    async def _post(self, body: object) -> bytes:
        headers = {"user-agent": "studiograph", "accept-encoding": "identity"}
        request = httpx.Request("POST", self.url, json=body, headers=headers)
        async with aclosing(await self.transport.handle_async_request(request)) as response:
            if response.status_code != httpx.codes.OK:
                raise ProofError(f"The endpoint answered with HTTP {response.status_code}.")
            answer = b""
            async for chunk in response.aiter_raw():
                answer += chunk
                if len(answer) > MAX_BYTES:
                    raise ProofError("The endpoint's answer is too large.")
            return answer


@asynccontextmanager
async def node_at(url: str) -> AsyncIterator[Node]:
    """Connect to the node at an address."""
    async with httpx.AsyncHTTPTransport(trust_env=False) as transport:
        yield Node(url, transport)


def namehash(name: str) -> bytes:
    """Return the node of a normalised name. Source: EIP-137."""
    node = bytes(32)
    for label in reversed(name.split(".") if name else []):
        node = _keccak(node + _keccak(label.encode()))
    return node


def _keccak(data: bytes) -> bytes:
    return keccak.new(data=data, digest_bits=256).digest()


def _result(body: bytes) -> bytes:
    match read_json(body, "answer"):
        case {"error": {"code": int(code)}}:
            raise ProofError(f"The endpoint answered with JSON-RPC error {code}.")
        case {"id": 1, "result": str(text)} if _BYTES.fullmatch(text):
            return bytes.fromhex(text[2:])
    raise ProofError(_UNREADABLE)


def _non_empty(value: AnyStr, record: str) -> AnyStr:
    """Return the value; raise `ProofError` if it is empty or all zero."""
    if not any(value):
        raise ProofError(f"The name has no {record}.")
    return value


def _address(data: bytes) -> str:
    """Decode an ABI `address`."""
    if len(data) != 32 or any(data[:12]):  # noqa: PLR2004 - one word, of which 20 bytes count
        raise ProofError(_UNREADABLE)
    return f"0x{data[12:].hex()}"


def _text(data: bytes) -> str:
    """Decode an ABI `string` that is the only value of an answer."""
    text = data[64 : 64 + int.from_bytes(data[32:64])]
    try:
        if data == _word(32) + _encode_bytes(text):
            return text.decode()
    except UnicodeDecodeError:
        pass
    raise ProofError(_UNREADABLE)


def _encode_bytes(data: bytes) -> bytes:
    """Encode ABI `bytes` or a `string`: its length, then the data, padded to whole words."""
    return _word(len(data)) + data + bytes(-len(data) % 32)


def _word(number: int) -> bytes:
    return number.to_bytes(32)
