"""Finds the dates in the text of a goal; a relative date is none."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from sdl.scalar_types import format_instant

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_DATE = re.compile(
    r"(?<![\w-])(?P<iso>\d{4}-\d{2}-\d{2}"
    r"(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2})?)?)(?![\w-])"
    r"|(?i:(?<![\w-])(?:(?P<day>\d{1,2})(?:st|nd|rd|th)? (?:of )?)?(?P<month>jan(?:uary)?"
    r"|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?(?=,? \d{4}))?,? (?P<year>\d{4})(?![\w-]))"
    r"|(?<![\w-])(?P<year_month>\d{4}-\d{2})(?![\w-])"
)
_END = re.compile(
    r"(?i)\b(?:until|till|before|(?:older|earlier) than|up to|prior to|through|to|not after"
    r"|(?<=between )[^.;?]{1,40} and)(?: the)?(?: end of)?\W*$"
)
"""The words before a date that ends a time."""


def find_instant(goal: str) -> str | None:
    """Return the first date or instant in UTC; a date or a month stands for its first second.

    Read are ISO 8601, `3 May 2026`, `May 3, 2026` and `May 2026`, but no relative date. One that
    ends a time, as in "until May 2026", or whose year is out of range in UTC, does not count.
    """
    starts = [match for match, is_end in _dates(goal) if not is_end]
    return _instant(starts[0]) if starts else None


def ends_a_time(goal: str) -> bool:
    """Return whether a goal asks for what was before a date."""
    return any(is_end for _, is_end in _dates(goal))


def _dates(goal: str) -> Iterator[tuple[re.Match[str], bool]]:
    """Yield each date, and whether it ends a time."""
    for match in _DATE.finditer(goal):
        yield match, _END.search(goal[: match.start()]) is not None


def _instant(match: re.Match[str]) -> str | None:
    if match["iso"]:
        text = match["iso"].upper().replace(" ", "T")
    elif match["month"]:
        month = _MONTHS.index(match["month"][:3].lower()) // 4 + 1
        text = f"{match['year']}-{month:02}-{int(match['day'] or match['after'] or 1):02}"
    else:
        text = f"{match['year_month']}-01"
    try:
        moment = datetime.fromisoformat(text)
        return format_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None
