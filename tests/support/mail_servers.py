"""Mail servers in the test's own process: one that takes mail, and one that misbehaves."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from aiosmtpd.smtp import LoginPassword as Login

HANG, DROP = "hang", "drop"

Answer = bytes | str
MANNERS: dict[str, Answer] = {
    "CONNECT": b"220 relay.example ESMTP\r\n",
    "EHLO": b"250-relay.example\r\n250-8BITMIME\r\n250 AUTH PLAIN\r\n",
    "STARTTLS": b"220 go on\r\n",
    "AUTH": b"235 2.7.0 welcome\r\n",
    "MAIL": b"250 fine\r\n",
    "RCPT": b"250 fine\r\n",
    "DATA": b"354 go on\r\n",
    "BODY": b"",
    ".": b"250 taken\r\n",
    "QUIT": b"221 bye\r\n",
    "?": b"500 what\r\n",
}


@dataclass
class Sink:
    """What a mail server was given."""

    taken: list[Envelope] = field(default_factory=list)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)
    secure: list[bool] = field(default_factory=list)

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd calls it so
        """Take a mail."""
        self.taken.append(envelope)
        self.secure.append(session.ssl is not None)
        return "250 taken"

    def authenticate(self, _: SMTP, __: Session, ___: Envelope, ____: str, data: Any) -> AuthResult:
        """Whether it is user@x with the password pass:word/%."""
        assert isinstance(data, Login)
        self.logins.append((data.login, data.password))
        is_right = self.logins[-1] == (b"user@x", b"pass:word/%")
        return AuthResult(success=is_right, handled=False)


@asynccontextmanager
async def sink(
    tls: ssl.SSLContext | None = None, **options: Any
) -> AsyncIterator[tuple[int, Sink]]:
    """The port of a mail server of another library, and what it was given."""
    given = Sink()
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(given, hostname="relay.example", authenticator=given.authenticate, **options),
        *("127.0.0.1", 0),
        ssl=tls,
    )
    async with server:
        yield server.sockets[0].getsockname()[1], given


@dataclass
class Rude:
    """A server with manners but for some answers, which goes on until it is left."""

    answers: Mapping[str, Answer]
    pace_seconds: float = 0
    tls: ssl.SSLContext | None = None
    lines: list[bytes] = field(default_factory=list)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        with suppress(ConnectionError, ssl.SSLError):
            await self._talk(reader, writer)
        writer.transport.abort()
        self.left.set()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        step, is_data = "CONNECT", False
        while True:
            answer = self.answers.get(step, MANNERS[step])
            if isinstance(answer, str):
                if answer == HANG:
                    await reader.read()
                return
            await _write(writer, answer, self.pace_seconds if step in self.answers else 0)
            if step == "STARTTLS" and self.tls:
                await writer.start_tls(self.tls)
            is_data = is_data or (step == "DATA" and answer.startswith(b"354"))
            line = await reader.readline()
            if not line:
                return
            self.lines.append(line)
            word = (line.split() or [b""])[0].decode("latin-1").upper()
            step = "BODY" if is_data else word if word in MANNERS else "?"
            if is_data and line == b".\r\n":
                step, is_data = ".", False


@asynccontextmanager
async def rude(
    answers: Mapping[str, Answer], pace_seconds: float = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[int, Rude]]:
    """The port of a rude server, and the server itself."""
    made = Rude(answers, pace_seconds, tls)
    server = await asyncio.start_server(made.talk, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], made


async def _write(writer: asyncio.StreamWriter, data: bytes, pace_seconds: float) -> None:
    pieces = [data[place : place + 1] for place in range(len(data))] if pace_seconds else [data]
    for piece in pieces:
        if writer.is_closing():  # uvloop refuses to write then, with another error
            raise ConnectionResetError
        writer.write(piece)
        await writer.drain()
        if pace_seconds:
            await asyncio.sleep(pace_seconds)
