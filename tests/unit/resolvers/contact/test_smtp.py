"""A message is handed to the mail server whole, or refused in time, whatever the server does."""

import socket

import pytest
from mail_samples import ALICE, HUMAN, MAILBOX
from mail_servers import DROP, HANG
from relays import (
    DONE,
    EVERY_LOOP,
    REFUSED,
    SHORT,
    UNUSABLE,
    Loop,
    give,
    meet,
    outcome,
    run,
    to,
)
from test_message import LETTER

from resolvers.contact.message import to_rfc822
from resolvers.contact.smtp import SmtpTransport

pytestmark = EVERY_LOOP

ROUGH = b"Subject: x\r\n\r\n.\r\n..\r\n.hidden\r\nlong " + b"x" * 900 + b"\r\n\r\n.\r\n\r\nlast\r\n"

STEPS = ("CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "BODY", ".")

ANSWERED = tuple(step for step in STEPS if step != "BODY")


@pytest.mark.parametrize("message", [to_rfc822(LETTER, MAILBOX, HUMAN), ROUGH, b"\r\n"])
def test_a_message_arrives_to_the_byte(message: bytes, loop: Loop) -> None:
    found, given = give(loop, message)
    (taken,) = given.taken
    assert (found, taken.content) == ([DONE], message)
    assert (taken.mail_from, taken.rcpt_tos, taken.mail_options) == (MAILBOX, [HUMAN], [])


def test_bare_line_ends_do_not_reach_the_server(loop: Loop) -> None:
    _, given = give(loop, b"Subject: x\n\na\n.\nb\r.\r\nc")
    assert given.taken[0].content == b"Subject: x\r\n\r\na\r\n.\r\nb\r\n.\r\nc\r\n"


@pytest.mark.parametrize(
    ("envelope", "said"),
    [
        ({}, (MAILBOX, [HUMAN])),
        ({"sender": ""}, ("<>", [HUMAN])),
        ({"sender": "", "recipient": ALICE}, ("<>", [ALICE])),
        ({"sender": ALICE}, (ALICE, [HUMAN])),
    ],
)
def test_who_is_told_of_bounces_and_who_gets_it_is_said(
    envelope: dict[str, str], said: tuple[str, list[str]], loop: Loop
) -> None:
    _, given = give(loop, SHORT, envelope=envelope)
    assert [(taken.mail_from, taken.rcpt_tos) for taken in given.taken] == [said]


@pytest.mark.parametrize("answer", [b"421 later\r\n", b"450 later\r\n", b"550-no\r\n550 never\r\n"])
@pytest.mark.parametrize("step", ANSWERED)
def test_a_refusal_at_any_step_is_502(step: str, answer: bytes, loop: Loop) -> None:
    assert meet(loop, {step: answer}, seconds=20).outcome == REFUSED


@pytest.mark.parametrize("step", STEPS)
def test_a_server_that_hangs_up_is_502(step: str, loop: Loop) -> None:
    assert meet(loop, {step: DROP}, seconds=20).outcome == REFUSED


@pytest.mark.parametrize("answer", [HANG, DROP, b"500 no\r\n", b"\xff\r\n"])
def test_what_the_server_took_is_delivered_however_it_parts(
    answer: bytes | str, loop: Loop
) -> None:
    found = meet(loop, {"QUIT": answer}, seconds=20)
    assert (found.outcome, found.lines[-1]) == (DONE, b"QUIT\r\n")


def test_a_port_where_nobody_listens_is_503(loop: Loop, caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        assert run(loop, outcome(to(port))) == UNUSABLE
    assert f"the mail server smtp://127.0.0.1:{port}: ConnectionRefusedError. Fix: " in caplog.text


def test_a_name_that_nobody_has_is_503(loop: Loop) -> None:
    relay = SmtpTransport("smtp://no-such-server.invalid", MAILBOX, HUMAN)
    assert run(loop, outcome(relay)) == UNUSABLE


def test_a_server_that_works_again_is_used_again(loop: Loop) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        relay = to(reserved.getsockname()[1])
        assert run(loop, outcome(relay)) == UNUSABLE
        reserved.listen()
        assert run(loop, outcome(relay)) == REFUSED


def test_what_is_logged_repeats_no_word_of_the_server(
    loop: Loop, caplog: pytest.LogCaptureFixture
) -> None:
    meet(loop, {"RCPT": f"550 5.1.1 <{HUMAN}> is unknown\r\n".encode()})
    assert "it answered 550" in caplog.text
    assert "unknown" not in caplog.text
    assert HUMAN not in caplog.text
