"""A letter becomes one message that every relay takes, whatever strings it is made of."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mail_samples import HUMAN, MAILBOX, NOW
from mail_wire import ADDRESS, ID, parsed

from resolvers.contact.mail_parser import plain_text, read_mail, single_line
from resolvers.contact.message import ContactMessage, field_text, new_message_id, to_rfc822
from sdl.caller import Channel

DAY = date(2026, 1, 5)
LETTER = ContactMessage(
    id=new_message_id("Hello there.", DAY),
    channel=Channel.HTTP,
    agent="claude/4.1",
    name="Zoë",
    email="zoe@sender.example",
    company="Åkerlund & Co",
    message="Hello there.",
    received_at=NOW,
)
ALWAYS = {
    *("From", "To", "Date", "Message-ID", "X-Loop", "MIME-Version", "Subject", "Auto-Submitted"),
    *("X-Studiograph-Channel", "X-Studiograph-Name", "Content-Type", "Content-Transfer-Encoding"),
}
MAY_BE = {"X-Studiograph-Agent", "Reply-To"}
NASTY = (
    *("\r\nBcc: x@y.example", "\n\n", "\r", "\0", "\x1b[2J", "\x85", "\u2028", "\u202e", "\ud800"),
    *(
        "=?utf-8?q?=0D=0ABcc:_x?=",
        "?= =?",
        "\ufeff",
        "😀" * 40,
        "a" * 1_200,
        ".",
        "\n.\n",
        "\r\n.\r\n",
    ),
    *("From x\n", "From: a@b.example\n", " ", "\t", "--", "<x@y.example>", ",", '"', "\\", "\x7f"),
)
strings = st.lists(st.sampled_from(NASTY) | st.text(max_size=9), max_size=8).map("".join)
letters = st.builds(
    ContactMessage,
    id=st.just(LETTER.id),
    channel=st.sampled_from(Channel),
    agent=st.none() | strings,
    name=strings,
    email=strings | st.emails(),
    company=st.none() | strings,
    message=strings,
    received_at=st.datetimes(timezones=st.just(UTC), min_value=datetime(1970, 1, 2)),  # noqa: DTZ001 - with a time zone of its own
)


def text_of(letter: ContactMessage) -> str:
    """What the human reads."""
    made = parsed(to_rfc822(letter, MAILBOX, HUMAN))
    return str(made.get_content()).replace("\r\n", "\n")


@given(letters)
def test_no_string_reaches_a_head_or_ends_a_line(letter: ContactMessage) -> None:
    made = parsed(to_rfc822(letter, MAILBOX, HUMAN))
    assert set(made.keys()) - MAY_BE == ALWAYS
    assert (made["From"], made["To"], made["X-Loop"]) == (MAILBOX, HUMAN, MAILBOX)
    assert made["Message-ID"] == f"<{letter.id}@studio.example>"
    assert made["Auto-Submitted"] == "auto-generated"
    assert made["X-Studiograph-Channel"] == letter.channel
    assert made["Reply-To"] is None or ADDRESS.fullmatch(made["Reply-To"])
    assert made.get_content_type() == "text/plain"
    assert not made.is_multipart()


@given(letters)
def test_what_was_written_is_read_again(letter: ContactMessage) -> None:
    data = to_rfc822(letter, MAILBOX, HUMAN)
    told, _, message = read_mail(data).text.partition("\n\n")
    assert message == f"{plain_text(letter.message)}\n"
    assert told.splitlines()[-1] == f"Channel: {letter.channel}"
    assert len(told.splitlines()) <= 5


@given(letters)
def test_no_line_is_longer_than_people_see_where_words_are_coded(letter: ContactMessage) -> None:
    top = to_rfc822(letter, MAILBOX, HUMAN).partition(b"\r\n\r\n")[0]
    assert max([len(line) for line in top.split(b"\r\n") if b"=?" in line], default=0) <= 76


@given(strings)
@example("😀" * 200)
def test_coded_words_are_read_as_what_they_were(text: str) -> None:
    read = read_mail(to_rfc822(replace(LETTER, name=text), MAILBOX, HUMAN))
    assert read.display_value("x-studiograph-name") == single_line(field_text(text))


def test_the_human_reads_who_wrote_and_what() -> None:
    assert text_of(LETTER) == (
        "Name: Zoë\nE-mail: zoe@sender.example\nCompany: Åkerlund & Co\n"
        "Agent: claude/4.1\nChannel: http\n\nHello there.\n"
    )


def test_the_human_answers_the_one_who_wrote() -> None:
    made = parsed(to_rfc822(LETTER, MAILBOX, HUMAN))
    assert made["Reply-To"] == "zoe@sender.example"
    assert made["Subject"] == "[agents] Message from Zoë"
    assert made["X-Studiograph-Agent"] == "claude/4.1"
    assert ID.fullmatch(made["Message-ID"])
    assert made["Date"].datetime == NOW


@pytest.mark.parametrize(
    "email", ["", "nobody", "a b@c.example", "a@b.example\r\nBcc: x@y.example"]
)
def test_nobody_is_answered_under_what_is_no_address(email: str) -> None:
    assert "Reply-To" not in parsed(to_rfc822(replace(LETTER, email=email), MAILBOX, HUMAN))


def test_the_same_of_the_same_day_has_the_same_id() -> None:
    assert new_message_id("Hello there.", DAY) == LETTER.id
    assert len({new_message_id("Hello there.", DAY + timedelta(days=n)) for n in range(3)}) == 3


@given(strings, strings)
def test_what_differs_has_another_id(one: str, other: str) -> None:
    ids = [new_message_id(said, DAY) for said in (one, other)]
    assert (ids[0] == ids[1]) == (one == other)
    assert all(len(made) == 34 and made.startswith("c-") for made in ids)


def test_what_is_logged_of_a_letter_says_nothing_of_its_writer() -> None:
    assert not any(word in repr(LETTER) for word in ("Zo", "sender", "Hello", "kerlund", "claude"))
