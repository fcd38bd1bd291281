"""Webhook receivers on the loopback, each with a behaviour that a test sets."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit


@dataclass(frozen=True)
class Heard:
    """One request."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def token(self) -> str:
        """The challenge, as it is sent by POST or by GET."""
        if self.method == "POST":
            return str(self.json["challenge"])
        return parse_qs(urlsplit(self.target).query)["hub.challenge"][0]


Say = Callable[[bytes], Awaitable[None]]
Habit = Callable[[Heard, Say], Awaitable[None]]
"""What a receiver does with a request, and how it says something."""


@dataclass
class Hook:
    """A receiver and what it heard."""

    habit: Habit
    port: int = 0
    heard: list[Heard] = field(default_factory=list)
    inside: int = 0
    most_inside: int = 0
    talks: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/in?a=b"

    def begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk on one connection more."""
        self.talks.add(asyncio.create_task(self.talk(reader, writer)))

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""

        async def say(data: bytes) -> None:
            if writer.is_closing():
                raise ConnectionResetError
            writer.write(data)
            await writer.drain()

        self.inside += 1
        self.most_inside = max(self.inside, self.most_inside)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                self.heard.append(await _read(reader))
                await self.habit(self.heard[-1], say)
        finally:
            self.inside -= 1
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Heard:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
    method, target, _ = first.split(" ")
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Heard(method, target, headers, body)


@asynccontextmanager
async def hook(habit: Habit) -> AsyncIterator[Hook]:
    """A receiver with a habit."""
    made = Hook(habit)
    server = await asyncio.start_server(made.begin, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for talk in made.talks:
            talk.cancel()
        await asyncio.gather(*made.talks, return_exceptions=True)


def answer(body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    """A whole answer."""
    named = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    lines = (f"HTTP/1.1 {status} x", f"content-length: {len(body)}", *named)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answers(make: Callable[[Heard], bytes], status: int = 200) -> Habit:
    """The habit of one that answers with this body."""

    async def habit(heard: Heard, say: Say) -> None:
        await say(answer(make(heard), status))

    return habit


def only(method: str, make: Callable[[Heard], bytes]) -> Habit:
    """The habit of one that takes one method alone."""

    async def habit(heard: Heard, say: Say) -> None:
        is_known = heard.method == method
        await say(answer(make(heard), 200) if is_known else answer(b"", 405))

    return habit


ECHO = answers(lambda heard: heard.token.encode())
"""The habit of one that wants everything."""


def form(heard: Heard) -> bytes:
    """The echo as a form."""
    return urlencode({"challenge": heard.token}).encode()
