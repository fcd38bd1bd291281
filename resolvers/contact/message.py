"""A message to the human, and its form as mail.

Source: RFC 3834 section 5 (Auto-Submitted).
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from hashlib import sha256

from resolvers.contact.mail_parser import address, plain_text, single_line
from resolvers.contact.outgoing import (
    AGENT,
    CHANNEL,
    NAME,
    PREFIX,
    SIGNED_BY,
    field_text,
    new_mail,
    set_text,
)
from sdl.caller import Channel

SUBJECT = f"{PREFIX} Message from"


@dataclass(frozen=True)
class ContactMessage:
    """A message to the human, from any channel."""

    id: str
    channel: Channel
    agent: str | None = field(repr=False)
    name: str = field(repr=False)
    email: str = field(repr=False)
    company: str | None = field(repr=False)
    message: str = field(repr=False)
    received_at: datetime
    signed_by: str | None = None
    """The host of the agent that signed the request, where that was verified."""


def new_message_id(content: str, day: date) -> str:
    """Return the id of a message, the same if the same content is sent again that day."""
    text = f"{day.isoformat()} {content}"
    return f"c-{sha256(text.encode(errors='surrogatepass')).hexdigest()[:32]}"


def to_rfc822(message: ContactMessage, mailbox: str, to: str) -> bytes:
    """Return the message as mail, with a Reply-To to its author if the address is valid."""
    subject = f"{SUBJECT} {message.name}"
    mail = new_mail(mailbox, to, message.id, message.received_at, subject)
    mail["Auto-Submitted"] = "auto-generated"
    mail[CHANNEL] = message.channel
    mail[NAME] = field_text(message.name)
    if message.agent:
        mail[AGENT] = field_text(message.agent)
    if message.signed_by:
        mail[SIGNED_BY] = message.signed_by
    author = address(message.email)
    if author is not None:
        mail["Reply-To"] = author
    set_text(mail, _body(message))
    return bytes(mail)


def _body(message: ContactMessage) -> str:
    """Return the text for the human."""
    fields = {
        "Name": message.name,
        "E-mail": message.email,
        "Company": message.company,
        "Agent": message.agent,
        "Signed by": message.signed_by,
        "Channel": message.channel,
    }
    lines = [f"{name}: {single_line(value)}\n" for name, value in fields.items() if value]
    return f"{''.join(lines)}\n{plain_text(message.message)}\n"
