"""What the table of ready answers sends is what the application answers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from asgi_call import HOSTS
from local_service import bound
from offenders import offenders
from starlette.routing import Route, Router
from wire import Wire, header_of, post_of, status_of, twice, unchanging, wire, wire_of

from rest_bridge.endpoints.read import ReadEndpoint
from rest_bridge.endpoints.signed import SECTION, SignedEndpoint
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.ready_answers import MAX_BYTES, TARGETS_BYTES, ReadyAnswers
from rest_bridge.representations.pages import Page
from rest_bridge.routes import relations_of, router
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
        elif isinstance(endpoint, Page) and endpoint.is_kept:
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


def test_nothing_behind_the_last_request_is_run(line: Wire) -> None:
    plain = b"GET /api/faq HTTP/1.1\r\nHost: localhost\r\n\r\n"
    line.send(plain)
    last = plain.replace(b"HTTP/1.1", b"HTTP/1.0")[:-2] + b"Connection: keep-alive\r\n\r\n"
    answer, _ = line.send(last + post_of("/api/contact", b"{}") + plain)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert not line.state.tasks
