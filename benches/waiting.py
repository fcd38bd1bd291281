"""What plain reads wait while others ask for the dearest things that are permitted."""

import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import count
from typing import Any

import httpx
import orjson
import uvloop

from benches.http_load import CONNECTIONS, Pace, Question, Server, load, studio
from benches.queries import PATH as GRAPHQL
from benches.queries import Endpoint, queries
from benches.reads import MANIFEST, Request, asking
from benches.table import Table
from resolvers.executable_schema import public_schema

READ = "/api/projects"
LEAST_SECONDS = 2.0
MOST_TOKENS = 990
WORD = re.compile(r"\w+|[{}]")
_numbers = count()


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the times of plain reads on one connection, for everything that others ask."""
    schema = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    manifest = queries(schema)["manifest"]
    seconds = max(LEAST_SECONDS, pace.all_seconds)
    rows = []
    with studio() as server, ProcessPoolExecutor(1) as others:
        members = list(httpx.get(f"{server.url}{MANIFEST}").json())
        for way in _WAYS:
            answered = others.submit(_ask, server, way, manifest, members, 2 * seconds)
            time.sleep(seconds / 2)
            question = asking(server, Request("read", READ))
            [times] = uvloop.run(load(server, [question], seconds))
            own = sorted(t * 1000 for t in times)
            ranks = (f"{own[int(len(own) * share)]:.2f}" for share in (0.5, 0.99, 1 - 1e-9))
            rows.append((way, *ranks, f"{len(own):,}", f"{answered.result():,}"))
    yield Table(
        f"A plain read on one connection while {CONNECTIONS} others ask",
        ("the others ask", "p50 ms", "p99 ms", "max ms", "reads", "other answers"),
        rows,
    )


def _ask(server: Server, way: str, manifest: str, members: list[str], seconds: float) -> int:
    """Return how many answers the others got, in a process of their own."""
    make = _WAYS[way]
    question = make(server, manifest, members)
    if question is None:
        return 0
    return sum(map(len, uvloop.run(load(server, [question] * CONNECTIONS, seconds))))


def _graphql(way: str, server: Server, manifest: str, _members: list[str]) -> Question:
    return Endpoint(server, GRAPHQL).question(manifest, way)


def _refused(server: Server, manifest: str, _members: list[str]) -> Question:
    """Ask with the longest documents that can be parsed, for a last field that is not there."""
    own = manifest.removeprefix("{").removesuffix("}")
    times = MOST_TOKENS // (len(WORD.findall(own)) + 2)
    every = " ".join([*(f"a{at}:{own}" for at in range(times)), "projets"])

    def make() -> bytes:
        return _post(server, GRAPHQL, {"query": f"query Q{next(_numbers)} {{ {every} }}"})

    return Question(make, status=400)


def _fields(server: Server, _manifest: str, members: list[str]) -> Question:
    """Most of everything: members that were not asked for together before, in most cases."""

    def make() -> bytes:
        left_out = set(random.sample(members, next(_numbers) % (len(members) // 2)))
        names = ",".join(name for name in members if name not in left_out)
        target = f"{MANIFEST}?fields={names}"
        return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()

    return Question(make)


def _asked(path: str, member: str, server: Server, _manifest: str, _members: list[str]) -> Question:
    """Questions that were never asked."""

    def make() -> bytes:
        text = f"How does Tidebook reconcile the postings of desk {next(_numbers)}?"
        return _post(server, path, {member: text})

    return Question(make)


def _post(server: Server, path: str, body: dict[str, Any]) -> bytes:
    data = orjson.dumps(body)
    lines = (
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
    )
    return "\r\n".join((*lines, "", "")).encode() + data


def _nothing(_server: Server, _manifest: str, _members: list[str]) -> None:
    return None


_WAYS: dict[str, Callable[[Server, str, list[str]], Question | None]] = {
    "nothing": _nothing,
    "a GraphQL manifest, repeated": partial(_graphql, "repeated"),
    "a GraphQL manifest, executed": partial(_graphql, "executed"),
    "a GraphQL manifest, never seen": partial(_graphql, "never seen"),
    "GraphQL that is refused, never seen": _refused,
    "`?fields=` of most of everything, never seen": _fields,
    "searches, never asked": partial(_asked, "/api/search", "query"),
    "chat, never asked": partial(_asked, "/api/chat", "query"),
    "embeddings, never asked": partial(_asked, "/api/embed", "input"),
}
