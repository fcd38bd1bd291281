"""A mail as it arrived, read so that no bytes can make the reading fail. No verdict here.

The standard library's parser trusts its input more than a mailbox may: it recurses, it raises, and
its address lists have been fooled. What is read here is bounded, and every pattern is linear.

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
_HIDDEN = re.compile(  # controls, lone surrogates, and what turns or hides the text round it
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
_WRITTEN = ("message-id", "date", "from", "to", "cc", "subject", "content-type")


@dataclass(frozen=True)
class MailPart:
    """A head and its body: a mail, or a part of one."""

    fields: tuple[tuple[str, str], ...] = field(repr=False)  # lower-case names, unfolded values
    body: bytes = field(repr=False)
    is_malformed: bool  # the head breaks the rules, so that others may read it otherwise

    def values(self, name: str) -> tuple[str, ...]:
        """Every value of a field, the topmost first."""
        return tuple(value for known, value in self.fields if known == name)

    def first(self, name: str) -> str:
        """The topmost value of a field, or nothing."""
        return next(iter(self.values(name)), "")

    @property
    def type(self) -> str:
        """The media type in lower case."""
        written = self.first("content-type")[:_TYPE_CHARACTERS] or "text/plain"
        found = _TYPE.match(strip_comments(written) or "")
        return found[1].lower() if found else ""

    def parameter(self, name: str) -> str:
        """A parameter of the media type, or nothing."""
        pattern = rf'; ?{name} ?= ?(?:"([^"]*)"|([^\s;"]+))'
        found = re.search(pattern, self.first("content-type"), re.IGNORECASE)
        return (found[1] or found[2] or "") if found else ""


@dataclass(frozen=True)
class ReceivedMail(MailPart):
    """A mail: the bytes that came, and what could be read of them."""

    raw: bytes = field(repr=False)
    types: frozenset[str]
    text: str = field(repr=False)

    @property
    def message_id(self) -> str | None:
        """The one Message-ID, if it can be repeated without harm."""
        value = self.first("message-id")
        fits = len(value) <= 250 and "=?" not in value and _MESSAGE_ID.fullmatch(value)  # noqa: PLR2004 - longer ones are not repeated
        return value if fits and len(self.values("message-id")) == 1 else None

    def display_value(self, name: str) -> str:
        """The topmost value of a field for people to read: decoded, one line, 300 characters."""
        joined = _WORD_GAP.sub("", self.first(name))
        return single_line(_WORD.sub(lambda found: _word(*found.groups()), joined))[:300]


def read_mail(data: bytes) -> ReceivedMail:
    """The mail that the bytes hold; none of them can make it raise."""
    mbox_line = MBOX_LINE.match(data)
    whole = _part(data[mbox_line.end() :] if mbox_line else data)
    parts, complete = _walk(whole)
    return ReceivedMail(
        whole.fields,
        whole.body,
        is_malformed=whole.is_malformed or not complete,
        raw=data,
        types=frozenset(part.type for part in parts),
        text=next((_text(part) for part in parts if _is_plain_text(part)), ""),
    )


def dedupe_key(mail: ReceivedMail, data: bytes) -> str:
    """The key under which a mail is forwarded once: its Message-ID, and the hash of what it says.

    What the servers on its way write on top is left out: a second delivery is the same mail.
    """
    said = data
    if not mail.is_malformed:
        fields = [f"{name}:{mail.values(name)}\n" for name in _WRITTEN]
        said = "".join(fields).encode() + mail.body.replace(b"\r\n", b"\n").rstrip(b"\n")
    return f"{mail.message_id or '<>'} sha256:{sha256(said).hexdigest()}"


def address(text: str) -> str | None:
    """An ASCII address of a DNS domain, the domain in lower case; None for anything else.

    Quoted local parts and literal domains have many spellings of one mailbox: they are none.
    """
    found = _ADDRESS.fullmatch(text) if len(text) <= 254 else None  # noqa: PLR2004 - RFC 5321 4.5.3.1.3
    if found is None or len(found[1]) > 64 or "=?" in found[1]:  # noqa: PLR2004 - RFC 5321 4.5.3.1.1
        return None
    return f"{found[1]}@{found[2].lower()}"


def addresses(value: str) -> tuple[str | None, ...]:
    """Each address of a list, groups opened; None for each that is no `address`."""
    text = strip_comments(value)
    if text is None:
        return (None,)
    pieces = (_GROUP.sub("", piece).strip() for piece in re.split("[,;]", text))
    return tuple(address(_in_angles(piece)) for piece in pieces if piece)


def strip_comments(value: str) -> str | None:
    """A structured value without comments, quoted text made inert; None where it breaks off."""
    pieces, depth = [], 0
    for found in _PIECE.finditer(value):
        piece = found[0]
        depth += (piece == "(") - (piece == ")")
        if depth < 0 or piece in ('"', "\\"):
            return None
        if found[1] is not None:
            piece = '"' + re.sub(r"[^\w.@+=/-]", "_", found[1]) + '"'
        pieces.append(" " if depth or piece == ")" else piece)
    return " ".join("".join(pieces).split()) if depth == 0 else None


def single_line(text: str) -> str:
    """A text on one line, without controls."""
    return " ".join(_HIDDEN.sub(" ", text).split())


def plain_text(text: str) -> str:
    """A text in lines that end with a line feed, without other controls."""
    return _HIDDEN.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def _part(data: bytes) -> MailPart:
    blank = _BLANK_LINE.search(data, 0, _HEAD_BYTES)
    head = data[: blank.start() if blank else _HEAD_BYTES]
    body = data[blank.end() if blank else _HEAD_BYTES :]
    lines = [line.removesuffix(b"\r") for line in _LINE_END.split(head, _FIELDS) if line.strip()]
    found = [_FIELD.fullmatch(line) for line in lines]
    bare = b"\0" in head or head.replace(b"\r\n", b"").removesuffix(b"\r").count(b"\r") > 0
    odd = bare or None in found or len(lines) > _FIELDS or (blank is None and body != b"")
    return MailPart(tuple(_named(*one.groups()) for one in found if one), body, odd)


def _named(name: bytes, value: bytes) -> tuple[str, str]:
    return name.decode("ascii").lower(), single_line(_decoded(value))


def _walk(whole: MailPart) -> tuple[list[MailPart], bool]:
    """The parts, outermost first, and whether they are all."""
    found: list[MailPart] = []
    waiting = [(whole, 0)]
    while waiting and len(found) < _PARTS and waiting[-1][1] <= _DEPTH:
        part, depth = waiting.pop()
        found.append(part)
        waiting.extend((child, depth + 1) for child in reversed(list(_children(part))))
    return found, not waiting


def _children(part: MailPart) -> Iterator[MailPart]:
    if part.type in {"message/rfc822", "message/global"}:
        yield _part(part.body)
    boundary = part.parameter("boundary")
    if boundary and part.type.startswith("multipart/"):
        yield from (_part(piece) for piece in _pieces(part.body, boundary))


def _pieces(body: bytes, boundary: str) -> Iterator[bytes]:
    """What stands between the boundaries; at most one more than we look at."""
    mark = rb"(?:\A|\n)--" + re.escape(boundary.encode()) + rb"(--)?[ \t]*\r?(?=\n|\Z)"
    begin = None
    for count, found in enumerate(re.finditer(mark, body)):
        if begin is not None:
            yield body[begin : found.start()].removesuffix(b"\r")
        begin = found.end() + 1
        if found[1] or count > _PARTS:
            return
    if begin is not None:
        yield body[begin:]


def _is_plain_text(part: MailPart) -> bool:
    disposition = part.first("content-disposition").lower()
    return part.type == "text/plain" and not disposition.startswith("attachment")


def _text(part: MailPart) -> str:
    data, coding = part.body[:_TEXT_BYTES], part.first("content-transfer-encoding").lower()
    if coding == "base64":
        data = _base64(data)
    elif coding == "quoted-printable":
        data = a2b_qp(data)
    return plain_text(_decoded(data, part.parameter("charset") or "utf-8"))[:TEXT_CHARACTERS]


def _word(charset: str, coding: str, text: str) -> str:
    data = text.encode("ascii")
    return _decoded(_base64(data) if coding in "Bb" else a2b_qp(data, header=True), charset)


def _base64(data: bytes) -> bytes:
    """The bytes of base64, however it is written."""
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    letters = letters[: len(letters) - (len(letters) % 4 == 1)]
    return a2b_base64(letters + b"=" * (-len(letters) % 4))


def _decoded(data: bytes, charset: str = "") -> str:
    """The text in a charset of a short list (codecs do more than decode), or as it seems to be."""
    if _CHARSET.fullmatch(charset):
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _in_angles(piece: str) -> str:
    found = re.fullmatch(r"[^<>]*<([^<>]*)>", piece)
    return found[1].strip() if found else piece
