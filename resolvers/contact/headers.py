"""Header fields and text parts of outgoing mail, encoded so that every mail server accepts them.

Source: RFC 5322 section 2.1.1 (lengths), RFC 2045 section 6.7, RFC 2047 (encoded words).
"""

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

from resolvers.contact.mail_parser import plain_text, single_line

CHANNEL, AGENT, NAME, SIGNED_BY = (
    f"X-Studiograph-{suffix}" for suffix in ("Channel", "Agent", "Name", "Signed-By")
)
PREFIX = "[agents]"
MAX_LINE = 998
_MAX_ENCODED_LINE, _ENCODED_WORD_OVERHEAD = 76, len("=?utf-8?b??=")
_MAX_VALUE = 120

Fields = list[tuple[str, str]]


def common_headers(mailbox: str, to: str, local_id: str, moment: datetime) -> Fields:
    """Return the first fields of every message; its Message-ID has the mailbox's domain."""
    return [
        ("From", mailbox),
        ("To", to),
        ("Date", format_datetime(moment.astimezone(UTC))),
        ("Message-ID", f"<{local_id}@{mailbox.rpartition('@')[2]}>"),
        ("X-Loop", mailbox),
        ("MIME-Version", "1.0"),
    ]


def render_headers(fields: Fields) -> bytes:
    """Return the fields as lines of printable ASCII."""
    lines = []
    for name, value in fields:
        line = re.sub("[^ -~]", "?", f"{name}: {value}")[:MAX_LINE]
        lines.append(line.replace("?= =?", "?=\r\n =?").encode("ascii") + b"\r\n")
    return b"".join(lines)


def encode_header(name: str, text: str) -> tuple[str, str]:
    """Return a field with free text: at most 120 characters, in encoded words if not ASCII."""
    line = single_line(text).replace("=?", "= ?")[:_MAX_VALUE]
    if line.isascii():
        return name, line
    letters = _MAX_ENCODED_LINE - len(f"{name}: ") - _ENCODED_WORD_OVERHEAD
    words = (b2a_base64(part, newline=False).decode("ascii") for part in _split(line, letters))
    return name, " ".join(f"=?utf-8?b?{word}?=" for word in words)


def text_part(text: str) -> bytes:
    """Return a plain text part, header and body."""
    fields = [
        ("Content-Type", 'text/plain; charset="utf-8"'),
        ("Content-Transfer-Encoding", "quoted-printable"),
    ]
    return render_headers(fields) + b"\r\n" + _quoted_printable(text)


def _split(line: str, letters: int) -> Iterator[bytes]:
    """Split a text between characters into parts of at most so many letters of base64."""
    max_bytes = letters // 4 * 3
    part = b""
    for character in line:
        encoded = character.encode()
        if len(part) + len(encoded) > max_bytes:
            yield part
            part = b""
        part += encoded
    yield part


def _quoted_printable(text: str) -> bytes:
    lines = b2a_qp(plain_text(text).encode(), istext=True).split(b"\n")
    return b"\r\n".join(lines)
