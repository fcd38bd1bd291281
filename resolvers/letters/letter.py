"""A letter to the human, and the message that it becomes. Sends nothing.

No field of it reaches a head as it came: addresses are checked, all else is coded.

Source: RFC 5322 section 3.6 (fields), RFC 3834 section 5 (Auto-Submitted).
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256

from resolvers.letters.mail import address, one_line, plain_text
from resolvers.letters.message import (
    AGENT,
    CHANNEL,
    NAME,
    PREFIX,
    Fields,
    head,
    heading,
    text_part,
    words,
)
from schema.caller import Channel

SUBJECT = f"{PREFIX} Message from"


@dataclass(frozen=True)
class Letter:
    """What somebody wrote to the human, on whatever way it came."""

    id: str
    channel: Channel
    agent: str | None = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    company: str | None = field(repr=False)
    message: str = field(repr=False)
    received_at: datetime


def letter_id(said: str, day: date) -> str:
    """The name of a letter, the same whenever all of it is sent again that day."""
    return (
        f"c-{sha256(f'{day.isoformat()} {said}'.encode(errors='surrogatepass')).hexdigest()[:32]}"
    )


def letter_bytes(letter: Letter, mailbox: str, to: str) -> bytes:
    """The message to the human, who answers the one who wrote."""
    fields: Fields = [
        *heading(mailbox, to, letter.id, letter.received_at),
        words("Subject", f"{SUBJECT} {letter.name}"),
        ("Auto-Submitted", "auto-generated"),
        (CHANNEL, letter.channel),
        words(NAME, letter.name),
    ]
    if letter.agent:
        fields.append(words(AGENT, letter.agent))
    author = address(letter.email)
    if author is not None:
        fields.append(("Reply-To", author))
    return head(fields) + text_part(_text(letter))


def _text(letter: Letter) -> str:
    """What the human reads."""
    told = {
        "Name": letter.name,
        "E-mail": letter.email,
        "Company": letter.company,
        "Agent": letter.agent,
        "Channel": letter.channel,
    }
    lines = [f"{name}: {one_line(value)}\n" for name, value in told.items() if value]
    return f"{''.join(lines)}\n{plain_text(letter.message)}\n"
