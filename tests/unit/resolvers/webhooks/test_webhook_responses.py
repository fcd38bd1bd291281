"""An echo is the challenge and nothing else; every answer to a delivery has one verdict."""

import json
import os
import random
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from offenders import offenders

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import (
    BlockedTargetError,
    ConnectionFailedError,
    InvalidResponseError,
    OutboundError,
    OutboundTimeoutError,
)
from resolvers.http_client.targets import parse_target
from resolvers.webhooks.retry_policy import (
    ABORTED,
    DEAD,
    DELIVERED,
    DISABLED,
    MAX_WAIT,
    RETRY,
    RetryDecision,
    RetryPolicy,
)
from resolvers.webhooks.verification import challenge_body, is_echo, make_token, with_token
from studiograph.settings import Settings

TOKEN = make_token(lambda count: bytes(range(count)))
SENT = challenge_body(TOKEN, "2026-03-01T09:30:00Z", {"kinds": ["added"], "note": "Grüße"})
NOW = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
BACKOFF = Settings.model_fields["webhook_schedule"].default
SCHEDULED = RetryPolicy(random.Random(7).uniform, BACKOFF)  # noqa: S311 - chance, no secret
EXACT = RetryPolicy(lambda least, _: max(least, 1), BACKOFF)
"""Without jitter."""


def said(body: bytes | str, status: int = 200, *, is_whole: bool = True) -> OutboundResponse:
    """An answer with this body."""
    data = body.encode() if isinstance(body, str) else body
    return OutboundResponse(status, {"content-type": "text/html"}, data, is_whole)


ECHOES = {
    "text": TOKEN,
    "text and a line end": f"{TOKEN}\r\n",
    "text and spaces": f" \t{TOKEN}\n\n",
    "JSON string": json.dumps(TOKEN),
    "JSON object": json.dumps({"challenge": TOKEN}),
    "JSON object over lines": json.dumps({"challenge": TOKEN}, indent=2) + "\n",
    "form": urlencode({"challenge": TOKEN}),
}


@pytest.mark.parametrize("body", ECHOES.values(), ids=ECHOES)
@pytest.mark.parametrize("status", [200, 201, 202, 299])
def test_the_four_forms_of_an_echo_are_taken(body: str, status: int) -> None:
    assert is_echo(TOKEN, SENT, said(body, status))


def test_an_echo_without_success_is_none() -> None:
    def check(body: str, status: int) -> None:
        assert not is_echo(TOKEN, SENT, said(body, status))

    assert offenders(check, ECHOES.values(), [100, 101, 199, 300, 302, 400, 404, 410, 500]) == []


@pytest.mark.parametrize(
    "body",
    [
        *("", " ", "ok", "{}", "[]", "null", "true", '""', "challenge", "challenge=", "0"),
        *(TOKEN[:-1], TOKEN + "0", TOKEN.upper(), TOKEN[::-1], TOKEN * 2, f"{TOKEN} {TOKEN}"),
        *(f"<html>{TOKEN}</html>", f"challenge: {TOKEN}", f"'{TOKEN}'", f"\x00{TOKEN}"),
        *(f"\ufeff{TOKEN}", f"{TOKEN}\x0b", f"\u00a0{TOKEN}", f'"{TOKEN}', f"{TOKEN}&a=b"),
        *(f"a=b&challenge={TOKEN}", f"challenge={TOKEN}&a=b", f"challenge={TOKEN}&", f"={TOKEN}"),
        *(f"Challenge={TOKEN}", f"challenge=challenge={TOKEN}", f"hub.challenge={TOKEN}"),
        json.dumps([TOKEN]),
        json.dumps({"Challenge": TOKEN}),
        json.dumps({"challenge": [TOKEN]}),
        json.dumps({"challenge": {"challenge": TOKEN}}),
        json.dumps({"challenge": TOKEN, "ok": True}),
        json.dumps({"challenge": f" {TOKEN}"}),
        json.dumps({"data": {"challenge": TOKEN}}),
        json.dumps(json.dumps({"challenge": TOKEN})),
        f'{{"challenge": "x", "challenge": "{TOKEN}"}}',
        f'{{"challenge": "{TOKEN}"}} x',
        "[" * 4000,
        SENT,
        SENT + b"\n",
        SENT.replace(b'"type"', b'"kind"'),
        TOKEN.encode("utf-16"),
        b"\xff" + TOKEN.encode(),
    ],
)
def test_anything_else_is_no_echo(body: bytes | str) -> None:
    assert not is_echo(TOKEN, SENT, said(body))


def test_an_answer_that_was_cut_and_the_same_body_sent_back_are_no_echo() -> None:
    assert not is_echo(TOKEN, SENT, said(TOKEN, is_whole=False))
    assert not is_echo(TOKEN, TOKEN.encode(), said(TOKEN))


@given(st.text("<>&=\"'{}[]:, \n" + TOKEN[:3], max_size=12), st.text("<>&=\"'{}:, ", max_size=12))
def test_the_challenge_amid_something_else_is_no_echo(before: str, after: str) -> None:
    body = f"{before}{TOKEN}{after}"
    is_form = body.strip(" \t\r\n") in {TOKEN, f"challenge={TOKEN}"}
    is_json = body.strip() == f'"{TOKEN}"'
    assert is_echo(TOKEN, SENT, said(body)) == (is_form or is_json)


@given(st.binary(max_size=200))
def test_no_bytes_without_the_challenge_are_an_echo(body: bytes) -> None:
    assert not is_echo(TOKEN, SENT, said(body))


def test_what_is_sent_is_json_and_holds_the_challenge_once() -> None:
    assert json.loads(SENT) == {
        "type": "url_verification",
        "challenge": TOKEN,
        "timestamp": "2026-03-01T09:30:00Z",
        "data": {"kinds": ["added"], "note": "Grüße"},
    }
    assert SENT.count(TOKEN.encode()) == 1


def test_a_challenge_has_256_bits_and_is_never_the_same() -> None:
    made = {make_token(os.urandom) for _ in range(9)}
    assert len(made) == 9
    assert all(len(bytes.fromhex(one)) == 32 and one.isalnum() for one in made)


@pytest.mark.parametrize(
    ("url", "before"),
    [
        ("https://example.com", []),
        ("https://example.com:8443/a/b", []),
        ("https://example.com/?a=b&c=%26", [("a", "b"), ("c", "&")]),
    ],
)
def test_the_other_way_to_ask_has_the_members_of_websub(
    url: str, before: list[tuple[str, str]]
) -> None:
    destination = parse_target(url)
    asked = with_token(destination, "https://studio.example.com/api/changelog?a=b", TOKEN)
    assert parse_qsl(urlsplit(asked.url).query) == [
        *before,
        ("hub.mode", "subscribe"),
        ("hub.topic", "https://studio.example.com/api/changelog?a=b"),
        ("hub.challenge", TOKEN),
    ]
    assert (asked.host, asked.port) == (destination.host, destination.port)
    assert asked.url.startswith(destination.url)


def verdict(
    status: int, attempt: int = 0, schedule: RetryPolicy = EXACT, **headers: str
) -> RetryDecision:
    """What an answer with this status and these headers comes to."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return schedule.decide(OutboundResponse(status, named, b""), attempt, NOW)


def waited(found: RetryDecision) -> float:
    """The seconds until the next attempt."""
    assert found.verdict == RETRY
    assert found.due_at is not None
    return (found.due_at - NOW).total_seconds()


@pytest.mark.parametrize("status", [200, 201, 202, 204, 226, 299])
@pytest.mark.parametrize("attempt", [0, 9])
def test_success_is_delivered_whatever_else_is_said(status: int, attempt: int) -> None:
    found = verdict(status, attempt, retry_after="7", webhook_delivery="abort-message")
    assert found == RetryDecision(DELIVERED)


@pytest.mark.parametrize("attempt", [0, 9])
def test_gone_disables_and_abort_ends_one_message(attempt: int) -> None:
    assert verdict(410, attempt) == RetryDecision(DISABLED)
    assert verdict(410, attempt, webhook_delivery="abort-message") == RetryDecision(DISABLED)
    assert verdict(400, attempt, webhook_delivery="Abort-Message ") == RetryDecision(ABORTED)
    both = verdict(503, attempt, webhook_delivery="abort-message", retry_after="9")
    assert both == RetryDecision(ABORTED)
    assert waited(verdict(400, webhook_delivery="abort")) == 5


@pytest.mark.parametrize("status", [100, 101, 300, 301, 302, 304, 307, 400, 401, 404, 500, 599])
def test_every_other_status_is_tried_again(status: int) -> None:
    assert waited(verdict(status, retry_after="99")) == 5
    assert verdict(status, 9) == RetryDecision(DEAD)


@pytest.mark.parametrize(
    "fault", [BlockedTargetError, ConnectionFailedError, OutboundTimeoutError, InvalidResponseError]
)
def test_no_answer_is_tried_again(fault: type[OutboundError]) -> None:
    assert waited(EXACT.decide(fault(), 0, NOW)) == 5
    assert EXACT.decide(fault(), 9, NOW) == RetryDecision(DEAD)


def test_the_ten_steps_are_those_of_the_standard() -> None:
    waits = [waited(verdict(500, attempt)) for attempt in range(9)]
    assert (0, *waits) == BACKOFF
    assert sum(BACKOFF) == timedelta(hours=75, minutes=35, seconds=5).total_seconds()
    assert [verdict(500, attempt) for attempt in (9, 10, 99)] == [RetryDecision(DEAD)] * 3


@pytest.mark.parametrize("attempt", range(9))
def test_a_wait_varies_by_a_tenth_and_a_short_one_only_upward(attempt: int) -> None:
    slot = BACKOFF[attempt + 1]
    waits = [waited(verdict(500, attempt, SCHEDULED)) / slot for _ in range(200)]
    least = 1 if slot <= 5 else 0.9
    assert least <= min(waits) < least + 0.02
    assert 1.08 < max(waits) <= 1.1
    assert len(set(waits)) > 150


def test_another_schedule_is_obeyed() -> None:
    short = RetryPolicy(EXACT.uniform, (0, 0.25, 20))
    assert waited(verdict(500, 0, short)) == 0.25
    assert waited(verdict(500, 1, short)) == 20
    assert verdict(500, 2, short) == RetryDecision(DEAD)
    assert verdict(500, 0, RetryPolicy(EXACT.uniform, (0,))) == RetryDecision(DEAD)


def test_a_busy_host_is_waited_for_if_it_asks_for_more_and_for_a_day_at_most() -> None:
    def check(status: int, value: str, seconds: float) -> None:
        assert waited(verdict(status, retry_after=value)) == seconds

    assert (
        offenders(
            check,
            [429, 502, 503, 504],
            [
                ("7", 7),
                (" 007 ", 7),
                ("4", 5),
                ("0", 5),
                ("86400", 86_400),
                ("86401", 86_400),
                ("9" * 5000, 86_400),
                ("Sun, 01 Mar 2026 09:31:00 GMT", 60),
                ("Sunday, 01-Mar-26 09:31:00 GMT", 60),
                ("Sun Mar  1 09:31:00 2026", 60),
                ("Sun, 01 Mar 2026 09:29:00 GMT", 5),
                ("Sun, 01 Mar 2126 09:29:00 GMT", 86_400),
                *((value, 5) for value in ("", "-7", "+7", "7.5", "1e3", "0x10", "soon", "\u0667")),
                *(
                    (value, 5)
                    for value in ("7, 8", "Sun, 99 Mar 2026 99:99:99 GMT", "1 Jan 99999999999")
                ),
                ("Sun, 01 Mar 99999999999999999999 09:31:00 GMT", 5),
                ("Sun, 01 Mar 2026 09:31:00 +99999999999999", 5),
                ("x" * 9999, 5),
            ],
        )
        == []
    )


def test_a_wait_asked_for_never_shortens_a_slot_nor_adds_an_attempt() -> None:
    assert waited(verdict(503, 8, RetryPolicy(max, BACKOFF), retry_after="86400")) == 95_040
    assert waited(verdict(503, 4, retry_after="60")) == BACKOFF[5]
    assert verdict(503, 9, retry_after="60") == RetryDecision(DEAD)


@given(st.text(max_size=80))
def test_whatever_is_asked_for_the_wait_is_within_bounds(value: str) -> None:
    found = verdict(503, retry_after=value)
    assert 5 <= waited(found) <= MAX_WAIT.total_seconds()


@given(st.text("0123456789 :,+-/GMTJanSuMr()", max_size=64))
def test_whatever_resembles_a_date_the_wait_is_within_bounds(value: str) -> None:
    found = verdict(429, retry_after=f"Sun, 01 Mar 2026 {value}")
    assert 5 <= waited(found) <= MAX_WAIT.total_seconds()
