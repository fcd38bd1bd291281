"""Asking for an account that does not answer: what is wrong, and how long to be patient."""

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from github_server import HANG, LOGIN, Hub, Instead, always, at, event, github_server, http

from resolvers.github.client import ALL_SECONDS, MAX_BYTES, SECONDS, fetch
from resolvers.github.convert import AccountName, GithubError

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
RESET = int((NOW + timedelta(minutes=20)).timestamp())
TOKEN = "ghp_quillmere0secret"  # noqa: S105 - a token of nobody
OF_ACCOUNT = f"/users/{LOGIN}"
STARRED = f"{OF_ACCOUNT}/starred"
UNREADABLE = "GitHub's answer could not be read."


def wrong(hub: Hub, seconds: float = SECONDS, all_seconds: float = ALL_SECONDS) -> GithubError:
    """Why nothing was read."""
    account = AccountName(hub.address, LOGIN, "reading-list", TOKEN)
    with pytest.raises(GithubError) as caught:
        asyncio.run(fetch(account, {}, lambda: NOW, seconds, all_seconds))
    assert TOKEN not in str(caught.value)
    assert " Fix: " in str(caught.value)
    return caught.value


def failure(instead: Instead) -> GithubError:
    """Why nothing was read from a service that answers so."""
    with github_server() as hub:
        hub.instead = instead
        return wrong(hub)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (http("500 Oh"), "GitHub answered with HTTP 500. Fix: try again later."),
        (http("502 Oh", body=b"<html>"), "GitHub answered with HTTP 502."),
        (http("401 No"), "GitHub answered with HTTP 401. Fix: set STUDIOGRAPH_GITHUB_TOKEN"),
        (http("403 No"), "GitHub answered with HTTP 403."),
        (http("404 No"), "GitHub answered with HTTP 404. Fix: set STUDIOGRAPH_GITHUB_USER"),
        (http("301 Moved", "Location: /users/x"), "GitHub answered with HTTP 301. Fix: the acc"),
        (http("302 Found", "Location: https://x.example/"), "GitHub answered with HTTP 302."),
        (http("304 Not Modified"), "GitHub answered with HTTP 304."),
        (http("204 No Content", body=b""), "GitHub answered with HTTP 204."),
        (http("200 OK", body=b"<html>"), UNREADABLE),
        (http("200 OK", body=b""), UNREADABLE),
        (http("200 OK", body=b"\xff\xfe\x00"), UNREADABLE),
        (http("200 OK", body=b"[" * 100_000), UNREADABLE),
        (http("200 OK", body=b"9" * 5_000), UNREADABLE),
        (http("200 OK", body=b"null"), UNREADABLE),
        (http("200 OK", body=b'{"login": "x"}'), UNREADABLE),
        (http("200 OK", "Content-Encoding: gzip", body=b"\x1f\x8b\x08"), UNREADABLE),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"], UNREADABLE),
        ([b"no HTTP at all\r\n\r\n"], UNREADABLE),
        ([b""], UNREADABLE),
        (http("200 OK", body=b" " * (MAX_BYTES + 1)), f"has more than {MAX_BYTES} bytes"),
        ([b"HTTP/1.1 200 OK\r\n\r\n", *[b" " * 65_536] * 33], f"has more than {MAX_BYTES} bytes"),
    ],
)
def test_an_answer_that_is_none_says_why(answer: list[bytes], reason: str) -> None:
    fault = failure(always(*answer))
    assert reason in str(fault)
    assert fault.until is None


def test_one_bad_answer_among_good_ones_is_a_failure() -> None:
    for path in (STARRED, f"{OF_ACCOUNT}/repos", f"{OF_ACCOUNT}/events/public"):
        assert "HTTP 500" in str(failure(at(path, *http("500 Oh"))))
    assert "HTTP 500" in str(failure(at(f"/repos/{LOGIN}/{LOGIN}/readme", *http("500 Oh"))))


def test_a_redirect_leads_nowhere() -> None:
    with github_server() as other:
        failure(always(*http("302 Found", f"Location: {other.address}{OF_ACCOUNT}")))
    assert other.heard == []


@pytest.mark.parametrize(
    ("answer", "patience"),
    [
        (("403 No", "X-RateLimit-Remaining: 0", f"X-RateLimit-Reset: {RESET}"), 1200),
        (("429 No", "X-RateLimit-Remaining: 0", f"X-RateLimit-Reset: {RESET}"), 1200),
        (("429 No", "Retry-After: 90"), 90),
        (("403 No", "Retry-After: 90", f"X-RateLimit-Reset: {RESET}"), 90),
        (("403 No", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 17"), 0),
        (("429 No", "Retry-After: 99999999"), 86400),
        (("403 No", "X-RateLimit-Remaining: 7", f"X-RateLimit-Reset: {RESET}"), None),
        (("403 No", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: soon"), None),
        (("403 No", "X-RateLimit-Remaining: 0", f"X-RateLimit-Reset: {'9' * 5_000}"), None),
        (("429 No", "Retry-After: Fri, 20 Nov 2026 12:30:00 GMT"), None),
        (("500 Oh", "Retry-After: 90"), None),
    ],
)
def test_a_spent_limit_says_when_to_ask_again(
    answer: tuple[str, ...], patience: int | None
) -> None:
    fault = failure(always(*http(*answer)))
    assert fault.until == (None if patience is None else NOW + timedelta(seconds=patience))
    assert ("accepts no more requests until 2026-11-2" in str(fault)) is (patience is not None)


@pytest.mark.parametrize(
    "pieces",
    [
        [HANG],
        [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", HANG],
        [b"HTTP/1.1 200 OK\r\n", *[b"x: y\r\n"] * 999],
        [b"HTTP/1.1 200 OK\r\n\r\n", *[b" "] * 999],
    ],
    ids=["silence", "half an answer", "a dripping head", "a dripping body"],
)
def test_who_does_not_answer_in_time_is_waited_for_no_longer(pieces: list[bytes | None]) -> None:
    with github_server() as hub:
        hub.instead, hub.pause_seconds = always(*pieces), 0.1
        assert str(wrong(hub, 0.5, 60)).startswith("GitHub did not respond within 0.5 s. Fix: ")


def test_many_slow_answers_are_waited_for_no_longer_than_all_may_take() -> None:
    with github_server() as hub:
        hub.stars, body = [], json.dumps([event(1)]).encode()
        path = f"{OF_ACCOUNT}/events/public"
        link = f'Link: <{path}?per_page=30>; rel="next"'
        hub.instead, hub.pause_seconds = at(path, *http("200 OK", link, body=body)), 0.4
        assert str(wrong(hub, 5, 1)).startswith("GitHub took more than 1 s for all its responses.")
    assert 1 < len(hub.heard) < 6


def test_github_has_ten_seconds_for_an_answer_and_a_minute_for_all() -> None:
    assert (SECONDS, ALL_SECONDS) == (10, 60)


@pytest.mark.parametrize("address", ["http://xn--a", "http://[::1"])
def test_an_address_of_nobody_cannot_be_reached(address: str) -> None:
    assert str(wrong(Hub(address))).startswith("GitHub cannot be reached. Fix: ")


def test_a_closed_port_cannot_be_reached() -> None:
    with github_server() as hub:
        pass
    assert str(wrong(hub)).startswith("GitHub cannot be reached. Fix: ")
