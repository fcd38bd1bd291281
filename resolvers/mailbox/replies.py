"""The two messages made from a received mail: the automatic answer and the forward to the human.

Every header field is written here from validated values; none is copied from the mail. Both
messages are sent with the null sender, so that they cause no answers and no bounces.

Source: RFC 3834 section 3 (answers), RFC 5322 (lengths, ids), RFC 2045 to 2047, RFC 2046 5.2.1.
"""

from base64 import encodebytes
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from hashlib import sha256

from resolvers.contact.headers import (
    CHANNEL,
    MAX_LINE,
    NAME,
    PREFIX,
    Fields,
    common_headers,
    encode_header,
    render_headers,
    text_part,
)
from resolvers.contact.mail_parser import MBOX_LINE, ReceivedMail, address, addresses, dedupe_key
from resolvers.mailbox.auth_results import is_authenticated
from resolvers.mailbox.rules import Decision, Envelope, Policy, sender_digest
from sdl.caller import Channel

ANSWER_BYTES = 4 * 1024
_UNCHANGED = SMTP.clone(refold_source="none")  # keep our header lines byte for byte


def build_auto_reply(  # noqa: PLR0913 - three are named in the call
    mail: ReceivedMail,
    decision: Decision,
    policy: Policy,
    *,
    subject: str,
    text: str,
    moment: datetime,
) -> EmailMessage:
    """Return the answer to the envelope sender. Raises: ValueError if the decision is no answer."""
    if decision.reply_to is None:
        raise ValueError(f"this mail gets no answer: {decision.reason}")
    fields: Fields = [
        *_fields("reply", mail, policy, decision.reply_to, moment),
        encode_header("Subject", subject),
        ("Auto-Submitted", "auto-replied"),
        ("X-Auto-Response-Suppress", "All"),
    ]
    if mail.message_id is not None:
        fields += [("In-Reply-To", mail.message_id), ("References", mail.message_id)]
    return message_from_bytes(_limit_size(render_headers(fields), text), policy=_UNCHANGED)


def build_forward(
    mail: ReceivedMail, envelope: Envelope, policy: Policy, *, to: str, moment: datetime
) -> bytes:
    """Return the message to the human, with the mail attached."""
    boundary = f"=_{sha256(mail.raw).hexdigest()}"  # no mail holds its own hash
    fields: Fields = [
        *_fields("mail", mail, policy, to, moment),
        encode_header("Subject", f"{PREFIX} {mail.display_value('subject') or '(no subject)'}"),
        ("Auto-Submitted", "auto-generated"),
        (CHANNEL, Channel.MAIL),
    ]
    if name := mail.display_value("from").partition("<")[0].strip(' "'):
        fields.append(encode_header(NAME, name))
    author = _reply_to(mail, envelope, policy)
    if author is not None:
        fields.append(("Reply-To", author))
    attachment = _attachment(mail)
    encoding = "7bit" if attachment.isascii() else "8bit"
    fields += [("Content-Type", f'multipart/mixed; boundary="{boundary}"')]
    fields += [("Content-Transfer-Encoding", encoding)]
    delimiter = f"\r\n--{boundary}".encode()
    parts = (text_part(_summary(mail, envelope, policy)), attachment)
    body = b"".join(delimiter + b"\r\n" + part for part in parts)
    return render_headers(fields) + body + delimiter + b"--\r\n"


def _fields(kind: str, mail: ReceivedMail, policy: Policy, to: str, moment: datetime) -> Fields:
    """Return the first fields of both messages; a second attempt gets the same Message-ID."""
    digest = sha256(f"{dedupe_key(mail, mail.raw)} {to}".encode("ascii", "replace")).hexdigest()
    return common_headers(policy.mailbox, to, f"{kind}.{digest[:40]}", moment)


def _limit_size(header: bytes, text: str) -> bytes:
    """Return the message, with its text cut so that it has at most `ANSWER_BYTES`."""
    message = header + text_part(text)
    while len(message) > ANSWER_BYTES and text:
        text = text[: len(text) * ANSWER_BYTES // len(message)]
        message = header + text_part(text)
    return message


def _reply_to(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str | None:
    """Return the only author, or else the envelope sender; None if it is our mailbox."""
    authors = [author for value in mail.values("from") for author in addresses(value)]
    author = authors[0] if len(authors) == 1 else None
    author = author or address(envelope.sender or "")
    is_ours = author is not None and sender_digest(author) == sender_digest(policy.mailbox)
    return None if is_ours else author


def _summary(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str:
    """Return the text that the human reads."""
    sender = address(envelope.sender or "")
    otherwise = "no" if policy.authserv_id else "not known"
    authenticated = "yes" if is_authenticated(mail, sender, policy.authserv_id) else otherwise
    lines = [
        f"From: {mail.display_value('from')}",
        f"Envelope sender: {sender or '(no valid address)'}",
        f"Sender authenticated by your mail server (SPF or DKIM): {authenticated}",
        f"Subject: {mail.display_value('subject')}",
        f"Date: {mail.display_value('date')}",
    ]
    return "\n".join(
        [*lines, "", mail.text or "(No plain text.)", "", "The original mail is attached."]
    )


def _attachment(mail: ReceivedMail) -> bytes:
    """Return the mail as a message part if the rules allow it, else as a file, byte for byte."""
    media_type, name, encoding, body = "application/octet-stream", "mail.bin", "base64", b""
    data = MBOX_LINE.sub(b"", mail.raw)
    if _can_be_message_part(mail, data):
        body = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        media_type, name = "message/rfc822", "mail.eml"
        encoding = "7bit" if body.isascii() else "8bit"
    fields = [
        ("Content-Type", media_type),
        ("Content-Transfer-Encoding", encoding),
        ("Content-Disposition", f'attachment; filename="{name}"'),
    ]
    return (
        render_headers(fields) + b"\r\n" + (body or encodebytes(mail.raw).replace(b"\n", b"\r\n"))
    )


def _can_be_message_part(mail: ReceivedMail, data: bytes) -> bool:
    """Return whether the mail can be included as it is: RFC 2046 5.2.1 allows no encoding of it."""
    line_feeds, crlfs = data.count(b"\n"), data.count(b"\r\n")
    is_clean = data.count(b"\r") == crlfs and crlfs in {0, line_feeds} and b"\0" not in data
    header = data.removesuffix(mail.body)
    has_valid_header = mail.fields != () and not mail.is_malformed and header.isascii()
    return is_clean and has_valid_header and max(map(len, data.splitlines())) <= MAX_LINE
