"""A query that is run below the application is answered as the application answers it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from typing import Any

import orjson
import pytest
import strawberry
from asgi_call import HOSTS
from graphql import GraphQLSchema
from local_service import bound
from starlette.routing import Router
from test_ready_answers import calls
from test_ready_posts import ACCEPTS, CALLS, CODINGS, ORDINARY, QUERIES, message
from wire import Wire, header_of, post_of, status_of, unchanging, wire, wire_of

from resolvers.executable_schema import public_part
from rest_bridge.endpoints.graphql import LARGE, graphql_routes
from rest_bridge.http.access_log import access_log
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.response_cache import MAX_RUN, ReadyReads
from sdl.public_query import PublicQueries
from sdl.runner import Operations, Snapshot

RUN = "rest_bridge/endpoints/graphql.py:_made"
ASKED = "rest_bridge/endpoints/graphql.py:answer"
NO_CACHE = "Cache-Control: no-cache"
_numbers = count()


def new(query: dict[str, Any]) -> dict[str, Any]:
    """The same query as a document that was never seen, if it has no name."""
    text = str(query["query"])
    return {**query, "query": f"query Q{next(_numbers)} {text}"} if text[0] == "{" else query


def test_every_query_that_is_run_anew_is_answered_as_by_the_application(line: Wire) -> None:
    for query, accept, coding in product(QUERIES, ACCEPTS, CODINGS):
        for headers in ((*accept, *coding), (*accept, *coding, NO_CACHE)):
            body = orjson.dumps(new(query))
            plain, was_ready = line.post("/api/graphql", body, *headers, *ORDINARY)
            assert (status_of(plain), was_ready) == (200, False)
            for _ in range(4):
                answer, _ = line.post("/api/graphql", body, *headers)
                assert unchanging(answer) == unchanging(plain)


def test_a_query_that_is_not_to_come_from_a_cache_is_run_each_time(line: Wire) -> None:
    for query in QUERIES:
        body = orjson.dumps(new(query))
        is_plan = "__schema" not in str(query)
        for _ in range(3):
            line.post("/api/graphql", body, NO_CACHE)
        for _ in range(3):
            with calls() as called:
                assert line.post("/api/graphql", body, NO_CACHE)[1] == is_plan
            assert {RUN, ASKED} & called == ({RUN} if is_plan else {ASKED})


def test_a_query_that_may_be_kept_is_run_once(line: Wire) -> None:
    line.post("/api/graphql", orjson.dumps(new(QUERIES[0])))
    body = orjson.dumps(new(QUERIES[1]))
    ran = []
    for _ in range(3):
        with calls() as called:
            assert line.post("/api/graphql", body)[1]
        ran.append(RUN in called)
    assert ran == [True, False, False]


def test_what_is_long_enough_to_take_time_is_coded_beside_the_loop(line: Wire) -> None:
    part = "{ projects { slug summary stack } faq { q a } glossary { definition } }"
    large = {"query": f"{{ a: manifest {part} b: manifest {part} }}"}
    plain, _ = line.post("/api/graphql", orjson.dumps(large), NO_CACHE)
    assert int(header_of(plain, "content-length")) > LARGE
    for _ in range(3):
        answer, is_ready = line.post(
            "/api/graphql", orjson.dumps(large), NO_CACHE, "Accept-Encoding: gzip"
        )
        assert (status_of(answer), is_ready) == (200, False)
        assert header_of(answer, "content-encoding") == "gzip"
    assert line.post("/api/graphql", orjson.dumps(large), NO_CACHE)[1]


def test_variables_that_never_came_before_are_run_with_a_known_document(line: Wire) -> None:
    text = "query ($slug: Slug!) { project(slug: $slug) { slug name } }"

    def body(slug: object) -> bytes:
        return orjson.dumps({"query": text, "variables": {"slug": slug}})

    good: tuple[object, ...] = ("fathom", "nothing-here")
    bad: tuple[object, ...] = ("NOT A SLUG", 1, None, {})
    seen: tuple[object, ...] = ("tidebook", "harborlight")
    for slug in seen:
        line.post("/api/graphql", body(slug), NO_CACHE)
    for slug in good:
        plain, _ = line.post("/api/graphql", body(slug), NO_CACHE, *ORDINARY)
        answer, is_ready = line.post("/api/graphql", body(slug), NO_CACHE)
        assert is_ready
        assert unchanging(answer) == unchanging(plain)
    for slug in bad:
        plain, _ = line.post("/api/graphql", body(slug), NO_CACHE, *ORDINARY)
        for _ in range(2):
            answer, is_ready = line.post("/api/graphql", body(slug), NO_CACHE)
            assert not is_ready
            assert unchanging(answer) == unchanging(plain)


REFUSED: list[bytes] = [
    b"",
    b"{",
    b"[]",
    b'{"query":1}',
    b'{"query":"{ thesis }","query":"{ thesis }"}',
    b'{"query":"{ thesis }","more":1}',
    b'{"query":"{ thesis }","variables":[]}',
    b'{"query":"{ thesis }","operationName":"B"}',
    b'{"query":"{ none }"}',
    b'{"query":"{ thesis \\ud800 }"}',
    b'{"query":"{ thesis }\xff"}',
    b'{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"0"}}}',
    b'{"query":"{ thesis }"' + b" " * MAX_RUN + b"}",
    b'{"query":"{ thesis }"' + b" " * 70_000 + b"}",
]
"""Bodies behind a known head that the application must answer."""


@pytest.mark.parametrize("body", REFUSED)
def test_a_body_that_is_no_quick_query_is_judged_by_the_application(
    line: Wire, body: bytes
) -> None:
    for more in ((), (NO_CACHE,)):
        for _ in range(2):
            line.post("/api/graphql", orjson.dumps(QUERIES[0]), *more)
        with wire_of(line) as other:
            plain, _ = other.post("/api/graphql", body, *more, *ORDINARY)
        with wire_of(line) as other:
            answer, is_ready = other.post("/api/graphql", body, *more)
        assert not is_ready
        assert unchanging(answer) == unchanging(plain)


def test_a_head_is_read_once(line: Wire) -> None:
    parsed = "rest_bridge/http/protocol.py:on_headers_complete"
    for _ in range(3):
        line.post("/api/graphql", orjson.dumps(new(QUERIES[0])))
    length = len(orjson.dumps(new(QUERIES[0])))
    for _ in range(3):
        body = orjson.dumps(new(QUERIES[0]))
        assert len(body) == length
        with calls() as called:
            answer, is_ready = line.post("/api/graphql", body)
        assert (status_of(answer), is_ready, parsed in called) == (200, True, False)
        plain, _ = line.post("/api/graphql", body, *ORDINARY)
        assert unchanging(answer) == unchanging(plain)
    for own_id in (3, 4, 5, 6):
        with calls() as called:
            answer, _ = line.post("/mcp", message(own_id, CALLS[0]))
        assert b'"id":%d,' % own_id in answer
    assert parsed not in called


def test_a_known_head_with_more_or_less_than_its_body_is_parsed(line: Wire) -> None:
    body = orjson.dumps({"query": "{ studio { name } }"})
    request = post_of("/api/graphql", body)
    head, end, _ = request.partition(b"\r\n\r\n")
    alone, _ = [line.send(request) for _ in range(3)][-1]
    assert line.send(head) == (b"", False)
    assert unchanging(line.send(end + body)[0]) == unchanging(alone)
    assert line.send(head + end) == (b"", False)
    assert unchanging(line.send(body)[0]) == unchanging(alone)
    line.protocol.data_received(head + end + body[:-1])
    assert unchanging(line.send(body[-1:])[0]) == unchanging(alone)
    assert line.send(request * 3)[0].count(b"HTTP/1.1 200 OK") == 3
    with wire_of(line) as other:
        answer, _ = other.send(request + b"x")
    assert answer.count(b"HTTP/1.1 200 OK") == 1
    assert answer.count(b"HTTP/1.1 400 Bad Request") == 1 or other.transport.closed


def test_an_answer_that_is_made_has_its_own_id_and_its_line_in_the_log(
    line: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    line.post("/api/graphql", orjson.dumps(new(QUERIES[0])), NO_CACHE)
    access_log.flush()
    with caplog.at_level("INFO", "studiograph.access"):
        answers = [
            line.post("/api/graphql", orjson.dumps(new(QUERIES[1])), NO_CACHE, "User-Agent: own")
            for _ in range(5)
        ]
        access_log.flush()
    ids = [header_of(answer, "x-request-id") for answer, _ in answers]
    assert len(set(ids)) == 5
    lines = [orjson.loads(text) for text in caplog.text.splitlines() if text.startswith("{")]
    lines = lines or [
        orjson.loads(text) for record in caplog.records for text in record.message.splitlines()
    ]
    assert [own["request_id"] for own in lines] == ids
    size = len(answers[0][0].partition(b"\r\n\r\n")[2])
    for own in lines:
        assert (own["route"], own["status"], own["agent"]) == ("/api/graphql", 200, "own")
        assert own["bytes"] == size


@strawberry.type
class Query:
    """A root that counts how often it is asked."""

    @strawberry.field
    def counted(self, info: strawberry.Info[Any, Any]) -> int:
        """How often it was asked before."""
        info.context.append(1)
        return len(info.context)

    @strawberry.field
    def failing(self, info: strawberry.Info[Any, Any]) -> int | None:
        """Nothing, when it was asked often enough."""
        if len(info.context) > 3:
            raise ZeroDivisionError
        return 0


@contextmanager
def counting(**changes: Any) -> Iterator[tuple[Wire, list[int]]]:
    """A connection to an endpoint of this root, and how often it was asked."""
    schema: GraphQLSchema = strawberry.Schema(Query)._schema  # noqa: SLF001 - no public name
    runs: Any = []
    snapshot = replace(Snapshot(Operations(schema, ()), Query(), runs, 0.0), **changes)
    queries = PublicQueries(schema)
    queries.prepare(snapshot)
    runs.clear()
    routes = graphql_routes(queries, str, "{ counted }", lambda: snapshot, {})
    with wire(RequestGuard(Router(routes), HOSTS, ready=ReadyReads(lambda: snapshot))) as line:
        yield line, runs


def test_a_resolver_is_called_each_time() -> None:
    body = orjson.dumps({"query": "{ counted }"})
    with counting() as (line, runs):
        for number in range(1, 6):
            answer, _ = line.post("/api/graphql", body, NO_CACHE)
            assert answer.endswith(b'{"data":{"counted":%d}}' % number)
        assert len(runs) == 5
        kept = [line.post("/api/graphql", body)[0] for _ in range(3)]
        assert all(answer.endswith(b'{"data":{"counted":6}}') for answer in kept)


def test_a_resolver_that_fails_is_told_by_the_application(
    caplog: pytest.LogCaptureFixture,
) -> None:
    body = orjson.dumps({"query": "{ failing }"})
    with counting() as (line, runs):
        answers = [line.post("/api/graphql", body, NO_CACHE) for _ in range(4)]
        assert all(answer.endswith(b'{"data":{"failing":0}}') for answer, _ in answers)
        assert answers[-1][1]
        runs.extend([1] * 9)
        for _ in range(2):
            answer, is_ready = line.post("/api/graphql", body, NO_CACHE)
            assert not is_ready
            assert b'"code":"internal"' in answer
    assert "a field failed" in caplog.text


def test_a_revision_that_may_change_at_any_time_is_asked_by_the_application() -> None:
    body = orjson.dumps({"query": "{ counted }"})
    with counting(modified=None) as (line, runs):
        for _ in range(4):
            assert not line.post("/api/graphql", body, NO_CACHE)[1]
        assert runs


def test_a_new_revision_is_run_anew(operations: Operations, folder: Path) -> None:
    served = [bound(operations, folder)]
    queries = PublicQueries(public_part(operations.schema))
    routes = graphql_routes(queries, str, "{ thesis }", lambda: served[0], {})
    body = orjson.dumps({"query": "{ manifest { status { studio { state } } } }"})
    reads = ReadyReads(lambda: served[0])
    with wire(RequestGuard(Router(routes), HOSTS, ready=reads)) as line:
        for headers in ((), (NO_CACHE,)):
            before, is_ready = [line.post("/api/graphql", body, *headers) for _ in range(4)][-1]
            assert is_ready
            assert b'"resting"' not in before
        (folder / "status.toml").write_text('state = "resting"\nopenToWork = false\n')
        served[0] = bound(operations, folder)
        for headers in ((), (NO_CACHE,)):
            for _ in range(4):
                after, _ = line.post("/api/graphql", body, *headers)
                assert b"resting" in after.lower()
