"""The messages that follow from a mail: the automatic answer, and the mail sent on to the human.

Every field is written here, from checked tokens: nothing of a mail reaches a head as it came.
Both are sent with the null sender, so that nobody answers them and no bounce comes back.

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
    LONGEST_LINE,
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
_WRITTEN = SMTP.clone(refold_source="none")  # what we wrote is kept to the byte


def build_auto_reply(  # noqa: PLR0913 - the three that are fixed are named
    mail: ReceivedMail,
    verdict: Decision,
    policy: Policy,
    *,
    subject: str,
    text: str,
    moment: datetime,
) -> EmailMessage:
    """The answer to the sender of the envelope. Raises: ValueError where the verdict has none."""
    if verdict.reply_to is None:
        raise ValueError(f"a mail is not answered that is {verdict.reason}")
    fields: Fields = [
        *_fields("reply", mail, policy, verdict.reply_to, moment),
        encode_header("Subject", subject),
        ("Auto-Submitted", "auto-replied"),
        ("X-Auto-Response-Suppress", "All"),
    ]
    if mail.message_id is not None:
        fields += [("In-Reply-To", mail.message_id), ("References", mail.message_id)]
    return message_from_bytes(_short(render_headers(fields), text), policy=_WRITTEN)


def build_forward(
    mail: ReceivedMail, envelope: Envelope, policy: Policy, *, to: str, moment: datetime
) -> bytes:
    """The message to the human, with the whole mail attached."""
    boundary = f"=_{sha256(mail.raw).hexdigest()}"  # no mail holds its own hash
    fields: Fields = [
        *_fields("mail", mail, policy, to, moment),
        encode_header("Subject", f"{PREFIX} {mail.display_value('subject') or '(no subject)'}"),
        ("Auto-Submitted", "auto-generated"),
        (CHANNEL, Channel.MAIL),
    ]
    if name := mail.display_value("from").partition("<")[0].strip(' "'):
        fields.append(encode_header(NAME, name))
    author = _author(mail, envelope, policy)
    if author is not None:
        fields.append(("Reply-To", author))
    attached = _attached(mail)
    coding = "7bit" if attached.isascii() else "8bit"
    fields += [("Content-Type", f'multipart/mixed; boundary="{boundary}"')]
    fields += [("Content-Transfer-Encoding", coding)]
    mark = f"\r\n--{boundary}".encode()
    parts = (text_part(_account(mail, envelope, policy)), attached)
    body = b"".join(mark + b"\r\n" + part for part in parts)
    return render_headers(fields) + body + mark + b"--\r\n"


def _fields(kind: str, mail: ReceivedMail, policy: Policy, to: str, moment: datetime) -> Fields:
    """What both messages begin with; the Message-ID is the same whenever it is written again."""
    told = sha256(f"{dedupe_key(mail, mail.raw)} {to}".encode("ascii", "replace")).hexdigest()
    return common_headers(policy.mailbox, to, f"{kind}.{told[:40]}", moment)


def _short(top: bytes, text: str) -> bytes:
    """The message, its text cut until the whole is no longer than an answer may be."""
    message = top + text_part(text)
    while len(message) > ANSWER_BYTES and text:
        text = text[: len(text) * ANSWER_BYTES // len(message)]
        message = top + text_part(text)
    return message


def _author(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str | None:
    """Whom the human answers: the one author, or the sender of the envelope; never ourselves."""
    authors = [one for value in mail.values("from") for one in addresses(value)]
    found = authors[0] if len(authors) == 1 else None
    found = found or address(envelope.sender or "")
    is_ours = found is not None and sender_digest(found) == sender_digest(policy.mailbox)
    return None if is_ours else found


def _account(mail: ReceivedMail, envelope: Envelope, policy: Policy) -> str:
    """What the human reads."""
    sender = address(envelope.sender or "")
    unproven = "no" if policy.authserv_id else "not known"
    proven = "yes" if is_authenticated(mail, sender, policy.authserv_id) else unproven
    told = [
        f"From: {mail.display_value('from')}",
        f"Envelope sender: {sender or '(none that can be answered)'}",
        f"Sender proven by our mail server: {proven}",
        f"Subject: {mail.display_value('subject')}",
        f"Date: {mail.display_value('date')}",
    ]
    return "\n".join(
        [*told, "", mail.text or "(No plain text.)", "", "The whole mail is attached."]
    )


def _attached(mail: ReceivedMail) -> bytes:
    """The mail as a part: a message where it can stand as one, else a file, to the byte."""
    kind, name, coding, body = "application/octet-stream", "mail.bin", "base64", b""
    letter = MBOX_LINE.sub(b"", mail.raw)
    if _may_stand(mail, letter):
        body = letter.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        kind, name, coding = "message/rfc822", "mail.eml", "7bit" if body.isascii() else "8bit"
    fields = [
        ("Content-Type", kind),
        ("Content-Transfer-Encoding", coding),
        ("Content-Disposition", f'attachment; filename="{name}"'),
    ]
    return (
        render_headers(fields) + b"\r\n" + (body or encodebytes(mail.raw).replace(b"\n", b"\r\n"))
    )


def _may_stand(mail: ReceivedMail, letter: bytes) -> bool:
    """Whether a message may hold the mail as it is: RFC 2046 5.2.1 allows it no encoding."""
    ends, crlf = letter.count(b"\n"), letter.count(b"\r\n")
    is_clean = letter.count(b"\r") == crlf and crlf in {0, ends} and b"\0" not in letter
    top = letter.removesuffix(mail.body)
    is_plain = mail.fields != () and not mail.is_malformed and top.isascii()
    return is_clean and is_plain and max(map(len, letter.splitlines())) <= LONGEST_LINE
