"""What reads cost the server when clients differ: a thousand of them, all paths, odd ones, errors.

Each client has headers of its own, as browsers, libraries, command lines and crawlers send them,
and about a third is behind a proxy that adds more. Each keeps its headers, and asks path after
path. The peers send ready bytes of the same bodies, and look at no header.
"""

import asyncio
import random
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast

import httpx
import orjson
import uvloop

from benches.http_load import (
    CONNECTIONS,
    OTHER_PYTHON,
    PEERS,
    Costs,
    Pace,
    Question,
    Server,
    free_port,
    serving,
    side_by_side,
    studio,
)
from benches.table import Table

LIST, SINGLE, MANIFEST = "/api/projects", "/api/projects/tidebook", "/api/manifest"
CLIENTS = 1_000
SHARE_BEHIND_PROXY = 0.3
PROGRAMS = {
    "bare ASGI": (sys.executable, str(PEERS / "bare.py")),
    "Starlette": (sys.executable, str(PEERS / "with_starlette.py")),
    "FastAPI": (str(OTHER_PYTHON), str(PEERS / "with_fastapi.py")),
    "Litestar": (str(OTHER_PYTHON), str(PEERS / "with_litestar.py")),
}
CODINGS = ("gzip, deflate", "gzip, deflate, br", "gzip, deflate, br, zstd", "gzip", "identity")
LANGUAGES = ("en", "en-US,en;q=0.9", "de-DE,de;q=0.9,en;q=0.7", "fr,en;q=0.5", "pt-BR,pt;q=0.8")
HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
_numbers = count()

Make = Callable[[random.Random], dict[str, str]]


def _browser(draw: random.Random) -> dict[str, str]:
    version = draw.randint(110, 131)
    return {
        "User-Agent": f"Mozilla/5.0 (X11; Linux x86_64) Chrome/{version}.0.{draw.randint(0, 99)}",
        "Accept": draw.choice((HTML, "*/*", "application/json, text/plain, */*")),
        "Accept-Encoding": draw.choice(CODINGS[1:3]),
        "Accept-Language": draw.choice(LANGUAGES),
        "Origin": f"https://app{draw.randint(1, 400)}.example",
        "Sec-Fetch-Mode": draw.choice(("cors", "navigate")),
        "Sec-Fetch-Site": "cross-site",
        "sec-ch-ua": f'"Chromium";v="{version}"',
    }


def _library(name: str, accepts: Sequence[str], codings: Sequence[str], draw: random.Random) -> Any:
    return {
        "User-Agent": f"{name}/{draw.randint(0, 3)}.{draw.randint(0, 30)}.{draw.randint(0, 9)}",
        "Accept": draw.choice(accepts),
        "Accept-Encoding": draw.choice(codings),
    }


ANY, JSON = "*/*", "application/json"
KINDS: Sequence[Make] = (
    _browser,
    partial(_library, "python-httpx", (ANY, JSON), CODINGS[:3]),
    partial(_library, "python-requests", (ANY, JSON), CODINGS[:2]),
    partial(_library, "Python/3.11 aiohttp", (ANY, JSON), CODINGS[:2]),
    partial(_library, "curl", (ANY, JSON, "application/json;q=0.9, */*;q=0.1"), ("gzip", "br")),
    partial(_library, "Go-http-client", (ANY, JSON), ("gzip",)),
    partial(_library, "node", (ANY, JSON), CODINGS[:3]),
    partial(_library, "okhttp", ("application/json; charset=utf-8", ANY), ("gzip",)),
    partial(_library, "Java-http-client", (JSON, ANY), ("gzip, deflate", "gzip")),
    partial(_library, "GPTBot", ("application/json, text/markdown;q=0.9, */*;q=0.8",), CODINGS[:2]),
)


def heads(port: int, leave_out: Collection[str] = ()) -> list[bytes]:
    """Return the header lines of all clients, each of its own, without the names to `leave_out`."""
    draw, lines = random.Random(1), []  # noqa: S311 - the same clients each time
    for number in range(CLIENTS):
        own = {"Host": f"127.0.0.1:{port}", **draw.choice(KINDS)(draw)}
        if draw.random() < SHARE_BEHIND_PROXY:
            address = f"203.0.{draw.randint(0, 255)}.{draw.randint(1, 254)}"
            own |= {"X-Forwarded-For": address, "X-Forwarded-Proto": "https", "Via": "1.1 edge"}
        if number % 4 == 0:
            own["traceparent"] = f"00-{draw.getrandbits(128):032x}-{draw.getrandbits(64):016x}-01"
        items = [(name, value) for name, value in own.items() if name not in leave_out]
        if number % 2:
            items[1:] = draw.sample(items[1:], len(items) - 1)
        lines.append("".join(f"{name}: {value}\r\n" for name, value in items).encode())
    return lines


def asked_by_all(server: Server, paths: Sequence[str]) -> Question:
    """Return the question of all clients, each of which asks path after path."""
    own = heads(server.port)
    random.Random(2).shuffle(own)  # noqa: S311 - the same order each time
    lines = cycle([f"GET {path} HTTP/1.1\r\n".encode() for path in paths])
    clients = cycle(own)
    return Question(lambda: b"%b%b\r\n" % (next(lines), next(clients)))


class Request(NamedTuple):
    """A request with a number of its own each time, at `{}` in the target or the header."""

    name: str
    target: str
    header: str = "Accept: */*"
    status: int = 200
    method: str = "GET"


def asking(server: Server, own: Request) -> Question:
    """Return the question of a small client that asks so."""
    host = f"127.0.0.1:{server.port}"
    start = f"{own.method} {own.target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: a\r\n"
    text = f"{start}{own.header}\r\n\r\n"
    has_body = own.status != httpx.codes.NOT_MODIFIED and own.method != "HEAD"
    return Question(lambda: text.format(next(_numbers)).encode(), own.status, has_body)


SAME = Request("identical bytes, one path", LIST)
ODD = (
    Request("the list in br", LIST, "Accept-Encoding: br"),
    Request("HEAD", LIST, "X-N: {}", method="HEAD"),
    Request("never seen: Accept", LIST, "Accept: application/json, text/x-{};q=0.1"),
    Request("never seen: Origin", LIST, "Origin: https://a{}.example"),
    Request("never seen: If-None-Match", LIST, 'If-None-Match: "a{}"'),
    Request("never seen: trace id", LIST, "X-Request-Id: {}"),
    Request("404, a path of crawlers", "/wp-login.php", "X-N: {}", 404),
    Request("404, never seen", "/no-{}", "X-N: 1", 404),
    Request("404, an item", "/api/projects/no-{}", "X-N: 1", 404),
    Request("405", LIST, "X-N: {}", 405, "PUT"),
    Request("406", LIST, "Accept: image/x-{}", 406),
    Request("400, a parameter", f"{LIST}?color={{}}", "X-N: 1", 400),
)
"""Reads whose cost is divided by that of a ready read: one list in identical bytes."""


class Closing(asyncio.Protocol):
    """One request on a connection of its own, which the server closes."""

    def __init__(self, request: bytes, done: Callable[[], None]) -> None:
        self._request, self._done = request, done

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        cast("asyncio.Transport", transport).write(self._request)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ask on another connection."""
        del exc
        self._done()


async def close_each(server: Server, seconds: float) -> int:
    """Return how many requests were answered, each on a connection of its own."""
    loop, answered = asyncio.get_running_loop(), 0
    ends = loop.time() + seconds
    request = (
        f"GET {LIST} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAccept: */*\r\n"
        "Connection: close\r\n\r\n"
    ).encode()

    async def client() -> None:
        nonlocal answered
        while loop.time() < ends:
            gone = asyncio.Event()
            make = partial(Closing, request, gone.set)
            await loop.create_connection(make, "127.0.0.1", server.port)
            await gone.wait()
            answered += 1

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return answered


def closing_costs(servers: Sequence[Server], pace: Pace) -> list[Costs]:
    """Return what a request costs each server on a connection that it closes."""
    taken: list[list[float]] = [[] for _ in servers]
    for _ in range(pace.rounds + 1):
        for own, server in zip(taken, servers, strict=True):
            before = server.cpu()
            answered = uvloop.run(close_each(server, pace.seconds))
            own.append((server.cpu() - before) / answered * 1e6)
    return [Costs(own[1:], {CONNECTIONS: 0.0}) for own in taken]


def json_paths(server: Server) -> list[str]:
    """Return every path of the index that answers in JSON as it is."""
    sections = httpx.get(f"{server.url}/index.json").json()["sections"]
    urls = (link["url"] for section in sections for link in section["links"])
    found = dict.fromkeys(url.removeprefix(server.url).removesuffix(".md") for url in urls)
    plain = [path for path in found if path.startswith("/api/") and "?" not in path]
    answers = {path: httpx.get(f"{server.url}{path}") for path in plain}
    return [
        path
        for path, answer in answers.items()
        if answer.status_code == httpx.codes.OK
        and answer.headers["content-type"] == JSON
        and "max-age=0" not in answer.headers.get("cache-control", "")
    ]


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the costs of reads by a population, and of what crawlers and odd clients send."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours = stack.enter_context(studio())
        paths = json_paths(ours)
        for path in paths:
            body = httpx.get(f"{ours.url}{path}").content
            (Path(folder) / path.replace("/", "_")).write_bytes(body)
        servers = [ours]
        for program in PROGRAMS.values():
            port = free_port()
            servers.append(stack.enter_context(serving((*program, str(port), folder), port, LIST)))
        for path in (LIST, SINGLE, MANIFEST):
            check_same([httpx.get(f"{each.url}{path}").content for each in servers], path)
        rows: list[tuple[str, ...]] = []

        def row(name: str, costs: Sequence[Costs]) -> None:
            own, *others = costs
            ratios = (f"{own.ratio(peer):.2f}" for peer in others)
            rows.append((name, f"{own.median:.0f}", *ratios))

        same = [(each, asking(each, SAME)) for each in servers]
        row(SAME.name, side_by_side(same, pace))
        for name, some in (("one path", [LIST]), (f"{len(paths)} paths", paths)):
            each = [(server, asked_by_all(server, some)) for server in servers]
            row(f"{CLIENTS:,} clients, {name}", side_by_side(each, pace))
        row("`Connection: close`", closing_costs(servers, pace))
        ready, *costs = side_by_side([same[0], *((ours, asking(ours, own)) for own in ODD)], pace)
    yield Table(
        "Reads by clients that differ",
        ("read", "µs", *(f"x {name}" for name in PROGRAMS)),
        rows,
        "µs: CPU time of one answer. x: how many times as much the other server needs.",
    )
    yield Table(
        "Reads beside a ready one",
        ("read", "µs", "x a ready read"),
        [
            (asked_so.name, f"{own.median:.0f}", f"{1 / own.ratio(ready):.2f}")
            for asked_so, own in zip(ODD, costs, strict=True)
        ],
        "Each request has a number of its own, in the place that the row names; those of the first"
        " row have none.",
    )


def check_same(bodies: list[bytes], name: str) -> None:
    """Raise `SystemExit` unless all bodies have the same JSON."""
    if len({orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS) for body in bodies}) > 1:
        raise SystemExit(f"{name}: the answers differ")
