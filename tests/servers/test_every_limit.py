"""What is at a limit is answered, and what is one beyond it is refused, each with its status."""

from collections.abc import Iterator

import pytest
from ai_service import LIGHT, asked
from limit_rows import REMOVAL, ROWS, Row
from offenders import offenders
from raw_client import Answer, ask
from recorded_requests import request
from running_server import Running

CODES = {
    400: b'"validation_failed"',
    403: b'"forbidden"',
    404: b'"not_found"',
    405: b'"method_not_allowed"',
    413: b'"too_large"',
    414: b'"uri_too_long"',
    415: b'"unsupported_media_type"',
    421: b'"misdirected"',
    431: b'"headers_too_large"',
}
CLOSING = (413, 414, 431)
UNCOUNTED = {f"{name}_LIMIT": "0" for name in ("CHAT", "EMBED", "CONTACT", "SUBSCRIBE")}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that counts no calls, once its models are loaded."""
    with asked(tmp_path_factory.mktemp("limits"), **LIGHT, **UNCOUNTED) as running:
        yield running


def answer(server: Running, data: bytes) -> Answer:
    """The answer to a request."""
    heard = ask(server.place, data, patience_seconds=60)
    assert len(heard.answers) == 1, heard
    return heard.answers[0]


def test_what_is_at_a_limit_is_answered_and_what_is_beyond_it_refused(server: Running) -> None:
    def check(row: Row) -> None:
        at = answer(server, row.at)
        assert at.status == row.at_status, at.body[:300]
        beyond = answer(server, row.beyond)
        assert beyond.status == row.status, beyond.body[:300]
        if "problem+json" in beyond.headers["content-type"]:
            known = (CODES[row.status], b'"unknown_section"')
            assert any(code in beyond.body for code in known), beyond.body[:300]
        else:
            assert b'"error' in beyond.body
        if row.status in CLOSING:
            assert beyond.headers["connection"] == "close"
        if row.status == 405:
            assert beyond.headers["allow"]

    assert len(ROWS) > 60
    assert offenders(check, ROWS) == []


def test_a_removal_that_nobody_may_ask_for_is_refused_in_one_way(server: Running) -> None:
    names = ("sub_0123456789abcdef0123456789abcdef", "a", "%00", "..%2f", "a" * 500)
    asked_for = [
        request("DELETE", f"/api/subscribe/{name}", {"Authorization": token} if token else {})
        for name in names
        for token in REMOVAL
    ]
    bodies = set()
    for data in asked_for:
        refused = answer(server, data)
        assert refused.status == 401, (data, refused.body)
        own = refused.headers["x-request-id"].encode()
        bodies.add(refused.body.replace(own, b""))
    assert len(bodies) == 1


@pytest.mark.parametrize("length", [65_000, 65_536, 120_000])
def test_an_address_far_beyond_the_limit_is_refused_as_one_beyond_it(
    server: Running, length: int
) -> None:
    refused = answer(server, request("GET", f"/api/faq?{'x' * length}", {}))
    assert (refused.status, refused.headers["connection"]) == (414, "close")
    assert CODES[414] in refused.body
