"""What the table of ready answers sends is what the application answers."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, product
from pathlib import Path
from types import FrameType

import pytest
from asgi_call import HOSTS, ask, keeping
from local_service import bound
from offenders import offenders
from operation_runs import runs
from repository import ROOT
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send
from wire import Wire, header_of, post_of, status_of, twice, unchanging, wire, wire_of

from rest_bridge.discovery.documents import DocumentEndpoint
from rest_bridge.endpoints import read
from rest_bridge.endpoints.read import ReadEndpoint
from rest_bridge.endpoints.signed import SECTION, SignedEndpoint
from rest_bridge.http.compression import CODERS
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.ready_answers import MAX_BYTES, TARGETS_BYTES, ReadyAnswers
from rest_bridge.representations.static import StaticDocument
from rest_bridge.routes import relations_of, router
from rest_bridge.server.preparation import prepare_once
from rest_bridge.server.protocol import MAX_WAITING
from sdl.errors import UnavailableError
from sdl.running.public_query import QueryWorker
from sdl.running.runner import CurrentSnapshot, Operations

ACCEPTS = [(), ("Accept: application/json",), ("Accept: text/markdown",)]
CODINGS = [(), *((f"Accept-Encoding: {coding}",) for coding in ("br", "zstd", "gzip"))]
Way = tuple[tuple[str, ...], tuple[str, ...]]
SEPARATELY: list[Way] = [
    *((accept, ()) for accept in ACCEPTS),
    *(((), coding) for coding in CODINGS[1:]),
]
OTHER_ACCEPTS = [
    "*/*",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "text/*;q=0.5, application/json;q=0.4",
    "application/ld+json",
    "image/png",
    "nonsense",
    "",
]
IGNORED = [
    "Accept-Charset: utf-16",
    "Accept-Language: de",
    "Authorization: Bearer x",
    "Cookie: a=b",
    "DNT: 1",
    "Forwarded: for=192.0.2.1;host=evil.example",
    "From: a@example.com",
    "Idempotency-Key: 1",
    "If-Range: x",
    "Last-Event-ID: 1",
    "Mcp-Protocol-Version: 2025-06-18",
    "Mcp-Session-Id: 1",
    "Pragma: no-cache",
    "Prefer: return=minimal",
    "Range: bytes=0-1",
    "Referer: https://other.example/",
    "Save-Data: on",
    "Sec-Fetch-Mode: cors",
    "TE: trailers",
    "Traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "User-Agent: other",
    "Via: 1.1 proxy",
    "X-Forwarded-For: 192.0.2.1",
    "X-Forwarded-Host: evil.example",
    "X-Forwarded-Proto: https",
    "X-HTTP-Method-Override: DELETE",
    "X-Original-URL: /api/faq",
    "X-Request-Id: 1",
]
"""Headers that callers send and no read looks at."""


def targets(service: RequestGuard) -> Iterator[str]:
    """Every address whose answer depends on the content alone."""
    assert isinstance(service.app, Router)
    for route in service.app.routes:
        assert isinstance(route, Route)
        endpoint = route.endpoint
        if isinstance(endpoint, ReadEndpoint):
            operation = next(iter(endpoint.forms.values()))
            items = endpoint.current().items_of(operation)
            yield from [item.path(endpoint.path) for item in items] or [endpoint.path]
        elif isinstance(endpoint, SignedEndpoint):
            for section in endpoint.sections:
                yield endpoint.path + (f"?{SECTION}={section}" if section else "")
        elif isinstance(endpoint, DocumentEndpoint):
            yield from [] if endpoint.document.daily else [endpoint.path]
        elif isinstance(endpoint, StaticDocument):
            yield endpoint.path


def test_every_ready_answer_is_what_the_application_answers(
    line: Wire, service: RequestGuard
) -> None:
    """Each address as it is asked for plainly and in one more way, all ways in turn."""
    every = [*zip(targets(service), cycle(SEPARATELY[1:]), strict=False)]
    assert len(every) > 100

    def check(target: str, way: Way) -> None:
        for accept, coding in (SEPARATELY[0], way):
            plain = twice(line, target, *accept, *coding)
            twice(line, target, *accept, *coding, method="HEAD")
            known = f"If-None-Match: {header_of(plain, 'etag')}"
            twice(line, target, *accept, *coding, known)

    assert offenders(check, every) == []


@pytest.mark.parametrize("target", ["/", "/api/faq", "/api/projects/tidebook", "/llms.txt"])
def test_each_form_is_ready_in_each_coding(line: Wire, target: str) -> None:
    for accept, coding in product(ACCEPTS, CODINGS):
        twice(line, target, *accept, *coding)


@pytest.mark.parametrize("accept", OTHER_ACCEPTS)
def test_another_accept_is_judged_by_the_application(line: Wire, accept: str) -> None:
    for target in ("/", "/api/faq", "/api/manifest.sig", "/feed.xml", "/license.xml"):
        twice(line, target, f"Accept: {accept}")


def test_no_other_header_changes_an_answer(line: Wire) -> None:
    for target in ("/", "/api/faq?limit=1", "/api/manifest.sig", "/sitemap.xml", "/api/chat"):
        plain, _ = line.get(target, "X: 1", "X: 2")
        for header in IGNORED:
            answer, is_ready = line.get(target, header, "X: 1", "X: 2")
            assert not is_ready
            assert unchanging(answer) == unchanging(plain), header


def test_what_is_no_plain_read_goes_the_ordinary_way(line: Wire) -> None:
    """A body, a condition, another host or form of the target."""
    host, end = "Host: localhost", "\r\n\r\n"
    plain = f"GET /api/faq HTTP/1.1\r\n{host}{end}"
    odd = {
        "a body": plain[:-2] + "Content-Length: 2\r\n\r\n{}",
        "an empty body": plain[:-2] + f"Content-Length: 0{end}",
        "chunks": plain[:-2] + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "a coding of no body": plain[:-2] + f"Content-Encoding: gzip{end}",
        "a precondition": plain[:-2] + f"If-Match: x{end}",
        "a date": plain[:-2] + f"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT{end}",
        "another date": plain[:-2] + f"If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT{end}",
        "a deciding header twice": plain[:-2] + f"Accept: */*\r\nAccept: image/png{end}",
        "an expectation": plain[:-2] + f"Expect: 100-continue{end}",
        "another protocol": plain[:-2] + f"Connection: upgrade\r\nUpgrade: h2c{end}",
        "no host": f"GET /api/faq HTTP/1.1{end}",
        "two hosts": plain[:-2] + host + end,
        "another host": plain.replace("localhost", "evil.example"),
        "an absolute target": plain.replace("/api/faq", "http://localhost/api/faq"),
        "another method": plain.replace("GET", "OPTIONS"),
        "too long an address": plain.replace("/api/faq", "/api/faq?" + "x" * 9000),
        "too long a head": plain[:-2] + f"X: {'x' * 9000}{end}",
        "an unknown parameter": plain.replace("/api/faq", "/api/faq?x=1"),
        "an unknown slug": plain.replace("/api/faq", "/api/projects/none"),
        "no such path": plain.replace("/api/faq", "/none"),
        "what changes with time": plain.replace("/api/faq", "/readyz"),
        "what changes with the day": plain.replace("/api/faq", "/.well-known/security.txt"),
    }
    line.send(plain.encode())
    assert line.send(plain.encode())[1]
    for name, request in odd.items():
        for _ in range(2):
            with wire_of(line) as other:
                first, is_ready = other.send(request.encode())
                assert not is_ready, name
                assert first, name


def test_a_caller_who_closes_gets_a_ready_answer_and_the_end(service: RequestGuard) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    odd = (
        plain.replace(b"HTTP/1.1", b"HTTP/1.0"),
        plain[:-2] + b"Connection: close\r\n\r\n",
        plain.replace(b"GET", b"HEAD")[:-2] + b"Connection: close\r\n\r\n",
        plain.replace(b"HTTP/1.1", b"HTTP/1.0")[:-2] + b"Connection: keep-alive\r\n\r\n",
    )
    for request in odd:
        answers = []
        for as_ready in (False, True):
            with wire(replace(service, ready=ReadyAnswers(current_of(service)))) as line:
                if as_ready:
                    line.send(plain)
                answer, is_ready = line.send(request)
                assert is_ready is as_ready
                assert line.transport.closed
                assert header_of(answer, "connection") == "close"
                answers.append(sorted(unchanging(answer).splitlines()))
        assert answers[0] == answers[1]


def current_of(service: RequestGuard) -> CurrentSnapshot:
    """What the service serves."""
    assert service.ready is not None
    return service.ready.current


def test_requests_in_parts_and_several_at_once_are_answered_in_order(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    slow = plain.replace(b"/api/faq", b"/readyz")
    alone, _ = line.send(plain)
    assert line.send(plain[:20]) == (b"", False)
    assert unchanging(line.send(plain[20:])[0]) == unchanging(alone)
    three, is_ready = line.send(plain * 3)
    assert is_ready
    assert three.count(b"HTTP/1.1 200 OK") == 3
    mixed, is_ready = line.send(slow + plain + plain)
    assert not is_ready
    assert mixed.count(b"HTTP/1.1 200 OK") == 3
    assert mixed.index(b'"ready"') < mixed.index(b"\netag: ")
    assert line.send(plain)[1]


def test_a_crowd_on_one_connection_lets_others_have_their_turn(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    line.send(plain)
    line.protocol.data_received(plain * 100)
    assert line.transport.written.count(b"HTTP/1.1 200 OK") == MAX_WAITING + 1  # and that before
    while line.transport.written.count(b"HTTP/1.1 200 OK") < 101:
        line.turn()


def test_clients_with_their_own_headers_share_one_answer(line: Wire) -> None:
    plain, _ = line.get("/api/faq")
    for number in range(3000):
        own = (
            f"User-Agent: {number}",
            f"Origin: https://{number}.example",
            f"Traceparent: {number}",
        )
        accept = f"Accept: application/json;q=0.{number % 9 + 1}, text/x-{number}"
        answer, is_ready = line.get("/api/faq", *own, accept)
        assert is_ready
        assert unchanging(answer) == unchanging(plain)


def test_what_is_kept_is_bounded(line: Wire) -> None:
    assert line.service.ready is not None
    for number in range(3000):
        line.get(f"/api/faq?limit={number % 20 + 1}&offset={number}&fields=slug")
        line.get("/api/faq", f"If-None-Match: {number}", f"Accept-Encoding: x{number}, br")
    table = line.service.ready.table
    assert 0 < table._answers.bytes <= MAX_BYTES  # noqa: SLF001 - there is nothing else to ask
    assert 0 < table._offered.bytes <= TARGETS_BYTES  # noqa: SLF001 - as above


QUERY = b'{"query":"{ studio { name } }"}'


def test_a_post_that_is_repeated_is_ready_whether_its_body_comes_apart_or_not(line: Wire) -> None:
    ordinary, was_ready = line.post("/api/graphql", QUERY)
    assert not was_ready
    request = post_of("/api/graphql", QUERY)
    head, body = request[: -len(QUERY)], request[-len(QUERY) :]
    for parts in ((request,), (head, body), (head, body[:9], body[9:])):
        for part in parts[:-1]:
            assert line.send(part) == (b"", False)
        answer, is_ready = line.send(parts[-1])
        assert is_ready
        assert unchanging(answer) == unchanging(ordinary)


def test_what_decides_a_post_is_its_body_and_what_says_its_form(line: Wire) -> None:
    line.post("/api/graphql", QUERY)
    assert line.post("/api/graphql", QUERY, "User-Agent: a", "Accept-Language: de")[1]
    for other in (
        line.post("/api/graphql", b'{"query":"{ studio { url } }"}'),
        line.post("/api/graphql", QUERY, "Accept: application/graphql-response+json"),
        line.post("/api/graphql", QUERY, "Cache-Control: no-cache"),
        line.post("/api/graphql", QUERY, "Cache-Control: no-cache"),
        line.post("/api/graphql", QUERY, "Expect: 100-continue"),
        line.post("/api/graphql?a", QUERY),
        line.post("/api/graphql", b"{"),
        line.post("/api/graphql", b"{"),
    ):
        assert not other[1]


def test_a_post_whose_body_never_comes_ends(line: Wire) -> None:
    line.post("/api/graphql", QUERY)
    head = post_of("/api/graphql", QUERY)[: -len(QUERY)]
    with wire_of(line) as other:
        assert other.send(head) == (b"", False)
        other.protocol.shutdown()
        assert not other.transport.closed
        assert status_of(other.send(QUERY)[0]) == 200
        assert other.transport.closed


def test_a_request_behind_a_ready_answer_is_not_cut_off_as_idle(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    line.send(plain)
    line.protocol.data_received(plain)
    assert line.protocol.timeout_keep_alive_task is not None
    line.protocol.data_received(plain + plain.replace(b"/api/faq", b"/readyz"))
    assert line.protocol.timeout_keep_alive_task is None


def test_a_connection_is_idle_from_its_last_ready_answer_on(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    protocol = line.protocol
    for _ in range(3):
        line.send(plain)
    first = protocol.timeout_keep_alive_task
    protocol.timeout_keep_alive_handler()  # as if the timer of the first answer had run out
    assert not line.transport.closed
    assert protocol.timeout_keep_alive_task is not first
    protocol._answered -= protocol.timeout_keep_alive  # noqa: SLF001 - as if so much time had gone
    protocol.timeout_keep_alive_handler()
    assert line.transport.closed


def test_a_reader_who_does_not_read_gets_no_more_ready_answers(line: Wire) -> None:
    line.get("/api/faq")
    assert line.get("/api/faq")[1]
    line.protocol.pause_writing()
    line.loop.call_later(0.01, line.protocol.resume_writing)
    answer, is_ready = line.get("/api/faq")
    assert not is_ready
    assert status_of(answer) == 200


def test_a_server_that_ends_closes_the_connection(line: Wire) -> None:
    line.get("/api/faq")
    assert line.get("/api/faq")[1]
    line.protocol.shutdown()
    assert line.transport.closed
    assert line.get("/api/faq")[1] is False


def test_a_new_revision_begins_with_no_ready_answer(operations: Operations, folder: Path) -> None:
    served = [bound(operations, folder)]
    app = router(operations, lambda: served[0], relations_of(operations))
    reads = ReadyAnswers(lambda: served[0])
    with wire(RequestGuard(app, HOSTS, ready=reads)) as line:
        before = twice(line, "/api/status")
        (folder / "status.toml").write_text('state = "resting"\nopenToWork = false\n')
        served[0] = bound(operations, folder)
        after = twice(line, "/api/status")
    assert b'"resting"' in after
    assert b'"resting"' not in before


def test_a_revision_that_may_change_at_any_time_keeps_no_answer(operations: Operations) -> None:
    snapshot = replace(bound(operations), modified=None)
    app = router(operations, lambda: snapshot, relations_of(operations))
    with wire(RequestGuard(app, HOSTS, ready=ReadyAnswers(lambda: snapshot))) as line:
        for _ in range(3):
            answer, is_ready = line.get("/api/faq")
            assert status_of(answer) == 200
            assert not is_ready


@contextmanager
def calls() -> Iterator[set[str]]:
    """The functions of the product that are called, as `file:name`."""
    called: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            called.add(f"{path.relative_to(ROOT).as_posix()}:{frame.f_code.co_name}")

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


def test_head_and_304_run_no_operation_on_any_read(
    line: Wire, service: RequestGuard, monkeypatch: pytest.MonkeyPatch
) -> None:
    # what has taken long is run in a thread from then on, where `runs` does not see it
    monkeypatch.setattr(read, "LONG_SECONDS", 60.0)
    narrowed = [
        "/api/projects?limit=2",
        "/api/projects?offset=1&fields=slug",
        "/api/projects/tidebook?fields=name,client",
        "/api/changelog?kind=added&limit=1",
        "/api/agent-pulse?since=2026-01-01T00:00:00Z",
        "/api/certifications?category=ai",
    ]
    odd = ("X: 1", "X: 2")  # so that the application answers
    with runs() as ran:
        line.get("/api/journey?limit=3")  # no other test reads a part of it
    assert ran == ["ListJourney"]
    for target in (*targets(service), *narrowed):
        plain, _ = line.get(target)
        if status_of(plain) == 400:  # it asks for parameters
            continue
        with runs() as ran:
            head, was_ready = line.get(target, *odd, method="HEAD")
            same, is_ready = line.get(target, *odd, f"If-None-Match: {header_of(plain, 'etag')}")
        assert (status_of(head), status_of(same)) == (200, 304), target
        assert not was_ready
        assert not is_ready
        assert ran == [], target


def test_what_is_prepared_is_neither_rendered_nor_compressed_for_its_first_reader(
    operations: Operations,
) -> None:
    snapshot = bound(operations)
    app = router(operations, lambda: snapshot, relations_of(operations))
    with calls() as called:
        asyncio.run(prepare_once(app, ["/api/faq", "/api/faq", "/none"]))
    # the work is done in a thread, which is not looked at
    assert not any(name.endswith((":rendered", ":encode")) for name in called)
    with calls() as called:
        for accept, coding in product(("application/json", "text/markdown"), CODERS):
            headers = [(b"accept", accept.encode()), (b"accept-encoding", coding.encode())]
            answer = ask(app, headers, path="/api/faq", raw_path=b"/api/faq")
            assert answer.headers["content-encoding"] == coding
    assert "rest_bridge/representations/responses.py:response" in called
    assert not any(name.endswith((":rendered", ":encode")) for name in called)


def test_a_path_that_cannot_be_prepared_is_logged_and_the_others_are_prepared() -> None:
    prepared: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        prepared.append(scope["path"])
        if scope["path"] == "/odd":
            raise ValueError("odd")

    with keeping("studiograph.faults") as lines:
        asyncio.run(prepare_once(app, ["/odd", "/even"]))
    assert {*prepared} == {"/odd", "/even"}
    assert "/odd was not prepared" in lines[0]


def test_preparation_ends_with_its_revision(operations: Operations) -> None:
    snapshot = bound(operations)
    app = router(operations, lambda: snapshot, relations_of(operations))
    asyncio.run(prepare_once(app, ["/api/faq"], lambda: False))
    with calls() as called:
        ask(app, [], path="/api/faq", raw_path=b"/api/faq")
    assert "rest_bridge/representations/rendering.py:rendered" in called


def test_a_refusal_is_not_kept(line: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(_worker: QueryWorker, _work: object) -> None:
        raise UnavailableError("Too many queries are waiting to be run. Try again soon.")

    query = b'{"query":"{ manifest { changelog { title body } glossary { definition } } }"}'
    monkeypatch.setattr("rest_bridge.endpoints.graphql.LARGE", 1)
    monkeypatch.setattr(QueryWorker, "run", full)
    assert status_of(line.post("/api/graphql", query, "Accept-Encoding: br")[0]) == 503
    monkeypatch.undo()
    answer, is_ready = line.post("/api/graphql", query, "Accept-Encoding: br")
    assert (status_of(answer), is_ready) == (200, False)


def test_a_long_head_of_a_post_is_refused_as_ever(line: Wire) -> None:
    line.post("/api/graphql", QUERY)
    long = tuple(f"X-{number}: {'x' * 1000}" for number in range(17))
    answer, is_ready = line.post("/api/graphql", QUERY, *long)
    assert (status_of(answer), is_ready) == (431, False)


def test_a_body_that_is_slow_is_waited_for_by_the_application(line: Wire) -> None:
    line.post("/api/graphql", QUERY)
    request = post_of("/api/graphql", QUERY)
    assert line.send(request[:-9]) == (b"", False)
    line.protocol._stop_holding()  # noqa: SLF001 - as if its time had come
    answer, is_ready = line.send(request[-9:])
    assert (status_of(answer), is_ready) == (200, False)


def test_nothing_behind_the_last_request_is_run(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    line.send(plain)
    last = plain.replace(b"HTTP/1.1", b"HTTP/1.0")[:-2] + b"Connection: keep-alive\r\n\r\n"
    answer, _ = line.send(last + post_of("/api/contact", b"{}") + plain)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert not line.state.tasks
