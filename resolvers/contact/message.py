"""A letter to the human, and the message that it becomes. Sends nothing.

No field of it reaches a head as it came: addresses are checked, all else is coded.

Source: RFC 5322 section 3.6 (fields), RFC 3834 section 5 (Auto-Submitted).
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256

from resolvers.contact.headers import (
    AGENT,
    CHANNEL,
    NAME,
    PREFIX,
    Fields,
    common_headers,
    encode_header,
    render_headers,
    text_part,
)
from resolvers.contact.mail_parser import address, plain_text, single_line
from sdl.caller import Channel

SUBJECT = f"{PREFIX} Message from"


@dataclass(frozen=True)
class ContactMessage:
    """What somebody wrote to the human, on whatever way it came."""

    id: str
    channel: Channel
    agent: str | None = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    company: str | None = field(repr=False)
    message: str = field(repr=False)
    received_at: datetime


def new_message_id(said: str, day: date) -> str:
    """The name of a letter, the same whenever all of it is sent again that day."""
    return (
        f"c-{sha256(f'{day.isoformat()} {said}'.encode(errors='surrogatepass')).hexdigest()[:32]}"
    )


def to_rfc822(letter: ContactMessage, mailbox: str, to: str) -> bytes:
    """The message to the human, who answers the one who wrote."""
    fields: Fields = [
        *common_headers(mailbox, to, letter.id, letter.received_at),
        encode_header("Subject", f"{SUBJECT} {letter.name}"),
        ("Auto-Submitted", "auto-generated"),
        (CHANNEL, letter.channel),
        encode_header(NAME, letter.name),
    ]
    if letter.agent:
        fields.append(encode_header(AGENT, letter.agent))
    author = address(letter.email)
    if author is not None:
        fields.append(("Reply-To", author))
    return render_headers(fields) + text_part(_text(letter))


def _text(letter: ContactMessage) -> str:
    """What the human reads."""
    told = {
        "Name": letter.name,
        "E-mail": letter.email,
        "Company": letter.company,
        "Agent": letter.agent,
        "Channel": letter.channel,
    }
    lines = [f"{name}: {single_line(value)}\n" for name, value in told.items() if value]
    return f"{''.join(lines)}\n{plain_text(letter.message)}\n"
