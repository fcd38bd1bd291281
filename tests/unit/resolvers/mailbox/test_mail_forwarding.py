"""The message to the human: what he sees, whom he answers, and the mail within."""

from dataclasses import replace

import pytest
from mail_samples import ALICE, HELLO, HUMAN, NOW, POLICY, Case, came, mail
from mail_wire import check_forward, original, part
from offenders import offenders
from test_mail_rules import CASES
from tiers import step

from resolvers.contact.mail_parser import read_mail
from resolvers.mailbox.replies import build_forward
from resolvers.mailbox.rules import Envelope, decide


def sent(data: bytes, sender: str | None = ALICE) -> bytes:
    """The message to the human that follows from a mail."""
    return build_forward(read_mail(data), came(sender), POLICY, to=HUMAN, moment=NOW)


def text(data: bytes, sender: str | None = ALICE) -> str:
    """What the human reads first."""
    shown = part(check_forward(sent(data, sender)), 0)
    return str(shown.get_content()).replace("\r\n", "\n")


def test_a_mail_can_be_sent_on_whole() -> None:
    def check(case: Case) -> None:
        data = build_forward(read_mail(case.data), case.envelope, case.policy, to=HUMAN, moment=NOW)
        found = original(check_forward(data), data)
        assert found in {
            case.data,
            case.data.replace(b"\n", b"\r\n"),
            case.data.partition(b"\n")[2],
        }

    assert offenders(check, CASES[:: step(2)]) == []


def test_what_was_sent_on_is_a_loop_when_it_comes_back() -> None:
    def check(case: Case) -> None:
        back = sent(case.data, case.envelope.sender)
        found = decide(read_mail(b"Received: from a by b\r\n" + back), came(HUMAN), POLICY)
        assert (found.forward, found.reply_to, found.reason) == (False, None, "own_mark")

    assert offenders(check, CASES[:: step(4)]) == []


def test_the_human_sees_who_wrote_and_what() -> None:
    assert text(mail("=Subject: =?utf-8?q?H=C3=A4?=")) == (
        f"From: Alice <{ALICE}>\nEnvelope sender: {ALICE}\n"
        "Sender authenticated by your mail server (SPF or DKIM): yes\nSubject: Hä\n"
        "Date: Mon, 05 Jan 2026 09:59:00 +0000\n\n"
        "Hello, what is your domain?\n\n\nThe original mail is attached.\n"
    )


def test_the_human_sees_that_nobody_is_proven() -> None:
    assert "by your mail server (SPF or DKIM): no" in text(mail("-Authentication-Results"))
    lines = text(mail(sender=None), None).splitlines()
    assert "Envelope sender: (no valid address)" in lines
    assert "Sender authenticated by your mail server (SPF or DKIM): no" in lines


def test_the_human_sees_where_nobody_was_asked() -> None:
    policy = replace(POLICY, authserv_id="")
    data = build_forward(read_mail(mail()), came(ALICE), policy, to=HUMAN, moment=NOW)
    assert b"Sender authenticated by your mail server (SPF or DKIM): not known\r\n" in data


def test_a_mail_without_text_says_so() -> None:
    assert "\n(No plain text.)\n" in text(mail("=Content-Type: text/html"))


@pytest.mark.parametrize(
    ("lines", "sender", "answered"),
    [
        ((), ALICE, ALICE),
        (("=From: Bob <Bob@B.example>",), ALICE, "Bob@b.example"),
        (("=From: bob@b.example, carol@c.example",), ALICE, ALICE),
        (("=From: nobody",), ALICE, ALICE),
        (("-From",), ALICE, ALICE),
        (("=From: nobody",), None, None),
        (("=From: nobody",), "alice@[192.0.2.1]", None),
        (("=From: alicé@sender.example",), "", None),
        (("=From: agents+x@studio.example",), ALICE, None),
        (("=From: founder@studio.example",), ALICE, "founder@studio.example"),
        (("=From: a@b.example\r\n Bcc: x@y.example",), ALICE, ALICE),
        (("=From: =?utf-8?q?x?=@b.example",), ALICE, ALICE),
        (("Reply-To: x@y.example",), ALICE, ALICE),
    ],
)
def test_the_human_answers_the_checked_address_of_the_author(
    lines: tuple[str, ...], sender: str | None, answered: str | None
) -> None:
    assert check_forward(sent(mail(*lines), sender))["Reply-To"] == answered


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("=Subject: A question", "[agents] A question"),
        ("=Subject: =?utf-8?b?w6TDtg==?=", "[agents] äö"),
        ("=Subject:", "[agents] (no subject)"),
        ("-Subject", "[agents] (no subject)"),
        ("=Subject: =?utf-8?q?a=0D=0ABcc:_x?=", "[agents] a Bcc: x"),
        ("=Subject: =?utf-8?q?=3D=3Futf-8=3Fq=3F=0ABcc:x=3F=3D?=", "[agents] = ?utf-8?q? Bcc:x?="),
        ("=Subject: a\0b\x1b[2J", "[agents] a b [2J"),
        ("=Subject: " + "ä" * 500, "[agents] " + "ä" * 111),
        ("=Subject: =?utf-8?q?=E2=80=AEtxt=2Eexe?=", "[agents] txt.exe"),
    ],
)
def test_the_subject_is_prefixed_and_safe(line: str, subject: str) -> None:
    assert check_forward(sent(mail(line)))["Subject"] == subject


def test_a_mail_that_breaks_the_rules_says_so() -> None:
    warning = "This mail breaks the rules for mail, so something may be missing above."
    assert warning in text(mail("no field"))
    assert warning not in text(mail())


@pytest.mark.parametrize(
    ("data", "kind", "coding"),
    [
        (mail(), "message/rfc822", "7bit"),
        (mail(body=b""), "message/rfc822", "7bit"),
        (mail().replace(b"\r\n", b"\n"), "message/rfc822", "7bit"),
        (b"From alice Mon Jan  5\r\n" + mail(), "message/rfc822", "7bit"),
        (mail(body=b"x" * 998), "message/rfc822", "7bit"),
        (mail(body=b"x" * 999), "application/octet-stream", "base64"),
        (mail(body="Grüße".encode()), "application/octet-stream", "base64"),
        (mail(body=b"a\0b"), "application/octet-stream", "base64"),
        (mail(body=b"a\rb"), "application/octet-stream", "base64"),
        (mail(body=b"a\nb"), "application/octet-stream", "base64"),
        (mail("=Subject: ä"), "application/octet-stream", "base64"),
        (mail("no field"), "application/octet-stream", "base64"),
        (b"\r\n" + HELLO, "application/octet-stream", "base64"),
        (b"", "application/octet-stream", "base64"),
    ],
)
def test_the_mail_is_a_message_within_or_a_file(data: bytes, kind: str, coding: str) -> None:
    sent_on = sent(data)
    attached = part(check_forward(sent_on), 1)
    assert (attached.get_content_type(), attached["Content-Transfer-Encoding"]) == (kind, coding)
    assert attached.get_filename() == "mail.eml"
    assert sent_on.isascii()


def test_a_mail_is_sent_on_under_one_id() -> None:
    first = check_forward(sent(mail()))
    again = check_forward(sent(mail("Received: from c by d")))
    assert first["Message-ID"] == again["Message-ID"]
    assert check_forward(sent(mail(body=b"x")))["Message-ID"] != first["Message-ID"]


def test_an_envelope_of_many_recipients_is_nobody_elses_business() -> None:
    envelope = Envelope(ALICE, ("bcc@studio.example", "agents@studio.example"))
    data = build_forward(read_mail(mail()), envelope, POLICY, to=HUMAN, moment=NOW)
    assert b"bcc@" not in data
