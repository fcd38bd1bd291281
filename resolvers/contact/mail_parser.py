"""Reads mail with the standard library, within limits, so that no mail is dear or raises an error.

A mail that cannot be read is malformed: it is forwarded as it came and not answered. Addresses are
read here, because the standard library needs minutes for a field of 64 KiB of commas and takes
addresses that break the rules.

Source: RFC 5322 (fields, addresses, ids), RFC 2045 to 2047 (parts, encoded words).
"""

import codecs
import logging
import re
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import EmailPolicy, Policy, default
from hashlib import sha256
from typing import Any, Self, cast

_HEAD_BYTES, _FIELDS, _CONTENT_FIELD_CHARACTERS = 64 * 1024, 1_000, 2_000
_PARTS, _DEPTH = 100, 10
_LINE_ENDS = 300_000  # CR and LF; ten MiB of base64 have 270,000
_TEXT_BYTES, TEXT_CHARACTERS = 64 * 1024, 16_000
_DECODED_CHARACTERS, _SHOWN_CHARACTERS, _ID_CHARACTERS = 4_000, 300, 250
MBOX_LINE = re.compile(rb"\A>?From [^\n]{0,998}\n")
_BLANK_LINE = re.compile(rb"(?:\A|\n)\r?\n")
_HEAD_LINE = re.compile(rb"[!-9;-~]+:|[ \t\r\n]")
_SPACE_BEFORE_COLON = re.compile(rb"(?m)^([!-9;-~]+)[ \t]+:")  # RFC 5322 4.5.3, and not in email
_HIDDEN = re.compile(  # controls, lone surrogates, and characters that reorder or hide text
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|\\.|[()]|[^"\\()]+|.', re.DOTALL)
_ATOM, _LABEL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@((?:{_LABEL}\.)+(?=[A-Za-z]){_LABEL})")
_GROUP = re.compile(r"\A[^:<>@]*:")
_MESSAGE_ID = re.compile(r"<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9._:\[\]-]+>")
_AUTHOR_FIELDS = ("message-id", "date", "from", "to", "cc", "subject", "content-type")
_NOT_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "unicode-escape"}  # punycode takes 2 s


class _LimitError(Exception):
    """A mail has too many parts, or parts too deep in each other; `parts` are those before."""

    def __init__(self, parts: "list[_Part]") -> None:
        self.parts = parts


class _Part(EmailMessage):
    """A mail or a part of it, as the parser makes them; `parts` are all of the mail so far."""

    def __init__(self, policy: "Policy[Any]") -> None:
        super().__init__(policy)
        self.depth = 0
        self.parts: list[_Part] = [self]

    def attach(self, payload: Message | str) -> None:
        """Add a part. Raises: _LimitError."""
        part = cast("Self", payload)  # the parser makes every part with this class
        part.depth, part.parts = self.depth + 1, self.parts
        if part.depth > _DEPTH or len(self.parts) == _PARTS:
            raise _LimitError(self.parts)
        self.parts.append(part)
        super().attach(part)


class _AsWritten(EmailPolicy):
    """Values of fields as they were written, on one line, instead of parsed and decoded."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """Return a value; of fields whose parameters are read, as much as can be read cheaply."""
        is_content = name.lower().startswith("content-")
        part = value[: _CONTENT_FIELD_CHARACTERS if is_content else _HEAD_BYTES]
        return single_line(_decode(part.encode("ascii", "surrogateescape")))


log = logging.getLogger("studiograph.mailbox")
_POLICY = _AsWritten(message_factory=_Part)


@dataclass(frozen=True)
class ReceivedMail:
    """A mail: its bytes, and what could be read of it."""

    raw: bytes = field(repr=False)
    fields: tuple[tuple[str, str], ...] = field(repr=False)  # lower-case names, unfolded values
    body: bytes = field(repr=False)
    is_malformed: bool  # it breaks the rules or the limits: other programs may read it differently
    types: frozenset[str]  # of the mail and its parts
    text: str = field(repr=False)  # of the first part of plain text

    def values(self, name: str) -> tuple[str, ...]:
        """Return every value of a field, the topmost first."""
        return tuple(value for field_name, value in self.fields if field_name == name)

    def first(self, name: str) -> str:
        """Return the topmost value of a field, or ""."""
        return next(iter(self.values(name)), "")

    @property
    def message_id(self) -> str | None:
        """The Message-ID, if there is exactly one and it is safe to repeat in a header."""
        value = self.first("message-id")
        is_safe = len(value) <= _ID_CHARACTERS and "=?" not in value
        is_one = is_safe and len(self.values("message-id")) == 1
        return value if is_one and _MESSAGE_ID.fullmatch(value) else None

    def display_value(self, name: str) -> str:
        """Return the topmost value for people: decoded, one line, at most 300 characters."""
        value = self.first(name)[:_DECODED_CHARACTERS]
        with suppress(Exception):  # hostile values raise errors of many kinds and stay undecoded
            value = str(default.header_factory("subject", value))
        return single_line(value)[:_SHOWN_CHARACTERS]


def read_mail(data: bytes) -> ReceivedMail:
    """Read a mail, as far as the limits go. Never raises."""
    written = MBOX_LINE.sub(b"", data)
    blank = _BLANK_LINE.search(written, 0, _HEAD_BYTES)
    end = blank.end() if blank else _HEAD_BYTES
    head, body = written[:end], written[end:]
    lines = _SPACE_BEFORE_COLON.sub(rb"\1:", head).splitlines(keepends=True)
    valid_head = b"".join(line for line in lines if _HEAD_LINE.match(line))
    root = _parse(valid_head + body[:_HEAD_BYTES], is_head=True)
    has_controls = b"\0" in head or head.replace(b"\r\n", b"").removesuffix(b"\r").count(b"\r") > 0
    is_malformed = (
        has_controls
        or valid_head != b"".join(lines)
        or root.defects != []
        or len(root.keys()) > _FIELDS
        or (blank is None and body != b"")
    )
    parts, is_complete = _read_parts(root, valid_head + body)
    return ReceivedMail(
        data,
        tuple((name.lower(), value) for name, value in root.items()),
        body,
        is_malformed=is_malformed or not is_complete,
        types=frozenset(map(_media_type, parts)),
        text=next((_decode_text(part) for part in parts if _is_plain_text(part)), ""),
    )


def dedupe_key(mail: ReceivedMail) -> str:
    """Return the key under which a mail is forwarded once: its Message-ID and a content hash.

    Fields that mail servers add on the way are left out, so that a second delivery has the same
    key.
    """
    content = mail.raw
    if not mail.is_malformed:
        fields = [f"{name}:{mail.values(name)}\n" for name in _AUTHOR_FIELDS]
        content = "".join(fields).encode() + mail.body.replace(b"\r\n", b"\n").rstrip(b"\n")
    return f"{mail.message_id or '<>'} sha256:{sha256(content).hexdigest()}"


def address(text: str) -> str | None:
    """Return an ASCII address with its domain in lower case; None for anything else.

    Quoted local parts and literal domains are refused, since they allow many spellings of one
    mailbox.
    """
    match = _ADDRESS.fullmatch(text) if len(text) <= 254 else None  # noqa: PLR2004 - RFC 5321 4.5.3.1.3
    if match is None or len(match[1]) > 64 or "=?" in match[1]:  # noqa: PLR2004 - RFC 5321 4.5.3.1.1
        return None
    return f"{match[1]}@{match[2].lower()}"


def addresses(value: str) -> tuple[str | None, ...]:
    """Return each address of a list, with groups resolved; None for each invalid one."""
    text = strip_comments(value)
    if text is None:
        return (None,)
    entries = (_GROUP.sub("", entry).strip() for entry in re.split("[,;]", text))
    return tuple(address(_without_name(entry)) for entry in entries if entry)


def strip_comments(value: str) -> str | None:
    """Return a structured value without comments; None if it is unbalanced.

    In quoted text, characters with a meaning are replaced by an underscore.
    """
    pieces, depth = [], 0
    for match in _PIECE.finditer(value):
        piece = match[0]
        depth += (piece == "(") - (piece == ")")
        if depth < 0 or piece in ('"', "\\"):
            return None
        if match[1] is not None:
            piece = '"' + re.sub(r"[^\w.@+=/-]", "_", match[1]) + '"'
        pieces.append(" " if depth or piece == ")" else piece)
    return " ".join("".join(pieces).split()) if depth == 0 else None


def single_line(text: str) -> str:
    """Return a text on one line, without control characters."""
    return " ".join(_HIDDEN.sub(" ", text).split())


def plain_text(text: str) -> str:
    """Return a text with line feeds only, and no other control characters."""
    return _HIDDEN.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _read_parts(root: _Part, data: bytes) -> tuple[list[_Part], bool]:
    """Return the parts of a mail, and whether they are all; of one with too many lines its root."""
    try:
        if data.count(b"\n") + data.count(b"\r") <= _LINE_ENDS:
            return _parse(data).parts, True
    except _LimitError as error:
        return error.parts, False
    except Exception:  # noqa: BLE001 - the parser is to raise nothing; if it does, the mail is unread
        log.warning("a mail cannot be read and is forwarded as it came")
    return [root], False


def _parse(data: bytes, *, is_head: bool = False) -> _Part:
    parser = BytesParser(policy=_POLICY)
    return cast("_Part", parser.parsebytes(data, headersonly=is_head))


def _media_type(part: _Part) -> str:
    return strip_comments(part.get_content_type()) or ""


def _is_plain_text(part: _Part) -> bool:
    is_attachment = part.get_content_disposition() == "attachment"
    return _media_type(part) == "text/plain" and not is_attachment


def _decode_text(part: _Part) -> str:
    data = cast("bytes | None", part.get_payload(decode=True)) or b""
    return plain_text(_decode(data[:_TEXT_BYTES], part.get_content_charset("")))[:TEXT_CHARACTERS]


def _decode(data: bytes, charset: str = "") -> str:
    """Decode by a charset that exists, or else as UTF-8, or else as Latin-1."""
    with suppress(LookupError, ValueError):
        name = codecs.lookup(charset).name
        if name not in _NOT_CHARSETS:
            return data.decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _without_name(entry: str) -> str:
    match = re.fullmatch(r"[^<>]*<([^<>]*)>", entry)
    return match[1].strip() if match else entry
