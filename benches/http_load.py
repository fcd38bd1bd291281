"""Servers that the benches start, connections that ask without a pause, and what that costs."""

import asyncio
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import uvloop

ROOT = Path(__file__).parents[1]
PEERS = Path(__file__).parent / "peers"
OTHER_PYTHON = ROOT / ".venv" / "peers" / "bin" / "python"
"""An interpreter that has the peers which this project does not depend on."""
SERVE = (sys.executable, "-m", "studiograph", "serve", "--quiet")
"""The words that start the real server."""
PATIENCE_SECONDS = 60
ENOUGH = 2
"""How many answers a connection must get on average; a slice lasts longer until it does."""
CONNECTIONS, OTHER_CONNECTIONS = 16, (1, 64)
WARM_SECONDS = 0.2
OK = 200
IDLE_SECONDS = 0.02
"""The CPU time that an idle server takes in a second at most."""

Make = Callable[[], bytes]
"""Returns the next request as bytes."""


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def cpu(self) -> float:
        """Return the CPU time it has used, by threads that have ended too. Units: seconds.

        Source: MAKE_PROCESS_CPUCLOCK of the Linux kernel (include/linux/posix-timers.h).
        """
        return time.clock_gettime((~self.pid << 3) | 2)

    def memory(self) -> float:
        """Return the memory it holds. Units: mebibytes."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


@dataclass(frozen=True)
class Question:
    """What a connection asks again and again, and how it is answered."""

    make: Make
    status: int = OK
    has_body: bool = True


class Connection(asyncio.Protocol):
    """A connection that asks again as soon as it is answered."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.times: list[float] = []
        self._left = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport: Any = transport
        self._ask()

    def _ask(self) -> None:
        self._began = time.perf_counter()
        self.transport.write(self.question.make())

    def data_received(self, data: bytes) -> None:
        """Note the time of an answer when all of it is here, and ask again."""
        if self._left < 0:
            head, _, data = data.partition(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 %d" % self.question.status):
                raise SystemExit(f"refused: {head.decode()} {data.decode()[:400]}")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r", 1)[0] or 0)
            self._left = length * self.question.has_body
        self._left -= len(data)
        if self._left == 0:
            self._left = -1
            self.times.append(time.perf_counter() - self._began)
            self._ask()


async def load(
    server: Server, asked: Sequence[Question], seconds: float, enough: int = 0
) -> list[list[float]]:
    """Return the times of the answers on a connection for each question. Units: seconds.

    It lasts longer than `seconds` until there are `enough` answers in all.
    """
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(partial(Connection, each), "127.0.0.1", server.port))[1]
        for each in asked
    ]
    await asyncio.sleep(seconds)
    while sum(len(own.times) for own in connections) < enough:  # noqa: ASYNC110 - it only measures
        await asyncio.sleep(seconds)
    for connection in connections:
        connection.transport.abort()
    return [connection.times for connection in connections]


@dataclass(frozen=True)
class Pace:
    """How long a measurement lasts. Units: seconds."""

    rounds: int
    seconds: float
    is_quick: bool = False

    @property
    def all_seconds(self) -> float:
        """All slices together."""
        return self.rounds * self.seconds


@dataclass(frozen=True)
class Costs:
    """What one server's answers cost, in the order of the rounds."""

    microseconds: Sequence[float]
    """The CPU time of one answer."""
    rates: Mapping[int, float]
    """The answers a second, by the number of connections; for other servers one number alone."""

    @property
    def median(self) -> float:
        """The CPU time of one answer. Units: microseconds."""
        return statistics.median(self.microseconds)

    def ratio(self, peer: "Costs") -> float:
        """Return how many times as much the peer costs."""
        pairs = zip(self.microseconds, peer.microseconds, strict=True)
        return statistics.median(theirs / own for own, theirs in pairs)


def side_by_side(asked: Sequence[tuple[Server, Question]], pace: Pace) -> list[Costs]:
    """Return what each question costs its server; each round asks all of them in turn.

    Every other round goes in the opposite order, so that none is always asked first.
    """
    for server, question in asked:
        cost(server, question, CONNECTIONS, WARM_SECONDS)
    taken: list[list[float]] = [[] for _ in asked]
    rates: list[dict[int, list[float]]] = [defaultdict(list) for _ in asked]
    for turn in range(pace.rounds):
        every = list(enumerate(asked))
        for at, (server, question) in every if turn % 2 else every[::-1]:
            microseconds, rate = cost(server, question, CONNECTIONS, pace.seconds)
            taken[at].append(microseconds)
            rates[at][CONNECTIONS].append(rate)
    for connections in OTHER_CONNECTIONS:
        rates[0][connections].append(cost(*asked[0], connections, pace.seconds)[1])
    medians = [{n: statistics.median(own) for n, own in each.items()} for each in rates]
    return [Costs(own, rate) for own, rate in zip(taken, medians, strict=True)]


def cost(
    server: Server, question: Question, connections: int, seconds: float
) -> tuple[float, float]:
    """Return the CPU time of one answer in microseconds, and the answers a second."""
    before, began = server.cpu(), time.perf_counter()
    times = uvloop.run(load(server, [question] * connections, seconds, ENOUGH * connections))
    used, elapsed = server.cpu() - before, time.perf_counter() - began
    answers = sum(map(len, times))
    return used / answers * 1e6, answers / elapsed


@contextmanager
def serving(  # noqa: PLR0913 - what to start, and what it must answer
    words: Sequence[str],
    port: int,
    path: str,
    body: Any = None,
    *,
    headers: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """Start a server and wait until it answers a GET, or a POST of a body; stop it at the end."""
    process = subprocess.Popen(  # noqa: S603 - the words are those of the benches
        [*_on_one_core(), *words],
        cwd=ROOT,
        env={**os.environ, **(settings or {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server, method = Server(port, process.pid), "GET" if body is None else "POST"
    try:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                asked = f"{server.url}{path}"
                httpx.request(method, asked, json=body, headers=headers).raise_for_status()
                break
            except httpx.HTTPError:
                if time.monotonic() > deadline or process.poll() is not None:
                    raise
                time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def _on_one_core() -> Sequence[str]:
    """Return the words before a command that keep it to the first core, where that can be done."""
    return ("taskset", "--cpu-list", "0") if shutil.which("taskset") else ()


def settings_of(port: int, content: Path, data: str, **more: str) -> dict[str, str]:
    """Return the settings of the real server, as environment variables; `more` may replace some."""
    own = {"PORT": str(port), "CONTENT": str(content), "DATA": data, "AI_EMBEDDER": "hash"}
    return {f"STUDIOGRAPH_{name}": value for name, value in {**own, **more}.items()}


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextmanager
def studio(content: Path = ROOT / "content", **more: str) -> Iterator[Server]:
    """Start the real server on a content folder, and wait until it answers questions.

    Its settings are the defaults but for the embedder `hash`, no rate limits, and those given.
    """
    with TemporaryDirectory() as data:
        port = free_port()
        unlimited = {"EMBED_LIMIT": "0", "CHAT_LIMIT": "0"}
        named = settings_of(port, content, data, **{**unlimited, **more})
        with serving(SERVE, port, "/readyz", settings=named) as server:
            while httpx.get(f"{server.url}/readyz").json()["answers"] == "loading":
                time.sleep(0.1)
            _wait_until_idle(server)
            yield server


def _wait_until_idle(server: Server) -> None:
    """Wait until the server has made the answers and their codings that it keeps ready."""
    used = -1.0
    while (now := server.cpu()) - used > IDLE_SECONDS:
        used = now
        time.sleep(1)
