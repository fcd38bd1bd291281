"""What a read costs the server, beside other servers that send the same bodies.

The real server with its defaults but for the embedder `hash`. The bare ASGI application and
Starlette send ready bytes; FastAPI and Litestar serialise the same values for each request, as
their users write it. All of these run on uvicorn with httptools and uvloop. SOFA runs on Node.js
and makes REST of a GraphQL schema: for each request it executes a query over values in memory,
where this server keeps the answer.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import orjson

from benches.http_load import (
    CONNECTIONS,
    OK,
    OTHER_PYTHON,
    PEERS,
    Costs,
    Pace,
    Question,
    Server,
    available,
    free_port,
    node_program,
    serving,
    side_by_side,
    studio,
)
from benches.table import Bars, Table

LIST, SINGLE, MANIFEST = "/api/projects", "/api/projects/tidebook", "/api/manifest"
SOFA = "SOFA"
PROGRAMS = {
    "bare ASGI": (sys.executable, str(PEERS / "bare.py")),
    "Starlette": (sys.executable, str(PEERS / "with_starlette.py")),
    "FastAPI": (str(OTHER_PYTHON), str(PEERS / "with_fastapi.py")),
    "Litestar": (str(OTHER_PYTHON), str(PEERS / "with_litestar.py")),
    SOFA: node_program("rest.mjs"),
}
"""The words that start each other server."""
QUICK = ("list", "single", "manifest", "list, 304")


@dataclass(frozen=True)
class Row:
    """One kind of request; `like` is the path whose bare answer it is compared with."""

    name: str
    target: str
    like: str
    method: str = "GET"
    headers: tuple[str, ...] = ()
    status: int = OK

    def question(self, port: int) -> Question:
        """Return what a connection asks, as a small client does."""
        lines = (
            f"{self.method} {self.target} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            "User-Agent: benches/1.0",
            "Accept: */*",
            *self.headers,
        )
        request = "\r\n".join((*lines, "", "")).encode()
        has_body = self.method == "GET" and self.status == OK
        return Question(lambda: request, self.status, has_body)


def rows_of(server: Server) -> list[Row]:
    """Return every kind of request, with the validators that this server gives."""
    plain = {"accept-encoding": "identity"}
    tag = httpx.get(f"{server.url}{LIST}", headers=plain).headers["etag"]
    coded = ("Accept-Encoding: gzip, br, zstd",)
    return [
        Row("list", LIST, LIST),
        Row("single", SINGLE, SINGLE),
        Row("manifest", MANIFEST, MANIFEST),
        Row("list in br", LIST, LIST, headers=coded),
        Row("manifest in br", MANIFEST, MANIFEST, headers=coded),
        Row("list, 304", LIST, LIST, headers=(f"If-None-Match: {tag}",), status=304),
        Row("list, HEAD", LIST, LIST, method="HEAD"),
        Row("list, limit=2", f"{LIST}?limit=2", LIST),
        Row("list, fields", f"{LIST}?fields=slug,name", LIST),
        Row("llms.txt", "/llms.txt", LIST),
    ]


def measure(pace: Pace) -> Iterator[Table | Bars]:
    """Yield the costs of every kind of read."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours = stack.enter_context(studio())
        for path in (LIST, SINGLE, MANIFEST):
            body = httpx.get(f"{ours.url}{path}").content
            (Path(folder) / path.replace("/", "_")).write_bytes(body)
        peers: dict[str, Server] = {}
        for name, program in available(PROGRAMS).items():
            port = free_port()
            words = (*program, str(port), folder)
            peers[name] = stack.enter_context(serving(words, port, LIST))
        for path in (LIST, SINGLE, MANIFEST):
            bodies = {name: httpx.get(f"{each.url}{path}").content for name, each in peers.items()}
            if SOFA in bodies:  # GraphQL says null of what an entry does not have
                bodies[SOFA] = orjson.dumps(_without_nulls(orjson.loads(bodies[SOFA])))
            check_same([httpx.get(f"{ours.url}{path}").content, *bodies.values()], path)
        costs: dict[str, list[Costs]] = {}
        sizes = {}
        for row in rows_of(ours):
            if pace.is_quick and row.name not in QUICK:
                continue
            plain = Row(row.name, row.like, row.like)
            asked = [(ours, row), *((peer, plain) for peer in peers.values())]
            costs[row.name] = side_by_side([(s, q.question(s.port)) for s, q in asked], pace)
            sizes[row.name] = _size(row, ours)
    yield Table(
        "Reads beside other servers",
        ("read", "bytes", "µs", *(f"x {name}" for name in peers), "req/s at c=1", "16", "64"),
        [
            (
                name,
                f"{sizes[name]:,}",
                f"{own.median:.0f}",
                *(f"{own.ratio(peer):.2f}" for peer in others),
                *(f"{own.rates[c]:,.0f}" for c in (1, CONNECTIONS, 64)),
            )
            for name, (own, *others) in costs.items()
        ],
        "µs: CPU time of one answer. x: how many times as much the other server needs for the whole"
        " body, uncompressed. All headers, limits and log lines of this server are on.",
    )
    yield Table(
        f"The same in requests a second, {CONNECTIONS} connections",
        ("read", "this server", *peers),
        [
            (name, *(f"{each.rates[CONNECTIONS]:,.0f}" for each in all_of))
            for name, all_of in costs.items()
        ],
    )
    yield Bars(
        "reads",
        "CPU time of one read, µs",
        [
            (name, list(zip(("studiograph", *peers), (c.median for c in costs[name]), strict=True)))
            for name in ("single", "list", "manifest")
        ],
    )


def check_same(bodies: list[bytes], name: str) -> None:
    """Raise `SystemExit` unless all bodies have the same JSON."""
    if len({orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS) for body in bodies}) > 1:
        raise SystemExit(f"{name}: the answers differ")


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _size(row: Row, server: Server) -> int:
    named = dict(line.split(": ", 1) for line in row.headers)
    address = f"{server.url}{row.target}"
    with httpx.stream(row.method, address, headers={"accept-encoding": "identity", **named}) as got:
        return sum(len(part) for part in got.iter_raw())
