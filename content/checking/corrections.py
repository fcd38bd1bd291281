"""What an owner may have meant: a value or a line that is right, made of one that is not."""

import re
import tomllib
from calendar import month_name, monthrange
from collections.abc import Callable, Iterator
from datetime import MAXYEAR, date, datetime
from typing import Any
from unicodedata import normalize
from zoneinfo import available_timezones

from pydantic_core import PydanticCustomError

from content.importing.toml_writer import toml_value
from schema.language_names import LANGUAGE_NAMES
from sdl.types.declare import slug_of
from sdl.types.scalar_types import (
    DATE_RULE,
    Amount,
    ChangeId,
    ConstrainedStr,
    Currency,
    DateOrDateTime,
    Email,
    LanguageCode,
    Slug,
    TimeZone,
    Url,
    YearMonth,
    format_instant,
)

Form = type[Any]
"""What a value must be: `date`, `datetime`, `bool`, `int`, `list` or a type of text."""

MAX_SHOWN = 60
RULES: dict[Form, str] = {
    date: DATE_RULE[0],
    datetime: "a day with its time and time zone",
    bool: "true or false",
    YearMonth: "a year and month in quotes, YYYY-MM",
    DateOrDateTime: "a date, or a date with its time",
    TimeZone: "the name of a time zone",
    LanguageCode: "the code of a language",
    Currency: "the three letters of a currency",
}
"""What a value must be, in the words of an owner."""
EXAMPLES: dict[Form, str] = {Url: "https://studio.example"}
"""How a value is written whose rule has an example that an owner would not write."""
_TIME = "T09:30:00Z"
_CLOCK = r"[T\s]+(\d{1,2})(?::(\d\d))?(?::(\d\d))?\s*(?:([ap])m\b)?"
_MONTHS = (
    "jan ene gen", "feb fev", "mar", "apr abr avr", "may mai mag", "jun juin giu",
    "jul juil lug", "aug ago aou", "sep set", "oct okt out ott", "nov", "dec dez dic",
)  # fmt: skip
"""How the months begin in English and some other languages of Europe."""
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d"})
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_SIGNS = _DASHES | {
    **dict.fromkeys(
        map(ord, "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019\u201a\u2039\u203a"), '"'
    ),
    **{
        sign: normalize("NFKC", chr(sign))
        for sign in (*range(0xFF01, 0xFF5F), 0xA0, 0x202F, 0x3000)
    },
    **dict(zip((0x3010, 0x3011, 0x300C, 0x300D), ("[", "]", '"', '"'), strict=True)),
    **dict.fromkeys((0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF), ""),
}
"""Signs of word processors, web pages and other keyboards, by those that TOML has."""
NOTE = r"^(//+|/\*+|<!--|;+|--(?= ))\s*(.*?)\s*(?:\*+/|-->)?$"
_FLAGS: dict[str, str] = dict.fromkeys(("yes", "on", "1", "true"), "true")
_FLAGS |= dict.fromkeys(("no", "off", "0", "false"), "false")


def shown(value: object) -> str:
    """Return what an owner wrote, as it stands in a TOML file, cut where it is long."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def visible(line: str) -> str:
    """Return a line, in which what cannot be seen is written as its code."""
    return "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in line)


def shown_line(line: str) -> str:
    """Return a line of a file, cut where it is long."""
    text = visible(line)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def corrected(kind: type[ConstrainedStr], text: str) -> str | None:
    """Return the first reading of a text that keeps the rule of its type; None if none does."""
    return next(_readings_of(kind, text), None)


def choices(form: Form | None, value: object) -> list[str]:
    """Return what to write in TOML for a value that must have a form; nothing if that is unclear.

    There are several if a day may be read in two ways, as 03/01/2026.
    """
    text = value.isoformat() if isinstance(value, date) else str(value)
    if form is date:
        return [day.isoformat() for day in _days(text)]
    if form is datetime:
        return _instants(text)
    if form is bool:
        return [_FLAGS[text.casefold()]] if text.casefold() in _FLAGS else []
    if form is None or not issubclass(form, ConstrainedStr):
        return []
    readings = [toml_value(reading) for reading in _readings_of(form, text)]
    return readings if form in {YearMonth, DateOrDateTime} else readings[:1]


def one_of(readings: list[str]) -> str:
    """Return what to write in words; the owner chooses if there are several readings."""
    note = ""
    if readings[0].endswith("Z"):
        note = ", where Z is UTC; +01:00 in its place is one hour ahead"
        note = f", with the time in place of 09:30{note}" if readings[0].endswith(_TIME) else note
    return " or ".join(readings) + (", whichever you mean" if len(readings) > 1 else "") + note


def advice(form: Form | None, value: object, start: str) -> str | None:
    """Return what to write for a value with no likely meaning or a date without a part."""
    text = str(value).strip()
    if form is YearMonth and re.fullmatch(r"\d{4}", text):
        return f'{start}"{text}-04", with the month in place of 04'
    if form is date and re.fullmatch(r"\d{4}-\d\d", text):
        return f"{start}{text}-01, with the day in place of the last 01"
    if form is date and re.fullmatch(r"\d{4}", text):
        return f"{start}{text}-01-01, with the month and the day in place of 01-01"
    if form in {date, datetime} and (near := nearest_day(text)) is not None:
        return f"{start}{near[1]}, or what you mean"
    return _ADVICE.get(form) if form is not None else None


_ADVICE: dict[Form, str] = {
    Url: 'the address of a page on the web, as "https://studio.example"',
    YearMonth: 'the year and a month from 01 to 12, as "2021-04"',
    Currency: 'its three letters, as "EUR"',
    LanguageCode: 'its code: "en" is English, "de" German, "es" Spanish, "pt" Portuguese',
    TimeZone: 'the continent and the largest city that has the same time, as "Europe/Lisbon"',
}


def nearest_day(text: str) -> tuple[str, str] | None:
    """Return why the date or time of a text does not exist, and the nearest one that does.

    None if it exists, or if the text does not begin with a date.
    """
    found = re.match(
        r"\s*(\d{4})-(\d\d)-(\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d))?([Zz]|[+-]\d\d:\d\d)?)?", text
    )
    if found is None or found[1] == "0000":
        return None
    year, month, day, *time = (int(part or 0) for part in found.group(1, 2, 3, 5, 6, 7))
    near = max(1, min(month, len(_MONTHS)))
    length = monthrange(year, near)[1]
    clock = [min(part, most) for part, most in zip(time, (23, 59, 59), strict=True)]
    if month != near:
        rule = f"there is no month {month:02}"
    elif not 1 <= day <= length:
        rule = f"{month_name[month]} {year} has {length} days"
    elif clock != time:
        rule = "there is no such time of a day, which has 24 hours of 60 minutes"
    else:
        return None
    written = f"{year:04}-{near:02}-{max(1, min(day, length)):02}"
    return rule, written + (
        f"T{':'.join(f'{p:02}' for p in clock)}{found[8] or 'Z'}" if found[4] else ""
    )


def corrected_line(line: str, form: Form | None, example: str) -> list[str]:
    """Return the first reading of a line that is TOML; several if its day may be read in two ways.

    There is none if the line is TOML, or nothing like it. Its value must have the form, and is
    written as the example.
    """
    line = line.strip()
    if is_toml(line):
        return []
    for base in dict.fromkeys((_with_straight_signs(line), line)):
        for readings in _line_readings(base, form, example):
            if readings and all(reading != line and is_toml(reading) for reading in readings):
                return readings
    return []


def foreign_signs(line: str, reading: str) -> tuple[str, str] | None:
    """Return which signs of a line look like those of its reading, and a note for the fix."""
    signs = [sign for sign in dict.fromkeys(line) if ord(sign) in _SIGNS and sign not in reading]
    if not signs:
        return None
    by = _SIGNS[ord(signs[0])]
    alike = " ".join(sign for sign in signs if _SIGNS[ord(sign)] == by)
    if by == '"':
        return f"the quotes are not straight ones, but {alike}", ', with straight quotes (")'
    if by == "-":
        return f"the dashes are not hyphens, but {alike}", ", with hyphens (-)"
    if by in {"", " "}:
        what = "cannot be seen" if not by else "looks like a blank, and is none"
        return f"the character U+{ord(signs[0]):04X} stands here, which {what}", ""
    return f"the sign {signs[0]} only looks like {by}", ""


def _readings_of(kind: type[ConstrainedStr], text: str) -> Iterator[str]:
    """Yield the readings of a text that keep the rule of its type, each once."""
    readings = _READINGS[kind](text.strip()) if kind in _READINGS else ()
    for reading in dict.fromkeys([text, *readings]):
        try:
            kind.check(str(kind.coerce(reading)))
            yield reading
        except PydanticCustomError:
            continue


def _urls(text: str) -> Iterator[str]:
    link = re.search(r"\]\(([^)\s]+)\)", text)
    bare = (link[1] if link else text).strip("<>")
    yield re.split(r"[\s,;]+(?=https?://)", bare)[0]
    bare = re.sub(r"^(https?):/*", r"\1://", re.sub(r"\s+", "", bare))
    yield bare
    yield bare.lower()
    if re.match(r"[\w-]+\.[\w.-]+(?:[:/?#]|$)", bare):
        yield f"https://{bare}"
    yield re.sub(r"^(https?://[^/?#]*):\d+", r"\1", bare)
    yield re.sub(r"^(https?://)[^/?#]*@", r"\1", bare)


def _emails(text: str) -> Iterator[str]:
    named = re.search(r"<([^<>]+)>", text)
    bare = (named[1] if named else text).removeprefix("mailto:")
    bare = re.sub(r"\s*(?:\(at\)|\[at\]|\sat\s|@+)\s*", "@", bare)
    yield re.split(r"[,;\s]+", bare)[0].rstrip(".")
    yield bare.replace(",", ".")


def _slugs(text: str) -> Iterator[str]:
    yield slug_of(text.lower().translate(_LETTERS).translate(_DASHES))


def _months(text: str) -> Iterator[str]:
    text = text.translate(_DASHES)
    if found := re.fullmatch(r"(\d{4})[-/. ](\d{1,2})", text):
        yield f"{found[1]}-{int(found[2]):02}"
    elif found := re.fullmatch(r"(\d{1,2})[-/. ](\d{4})", text):
        yield f"{found[2]}-{int(found[1]):02}"
    elif (month := _month_in(text)) and (found := re.fullmatch(r"\D*(\d{4})\D*", text)):
        yield f"{found[1]}-{month:02}"
    yield from (f"{day:%Y-%m}" for day in _days(text))


def _days(text: str) -> list[date]:
    """Return each day that a text may mean: two for 03/01/2026, none if it says no day."""
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text.strip().translate(_DASHES))
    month = _month_in(text)
    if found := re.match(r"(\d{4})(?:[-/. ](\d{1,2})[-/. ](\d{1,2})|(\d\d)(\d\d))(?!\d)", text):
        parts = {(found[1], found[2] or found[4], found[3] or found[5])}
    elif found := re.fullmatch(r"(\d{1,2})[-/. ]+(\d{1,2})[-/. ]+(\d{4})", text):
        parts = {(found[3], found[2], found[1]), (found[3], found[1], found[2])}
    elif found := re.fullmatch(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{2})", text):
        parts = {(f"20{found[3]}", found[2], found[1]), (f"20{found[3]}", found[1], found[2])}
        parts |= {(f"20{found[1]}", found[2], found[3])} if len(found[1]) > 1 else set()
    elif month and (found := re.fullmatch(r"\D*\b(\d{1,2})\D+(\d{4})\D*", text)):
        parts = {(found[2], str(month), found[1])}
    else:
        return []
    days = (day for part in parts if (day := _day_of(*part)) is not None)
    return sorted(days, key=lambda day: (-day.year, day))


def _day_of(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _month_in(text: str) -> int | None:
    """Return the month that a text names."""
    begins = {word[:length] for word in slug_of(text).split("-") for length in (3, 4)}
    found = (number for number, names in enumerate(_MONTHS, 1) if begins & {*names.split()})
    return next(found, None)


def _instants(text: str) -> list[str]:
    """Return the date-times in UTC that a text may mean, at its time if it has one."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        instant = None
    if instant is not None and instant.tzinfo is not None:
        return [format_instant(instant)] if 1 < instant.year < MAXYEAR else []
    clocks = re.finditer(_CLOCK, text, re.IGNORECASE)
    found = next((clock for clock in clocks if clock[2] or clock[4]), None)
    if found is None:
        return [f"{day}{_TIME}" for day in _days(text)]
    hour = int(found[1]) % 12 + 12 * (found[4] in "pP") if found[4] else int(found[1])
    clock = f"T{hour:02}:{found[2] or '00'}:{found[3] or '00'}Z"
    return [f"{day}{clock}" for day in _days(text[: found.start()])]


def _zones(text: str) -> Iterator[str]:
    city = text.replace(" ", "_").casefold()
    same = [zone for zone in available_timezones() if zone.rpartition("/")[2].casefold() == city]
    full_names = [zone for zone in available_timezones() if zone.casefold() == city]
    yield from full_names or sorted(same, key=lambda zone: (zone.startswith("posix"), zone))


def _languages(text: str) -> Iterator[str]:
    codes = {name.casefold(): code for code, name in LANGUAGE_NAMES.items()}
    if text.casefold() in codes:
        yield codes[text.casefold()]
    first, dash, rest = text.replace("_", "-").partition("-")
    yield f"{first.lower()}{dash}{rest}"


def _changes(text: str) -> Iterator[str]:
    pattern = r"(\d{4}[-/.]\d\d[-/.]\d\d)[^a-zA-Z]*(.+)$"
    if found := re.match(pattern, text.translate(_DASHES)):
        for day in _days(found[1]):
            yield f"{day}-{slug_of(found[2])}"


_READINGS: dict[type[ConstrainedStr], Callable[[str], Iterator[str]]] = {
    Url: _urls,
    Email: _emails,
    Slug: _slugs,
    YearMonth: _months,
    DateOrDateTime: lambda text: (
        iter(_instants(text)) if ":" in text else (str(day) for day in _days(text))
    ),
    TimeZone: _zones,
    LanguageCode: _languages,
    ChangeId: _changes,
    Amount: lambda text: iter(re.findall(r"^\D*(\d+(?:\.\d\d)?)\D*$", text)),
    Currency: lambda text: iter([text.upper()]),
}


_LINES = (
    (NOTE, r"# \2"),
    (r"^(?:```|~~~|---).*", ""),
    (r"^[-*]\s+(?=[\w-]+\s*[:=])", ""),
    (r"[,;]+$", ""),
    (r'= *""([^"]+)""$', r'= "\1"'),
    (r"^([\w-]+)\s*(?:=>|->|:=|==+|:)\s*", r"\1 = "),
    (r"^(\[\[.*?)\]*$", r"\1]]"),
    (r"^(\[[^\[].*?|\[)\]*$", r"\1]"),
)
"""What a line may have, and what TOML has instead; all are applied, one after the other."""


def _with_straight_signs(line: str) -> str:
    """Return a line with the signs of TOML, and no blanks inside of its quotes."""
    line = re.sub("[\u00ab\u2039]\\s*|\\s*[\u00bb\u203a]", '"', line)
    return "".join(sign for sign in line.translate(_SIGNS) if sign.isprintable())


def _line_readings(line: str, form: Form | None, example: str) -> Iterator[list[str]]:
    """Yield what a line may have meant, the likeliest first."""
    yield [line]
    for pattern, by in _LINES:
        line = re.sub(pattern, by, line)
        yield [line]
    key, equals, value = (part.strip() for part in line.partition("="))
    if equals and key:
        first, *others = key.split()
        name = first + "".join(word.capitalize() for word in others)
        for readings in _value_readings(value, form, example):
            yield [f"{name} = {reading}" for reading in readings]


def _value_readings(value: str, form: Form | None, example: str) -> Iterator[list[str]]:
    """Yield what the value of a line may have meant."""
    bare = value.strip("\"' ")
    yield [value or example]
    if not value or (form in {date, datetime, bool} and '"' not in value):
        yield choices(form, bare)
        return
    yield choices(form, bare) if '"' not in value else []
    yield [bare] if form is list and bare.startswith("[") else []
    yield [value.lower()]
    parts = re.findall(r""""[^"]*"|'[^']*'|\{[^}]*\}|[^\s,\[\]]+""", value)
    yield [f"[{', '.join(parts)}]" if value[0] == "[" else re.sub(r'"\s+"', " ", value)]
    yield [re.sub(r"^\((.*)\)$", r"[\1]", value)]
    yield [f"{value} }}" if value[0] == "{" else f"{value}]"]
    inner = value[1:-1]
    if value.startswith("'") and value.endswith("'") and '"' not in inner:
        yield [f'"{inner}"']
    if value.startswith('"') and value.endswith('"') and "'" not in inner:
        yield [f"'{inner}'"]
    if not re.search(r"[\"'{]", value):
        words = [word.strip() for word in re.split("[,#]", value.strip("[]# "))]
        is_list = value.startswith("[") or (form is list if form else len(words) > 1)
        items = ", ".join(f'"{word}"' for word in words)
        yield [f"[{items}]" if is_list else f'"{value}"']


def is_toml(line: str) -> bool:
    """Return whether a line is TOML by itself."""
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return True
