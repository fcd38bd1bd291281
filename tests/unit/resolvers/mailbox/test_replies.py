"""The automatic answer: to whom it goes, and what it holds."""

from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from mail_samples import ALICE, HONEST, NOW, POLICY, TRUSTED, Case, came, mail
from mail_wire import check_answer
from offenders import offenders

from resolvers.contact.mail_parser import read_mail
from resolvers.mailbox.replies import build_auto_reply
from resolvers.mailbox.rules import Policy, Reason, decide

SUBJECT = "Your mail has reached the studio"
TEXT = "A human answers within 24 hours.\n\nhttps://studio.example/llms.txt?a=b\n.\n"


def answer(data: bytes, sender: str = ALICE, policy: Policy = POLICY, **other: Any) -> EmailMessage:
    """The answer to a mail."""
    read = read_mail(data)
    found = decide(read, came(sender), policy)
    fixed: dict[str, Any] = {"subject": SUBJECT, "text": TEXT, "moment": NOW} | other
    return build_auto_reply(read, found, policy, **fixed)


def test_every_answer_is_a_plain_message_to_the_sender_alone() -> None:
    def check(case: Case) -> None:
        sender = case.envelope.sender or ""
        found = answer(case.data, sender, case.policy)
        local, _, domain = sender.rpartition("@")
        read = check_answer(found, f"{local}@{domain.lower()}")
        assert (read["Subject"], read.get_content().replace("\r\n", "\n")) == (SUBJECT, TEXT)
        assert read["Date"] == "Mon, 05 Jan 2026 10:00:00 +0000"

    assert offenders(check, [case for case in HONEST if case.reason is Reason.ANSWERABLE]) == []


def test_the_answer_goes_to_the_envelope_whatever_the_head_says() -> None:
    lines = ("=From: bob@b.example", "Reply-To: carol@c.example", "Sender: dan@d.example")
    found = answer(mail(*lines), policy=TRUSTED)
    check_answer(found, ALICE)
    assert all(name not in found.as_string() for name in ("bob", "carol", "dan"))


def test_nothing_of_the_mail_is_quoted() -> None:
    data = mail("=Subject: CANARY", "X-Note: CANARY", "Cc: canary@b.example", body=b"CANARY")
    assert "canary" not in answer(data).as_string().lower()


def test_the_answer_is_in_the_thread_of_the_mail() -> None:
    name = f"<{'AM0PR01MB' * 20}@eurprd01.prod.exchange.example>"
    found = check_answer(answer(mail(f"=Message-ID: {name}", "References: <x@y.example>")), ALICE)
    assert (found["In-Reply-To"], found["References"]) == (name, name)


@pytest.mark.parametrize("name", ["<a b@c.example>", "<=?utf-8?q?=0ABcc:x?=@b.example>", ""])
def test_an_id_that_could_do_harm_is_not_repeated(name: str) -> None:
    found = check_answer(answer(mail(f"=Message-ID: {name}")), ALICE)
    assert found["In-Reply-To"] is None


def test_the_answer_to_one_mail_has_one_id() -> None:
    first = answer(mail())
    later = answer(mail("Received: from a by b"), moment=NOW + timedelta(hours=1), text="x")
    assert first["Message-ID"] == later["Message-ID"]
    assert answer(mail("=Message-ID: <2@b.example>"))["Message-ID"] != first["Message-ID"]
    another = answer(mail(), "alice+x@sender.example")
    assert another["Message-ID"] != first["Message-ID"]


@pytest.mark.parametrize(
    "subject",
    [
        "Grüße vom Studio",
        "😀" * 120,
        "a\u0300" * 60,
        "x" * 120,
    ],
)
def test_a_subject_beyond_ascii_arrives_whole(subject: str) -> None:
    found = answer(mail(), subject=subject)
    assert check_answer(found, ALICE)["Subject"] == subject
    lines = [line for line in found.as_bytes().split(b"\r\n") if b"=?" in line]
    assert all(len(line) <= 76 for line in lines)


@pytest.mark.parametrize(
    ("subject", "written"),
    [
        ("a\r\nBcc: x@y.example", "a Bcc: x@y.example"),
        ("=?utf-8?q?=0D=0ABcc:_x?=", "= ?utf-8?q?=0D=0ABcc:_x?="),
        ("x" * 200, "x" * 120),
        ("a\ud800\u2028b", "a b"),
    ],
)
def test_a_subject_stays_one_line(subject: str, written: str) -> None:
    assert check_answer(answer(mail(), subject=subject), ALICE)["Subject"] == written


@pytest.mark.parametrize("letter", ["x", "=", "ä", "😀", "\n", "\r", "\0", ".\n", "\ud800", " "])
def test_a_long_text_is_cut_to_what_an_answer_may_be(letter: str) -> None:
    found = answer(mail(f"=Message-ID: <{'a' * 230}@b.example>"), text=letter * 9_000)
    read = check_answer(found, ALICE)
    assert len(found.as_bytes()) > 3_900
    assert read.get_content()


def test_a_mail_that_is_not_to_be_answered_is_not() -> None:
    with pytest.raises(ValueError, match="gets no answer: auto_submitted"):
        answer(mail("Auto-Submitted: auto-replied"))
