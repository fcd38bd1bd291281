"""What a query of GraphQL costs, beside Strawberry's own server.

Strawberry's ASGI application serves the same types, resolvers and content, without and with its
caches of documents. A thousand clients ask, each with its own headers. A document that is
*executed* comes with `Cache-Control: no-cache`, so this server runs it each time, as the others do;
one that is *never seen* has another name each time. The query of one project has a variable,
another one each time.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import orjson
from graphql import GraphQLObjectType, GraphQLSchema, execute_sync, get_named_type, parse

from benches.http_load import (
    CONNECTIONS,
    PEERS,
    ROOT,
    Costs,
    Pace,
    Question,
    Server,
    free_port,
    serving,
    side_by_side,
    studio,
)
from benches.reads import check_same, heads
from benches.table import Table
from content.reading.revision import read_revision
from resolvers.executable_schema import public_schema
from sdl.running.plan import NO_VARIABLES, Planner
from sdl.types.shape import is_plain
from studiograph.application import build_snapshot, load_operations
from studiograph.settings import Settings
from studiograph.wiring.services import Services

PATH = "/api/graphql"
WAYS = ("repeated", "executed", "never seen")
STRAWBERRY = ("Strawberry", "with caches")
SLUGS = ("tidebook", "harborlight", "fathom")
"""What the variable of a query is, in turn."""
_numbers = count()


@dataclass(frozen=True)
class Endpoint:
    """A server and the path of its GraphQL."""

    server: Server
    path: str

    def question(self, query: str, way: str) -> Question:
        """Return what the population asks: one of the same requests, or always a new document."""
        more = "Cache-Control: no-cache\r\n" if way == "executed" else ""
        start = f"POST {self.path} HTTP/1.1\r\nAccept: application/json\r\n{more}".encode()
        # The peers do not compress; the answers that are repeated are compressed once.
        left_out = ("Accept",) if way == "repeated" else ("Accept", "Accept-Encoding")
        clients, slugs = cycle(heads(self.server.port, left_out)), cycle(SLUGS)
        text = query.removeprefix("query ")

        def make() -> bytes:
            asked = f"query Q{next(_numbers)} {text}" if way == "never seen" else query
            body = json.dumps(body_of(asked, next(slugs))).encode()
            length = b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
            return b"%b%b%b\r\n%b" % (start, length, next(clients), body)

        return Question(make)


def body_of(query: str, slug: str) -> dict[str, Any]:
    """Return what a query is asked with: with its variable, if it has one."""
    return {"query": query} | ({"variables": {"slug": slug}} if "$slug" in query else {})


def _peers(stack: ExitStack) -> dict[str, Endpoint]:
    """Start every other server that can be started here; return them by name."""
    probe, found = {"query": "{ __typename }"}, {}
    for name, caches in zip(STRAWBERRY, ("False", "True"), strict=True):
        port = free_port()
        peer = (sys.executable, str(PEERS / "with_strawberry.py"), str(port), caches)
        found[name] = Endpoint(stack.enter_context(serving(peer, port, "/", probe)), "/")
    return found


def selection_of(kind: GraphQLObjectType) -> str:
    """Return the selection of all that a type's objects hold."""
    parts = []
    for name, own in kind.fields.items():
        inner = get_named_type(own.type)
        if is_plain(own):
            below = f" {{ {selection_of(inner)} }}" if isinstance(inner, GraphQLObjectType) else ""
            parts.append(f"{name}{below}")
    return " ".join(parts)


def queries(schema: GraphQLSchema) -> dict[str, str]:
    """Return a small query, one project, a list with its connections, and everything."""
    kinds: Any = schema.type_map
    project, manifest = (selection_of(kinds[name]) for name in ("Project", "Manifest"))
    return {
        "small": "{ thesis scheduling { timezone } }",
        "project": f"query ($slug: Slug!) {{ project(slug: $slug) {{ {project} }} }}",
        "projects": f"{{ projects {{ {project} domains {{ slug name }} }} }}",
        "manifest": f"{{ manifest {{ {manifest} }} }}",
    }


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the costs of every query, asked in each way."""
    schema = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    asked = queries(schema)
    costs: dict[tuple[str, str], list[Costs]] = {}
    with ExitStack() as stack:
        ours = Endpoint(stack.enter_context(studio()), PATH)
        peers = _peers(stack)
        endpoints = [ours, *peers.values()]
        for name, query in asked.items():
            found = [
                httpx.post(f"{e.server.url}{e.path}", json=body_of(query, SLUGS[0])).json()["data"]
                for e in endpoints
            ]
            check_same([orjson.dumps(data) for data in found], name)
            for way in WAYS:
                pairs = [(e.server, e.question(query, way)) for e in endpoints]
                costs[name, way] = side_by_side(pairs, pace)
    yield Table(
        "GraphQL beside other servers",
        ("query", "asked", "µs", *(f"x {name}" for name in peers), "req/s at c=1", "16", "64"),
        [
            (
                *question,
                f"{own.median:,.0f}",
                *(f"{own.ratio(peer):.1f}" for peer in others),
                *(f"{own.rates[c]:,.0f}" for c in (1, CONNECTIONS, 64)),
            )
            for question, (own, *others) in costs.items()
        ],
        "µs: CPU time of one answer. x: how many times as much the other server needs.",
    )
    yield Table(
        "A plan beside orjson and graphql-core, in one process",
        ("query", "plan µs", "orjson µs", "graphql-core µs", "plan / orjson", "core / plan"),
        list(_in_process(schema, asked)),
        "orjson: a tree of dicts that is ready, written as JSON. graphql-core: `execute_sync` of a"
        " parsed and validated document.",
    )


def _in_process(schema: GraphQLSchema, asked: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield the row of the second table for each query: plan and JSON beside graphql-core."""
    with TemporaryDirectory() as data:
        settings = Settings(content=ROOT / "content", data=Path(data))
        revision = read_revision(settings.content)
        services = Services(settings, revision.site)
        snapshot = build_snapshot(load_operations(), revision, settings, services)
        planner = Planner(schema)
        for name, query in asked.items():
            if "$" in query:
                continue
            document = parse(query)
            plan = planner.only_plan(document)

            def planned(plan: Any = plan) -> bytes:
                return orjson.dumps(plan.run(snapshot.data, snapshot.context, NO_VARIABLES))

            def core(document: Any = document) -> bytes:
                result = execute_sync(schema, document, snapshot.data, snapshot.context)
                return orjson.dumps(result.data)

            if planned() != core():
                raise SystemExit(f"{name}: the answers differ")
            tree = orjson.loads(planned())
            plain = _fastest(partial(orjson.dumps, tree))
            mine, theirs = _fastest(planned), _fastest(core)
            yield name, *(f"{t:.1f}" for t in (mine, plain, theirs, mine / plain, theirs / mine))


def _fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(50):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) * 1e6
