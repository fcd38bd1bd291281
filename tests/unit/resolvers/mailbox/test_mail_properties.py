"""Whatever bytes arrive: nothing raises, and what follows from them is well formed."""

from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st
from mail_samples import ALICE, HUMAN, MAILBOX, NOW, POLICY, TRUSTED, came
from mail_wire import check_answer, check_forward, original
from test_mail_rules import CASES

from resolvers.contact.mail_parser import address, addresses, dedupe_key, read_mail, strip_comments
from resolvers.mailbox.replies import build_auto_reply, build_forward
from resolvers.mailbox.rules import LOOP_REASONS, Policy, Reason, decide, sender_digest

SMALL = [case for case in CASES if len(case.data) < 10_000]
NAMES = (
    *("From", "To", "Cc", "Subject", "Message-ID", "References", "Reply-To", "Date", "Sender"),
    *("Content-Type", "Content-Transfer-Encoding", "Authentication-Results", "Auto-Submitted"),
    *("X-Loop", "Delivered-To", "Received", "Return-Path", "Precedence", "X-\xff", "No field", ""),
)
WORDS = (
    *(MAILBOX, f"<{ALICE}>", ALICE, '"', "\\", "(", ")", "<", ">", ",", ";", ":", "@", "=", "a"),
    *("=?utf-8?q?=0D=0ABcc:_x?=", "=?utf-8?b?w6QNCg==?=", "=?x?q?", "?=", "\r\n ", "\r\n\t", "\n "),
    *("\r", "\0", "\x0b", "\x85", "\u2028", "\ud7ff", "\ufeff", "ä", "😀", "\x1b[2J", "\r\nBcc: x"),
    *("multipart/mixed; boundary=b", "multipart/report", "message/rfc822", "text/plain", "base64"),
    *("quoted-printable", "charset=utf-16", "mx.studio.example; spf=pass", " smtp.mailfrom="),
    *("<1@b.example>", "<=?utf-8?q?=0A?=@b.example>", "no", "x" * 80, "y" * 1_000, "\r\n\r\n"),
)
ENDS = st.sampled_from(["\r\n", "\n", "\r", "\r\r\n", ""])
values = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=6).map("".join)
lines = st.tuples(st.sampled_from(NAMES), st.sampled_from([": ", ":", " : ", ""]), values, ENDS)
heads = st.lists(lines.map("".join), max_size=12).map("".join)
bodies = st.lists(st.sampled_from(("--b", "--b--", "\r\n", "\n", *WORDS)), max_size=20).map("".join)
written = st.tuples(heads, st.sampled_from(["\r\n", "\n", ""]), bodies).map("".join)


@st.composite
def changed(draw: st.DrawFn) -> bytes:
    """A mail of the cases with a piece of it replaced."""
    data = draw(st.sampled_from(SMALL)).data
    begin, end = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
    return data[:begin] + draw(st.binary(max_size=40) | values.map(str.encode)) + data[end:]


mails = st.binary(max_size=400) | written.map(str.encode) | changed()
senders = (
    st.sampled_from([None, "", ALICE, MAILBOX, "robot+1@b.example"])
    | st.text(max_size=40)
    | st.emails()
    | values
)
policies = st.sampled_from([POLICY, TRUSTED, replace(POLICY, auto_reply="off")])


@given(mails, senders, policies)
@example(b"", None, POLICY)
def test_whatever_arrives_has_a_verdict(data: bytes, sender: str | None, policy: Policy) -> None:
    read = read_mail(data)
    found = decide(read, came(sender), policy)
    assert read.raw == data
    assert found.forward == (found.reason not in LOOP_REASONS)
    assert (found.reply_to is not None) == (found.reason is Reason.ANSWERABLE)
    assert found.reply_to is None or found.reply_to == address(sender or "")


@given(mails, senders)
def test_whatever_arrives_can_be_sent_on(data: bytes, sender: str | None) -> None:
    made = build_forward(read_mail(data), came(sender), POLICY, to=HUMAN, moment=NOW)
    within = original(check_forward(made), made)
    assert within.replace(b"\r\n", b"\n").endswith(data.replace(b"\r\n", b"\n").partition(b"\n")[2])


@given(mails, st.text(max_size=300), st.text(max_size=6_000))
def test_whatever_is_answered_is_answered_well(data: bytes, subject: str, text: str) -> None:
    read = read_mail(data)
    judged = replace(decide(read, came(ALICE), TRUSTED), reply_to=ALICE)
    check_answer(
        build_auto_reply(read, judged, POLICY, subject=subject, text=text, moment=NOW), ALICE
    )


@given(mails)
def test_whatever_is_read_is_safe_to_show(data: bytes) -> None:
    read = read_mail(data)
    shown = [
        text for name, value in read.fields for text in (name, value, read.display_value(name))
    ]
    for text in (*shown, read.text.replace("\n", "").replace("\t", "")):
        assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in text)
        assert text.encode().decode() == text
    assert len(read.text) <= 16_000


@given(mails, st.lists(st.sampled_from(["Received: a", "Delivered-To: b", "X-Spam: c"])))
def test_an_identity_is_of_what_was_written(data: bytes, above: list[str]) -> None:
    read = read_mail(data)
    key = dedupe_key(read)
    assert key.isascii()
    assert len(key) < 400
    later = "".join(f"{line}\r\n" for line in above).encode() + data
    if (
        read.fields
        and not read.is_malformed
        and not data.startswith((b"From ", b">From ", b" ", b"\t"))
    ):
        assert dedupe_key(read_mail(later)) == key


@given(values | st.text())
def test_no_value_of_a_field_breaks_the_reading(value: str) -> None:
    strip_comments(value)
    for found in addresses(value):
        assert found is None or (found == address(found) and len(found) <= 254)
    key = sender_digest(value)
    assert sender_digest(key).lower() == sender_digest(key)
