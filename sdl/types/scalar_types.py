"""Constrained strings, dates and numbers, which all other types are made of.

Each type states its rule once, for content files, GraphQL, query strings and JSON Schemas.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    StrictBool,
    StrictInt,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from sdl.tools.code_in_text import code_places
from sdl.types.marks import Prose

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
_MARKUP = re.compile(
    r"</?[A-Za-z][^<>]*>|<!|^#{1,6} |^ {0,3}(?:```|~~~)|^ {0,3}(?:=+|-{2,})\s*$", re.MULTILINE
)
_IPV6 = r"\[(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}|(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,2})?::(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,2})?)\]"  # noqa: E501 - a pattern is one line
_PORT = "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_PORT_OF = re.compile(r"https?://(?:[^/?#:]*|\[[^\]/]*\]):([0-9]{1,9})(?:[/?#]|$)")
_HAS_USER = re.compile(r"https?://[^/?#]*@")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = r"[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_INSTANT = re.compile(_DATE.pattern + _TIME)
_OTHER_ZONES = frozenset({"posix", "right", "posixrules"})
"""What stands beside the zones in a folder of the database. Source: `zoneinfo`."""
DATE_RULE = ("a date, YYYY-MM-DD", "2026-03-01")
INSTANT_RULE = ("an RFC 3339 date-time with its offset", "2026-03-01T09:30:00Z")
PORT_RULE = "an address whose port is from 1 to 65535"


def rule_error(rule: str, example: str) -> PydanticCustomError:
    """Return the error that states a rule; it never repeats the value."""
    text = "must be {rule}, for example {example}" if example else "must be {rule}"
    return PydanticCustomError("word", text, {"rule": rule, "example": example})


class ConstrainedStr(str):
    """A string of at most `max_length` code points that fully matches `pattern`."""

    __slots__ = ()
    rule: ClassVar[str]
    example: ClassVar[str] = ""
    pattern: ClassVar[str] = r"[\s\S]+"
    max_length: ClassVar[int] = 2_000
    json_format: ClassVar[str | None] = None

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether a text that has the right length and pattern keeps the rest of the rule."""
        return bool(text)

    @classmethod
    def check(cls, text: str) -> str:
        """Return the text. Raises: PydanticCustomError, which has the rule but not the text."""
        if (
            len(text) > cls.max_length
            or not re.fullmatch(cls.pattern, text)
            or not cls.is_valid(text)
        ):
            raise rule_error(cls.rule, cls.example)
        return text

    @classmethod
    def coerce(cls, value: object) -> object:
        """Convert a value before the check; this base class returns it unchanged."""
        return value

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        checked = core_schema.no_info_after_validator_function(cls.check, core_schema.str_schema())
        return core_schema.no_info_before_validator_function(cls.coerce, checked)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = {"type": "string", "minLength": 1, "maxLength": cls.max_length}
        if cls.json_format is not None:
            schema["format"] = cls.json_format
        if cls.pattern != ConstrainedStr.pattern:
            schema["pattern"] = f"^(?:{cls.pattern})$"
        return schema


class _OneLine(ConstrainedStr):
    rule = "one line of plain text, without markup or control characters, at most 400 characters"
    max_length = 400

    @classmethod
    def is_valid(cls, text: str) -> bool:
        return text == text.strip() and "\n" not in text and "\t" not in text and _is_plain(text)


class _Prose(ConstrainedStr):
    rule = "plain prose, without HTML, headings or control characters, at most 20 000 characters"
    max_length = 20_000

    @classmethod
    def is_valid(cls, text: str) -> bool:
        return _is_plain(text)


class Slug(ConstrainedStr):
    """Lower-case letters, digits and hyphens that name one thing of its kind."""

    rule = "lower-case letters, digits and hyphens, 1 to 64 characters"
    example = "tide-book"
    pattern = r"[a-z0-9-]{1,64}"
    max_length = 64


class Reference(ConstrainedStr):
    """A reference to one entry, by its kind and slug."""

    rule = "<kind>/<slug>"
    example = "project/tide-book"
    pattern = r"[A-Za-z]{1,32}/[a-z0-9-]{1,64}"
    max_length = 97


class ChangeId(ConstrainedStr):
    """The id of a changelog entry: the day it was published, and a slug."""

    rule = "YYYY-MM-DD-slug"
    example = "2026-03-01-new-feed"
    pattern = r"[0-9]{4}-[0-9]{2}-[0-9]{2}-[a-z0-9-]{1,64}"
    max_length = 75

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether it begins with a valid date."""
        return _is_valid_date(text[:10])


class YearMonth(ConstrainedStr):
    """A month of a year."""

    rule = "a year and month, YYYY-MM"
    example = "2024-03"
    pattern = r"[0-9]{4}-(?:0[1-9]|1[0-2])"
    max_length = 7


class DateOrDateTime(ConstrainedStr):
    """A date, or a date-time in UTC where the instant is known."""

    rule = "a date or an RFC 3339 date-time in UTC"
    example = "2024-03-01"
    pattern = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?"
    max_length = 20

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether it is a valid date or date-time."""
        return _is_valid_date(text)

    @classmethod
    def coerce(cls, value: object) -> object:
        """Return a date or date-time from TOML as its text on the wire."""
        if isinstance(value, datetime):
            return format_instant(_instant(value))
        return value.isoformat() if isinstance(value, date) else value


class YearOrMonth(ConstrainedStr):
    """A year, or a month of a year."""

    rule = "a year or a year and month, YYYY or YYYY-MM"
    example = "2024-03"
    pattern = r"[0-9]{4}(?:-(?:0[1-9]|1[0-2]))?"
    max_length = 7

    @classmethod
    def coerce(cls, value: object) -> object:
        """Return a year that is written as a number as its text."""
        return str(value) if type(value) is int else value


class Amount(ConstrainedStr):
    """An amount of money, as a decimal number: a binary one would not keep its cents."""

    rule = "a number with a point before its cents, without a currency"
    example = "1200"
    pattern = r"(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{2})?"
    max_length = 15

    @classmethod
    def coerce(cls, value: object) -> object:
        """Return a number of TOML as its text: 80.5 is `80.50`."""
        if type(value) is float:
            return f"{value:.2f}".removesuffix(".00") if round(value, 2) == value else str(value)
        return str(value) if type(value) is int else value


class Currency(ConstrainedStr):
    """A currency."""

    rule = "an ISO 4217 currency code"
    example = "EUR"
    pattern = r"[A-Z]{3}"
    max_length = 3


def in_ascii(host: str) -> str:
    """Return a host as the DNS has it, `xn--...`; unchanged if it is no name there.

    Only letters that IDNA 2008 has are converted: what merely looks like a dot, a digit or nothing
    stays, and is refused.
    """
    import idna  # noqa: PLC0415 - rarely needed, with large tables

    try:
        return idna.encode(unicodedata.normalize("NFC", host.lower()), strict=True).decode()
    except idna.IDNAError:
        return host


class Url(ConstrainedStr):
    """An absolute http or https address; a host in other letters is taken as `xn--...`."""

    rule = "an absolute http or https address without spaces"
    example = "https://studio.example/a"
    pattern = rf"https?://(?:[A-Za-z0-9][A-Za-z0-9.-]*|{_IPV6})(?::{_PORT})?(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?"
    max_length = 500
    json_format = "uri"

    @classmethod
    def check(cls, text: str) -> str:
        """Return the text; a port that no address has is told from what is no address."""
        if has_no_such_port(text):
            raise rule_error(PORT_RULE, "https://studio.example:8443/a")
        if _HAS_USER.match(text):
            raise rule_error("an address without a user name and a password", "")
        return super().check(text)

    @classmethod
    def coerce(cls, value: object) -> object:
        """Return an address with its host in ASCII."""
        if isinstance(value, str) and not value.isascii():
            return re.sub(
                r"^(https?://)([^/?#:]+)", lambda found: found[1] + in_ascii(found[2]), value
            )
        return value


class Path(ConstrainedStr):
    """A path on this service, with its query where it has one."""

    rule = "a path on this service"
    example = "/api/projects"
    pattern = r"/[!-~]*"
    max_length = 500


class Email(ConstrainedStr):
    """The address of a mailbox; a domain in other letters is taken as `xn--...`."""

    rule = "an e-mail address"
    example = "agents@studio.example"
    pattern = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"  # noqa: E501 - a pattern is one line
    max_length = 254
    json_format = "email"

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether the part before the @ is short enough for mail servers."""
        return text.index("@") <= 64  # noqa: PLR2004 - RFC 5321 section 4.5.3.1.1

    @classmethod
    def coerce(cls, value: object) -> object:
        """Return an address with its domain in ASCII."""
        if isinstance(value, str) and not value.isascii():
            local, at, domain = value.rpartition("@")
            return f"{local}{at}{in_ascii(domain)}"
        return value


class Digest(ConstrainedStr):
    """A SHA-256 digest."""

    rule = "sha256: and 64 lower-case hexadecimal digits"
    example = f"sha256:{'0' * 64}"
    pattern = r"sha256:[0-9a-f]{64}"


class LanguageCode(ConstrainedStr):
    """A language."""

    rule = "a BCP 47 language code"
    example = "en"
    pattern = r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*"
    max_length = 35


class TimeZone(ConstrainedStr):
    """A time zone."""

    rule = "an IANA time zone"
    example = "Europe/Lisbon"
    max_length = 64

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether the zone is in the IANA database."""
        # `available_timezones` opens each of its six hundred files: 0.04 s of every start
        try:
            ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return False
        return text.partition("/")[0] not in _OTHER_ZONES


class Markdown(ConstrainedStr):
    """A text in markdown."""

    rule = "markdown without control characters, at most 100 000 characters"
    max_length = 100_000

    @classmethod
    def is_valid(cls, text: str) -> bool:
        """Whether it has no control characters."""
        return not _CONTROL.search(text)


def format_instant(instant: datetime) -> str:
    """Return an instant in RFC 3339: in UTC, with whole seconds and `Z`."""
    return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def has_no_such_port(address: str) -> bool:
    """Return whether an http or https address has a port that is not from 1 to 65535."""
    found = _PORT_OF.match(address)
    return found is not None and not 0 < int(found[1]) < 1 << 16


def _is_plain(text: str) -> bool:
    return bool(text.strip()) and forbidden_in(text) is None


def forbidden_in(text: str) -> re.Match[str] | None:
    """Return the first control character of a text, or else the first markup outside of code."""
    return _CONTROL.search(text) or next(_markup_in(text), None)


def _markup_in(text: str) -> Iterator[re.Match[str]]:
    """Yield what begins outside of code; a tag with code in it is a tag."""
    code = code_places(text)
    found = _MARKUP.search(text)
    while found is not None:
        if not any(begin <= found.start() < end for begin, end in code):
            yield found
        found = _MARKUP.search(text, found.start() + 1)


def _is_valid_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _instant(value: object) -> datetime:
    if isinstance(value, str) and _INSTANT.fullmatch(value) and _is_valid_date(value.upper()):
        value = datetime.fromisoformat(value.upper())
    if isinstance(value, datetime) and value.tzinfo is not None:
        try:
            return value.astimezone(UTC).replace(microsecond=0)
        except OverflowError:
            pass  # before year 1 or after year 9999 in UTC, which Python cannot represent
    raise rule_error(*INSTANT_RULE)


def _date(value: object) -> date:
    if isinstance(value, str) and _DATE.fullmatch(value) and _is_valid_date(value):
        value = date.fromisoformat(value)
    if not isinstance(value, date) or isinstance(value, datetime):
        raise rule_error(*DATE_RULE)
    return value


def _count(value: int) -> int:
    if not 0 <= value < 2**31:  # the range of GraphQL's Int
        raise rule_error("a whole number from 0 to 2147483647", "12")
    return value


Line = Annotated[str, _OneLine]
Text = Annotated[str, _Prose, Prose()]
Date = Annotated[date, BeforeValidator(_date)]
Instant = Annotated[datetime, BeforeValidator(_instant)]
Flag = StrictBool
Count = Annotated[StrictInt, AfterValidator(_count)]


_NOT_IN_TEXT = r"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"
_NOT_IN_LINE = r"\u0000-\u001f\u007f-\u009f\u2028\u2029"
_SPACES = r" \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_CONTROL_SPACES = r"\u000b-\u000d\u001c-\u001f\u0085"
_LINE_ENDS = r"\t\n\r\u2028\u2029"


@dataclass(frozen=True)
class TextConstraint:
    """A text of `min_length` to `max_length` characters, on one line or on several."""

    min_length: int
    max_length: int
    multiline: bool = False
    allow_any_character: bool = False
    """Whether it may have any character except U+0000, as texts for models may."""

    @property
    def rule(self) -> str:
        """The rule in words."""
        length = (
            f"{self.min_length} to {self.max_length}"
            if self.min_length
            else f"at most {self.max_length}"
        )
        if self.allow_any_character:
            return f"a text of {length} characters, without U+0000"
        kind = "a text" if self.multiline else "one line"
        return f"{kind} of {length} characters, without control characters"

    @property
    def pattern(self) -> str:
        """The rule as a regular expression, without the maximum length."""
        spaces = (
            _SPACES
            if not (self.multiline or self.allow_any_character)
            else f"{_SPACES}{_LINE_ENDS}"
        )
        spaces += _CONTROL_SPACES if self.allow_any_character else ""
        forbidden = self._forbidden
        if self.min_length == 0:
            return f"^[^{forbidden}]*$"
        if self.min_length == 1:
            return f"^[^{forbidden}]*[^{forbidden}{spaces}][^{forbidden}]*$"
        edge, count = f"[^{forbidden}{spaces}]", f"{{{self.min_length - 2},}}"
        return f"^[{spaces}]*{edge}[^{forbidden}]{count}{edge}[{spaces}]*$"

    @property
    def _forbidden(self) -> str:
        """The forbidden characters, as the inside of a character class."""
        if self.allow_any_character:
            return r"\u0000"
        return _NOT_IN_TEXT if self.multiline else _NOT_IN_LINE

    def check(self, text: str) -> str:
        """Return the text without whitespace around it, its lines ended by line feeds alone.

        Raises: PydanticCustomError.
        """
        if self.multiline or self.allow_any_character:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        stripped = text.strip()
        if len(text) > self.max_length or len(stripped) < self.min_length:
            length = len(text) if len(text) > self.max_length else len(stripped)
            raise rule_error(f"{self.rule}; this one has {length}", "")
        if re.search(f"[{self._forbidden}]", text) is not None:
            raise rule_error(self.rule, "")
        return stripped

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, core_schema.str_schema())

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        length = {"minLength": self.min_length} if self.min_length else {}
        return {"type": "string", **length, "maxLength": self.max_length, "pattern": self.pattern}


class IdempotencyKey(ConstrainedStr):
    """A caller's own name for one call, so that repeating it does nothing twice."""

    rule = "1 to 255 visible ASCII characters"
    example = "6f1c2a9e-7d0b-4f5e-9a1d-2b3c4d5e6f70"
    pattern = r"[!-~]{1,255}"
    max_length = 255


@dataclass(frozen=True)
class IntRange:
    """A whole number from `minimum` to `maximum`."""

    minimum: int
    maximum: int

    @property
    def rule(self) -> str:
        """The rule in words."""
        return f"a whole number from {self.minimum} to {self.maximum}"

    def check(self, number: object) -> int:
        """Return the number. Raises: PydanticCustomError if it is out of range."""
        if type(number) is not int or not self.minimum <= number <= self.maximum:
            raise rule_error(self.rule, "")
        return number

    def __get_pydantic_core_schema__(self, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(
        self, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}


@dataclass(frozen=True)
class OneOrMany:
    """A list of 1 to `max_items` texts; a single text may be sent without the list."""

    max_items: int

    def check(self, value: object, handler: core_schema.ValidatorFunctionWrapHandler) -> object:
        """Return the list. Raises: PydanticCustomError if it is empty or too long."""
        if isinstance(value, list) and not 1 <= len(value) <= self.max_items:
            raise rule_error(f"one text, or a list of 1 to {self.max_items}", "")
        return handler([value] if isinstance(value, str) else value)

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        list_schema = handler(schema)
        limited = {**list_schema, "minItems": 1, "maxItems": self.max_items}
        return {"anyOf": [list_schema["items"], limited]}


class JsonObject(dict[str, Any]):
    """A JSON object with any members."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(cls, core_schema.dict_schema())

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "object"}


@dataclass(frozen=True)
class Vector:
    """A list of numbers as one value, without fields to select."""

    numbers: list[float]

    @classmethod
    def __get_pydantic_core_schema__(cls, _: Any, __: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.is_instance_schema(cls)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, _: CoreSchema, __: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "number"}}
