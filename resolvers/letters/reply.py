"""The messages that follow from a mail: the automatic answer, and the mail sent on to the human.

Every field is written here, from checked tokens: nothing of a mail reaches a head as it came.
Both are sent with the null sender, so that nobody answers them and no bounce comes back.

Source: RFC 3834 section 3 (answers), RFC 5322 (lengths, ids), RFC 2045 to 2047, RFC 2046 5.2.1.
"""

import re
from base64 import encodebytes
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256

from resolvers.letters.authentication import is_proven
from resolvers.letters.mail import (
    MBOX_LINE,
    Mail,
    address,
    addresses,
    identity,
    one_line,
    plain_text,
)
from resolvers.letters.verdict import Envelope, Policy, Verdict, sender_key

ANSWER_BYTES = 4 * 1024
_CHANNEL = "mail"
_WRITTEN = SMTP.clone(refold_source="none")  # what we wrote is kept to the byte
_WORD_BYTES = 39  # 52 letters of base64: with the name of the field a line of 73
_LONGEST_LINE = 998

Fields = list[tuple[str, str]]


def auto_reply(  # noqa: PLR0913 - the three that are fixed are named
    mail: Mail, verdict: Verdict, policy: Policy, *, subject: str, text: str, moment: datetime
) -> EmailMessage:
    """The answer to the sender of the envelope. Raises: ValueError where the verdict has none."""
    if verdict.reply_to is None:
        raise ValueError(f"a mail is not answered that is {verdict.reason}")
    fields: Fields = [
        *_fields("reply", mail, policy, verdict.reply_to, moment),
        ("Subject", _subject(subject)),
        ("Auto-Submitted", "auto-replied"),
        ("X-Auto-Response-Suppress", "All"),
    ]
    if mail.message_id is not None:
        fields += [("In-Reply-To", mail.message_id), ("References", mail.message_id)]
    return message_from_bytes(_short(_head(fields), text), policy=_WRITTEN)


def forwarded(
    mail: Mail, envelope: Envelope, policy: Policy, *, to: str, moment: datetime
) -> bytes:
    """The message to the human, with the whole mail attached."""
    boundary = f"=_{sha256(mail.raw).hexdigest()}"  # no mail holds its own hash
    fields: Fields = [
        *_fields("mail", mail, policy, to, moment),
        ("Subject", _subject(f"[agents] {mail.shown('subject') or '(no subject)'}")),
        ("Auto-Submitted", "auto-generated"),
        ("X-Studiograph-Channel", _CHANNEL),
    ]
    author = _author(mail, envelope, policy)
    if author is not None:
        fields.append(("Reply-To", author))
    attached = _attached(mail)
    coding = "7bit" if attached.isascii() else "8bit"
    fields += [("Content-Type", f'multipart/mixed; boundary="{boundary}"')]
    fields += [("Content-Transfer-Encoding", coding)]
    mark = f"\r\n--{boundary}".encode()
    parts = (_text(_account(mail, envelope, policy)), attached)
    body = b"".join(mark + b"\r\n" + part for part in parts)
    return _head(fields) + body + mark + b"--\r\n"


def _fields(kind: str, mail: Mail, policy: Policy, to: str, moment: datetime) -> Fields:
    """What both messages begin with; the Message-ID is the same whenever it is written again."""
    told = sha256(f"{identity(mail, mail.raw)} {to}".encode("ascii", "replace")).hexdigest()
    return [
        ("From", policy.mailbox),
        ("To", to),
        ("Date", format_datetime(moment.astimezone(UTC))),
        ("Message-ID", f"<{kind}.{told[:40]}@{policy.mailbox.rpartition('@')[2]}>"),
        ("X-Loop", policy.mailbox),
        ("MIME-Version", "1.0"),
    ]


def _head(fields: Fields) -> bytes:
    """The fields as lines of printable ASCII, whatever was given."""
    lines = []
    for name, value in fields:
        line = re.sub("[^ -~]", "?", f"{name}: {value}")[:_LONGEST_LINE]
        lines.append(line.replace("?= =?", "?=\r\n =?").encode("ascii") + b"\r\n")
    return b"".join(lines)


def _subject(text: str) -> str:
    """A subject of at most 120 characters, in encoded words where it is not ASCII."""
    line = one_line(text).replace("=?", "= ?")[:120]
    if line.isascii():
        return line
    words = (b2a_base64(word, newline=False).decode("ascii") for word in _chunks(line))
    return " ".join(f"=?utf-8?b?{word}?=" for word in words)


def _chunks(line: str) -> Iterator[bytes]:
    """The line in pieces of whole characters that fit an encoded word."""
    chunk = b""
    for letter in line:
        code = letter.encode()
        if len(chunk) + len(code) > _WORD_BYTES:
            yield chunk
            chunk = b""
        chunk += code
    yield chunk


def _text(text: str) -> bytes:
    """A part of plain text, its head first."""
    fields = [
        ("Content-Type", 'text/plain; charset="utf-8"'),
        ("Content-Transfer-Encoding", "quoted-printable"),
    ]
    return _head(fields) + b"\r\n" + _quoted(text)


def _quoted(text: str) -> bytes:
    lines = b2a_qp(plain_text(text).encode(), istext=True).split(b"\n")
    return b"\r\n".join(lines)


def _short(head: bytes, text: str) -> bytes:
    """The message, its text cut until the whole is no longer than an answer may be."""
    message = head + _text(text)
    while len(message) > ANSWER_BYTES and text:
        text = text[: len(text) * ANSWER_BYTES // len(message)]
        message = head + _text(text)
    return message


def _author(mail: Mail, envelope: Envelope, policy: Policy) -> str | None:
    """Whom the human answers: the one author, or the sender of the envelope; never ourselves."""
    authors = [one for value in mail.values("from") for one in addresses(value)]
    found = authors[0] if len(authors) == 1 else None
    found = found or address(envelope.sender or "")
    is_ours = found is not None and sender_key(found) == sender_key(policy.mailbox)
    return None if is_ours else found


def _account(mail: Mail, envelope: Envelope, policy: Policy) -> str:
    """What the human reads."""
    sender = address(envelope.sender or "")
    unproven = "no" if policy.authserv_id else "not known"
    proven = "yes" if is_proven(mail, sender, policy.authserv_id) else unproven
    told = [
        f"From: {mail.shown('from')}",
        f"Envelope sender: {sender or '(none that can be answered)'}",
        f"Sender proven by our mail server: {proven}",
        f"Subject: {mail.shown('subject')}",
        f"Date: {mail.shown('date')}",
    ]
    return "\n".join(
        [*told, "", mail.text or "(No plain text.)", "", "The whole mail is attached."]
    )


def _attached(mail: Mail) -> bytes:
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
    return _head(fields) + b"\r\n" + (body or encodebytes(mail.raw).replace(b"\n", b"\r\n"))


def _may_stand(mail: Mail, letter: bytes) -> bool:
    """Whether a message may hold the mail as it is: RFC 2046 5.2.1 allows it no encoding."""
    ends, crlf = letter.count(b"\n"), letter.count(b"\r\n")
    is_clean = letter.count(b"\r") == crlf and crlf in {0, ends} and b"\0" not in letter
    head = letter.removesuffix(mail.body)
    is_plain = mail.fields != () and not mail.odd and head.isascii()
    return is_clean and is_plain and max(map(len, letter.splitlines())) <= _LONGEST_LINE
