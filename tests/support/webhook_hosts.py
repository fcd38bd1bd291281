"""Webhook receivers on the loopback, with their certificates and DNS answers."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from dnslib import AAAA, QTYPE, RR, A  # type: ignore[import-untyped]
from name_servers import Answer

from resolvers.http_client.targets import Address, TargetUrl, parse_target

HOST = "hooks.example.org"
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


@dataclass(frozen=True)
class Issuer:
    """Who issues certificates, and the one that it has itself."""

    folder: Path
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    def trusting(self) -> ssl.SSLContext:
        """What a client needs that trusts this issuer alone."""
        own = _certificate("issuer", self.key, self.key, authority=True)
        return ssl.create_default_context(cadata=own.public_bytes(Encoding.PEM).decode("ascii"))

    def serving(
        self, host: str = HOST, ends_days: int = 1, *, alone: bool = False
    ) -> ssl.SSLContext:
        """What a server of a name needs, which may have issued its certificate `alone`."""
        key = ec.generate_private_key(ec.SECP256R1())
        made = _certificate(host, key, key if alone else self.key, ends_days)
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file = self.folder / f"{host}.pem"
        file.write_bytes(secret + made.public_bytes(Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: ec.EllipticCurvePrivateKey,
    ends_days: int = 1,
    *,
    authority: bool = False,
) -> x509.Certificate:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .issuer_name(_named(name if key is issuer else "issuer"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=9))
        .not_valid_after(now + timedelta(days=ends_days))
        .add_extension(x509.BasicConstraints(authority, None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(issuer, SHA256())
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
