"""Webhook receivers on the loopback, with their certificates and DNS answers."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import pytest
import uvloop
from certificates import HOST
from dnslib import AAAA, QTYPE, RR, A  # type: ignore[import-untyped]
from name_servers import Answer

from resolvers.http_client.targets import Address, TargetUrl, parse_target

LOOPBACK = (ip_address("127.0.0.1"),)
EVERY_LOOP = pytest.mark.parametrize(
    "loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)

Loop = Callable[[], asyncio.AbstractEventLoop]
Manner = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What a receiver does once it has heard a request."""


def addresses(now: Sequence[str]) -> Answer:
    """The answer of a name with the addresses that stand there when it is asked."""

    def answer(question: Any, _: str) -> Any:
        reply = question.reply()
        for address in map(ip_address, now):
            kind, made = ("AAAA", AAAA) if address.version == 6 else ("A", A)
            if question.q.qtype == QTYPE.reverse[kind]:
                record = made(tuple(address.packed))
                reply.add_answer(RR(question.q.qname, question.q.qtype, rdata=record))
        return reply

    return answer


@dataclass(frozen=True)
class Admitted:
    """A policy by which any host stands at these addresses."""

    at: Sequence[Address] = LOOPBACK

    def parse(self, text: str) -> TargetUrl:
        """The destination that a URL names."""
        return parse_target(text)

    async def addresses(self, _: TargetUrl) -> Sequence[Address]:
        """Where every host stands."""
        return self.at


def destination(port: int, host: str = HOST, scheme: str = "https") -> TargetUrl:
    """A host on a port that no URL may name."""
    return TargetUrl(host, port, "/in?a=b", host, scheme)


@dataclass
class Receiver:
    """What listens, and what it heard."""

    manner: Manner
    port: int = 0
    heard: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        with suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            self.heard.append(head + await reader.readexactly(int(length or 0)))
            await self.manner(writer)
        writer.transport.abort()
        self.left.set()


@asynccontextmanager
async def receiver(
    manner: Manner, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Receiver]:
    """A receiver with a manner."""
    made = Receiver(manner)
    server = await asyncio.start_server(made.talk, host, port, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()


@asynccontextmanager
async def cut(port: int, most_in: int, most_out: int) -> AsyncIterator[int]:
    """The port of a relay to a receiver, which breaks off after so many bytes of either way."""

    async def pass_on(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int
    ) -> None:
        while most > 0 and (data := await reader.read(min(most, 4096))):
            most -= len(data)
            await _send(writer, [data])

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        ways = [
            asyncio.ensure_future(pass_on(reader, far_writer, most_in)),
            asyncio.ensure_future(pass_on(far_reader, writer, most_out)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for each in (writer, far_writer):
            each.transport.abort()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


def says(*pieces: bytes) -> Manner:
    """The manner of one that sends these bytes and leaves."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        await _send(writer, pieces)

    return manner


def goes_on(first: bytes, piece: bytes, pace_seconds: float = 0) -> Manner:
    """The manner of one that never ends."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        await _send(writer, [first])
        while True:
            await _send(writer, [piece])
            await asyncio.sleep(pace_seconds)

    return manner


async def _send(writer: asyncio.StreamWriter, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        if writer.is_closing():  # uvloop refuses to write then, with another error
            raise ConnectionResetError
        writer.write(piece)
        await writer.drain()


def http(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """A whole answer."""
    lines = (f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
