"""A process that receives webhooks and keeps a ledger of them.

Run as a program, `webhook_sink_program.py COUNT` listens on COUNT ports of the loopback and writes
their numbers; then it reads orders line by line and answers each with one line of JSON. A hook is
the last part of a path. A delivery whose sender left before the answer is not acknowledged.
"""

import asyncio
import json
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

MOST_BYTES = 1 << 20
EVERY = "*"
"""Stands for all hooks where they are counted."""
TRAP = "http://169.254.169.254/latest/meta-data/"
"""Where a redirect leads that nobody may follow."""


@dataclass
class Rule:
    """How a hook answers. Units: seconds."""

    echo: str = "text"
    delay: float = 0
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=lambda: [(200, {})])
    """One for each delivery, the last for all that follow."""
    keep: bool = True
    """Whether the ledger keeps the bodies."""


@dataclass
class Entry:
    """A delivery as it came."""

    hook: str
    id: str
    timestamp: str
    signature: str
    body: str
    at: float
    acked: bool = False


class Sink:
    """The hooks and the ledger."""

    def __init__(self) -> None:
        self.rules: dict[str, Rule] = {}
        self.ledger: list[Entry] = []
        self.asked: Counter[str] = Counter()
        self.busy: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.connections = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, which is one request."""
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, ValueError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            first, *lines = head.split("\r\n")
            headers = {name.lower(): value for name, _, value in (x.partition(": ") for x in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            method, target, _ = first.split(" ")
            await self._answer(method, target, headers, body, (reader, writer))
        writer.transport.abort() if writer.transport.is_closing() else writer.close()

    async def _answer(
        self, method: str, target: str, headers: dict[str, str], body: bytes, ends: Any
    ) -> None:
        parts = urlsplit(target)
        hook = parts.path.rpartition("/")[2]
        rule = self.rules.setdefault(hook, Rule())
        if "webhook-id" in headers:
            await self._take(hook, rule, headers, body, ends)
            return
        self.asked[hook] += 1
        asked = parse_qs(parts.query).get("hub.challenge", [""])[0]
        token = asked if method == "GET" else json.loads(body)["challenge"]
        await _echo(rule.echo, method, token, body, ends)

    async def _take(
        self, hook: str, rule: Rule, headers: dict[str, str], body: bytes, ends: Any
    ) -> None:
        entry = Entry(
            hook,
            headers["webhook-id"],
            headers.get("webhook-timestamp", ""),
            headers.get("webhook-signature", ""),
            body.decode() if rule.keep else "",
            time.time(),
        )
        self.ledger.append(entry)
        for name in (hook, EVERY):
            self.busy[name] += 1
            self.most[name] = max(self.most[name], self.busy[name])
        try:
            left = rule.delay > 0 and await _leaves(ends[0], rule.delay)
            status, more = rule.answers.pop(0) if len(rule.answers) > 1 else rule.answers[0]
            if not left:
                await _send(ends[1], b"", status, more)
                entry.acked = 200 <= status <= 299 and not ends[0].at_eof()
        finally:
            for name in (hook, EVERY):
                self.busy[name] -= 1

    def obey(self, order: str, *given: Any) -> Any:
        """What comes of an order."""
        if order == "rule":
            hook, rule = given
            self.rules[hook] = Rule(**rule)
        elif order == "ledger":
            return [asdict(entry) for entry in self.ledger]
        elif order == "clear":
            self.ledger.clear()
        elif order == "counts":
            seen = Counter((entry.hook, entry.id) for entry in self.ledger)
            acked = {(entry.hook, entry.id) for entry in self.ledger if entry.acked}
            return {
                "seen": len(self.ledger),
                "acked": len(acked),
                "again": sum(seen.values()) - len(seen),
                "asked": self.asked,
                "most": self.most,
                "connections": self.connections,
            }
        return "done"


async def _leaves(reader: asyncio.StreamReader, seconds: float) -> bool:
    """Whether the sender leaves within the time."""
    with suppress(TimeoutError, ConnectionError):
        await asyncio.wait_for(reader.read(1), seconds)
        return True
    return reader.at_eof()


async def _echo(manner: str, method: str, token: str, body: bytes, ends: Any) -> None:
    """Answer a challenge in a manner, of which the first five are right."""
    reader, writer = ends
    if manner == "websub":
        right = method == "GET"
        await _send(writer, token.encode() if right else b"", 200 if right else 405)
    elif manner == "late":
        if not await _leaves(reader, 5.5):
            await _send(writer, token.encode())
    elif manner == "redirect":
        await _send(writer, token.encode(), 302, {"location": TRAP})
    elif manner == "drip":
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        while not await _leaves(reader, 0.2):
            writer.write(b"a")
            await writer.drain()
    else:
        answers = {
            "text": token.encode(),
            "json": json.dumps(token).encode(),
            "object": json.dumps({"challenge": token}).encode(),
            "form": f"challenge={token}".encode(),
            "none": b"ok",
            "wrong": token[::-1].encode(),
            "substring": f"<p>{token}</p>".encode(),
            "same": body,
            "huge": token.encode() + b" " * MOST_BYTES,
        }
        await _send(writer, answers[manner])


async def _send(
    writer: asyncio.StreamWriter, body: bytes, status: int = 200, more: Any = None
) -> None:
    headers = {"content-length": str(len(body)), "connection": "close", **(more or {})}
    lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {text}" for name, text in headers.items())]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def main(count: int) -> None:
    """Listen, and obey until the input ends."""
    loop, sink = asyncio.get_running_loop(), Sink()
    servers = [
        await asyncio.start_server(sink.talk, "127.0.0.1", 0, backlog=1024) for _ in range(count)
    ]
    _say([server.sockets[0].getsockname()[1] for server in servers])
    lines: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "")

    threading.Thread(target=read, daemon=True).start()
    while line := await lines.get():
        _say(sink.obey(*json.loads(line)))


def _say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
