"""Repeated queries and calls of tools are answered as the application answers them."""

import asyncio
import json
from itertools import product
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from wire import Wire, header_of, post_of, status_of, twice, unchanging, wire_of

from rest_bridge.http.access_log import access_log
from rest_bridge.http.protocol import HOLD_SECONDS

ACCEPTS = [(), ("Accept: application/json",), ("Accept: application/graphql-response+json",)]
CODINGS = [(), *((f"Accept-Encoding: {coding}",) for coding in ("br", "zstd", "gzip"))]


QUERIES: list[dict[str, Any]] = [
    {"query": "{ thesis }"},
    {"query": "{ projects { slug name summary stack domains { slug } } }"},
    {"query": "{ manifest { studio { name } faq { q a } glossary { term definition } } }"},
    {"query": "query A($s: Slug!) { project(slug: $s) { name } }", "variables": {"s": "tidebook"}},
    {"query": "query A { thesis } query B { faq { q } }", "operationName": "B"},
    {"query": "{ __schema { types { name } } }"},
]


ORDINARY = ("X: 1", "X: 2")
"""A header given twice, with which no request is looked up."""


def posted_twice(line: Wire, body: dict[str, Any], *headers: str) -> bytes:
    """The answer of the application to a query, which the ready one must equal."""
    text = orjson.dumps(body)
    ordinary, was_ready = line.post("/api/graphql", text, *headers, *ORDINARY)
    first, _ = line.post("/api/graphql", text, *headers)
    again, is_ready = line.post("/api/graphql", text, *headers)
    assert (status_of(ordinary), was_ready, is_ready) == (200, False, True), ordinary
    assert unchanging(first) == unchanging(again) == unchanging(ordinary)
    return ordinary


def test_every_ready_answer_to_a_query_is_what_the_application_answers(line: Wire) -> None:
    for query, accept, coding in product(QUERIES, ACCEPTS, CODINGS):
        posted_twice(line, query, *accept, *coding)
    for query, coding in product(QUERIES[:3], CODINGS):
        target = f"/api/graphql?{urlencode(query)}"
        plain = twice(line, target, *coding)
        twice(line, target, *coding, method="HEAD")
        twice(line, target, *coding, f"If-None-Match: {header_of(plain, 'etag')}")
    twice(line, "/api/graphql")


def test_a_query_that_must_be_run_or_refused_goes_the_ordinary_way(line: Wire) -> None:
    text = orjson.dumps(QUERIES[0])
    line.post("/api/graphql", text)
    assert line.post("/api/graphql", text)[1]
    refused = b'{"query":"{ none }"}'
    odd = {
        "an encoded body": (text, ("Content-Encoding: gzip",), 415),
        "an invalid document": (refused, (), 400),
        "a header given twice": (text, ("Accept: */*", "Accept: */*"), 200),
        "no media type that we have": (text, ("Accept: image/png",), 406),
    }
    for name, (body, headers, status) in odd.items():
        for _ in range(3):
            answer, is_ready = line.post("/api/graphql", body, *headers)
            assert (status_of(answer), is_ready) == (status, False), name
    foreign = post_of("/api/graphql", text).replace(b"Host: localhost", b"Host: evil.example")
    as_text = post_of("/api/graphql", text).replace(b"application/json", b"text/plain")
    long = post_of("/api/graphql", text, f"X: {'x' * 9000}")
    for request, status in ((foreign, 421), (as_text, 415), (long, 200)):
        for _ in range(2):
            answer, is_ready = line.send(request)
            assert (status_of(answer), is_ready) == (status, False)


CALLS: list[dict[str, Any]] = [
    {"name": "get_project", "arguments": {"slug": "tidebook"}},
    {"name": "list_projects", "arguments": {}},
    {"name": "list_projects", "arguments": {"limit": 1}},
    {"name": "read", "arguments": {"section": "faq"}},
    {"name": "fetch", "arguments": {"id": "projects/tidebook"}},
]


def message(own_id: object, params: dict[str, Any], method: str = "tools/call") -> bytes:
    """A message as most clients write it."""
    members = {"method": method, "params": params, "jsonrpc": "2.0", "id": own_id}
    return json.dumps(members).encode()


def test_every_ready_answer_to_a_message_is_what_the_application_answers(line: Wire) -> None:
    versions: list[tuple[str, ...]] = [(), ("MCP-Protocol-Version: 2025-06-18",)]
    asked = [(each, "tools/call") for each in CALLS] + [({}, "tools/list")]
    for (params, method), headers in product(asked, versions):
        answer, was_ready = line.post("/mcp", message(5, params, method), *headers)
        assert (status_of(answer), was_ready) == (200, False), answer
        for own_id in (5, 6, 0):
            ready, is_ready = line.post("/mcp", message(own_id, params, method), *headers)
            again = message(own_id, params, method)
            plain, was_ready = line.post("/mcp", again, *headers, "X: 1", "X: 2")
            assert not was_ready
            if params.get("name") == "fetch":  # two members are called id
                assert is_ready == (own_id == 5)
            else:
                assert is_ready
            assert unchanging(ready) == unchanging(plain)
            assert b'"id":%d,' % own_id in ready
        longer, is_ready = line.post("/mcp", message(10, params, method), *headers)
        assert not is_ready
        assert b'"id":10,' in longer


def test_a_message_that_is_not_lasting_goes_the_ordinary_way(line: Wire) -> None:
    odd = [
        message(1, {"name": "search", "arguments": {"query": "tides"}}),
        message(1, {"name": "get_project", "arguments": {"slug": "none"}}),
        message(1, {"name": "none", "arguments": {}}),
        message(1, {}, "initialize"),
        message(1, {}, "ping"),
        b'{"jsonrpc":"2.0","method":"notifications/initialized","params":{"id":1}}',
    ]
    for body in odd:
        for _ in range(3):
            assert not line.post("/mcp", body)[1], body
    call = message(1, CALLS[0])
    for headers in (("Origin: https://evil.example",), ("Accept: text/event-stream",)):
        for _ in range(2):
            assert not line.post("/mcp", call, *headers)[1]


def test_an_id_that_only_a_parser_finds_stays_in_its_message(line: Wire) -> None:
    call = message(1, {**CALLS[0], "_meta": {"note": "a"}})
    odd = [
        call.replace(b'"id": 1', b'"\\u0069d": 1').replace(b'"note": "a"', b'"id": 2'),
        call.replace(b'"note": "a"', b'"id": 2'),
        call.replace(b'"id": 1', b'"id": "1"'),
        call.replace(b'"note": "a"', b'"a\\"id": 2'),
    ]
    for body in odd:
        first, _ = line.post("/mcp", body)
        assert status_of(first) == 200
        for changed in (body.replace(b"2}", b"3}"), body.replace(b'"1"', b'"2"')):
            if changed != body:
                assert not line.post("/mcp", changed)[1], changed
    nul = call.replace(b'"id": 1', b'"id": \0')
    line.post("/mcp", call)
    answer, is_ready = line.post("/mcp", nul)
    assert not is_ready
    assert b"-32700" in answer


def test_what_a_post_does_is_done_each_time(line: Wire) -> None:
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    for target, body in (("/mcp", ping), ("/api/intent", b'{"goal":"list all projects"}')):
        for _ in range(3):
            answer, is_ready = line.post(target, body)
            assert (status_of(answer), is_ready) == (200, False), target


def test_a_page_of_another_origin_gets_no_answer_that_was_kept_for_others(line: Wire) -> None:
    for _ in range(2):
        answer, is_ready = line.get("/mcp")
        assert (status_of(answer), is_ready) == (200, False)
    for _ in range(2):
        answer, is_ready = line.get("/mcp", "Origin: https://evil.example")
        assert (status_of(answer), is_ready) == (403, False)


def test_a_body_may_come_after_its_head(line: Wire) -> None:
    request = post_of("/api/graphql", orjson.dumps(QUERIES[1]))
    alone, _ = line.send(request)
    head, end, body = request.partition(b"\r\n\r\n")
    assert line.send(head + end) == (b"", False)
    assert not line.state.tasks
    apart, is_ready = line.send(body)
    assert is_ready
    assert unchanging(apart) == unchanging(alone)
    assert line.protocol._hold is None  # noqa: SLF001 - nothing else shows a timer that is left
    assert line.send(head + end) == (b"", False)
    line.protocol.data_received(body[:9])
    parted, is_ready = line.send(body[9:])
    assert not is_ready
    assert unchanging(parted) == unchanging(alone)


def test_a_head_whose_body_does_not_come_is_given_to_the_application(
    line: Wire, caplog: pytest.LogCaptureFixture
) -> None:
    request = post_of("/api/graphql", orjson.dumps(QUERIES[0]))
    head, end, body = request.partition(b"\r\n\r\n")
    line.send(head + end)
    line.loop.call_later(HOLD_SECONDS * 2, line.loop.stop)
    line.loop.run_forever()
    assert line.state.tasks
    answer, is_ready = line.send(body)
    assert (status_of(answer), is_ready) == (200, False)
    empty = request.replace(b"Content-Length: %d" % len(body), b"Content-Length: 0")[: -len(body)]
    assert status_of(line.send(empty)[0]) == 400
    with caplog.at_level("INFO", "studiograph.access"), wire_of(line) as other:
        other.send(head + end)
        other.protocol.connection_lost(None)
        while tasks := list(other.state.tasks):
            other.loop.run_until_complete(asyncio.gather(*tasks))
        access_log.flush()
    assert '"status":499' in caplog.text


def test_a_server_that_ends_answers_the_request_that_has_begun(line: Wire) -> None:
    head, end, body = post_of("/api/graphql", orjson.dumps(QUERIES[0])).partition(b"\r\n\r\n")
    line.send(head + end)
    line.protocol.shutdown()
    assert not line.transport.closed
    assert status_of(line.send(body)[0]) == 200
    assert line.transport.closed
