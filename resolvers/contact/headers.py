"""The bytes of messages: fields and texts as lines that every relay takes, whatever was given.

Nothing here knows what a message is about.

Source: RFC 5322 section 2.1.1 (lengths), RFC 2045 section 6.7, RFC 2047 (encoded words).
"""

import re
from binascii import b2a_base64, b2a_qp
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime

from resolvers.contact.mail_parser import plain_text, single_line

CHANNEL, AGENT, NAME = (f"X-Studiograph-{what}" for what in ("Channel", "Agent", "Name"))
PREFIX = "[agents]"
LONGEST_LINE = 998
_LONGEST_SHOWN, _WORD_MARKS = 76, len("=?utf-8?b??=")
_LONGEST_VALUE = 120

Fields = list[tuple[str, str]]


def common_headers(mailbox: str, to: str, local_id: str, moment: datetime) -> Fields:
    """What every message begins with; its Message-ID is of the mailbox's domain."""
    return [
        ("From", mailbox),
        ("To", to),
        ("Date", format_datetime(moment.astimezone(UTC))),
        ("Message-ID", f"<{local_id}@{mailbox.rpartition('@')[2]}>"),
        ("X-Loop", mailbox),
        ("MIME-Version", "1.0"),
    ]


def render_headers(fields: Fields) -> bytes:
    """The fields as lines of printable ASCII."""
    lines = []
    for name, value in fields:
        line = re.sub("[^ -~]", "?", f"{name}: {value}")[:LONGEST_LINE]
        lines.append(line.replace("?= =?", "?=\r\n =?").encode("ascii") + b"\r\n")
    return b"".join(lines)


def encode_header(name: str, text: str) -> tuple[str, str]:
    """A field for people to read: at most 120 characters, encoded words where it is not ASCII."""
    line = single_line(text).replace("=?", "= ?")[:_LONGEST_VALUE]
    if line.isascii():
        return name, line
    letters = _LONGEST_SHOWN - len(f"{name}: ") - _WORD_MARKS
    coded = (b2a_base64(one, newline=False).decode("ascii") for one in _pieces(line, letters))
    return name, " ".join(f"=?utf-8?b?{word}?=" for word in coded)


def text_part(text: str) -> bytes:
    """A part of plain text, its head first."""
    fields = [
        ("Content-Type", 'text/plain; charset="utf-8"'),
        ("Content-Transfer-Encoding", "quoted-printable"),
    ]
    return render_headers(fields) + b"\r\n" + _quoted(text)


def _pieces(line: str, letters: int) -> Iterator[bytes]:
    """The line in pieces of whole characters, each in no more letters of base64."""
    longest = letters // 4 * 3
    piece = b""
    for letter in line:
        code = letter.encode()
        if len(piece) + len(code) > longest:
            yield piece
            piece = b""
        piece += code
    yield piece


def _quoted(text: str) -> bytes:
    lines = b2a_qp(plain_text(text).encode(), istext=True).split(b"\n")
    return b"\r\n".join(lines)
