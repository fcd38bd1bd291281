"""A message is handed to the mail server whole, or refused in time, whatever the server does."""

import pytest
import uvloop
from mail_servers import HANG
from relays import (
    REFUSED,
    SECONDS,
    Loop,
    meet,
)

pytestmark = pytest.mark.parametrize("loop", [uvloop.new_event_loop])

STEPS = ("CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "BODY", ".")

ANSWERED = tuple(step for step in STEPS if step != "BODY")

GARBAGE = {
    "another protocol": b"SSH-2.0-OpenSSH_9.9\r\n",
    "bytes": b"\x00\xff\xfe\r\n",
    "an empty line": b"\r\n",
    "another code": b"999 what\r\n",
    "a code and nothing": b"250",
    "no end": b"250-" + b"x" * 100_000,
    "lines without end": b"250-x\r\n" * 20_000,
    "a long line": b"250 " + b"x" * 20_000 + b"\r\n",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_server_that_falls_silent_is_502_in_time(step: str, loop: Loop) -> None:
    found = meet(loop, {step: HANG})
    assert found.outcome == REFUSED
    assert found.seconds > SECONDS * 0.9


@pytest.mark.parametrize(
    ("step", "answer"),
    [(ANSWERED[n % len(ANSWERED)], answer) for n, answer in enumerate([*GARBAGE.values()] * 2)],
)
def test_a_server_that_talks_nonsense_is_502(step: str, answer: bytes, loop: Loop) -> None:
    assert meet(loop, {step: answer}).outcome == REFUSED


@pytest.mark.parametrize("step", ANSWERED)
def test_a_server_that_drips_is_502_in_time(step: str, loop: Loop) -> None:
    found = meet(loop, {step: b"250-x\r\n" * 9}, pace_seconds=SECONDS / 10)
    assert found.outcome == REFUSED


def test_a_server_that_does_not_read_is_502_in_time_and_let_go(loop: Loop) -> None:
    found = meet(loop, {"BODY": HANG}, b"Subject: x\r\n\r\n" + b"x\r\n" * 5_000_000)
    assert found.outcome == REFUSED
