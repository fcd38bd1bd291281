"""The days, months and years that a question names, as spans that dates of the content lie in."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from resolvers.embeddings.tokenizer import tokenize

FIRST, LAST = "0000-00-00", "9999-99-99"
"""Ends of a span that is open. Dates are compared as texts, `YYYY-MM-DD`."""
_MONTHS = tokenize(
    "january february march april may june july august september october november december"
)
_MONTH = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)})\b\.?"
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_YEAR = r"(?:19|20)\d\d"
_POINT = (
    rf"(?:{_YEAR}-[01]\d(?:-[0-3]\d)?|(?:[0-3]?\d(?:st|nd|rd|th)?\s+(?:of\s+)?)?{_MONTH},?\s+"
    rf"(?:[0-3]?\d(?:st|nd|rd|th)?,?\s+)?(?:of\s+)?{_YEAR}|{_YEAR}"
    rf"|q[1-4]\s+(?:of\s+)?{_YEAR}|(?:this|last|previous|current|past)\s+(?:year|month))"
)
_TO = r"\s*(?:and|to|until|till|through|-|\u2013)\s*(?:the\s+)?"
_SPAN = re.compile(
    r"(?:\b(?P<not>not|never|no)\s+)?(?:\b(?P<word>before|prior to|earlier than|older than|after"
    r"|later than|newer than|since|from|starting|until|till|up to|by|between|in|of|during|on"
    r"|within|through)\s+)?(?:the\s+)?(?:(?:beginning|start|end)\s+of\s+)?(?:years?\s+)?"
    rf"(?<![\w.-])(?P<one>{_POINT}|{_MONTH}(?={_TO}{_POINT}))(?![\w]|\.\d|-\d)"
    rf"(?:{_TO}(?P<other>{_POINT})(?![\w]|\.\d))?"
    r"(?P<on>\s+(?:on|onwards?|or later|or newer|or after|and later|and after)\b(?!\s+\w)"
    r"|\s+(?:or earlier|or older|or before|and earlier)\b)?",
    re.IGNORECASE,
)
_LAST_YEARS = re.compile(
    r"\b(?:in|over|during|within|of|from|for)?\s*the\s+(?:last|past)\s+"
    r"(?P<count>\d+|one|two|three|four|five|six|ten)?\s*(?P<unit>year|month)s?\b",
    re.IGNORECASE,
)
_BARE_MONTH = re.compile(
    rf"\b(?P<word>in|since|during|before|after|of|until|from)\s+(?:last\s+)?(?P<month>{_MONTH})"
    rf"(?!\s+(?:\d|I|you|we|they|be)\b)",
    re.IGNORECASE,
)
_BEFORE = frozenset({"before", "prior to", "earlier than", "older than"})
_AFTER = frozenset({"after", "later than", "newer than"})
_SINCE = frozenset({"since", "starting"})
_UNTIL = frozenset({"until", "till", "up to", "by", "through"})


@dataclass(frozen=True)
class Span:
    """The days from `first` up to but without `end`, and where the question says so."""

    first: str
    end: str
    said: str
    """The words of the question, such as `before 2021`."""
    start: int
    stop: int
    month: int = 0
    """A month that is meant in any year; 0 if the year is told."""

    def has(self, value: str) -> bool:
        """Return whether a day, month or year lies in the span; a month counts from its first."""
        if self.month:
            return int(value[5:7] or 0) == self.month
        day = (value + "-01-01"[len(value) - 4 :])[: len(LAST)]
        return self.first <= day < self.end


def spans_in(text: str, today: date) -> Iterator[Span]:
    """Yield the spans that a question names."""
    relative = list(_LAST_YEARS.finditer(text))
    for match in relative:
        count = match["count"] or "1"
        months = int(_NUMBERS.get(count.lower(), 0) or count)
        months *= 12 if match["unit"].lower() == "year" else 1
        place = today.year * 12 + today.month - 1 - months
        first = f"{place // 12:04}-{place % 12 + 1:02}-{min(today.day, 28):02}"
        yield Span(first, LAST, match[0].strip(), match.start(), match.end())
    found = [m for m in _SPAN.finditer(text) if not _overlaps(m, relative)]
    for match in found:
        yield _span(match, today)
    for match in _BARE_MONTH.finditer(text):
        if not _overlaps(match, found):
            yield _of_month(match, today)


def _overlaps(match: re.Match[str], others: list[re.Match[str]]) -> bool:
    return any(match.start() < other.end() and other.start() < match.end() for other in others)


def _span(match: re.Match[str], today: date) -> Span:
    year = re.search(_YEAR, match["other"] or "")
    is_bare = year is not None and not re.search(_YEAR, match["one"])
    first, end = _point(f"{match['one']} {year[0]}" if is_bare and year else match["one"], today)
    if match["other"]:
        end = max(end, _point(match["other"], today)[1])
    word, on = (match["word"] or "").lower(), (match["on"] or "").lower()
    if match["not"] and word in _BEFORE:  # "not before 2020" is since 2020
        word = "since"
    elif match["not"] and word in _AFTER:
        word = "until"
    if not match["other"]:
        if word in _BEFORE:
            first, end = FIRST, first
        elif word in _AFTER:
            first, end = end, LAST
        elif word in _SINCE or (on and not on.split()[-1].startswith(("earl", "old", "bef"))):
            end = LAST
        elif word in _UNTIL or on:
            first = FIRST
    return Span(first, end, " ".join(match[0].split()), match.start(), match.end())


def _point(text: str, today: date) -> tuple[str, str]:
    """Return the first day of a day, month or year, and the first after it."""
    plain = text.lower()
    year = re.search(_YEAR, plain)
    if year is None:
        if "month" in plain:
            place = today.year * 12 + today.month - 1 - (not plain.startswith(("this", "cur")))
            return _month(place // 12, place % 12 + 1)
        number = today.year - (not plain.startswith(("this", "cur")))
        return f"{number:04}-01-01", f"{number + 1:04}-01-01"
    if plain.startswith("q"):
        last = 3 * int(plain[1])
        return _month(int(year[0]), last - 2)[0], _month(int(year[0]), last)[1]
    iso = re.fullmatch(r"(\d{4})-(\d\d)(?:-(\d\d))?", plain)
    if iso:
        number, month, day = int(iso[1]), int(iso[2]), int(iso[3] or 0)
    else:
        number = int(year[0])
        name = re.search(_MONTH, plain)
        month = _month_number(name[0]) if name else 0
        days = re.search(r"(?<!\d)([0-3]?\d)(?:st|nd|rd|th)?(?!\d)", plain)
        day = int(days[1]) if days and month else 0
    if not 1 <= month <= len(_MONTHS):
        return f"{number:04}-01-01", f"{number + 1:04}-01-01"
    if 1 <= day <= monthrange(number, month)[1]:
        after = date.fromordinal(date(number, month, day).toordinal() + 1)
        return f"{number:04}-{month:02}-{day:02}", after.isoformat()
    return _month(number, month)


def _month(year: int, month: int) -> tuple[str, str]:
    after = (year + month // 12, month % 12 + 1)
    return f"{year:04}-{month:02}-01", f"{after[0]:04}-{after[1]:02}-01"


def _month_number(name: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _of_month(match: re.Match[str], today: date) -> Span:
    """Return the span of a month without a year: any such month, or from the last one on."""
    month = _month_number(match["month"].lower())
    first, end = _month(today.year - (month > today.month), month)
    word = match["word"].lower()
    said = (" ".join(match[0].split()), match.start(), match.end())
    if word in _SINCE or word == "from":
        return Span(first, LAST, *said)
    if word in _BEFORE or word in _UNTIL:
        return Span(FIRST, first if word in _BEFORE else end, *said)
    return Span(end, LAST, *said) if word in _AFTER else Span(first, end, *said, month=month)
