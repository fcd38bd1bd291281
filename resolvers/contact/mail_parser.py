"""A parser for mail that accepts any bytes without failing.

The standard library's parser is not safe for hostile input: it recurses, raises errors, and its
address lists could be tricked. Here all sizes are bounded and every pattern runs in linear time.

Source: RFC 5322 (fields, addresses, ids), RFC 2045 to 2047 (parts, encoded words).
"""

import re
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

_HEAD_BYTES, _FIELDS, _TYPE_CHARACTERS = 64 * 1024, 1_000, 1_000
_PARTS, _DEPTH = 100, 10
_TEXT_BYTES, TEXT_CHARACTERS = 64 * 1024, 16_000
MBOX_LINE = re.compile(rb"\A>?From [^\n]{0,998}\n")
_BLANK_LINE = re.compile(rb"(?:\A|\n)\r?\n")
_LINE_END = re.compile(rb"\n(?![ \t])")
_FIELD = re.compile(rb"([!-9;-~]{1,200})[ \t]*:(.*)", re.DOTALL)
_HIDDEN = re.compile(  # controls, lone surrogates, and characters that reorder or hide text
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|\\.|[()]|[^"\\()]+|.', re.DOTALL)
_WORD_GAP = re.compile(r"(?<=\?=) (?==\?)")
_WORD = re.compile(r"=\?([A-Za-z0-9_-]{1,40})(?:\*[A-Za-z-]{1,40})?\?([BbQq])\?([!->@-~]*)\?=")
_CHARSET = re.compile(
    r"utf-?8|us-ascii|iso-8859-(?:[1-9]|1[013456])|(?:windows-|cp)125[0-8]|koi8-[ru]|big5"
    r"|gb(?:2312|k|18030)|shift_jis|euc-(?:jp|kr)|iso-2022-jp",
    re.IGNORECASE,
)
_TYPE = re.compile(r" ?([\w!#$&^.+-]+/[\w!#$&^.+-]+)", re.ASCII)
_ATOM, _LABEL = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+", r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@((?:{_LABEL}\.)+(?=[A-Za-z]){_LABEL})")
_GROUP = re.compile(r"\A[^:<>@]*:")
_MESSAGE_ID = re.compile(r"<[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9._:\[\]-]+>")
_AUTHOR_FIELDS = ("message-id", "date", "from", "to", "cc", "subject", "content-type")


@dataclass(frozen=True)
class MailPart:
    """A header and a body: a mail, or a part of one."""

    fields: tuple[tuple[str, str], ...] = field(repr=False)  # lower-case names, unfolded values
    body: bytes = field(repr=False)
    is_malformed: bool  # the header breaks the rules: other programs may read it differently

    def values(self, name: str) -> tuple[str, ...]:
        """Return every value of a field, the topmost first."""
        return tuple(value for field_name, value in self.fields if field_name == name)

    def first(self, name: str) -> str:
        """Return the topmost value of a field, or ""."""
        return next(iter(self.values(name)), "")

    @property
    def type(self) -> str:
        """The media type in lower case."""
        value = self.first("content-type")[:_TYPE_CHARACTERS] or "text/plain"
        match = _TYPE.match(strip_comments(value) or "")
        return match[1].lower() if match else ""

    def parameter(self, name: str) -> str:
        """Return a parameter of the media type, or ""."""
        pattern = rf'; ?{name} ?= ?(?:"([^"]*)"|([^\s;"]+))'
        match = re.search(pattern, self.first("content-type"), re.IGNORECASE)
        return (match[1] or match[2] or "") if match else ""


@dataclass(frozen=True)
class ReceivedMail(MailPart):
    """A mail: its bytes, and what could be parsed."""

    raw: bytes = field(repr=False)
    types: frozenset[str]
    text: str = field(repr=False)

    @property
    def message_id(self) -> str | None:
        """The Message-ID, if there is exactly one and it is safe to repeat in a header."""
        value = self.first("message-id")
        is_safe = len(value) <= 250 and "=?" not in value and _MESSAGE_ID.fullmatch(value)  # noqa: PLR2004 - so that it fits on one line
        return value if is_safe and len(self.values("message-id")) == 1 else None

    def display_value(self, name: str) -> str:
        """Return the topmost value for people: decoded, one line, at most 300 characters."""
        joined = _WORD_GAP.sub("", self.first(name))
        return single_line(_WORD.sub(lambda match: _decode_word(*match.groups()), joined))[:300]


def read_mail(data: bytes) -> ReceivedMail:
    """Parse a mail. Never raises."""
    mbox_line = MBOX_LINE.match(data)
    root = _parse_part(data[mbox_line.end() :] if mbox_line else data)
    parts, is_complete = _walk(root)
    return ReceivedMail(
        root.fields,
        root.body,
        is_malformed=root.is_malformed or not is_complete,
        raw=data,
        types=frozenset(part.type for part in parts),
        text=next((_decode_text(part) for part in parts if _is_plain_text(part)), ""),
    )


def dedupe_key(mail: ReceivedMail, data: bytes) -> str:
    """Return the key under which a mail is forwarded once: its Message-ID and a content hash.

    Fields that mail servers add on the way are left out, so that a second delivery has the same
    key.
    """
    content = data
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


def _parse_part(data: bytes) -> MailPart:
    blank = _BLANK_LINE.search(data, 0, _HEAD_BYTES)
    head = data[: blank.start() if blank else _HEAD_BYTES]
    body = data[blank.end() if blank else _HEAD_BYTES :]
    lines = [line.removesuffix(b"\r") for line in _LINE_END.split(head, _FIELDS) if line.strip()]
    matches = [_FIELD.fullmatch(line) for line in lines]
    has_controls = b"\0" in head or head.replace(b"\r\n", b"").removesuffix(b"\r").count(b"\r") > 0
    has_no_end = blank is None and body != b""
    is_malformed = has_controls or None in matches or len(lines) > _FIELDS or has_no_end
    fields = tuple(_parse_field(*match.groups()) for match in matches if match)
    return MailPart(fields, body, is_malformed)


def _parse_field(name: bytes, value: bytes) -> tuple[str, str]:
    return name.decode("ascii").lower(), single_line(_decode(value))


def _walk(root: MailPart) -> tuple[list[MailPart], bool]:
    """Return the parts within the limits, outermost first, and whether these are all parts."""
    parts: list[MailPart] = []
    stack = [(root, 0)]
    while stack and len(parts) < _PARTS and stack[-1][1] <= _DEPTH:
        part, depth = stack.pop()
        parts.append(part)
        stack.extend((child, depth + 1) for child in reversed(list(_children(part))))
    return parts, not stack


def _children(part: MailPart) -> Iterator[MailPart]:
    if part.type in {"message/rfc822", "message/global"}:
        yield _parse_part(part.body)
    boundary = part.parameter("boundary")
    if boundary and part.type.startswith("multipart/"):
        yield from (_parse_part(section) for section in _split_multipart(part.body, boundary))


def _split_multipart(body: bytes, boundary: str) -> Iterator[bytes]:
    """Yield the parts between the boundaries, at most one more than `_walk` reads."""
    mark = rb"(?:\A|\n)--" + re.escape(boundary.encode()) + rb"(--)?[ \t]*\r?(?=\n|\Z)"
    begin = None
    for count, match in enumerate(re.finditer(mark, body)):
        if begin is not None:
            yield body[begin : match.start()].removesuffix(b"\r")
        begin = match.end() + 1
        if match[1] or count > _PARTS:
            return
    if begin is not None:
        yield body[begin:]


def _is_plain_text(part: MailPart) -> bool:
    disposition = part.first("content-disposition").lower()
    return part.type == "text/plain" and not disposition.startswith("attachment")


def _decode_text(part: MailPart) -> str:
    data, coding = part.body[:_TEXT_BYTES], part.first("content-transfer-encoding").lower()
    if coding == "base64":
        data = _decode_base64(data)
    elif coding == "quoted-printable":
        data = a2b_qp(data)
    return plain_text(_decode(data, part.parameter("charset") or "utf-8"))[:TEXT_CHARACTERS]


def _decode_word(charset: str, coding: str, text: str) -> str:
    data = text.encode("ascii")
    return _decode(_decode_base64(data) if coding in "Bb" else a2b_qp(data, header=True), charset)


def _decode_base64(data: bytes) -> bytes:
    """Decode base64, ignoring other characters and missing padding."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return a2b_base64(letters + b"=" * (-len(letters) % 4))


def _decode(data: bytes, charset: str = "") -> str:
    """Decode by a charset of a short list, or as UTF-8, or else as Latin-1.

    The list is short because Python has codecs that do more than decode a charset.
    """
    if _CHARSET.fullmatch(charset):
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _without_name(entry: str) -> str:
    match = re.fullmatch(r"[^<>]*<([^<>]*)>", entry)
    return match[1].strip() if match else entry
