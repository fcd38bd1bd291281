"""Mail that goes out, of printable ASCII, so that every mail server takes it.

Free text is on one line without controls; addresses and ids are validated by who calls this.

Source: RFC 5322 section 3.6 (fields), RFC 2047 (encoded words).
"""

from datetime import UTC, datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy

from resolvers.contact.mail_parser import plain_text, single_line

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
