"""What an owner may have meant: a value or a line that is right, made of one that is not."""

import re
import tomllib
from collections.abc import Callable, Iterator
from datetime import date, datetime
from zoneinfo import available_timezones

from pydantic_core import PydanticCustomError

from schema.language_names import LANGUAGE_NAMES
from sdl.declare import slug_of
from sdl.scalar_types import (
    ChangeId,
    ConstrainedStr,
    Email,
    LanguageCode,
    Slug,
    TimeZone,
    Url,
    YearMonth,
)

MAX_SHOWN = 60
_TIME = "T09:30:00Z"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d"})
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb\u2018\u2019\u201a", '"'))


def shown(value: object) -> str:
    """Return what an owner wrote, as it stands in a TOML file, cut where it is long."""
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = text.replace("\n", "\\n").replace("\t", "\\t")
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def shown_line(line: str) -> str:
    """Return a line of a file, cut where it is long; what cannot be seen is written as its code."""
    text = "".join(mark if mark.isprintable() else f"\\u{ord(mark):04x}" for mark in line)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def corrected(kind: type[ConstrainedStr], text: str) -> str | None:
    """Return the first reading of a text that keeps the rule of its type; None if none does."""
    for reading in (text, *_READINGS.get(kind, _no_reading)(text.strip())):
        try:
            return kind.check(reading)
        except PydanticCustomError:
            continue
    return None


def advice(kind: type[ConstrainedStr]) -> str | None:
    """Return what to do where no reading is right."""
    if kind is Url:
        return 'write the address of a page on the web, as "https://studio.example/a"'
    if kind is YearMonth:
        return 'write the year and a month from 01 to 12, as "2021-04"'
    if kind is LanguageCode:
        return 'write its code: "en" is English, "de" German, "es" Spanish, "pt" Portuguese'
    if kind is TimeZone:
        return (
            'write the zone of the nearest large city, as "Europe/Lisbon"; `timedatectl'
            " list-timezones` prints all"
        )
    return None


def corrected_line(line: str) -> str | None:
    """Return the first reading of a line that is TOML; None if none is."""
    if _is_toml(line):
        return None
    for reading in _line_readings(line.strip()):
        if reading != line.strip() and _is_toml(reading):
            return re.sub(r"^(publishedAt = \d{4}-\d\d-\d\d)$", rf"\1{_TIME}", reading)
    return None


def _no_reading(_: str) -> Iterator[str]:
    return iter(())


def _urls(text: str) -> Iterator[str]:
    link = re.search(r"\]\(([^)\s]+)\)", text)
    bare = (link[1] if link else text).strip("<>")
    bare = re.sub(r"^(https?):/*", r"\1://", re.sub(r"\s+", "", bare))
    yield bare
    yield bare.lower()
    if re.match(r"[\w-]+\.[\w.-]+(?:[:/?#]|$)", bare):
        yield f"https://{bare}"
    yield re.sub(r"^(https?://[^/?#]*):\d+", r"\1", bare)


def _emails(text: str) -> Iterator[str]:
    named = re.search(r"<([^<>]+)>", text)
    bare = (named[1] if named else text).removeprefix("mailto:")
    bare = re.sub(r"\s*(?:\(at\)|\[at\]|\sat\s|@+)\s*", "@", bare)
    yield re.split(r"[,;\s]+", bare)[0].rstrip(".")


def _slugs(text: str) -> Iterator[str]:
    yield slug_of(text.lower().translate(_LETTERS))


def _months(text: str) -> Iterator[str]:
    if found := re.match(r"(\d{4})[-/.](\d{1,2})", text):
        yield f"{found[1]}-{int(found[2]):02}"
    elif found := re.match(r"(?:\d{1,2}[-/.])?(\d{1,2})[-/.](\d{4})$", text):
        yield f"{found[2]}-{int(found[1]):02}"
    elif found := re.match(r"([A-Za-z]{3})[a-z]*\.? (\d{4})$", text):
        month = found[1].lower()
        yield from [f"{found[2]}-{_MONTHS.index(month) + 1:02}"] if month in _MONTHS else []


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
    found = re.match(r"(\d{4})[-/.](\d{2})[-/.](\d{2})[^a-zA-Z]*(.+)$", text)
    if found:
        yield f"{found[1]}-{found[2]}-{found[3]}-{slug_of(found[4])}"


_READINGS: dict[type[ConstrainedStr], Callable[[str], Iterator[str]]] = {
    Url: _urls,
    Email: _emails,
    Slug: _slugs,
    YearMonth: _months,
    TimeZone: _zones,
    LanguageCode: _languages,
    ChangeId: _changes,
}


def moment_like(value: object, *, is_date: bool) -> str | None:
    """Return a date, or a date-time with its offset, of the day and time that an owner wrote."""
    if is_date:
        return f"{value:%Y-%m-%d}" if isinstance(value, date) else None
    if isinstance(value, datetime):
        moment = value.replace(tzinfo=None).isoformat(timespec="seconds")
        return f"{moment}Z, where Z is UTC"
    return f"{value.isoformat()}{_TIME}, with its time" if isinstance(value, date) else None


def _line_readings(line: str) -> Iterator[str]:
    """Yield what a line may have meant, the likeliest first."""
    yield re.sub(r"^//+\s*", "# ", line)
    yield line.translate(_QUOTES)
    yield line.rstrip(",;")
    yield re.sub(r"^([\w-]+)\s*:\s*", r"\1 = ", line).rstrip(",;")
    yield f"{line}]" if not line.startswith("[[") else f"{line.rstrip(']')}]]"
    key, equals, value = (part.strip() for part in line.partition("="))
    if equals:
        first, *others = key.split()
        name = first + "".join(word.capitalize() for word in others)
        yield from (f"{name} = {reading}" for reading in _value_readings(value))


def _value_readings(value: str) -> Iterator[str]:
    """Yield what the value of a line may have meant."""
    yield value or '"…"'
    yield value.lower()
    yield re.sub(r"(\d{2})[./](\d{2})[./](\d{4})", r"\3-\2-\1", value)
    yield re.sub(r"(\d{4})[./](\d{2})[./](\d{2})", r"\1-\2-\3", value)
    yield re.sub(r"^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)$", r"\1T\2:00Z", value)
    yield re.sub(
        r"^(\d{4}-\d\d-\d\d)[T ]+(\d\d?)(?::(\d\d))? ?([ap])m$", _hour, value, flags=re.IGNORECASE
    )
    yield re.sub(r'"\s+"', '", "' if value.startswith("[") else " ", value)
    yield re.sub(r"^\((.*)\)$", r"[\1]", value)
    inner = value[1:-1]
    if value.startswith("'") and value.endswith("'") and '"' not in inner:
        yield f'"{inner}"'
    if value.startswith('"') and value.endswith('"') and "'" not in inner:
        yield f"'{inner}'"
    if not re.search(r"[\"'{]|^\d{4}-", value):
        words = [word.strip() for word in value.strip("[]").split(",")]
        items = ", ".join(f'"{word}"' for word in words)
        yield f"[{items}]" if value.startswith("[") or len(words) > 1 else items


def _hour(found: re.Match[str]) -> str:
    """Return a date-time of a day with an hour before or after noon."""
    hour = int(found[2]) % 12 + (12 if found[4] in "pP" else 0)
    return f"{found[1]}T{hour:02}:{found[3] or '00'}:00Z"


def _is_toml(line: str) -> bool:
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return False
    return True
