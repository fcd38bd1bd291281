"""A message to the human, and its form as mail.

Source: RFC 3834 section 5 (Auto-Submitted).
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy
from hashlib import sha256

from resolvers.contact.mail_parser import address, plain_text, single_line
from sdl.caller import Channel

CHANNEL, AGENT, NAME, SIGNED_BY = (
    f"X-Studiograph-{suffix}" for suffix in ("Channel", "Agent", "Name", "Signed-By")
)
PREFIX = "[agents]"
MAX_LINE = 998
"""RFC 5322 section 2.1.1."""
_MAX_VALUE, _MAX_CODED_LINE = 120, 76


class _Whole(EmailPolicy):
    """Folds fields that must be encoded, and those alone.

    The library's own folding encodes an id that is long, and loses spaces between encoded words.
    """

    def fold_binary(self, name: str, value: str) -> bytes:
        """Return a field as lines."""
        if not value.isascii():
            value = Header(value, "utf-8", self.max_line_length, name).encode(linesep=self.linesep)
        return f"{name}: {value}{self.linesep}".encode("ascii")


def new_mail(mailbox: str, to: str, local_id: str, moment: datetime, subject: str) -> EmailMessage:
    """Return a mail without a text, whose Message-ID has the mailbox's domain."""
    mail = EmailMessage(_Whole(linesep="\r\n", max_line_length=_MAX_CODED_LINE))
    mail["From"] = mailbox
    mail["To"] = to
    mail["Date"] = moment.astimezone(UTC)
    mail["Message-ID"] = f"<{local_id}@{mailbox.rpartition('@')[2]}>"
    mail["X-Loop"] = mailbox
    mail["Subject"] = field_text(subject)
    return mail


def field_text(text: str) -> str:
    """Return free text for a field: one line of at most 120 characters, which is not decoded."""
    return single_line(text).replace("=?", "= ?")[:_MAX_VALUE]


def set_text(mail: EmailMessage, text: str) -> None:
    """Set the plain text of a mail."""
    mail.set_content(plain_text(text), cte="quoted-printable")


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
