"""The guard in front of any application: whom it admits, what it adds, what it writes down."""

import re

import pytest
from asgi_call import HOSTS, ask, raising, well
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import ASGIApp

from rest_bridge.http.middleware import MAX_HEADERS, MAX_URI, RequestGuard
from sdl.errors import NotFoundError, UnavailableError

CANARY = "c4n4ry-7f3a"
SECURITY = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "cross-origin",
}


@pytest.fixture
def guard() -> RequestGuard:
    return RequestGuard(well, HOSTS)


@given(
    st.one_of(
        st.text(st.characters(max_codepoint=255), max_size=40),
        st.lists(st.sampled_from([*":.@[]/ 8", "localhost", "[::1]", "evil"])).map("".join),
    )
)
def test_no_host_is_too_odd_and_none_but_a_listed_name_passes(host: str) -> None:
    answer = ask(RequestGuard(well, HOSTS), [(b"host", host.encode("latin-1"))])
    name = re.sub(r"(?<=t)\.$", "", re.sub(r":[0-9]{1,5}$", "", host.strip().lower()))
    assert answer.status == (200 if name in HOSTS else 421)


@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize("query", [0, MAX_URI // 2, MAX_URI - 2])
def test_an_address_has_at_most_8_kib(beyond: int, query: int, guard: RequestGuard) -> None:
    path = b"/" + b"a" * (MAX_URI - query - bool(query) - 1 + beyond)
    answer = ask(guard, raw_path=path, path=path.decode(), query_string=b"q" * query)
    assert answer.status == (414 if beyond else 200)
    assert (answer.headers.get("connection") == "close") is bool(beyond)


@pytest.mark.parametrize("beyond", [0, 1])
@pytest.mark.parametrize("lines", [1, 100])
def test_all_headers_together_have_at_most_16_kib(
    beyond: int, lines: int, guard: RequestGuard
) -> None:
    headers = [(b"host", b"localhost")] + [(b"x", b"")] * lines
    spent = sum(len(name) + len(value) + 4 for name, value in headers)
    headers.append((b"x", b"a" * (MAX_HEADERS - spent - 5 + beyond)))
    answer = ask(guard, headers)
    assert answer.status == (431 if beyond else 200)
    if beyond:
        assert answer.json()["error"] == "headers_too_large"


OUTCOMES = [
    pytest.param(well, {}, 200, id="success"),
    pytest.param(raising(NotFoundError("Nothing.")), {}, 404, id="a caller's mistake"),
    pytest.param(raising(UnavailableError("Later.")), {}, 503, id="something else's fault"),
    pytest.param(raising(ValueError(CANARY)), {}, 500, id="our fault"),
    pytest.param(well, {"headers": []}, 421, id="no host"),
    pytest.param(well, {"query_string": b"a" * MAX_URI}, 414, id="too long"),
]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST", "TRACE"])
@pytest.mark.parametrize(("app", "changes", "status"), OUTCOMES)
def test_every_answer_has_the_security_headers_and_names_no_server(
    app: ASGIApp, changes: dict[str, object], status: int, method: str
) -> None:
    answer = ask(RequestGuard(app, HOSTS), **{"method": method, **changes})  # type: ignore[arg-type]
    assert answer.status == status
    assert SECURITY.items() <= answer.headers.items()
    assert not {"set-cookie", "server", "x-powered-by"} & set(answer.headers)
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])
    readable = method in ("GET", "HEAD", "OPTIONS")
    assert (answer.headers.get("access-control-allow-origin") == "*") is readable
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize(("app", "changes", "status"), OUTCOMES[1:])
def test_every_refusal_is_a_problem_and_has_no_body_for_head(
    app: ASGIApp, changes: dict[str, object], status: int
) -> None:
    answer = ask(RequestGuard(app, HOSTS), **changes)  # type: ignore[arg-type]
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    head = ask(RequestGuard(app, HOSTS), **{"method": "HEAD", **changes})  # type: ignore[arg-type]
    assert (head.status, head.body) == (status, b"")
    assert head.headers["content-length"] == str(len(answer.body))


def test_a_preflight_learns_what_it_may_send(guard: RequestGuard) -> None:
    headers = ask(guard, method="OPTIONS").headers
    assert headers["access-control-allow-methods"] == "GET, HEAD, OPTIONS"
    assert {"Accept", "If-None-Match"} <= set(headers["access-control-allow-headers"].split(", "))
    assert int(headers["access-control-max-age"]) > 0


def test_a_websocket_that_another_server_accepts_is_refused_with_a_problem(
    guard: RequestGuard,
) -> None:
    client = TestClient(guard, headers={"host": "localhost"})
    with pytest.raises(WebSocketDenialResponse) as refused, client.websocket_connect("/mcp"):
        pass
    assert (refused.value.status_code, refused.value.json()["error"]) == (400, "validation_failed")
