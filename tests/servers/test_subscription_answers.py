"""What is told of subscriptions before there is one, and the one answer to whoever ends none."""

import re

import pytest
from running_server import Raw, Running

SUBSCRIBE = "/api/subscribe"
IDENTITY = "/api/identity"
FORMS = ("application/json", "text/markdown")
NOBODY = f"sub_{'0' * 32}"
BEARER = f"Bearer whsec_{'A' * 43}="


@pytest.fixture(scope="module")
def server(web: Running) -> Running:
    """The real server on the sample."""
    return web


def test_the_key_that_signs_deliveries_is_told_in_every_form(server: Running) -> None:
    key = server.get(f"{SUBSCRIBE}.json").json()["publicKey"]
    assert re.fullmatch(r"whpk_[A-Za-z0-9+/]{43}=", key)
    for path in (SUBSCRIBE, IDENTITY):
        for form in FORMS:
            answer = server.get(path, f"Accept: {form}")
            assert answer.headers["content-type"].startswith(form)
            assert key.encode() in answer.body
    assert key.encode() not in server.get("/.well-known/jwks.json").body
    claims = server.get(f"{IDENTITY}.json").json()["claims"]
    (claim,) = [claim for claim in claims if claim["type"] == "webhook-key"]
    assert (claim["expected"], claim["status"]) == (key, "verified")


IDS = {
    "unknown": NOBODY,
    "short": "x",
    "long": "x" * 7000,
    "zero byte": "%00",
    "line break": "%0d%0aX-Odd:%201",
    "last line break": f"{NOBODY}%0a",
    "no utf-8": "%ff%fe",
    "from right to left": "%E2%80%AE",
    "letters of elsewhere": "%C3%A9%F0%9F%8C%8A",
    "space": "%20",
    "slash": "a%2Fb",
    "slashes": "a/b//c/",
    "upwards": "..%2F..%2Fetc",
    "a suffix": f"{NOBODY}.json",
    "a template": "%7Bid%7D",
}
GIVEN: dict[str, list[str]] = {
    "none": [],
    "empty": [""],
    "no scheme": [BEARER.removeprefix("Bearer ")],
    "another scheme": ["Basic Og=="],
    "no token": ["Bearer"],
    "a token": [BEARER],
    "twice": [BEARER, BEARER],
    "long": [f"Bearer {'x' * 7000}"],
    "latin": ["Bearer \xe9"],
}


def ended(server: Running, name: str = NOBODY, given: list[str] | None = None) -> Raw:
    """The answer to a DELETE."""
    shown = [f"Authorization: {each}" for each in ([BEARER] if given is None else given)]
    return server.get(f"{SUBSCRIBE}/{name}", *shown, method="DELETE")


@pytest.fixture(scope="module")
def refused(server: Running) -> Raw:
    """The one answer."""
    return ended(server)


def is_alike(answer: Raw, other: Raw) -> bool:
    """Whether two answers differ in nothing but what every answer has of its own."""
    own = {"x-request-id": "", "date": ""}
    told = [(each.status, each.body, {**each.headers, **own}) for each in (answer, other)]
    return told[0] == told[1]


def test_the_one_answer_is_a_problem_that_names_no_request(refused: Raw) -> None:
    assert refused.status == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.headers["cache-control"] == "no-store"
    body = refused.json()
    assert [*body] == ["ok", "error", "title", "status", "detail"]
    assert (body["ok"], body["error"], body["status"]) == (False, "unauthorized", 401)


@pytest.mark.parametrize("name", IDS.values(), ids=IDS)
def test_whatever_is_named_is_answered_alike(name: str, server: Running, refused: Raw) -> None:
    assert is_alike(ended(server, name), refused)


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_whatever_is_shown_is_answered_alike(
    given: list[str], server: Running, refused: Raw
) -> None:
    assert is_alike(ended(server, given=given), refused)
