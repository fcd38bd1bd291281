"""Records of ENS names, asked of one Ethereum node by `eth_call`.

The registry names the resolver, the resolver the record; what lies off the chain is not fetched.
Source: EIP-137, ENSIP-5, JSON-RPC 2.0.
"""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import AnyStr

import httpx
from Crypto.Hash import keccak

from resolvers.signing.errors import ProofError
from sdl.errors import InvalidInputError
from sdl.strict_json import read_json

REGISTRY = "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e"
SECONDS = 3
"""How long the node has for an answer."""
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
    """Without what a client adds: redirects, proxies, cookies, the address in a log line."""

    async def address(self, name: str) -> str:
        """The address of a name, in lower case. Raises: ProofFault."""
        return _address(_some(await self._record(name, _ADDR), "addr record"))

    async def text_record(self, name: str, key: str) -> str:
        """A text record of a name. Raises: ProofFault."""
        found = await self._record(name, _TEXT, _word(64) + _packed(key.encode()))
        return _some(_text(_some(found, "text record")), "text record")

    async def _record(self, name: str, selector: bytes, argument: bytes = b"") -> bytes:
        if not _NAME.fullmatch(name):
            raise ProofError("The name needs the normalisation of ENSIP-15, not done here.")
        node = namehash(name.lower())
        resolver = _address(_some(await self._call(REGISTRY, _RESOLVER + node), "resolver"))
        return await self._call(resolver, selector + node + argument)

    async def _call(self, contract: str, data: bytes) -> bytes:
        call = {"to": contract, "data": f"0x{data.hex()}"}
        question = {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]}
        try:
            async with asyncio.timeout(SECONDS):
                return _result(await self._post(question))
        except TimeoutError:
            raise ProofError(f"The endpoint gave no answer within {SECONDS} s.") from None
        except (httpx.ConnectError, httpx.InvalidURL, ValueError):  # a name that IDNA does not know
            raise ProofError("The endpoint cannot be reached.") from None
        except (httpx.HTTPError, InvalidInputError):
            raise ProofError(_UNREADABLE) from None

    async def _post(self, question: object) -> bytes:
        headers = {"user-agent": "studiograph", "accept-encoding": "identity"}
        request = httpx.Request("POST", self.url, json=question, headers=headers)
        async with aclosing(await self.transport.handle_async_request(request)) as response:
            if response.status_code != httpx.codes.OK:
                raise ProofError(f"The endpoint answered with HTTP {response.status_code}.")
            body = b""
            async for piece in response.aiter_raw():
                body += piece
                if len(body) > MAX_BYTES:
                    raise ProofError("The endpoint's answer is too large.")
            return body


@asynccontextmanager
async def node_at(url: str) -> AsyncIterator[Node]:
    """The node at an address."""
    async with httpx.AsyncHTTPTransport(trust_env=False) as transport:
        yield Node(url, transport)


def namehash(name: str) -> bytes:
    """The node of a normalised name. Source: EIP-137."""
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


def _some(found: AnyStr, record: str) -> AnyStr:
    """What was found, unless it is empty or zero throughout."""
    if not any(found):
        raise ProofError(f"The name has no {record}.")
    return found


def _address(data: bytes) -> str:
    """An `address` as the ABI writes it."""
    if len(data) != 32 or any(data[:12]):  # noqa: PLR2004 - one word, of which 20 bytes count
        raise ProofError(_UNREADABLE)
    return f"0x{data[12:].hex()}"


def _text(data: bytes) -> str:
    """A `string` as the ABI writes it, the one value of an answer."""
    text = data[64 : 64 + int.from_bytes(data[32:64])]
    try:
        if data == _word(32) + _packed(text):
            return text.decode()
    except UnicodeDecodeError:
        pass
    raise ProofError(_UNREADABLE)


def _packed(data: bytes) -> bytes:
    """A `bytes` or `string` of the ABI: its length, then itself, filled to whole words."""
    return _word(len(data)) + data + bytes(-len(data) % 32)


def _word(number: int) -> bytes:
    return number.to_bytes(32)
