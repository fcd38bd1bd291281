"""Finds values in the text of a goal: addresses, dates, numbers, quotations and labelled texts.

Each function returns the value, or `None` if the goal does not contain it.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from sdl.types.scalar_types import format_instant

QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|«([^»]+)»|(?<!\w)'([^']+)'(?!\w)")
EMAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,63}")
URL = re.compile(r"https://[^\s<>\"'“”«»]*[^\s<>\"'“”«».,;:!?)]")
_QUESTION = (
    r"(?:how|why|what|when|who|whom|whose|where|which|whether|if|is|are|was|does|do|did|can)"
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)
_MONTH = "|".join(rf"{name[:3]}(?:{name[3:]})?" for name in _MONTHS)
_DATE = re.compile(
    r"(?<![\w-])(?:(?P<iso>\d{4}-\d\d-\d\d"
    r"(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?)|(?P<short>\d{4}-\d\d)"
    rf"|(?i:(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?(?P<month>{_MONTH})\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?)?,? (?P<year>\d{4})))(?![\w-])"
)
_END = re.compile(
    r"(?i)(?:\b(?:until|till|before|(?:older|earlier) than|up to|prior to|through|to|not after)"
    r"|\bbetween [^.;?]{1,40} and)(?: the)?(?: end of)?\W*$"
)
"""The words before a date that ends a time."""
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = re.compile(r"(?<![\w./-])\d{1,9}(?![\w/-]|[.,]\d)")
_RESULTS = r"(?:results?|hits?|matches|entries|items?|passages?|recommendations?|answers)"
_LIMIT = re.compile(
    r"(?i)[\s,;]*(?:\band (?:give|show|return)(?: me)? )?(?:\bthe )?(?:\b(?:(?P<newest>latest"
    r"|newest|most recent|last)|top|first|best|at most|no more than|up to|max|limit(?:ed)?)\W{1,2}"
    rf"(?:to )?(?P<after>\d{{1,3}})(?! (?:day|week|month|year))"
    rf"(?P<end>\s+{_RESULTS}|\W*$|(?=[,;]))?"
    rf"|(?<!had )(?<!has )(?<!of )\b(?P<before>\d{{1,3}}) {_RESULTS}(?: at most)?\b)"
)
_PHRASE = re.compile(
    r"(?is)\b(?:(?:search\w*|grep|find|look(?:ing)?(?: up)?|passages?|entries|texts?|everything"
    r"|anything)\b.{0,60}?\b(?:for|about|on|regarding|concerning|mention(?:s|ing)?|related to)"
    r"|search|grep|find|look up):?\s+(.+)$"
)
_NAME = (
    r"[^\W\d_a-zß-ÿ][\w'\u2019-]*(?:\s(?:(?i:de|den|der|da|dos|du|di|la|van|von|bin|al)\s){0,2}"
    r"[^\W\d_a-zß-ÿ][\w'\u2019-]*){0,3}"
)
_SENDERS = (
    re.compile(rf"\b(?i:my name is|signed(?: by)?|sender|regards|name)[\s,:]+({_NAME})"),
    re.compile(
        rf"(?:\b(?i:from|I am|I'm)\s+|[.;,:”\"']\s*|^)({_NAME})"
        rf"[,;]?\s*(?:\(|<|at\s)?\s*{EMAIL.pattern}"
    ),
)


def quoted_parts(goal: str) -> list[str]:
    """Return every text in quotation marks."""
    return [next(text for text in match if text).strip() for match in QUOTED.findall(goal)]


def is_question(goal: str) -> bool:
    """Return whether a goal asks for an answer."""
    return goal.rstrip().endswith("?") or re.match(rf"(?i)\W*{_QUESTION}\b", goal) is not None


def with_digits(text: str) -> str:
    """Return a text with its numbers from two to ten in digits."""
    pattern = rf"(?i)\b(?:{'|'.join(_WORDS)})\b"
    return re.sub(pattern, lambda match: str(_WORDS.index(match[0].lower()) + 2), text)


def spaced(name: str) -> str:
    """Return a pattern for a camel-case name in any spelling."""
    return r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))


def first(pattern: re.Pattern[str], goal: str) -> str | None:
    """Return the group of the first match, or all of the match if it has none."""
    match = pattern.search(goal)
    return match[match.lastindex or 0] if match else None


def dates(goal: str) -> Iterator[re.Match[str]]:
    """Yield each date that does not end a time."""
    for match in _DATE.finditer(goal):
        if not _END.search(goal[: match.start()]):
            yield match


def find_instant(goal: str) -> str | None:
    """Return the first date or instant in UTC; a date or a month stands for its first second.

    Read are ISO 8601, `3 May 2026`, `May 3, 2026` and `May 2026`. One that ends a time, as in
    "until May 2026", does not count.
    """
    return next((instant for match in dates(goal) if (instant := _instant(match))), None)


def _instant(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    text = (parts["iso"] or f"{parts['short']}-01").upper().replace(" ", "T")
    if parts["month"]:
        short = parts["month"][:3].lower()
        month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(short))
        text = f"{parts['year']}-{month:02}-{int(parts['day'] or parts['after'] or 1):02}"
    try:
        moment = datetime.fromisoformat(text)
        return format_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def find_number(goal: str, name: str, *, alone: bool) -> int | None:
    """Return the number after its name, or, with `alone`, the only number in the goal."""
    goal = with_digits(goal)
    if match := re.search(rf"(?i)\b{spaced(name)}\W{{0,3}}(\d{{1,9}})(?!\w)", goal):
        return int(match[1])
    numbers = _NUMBER.findall(goal) if alone else []
    return int(numbers[0]) if len(numbers) == 1 else None


def find_limit(goal: str, *, is_search: bool, is_newest_first: bool) -> int | None:
    """Return how many results are asked for: "at most 5", "top 3", "two hits", "the latest 3".

    The newest are the first of a list only if it says so. In a search, "the top 10 mistakes" is
    part of the query.
    """
    match = _LIMIT.search(with_digits(goal))
    if match is None or (match["newest"] and not is_newest_first):
        return None
    is_query = is_search and match["before"] is None and match["end"] is None
    return None if is_query else int(match["after"] or match["before"])


def find_flag(goal: str, name: str) -> bool | None:
    """Return `True` if the flag is named."""
    return True if re.search(rf"(?i)(?<!\w){spaced(name)}(?!\w)", goal) else None


def labelled_value(goal: str, name: str) -> str | None:
    """Return the text after `name:` up to the next label, or quoted after the name."""
    end = r"\s*(?:[;\n]|,\s*\w+\s*[:=]|$)"
    match = re.search(rf"(?i)(?<![\w-]){name}\s*[:=]\s*(.+?)(?={end})", goal)
    match = match or re.search(rf"(?i)(?<![\w-]){name}\s+({QUOTED.pattern})", goal)
    texts = quoted_parts(match[1]) if match else []
    return texts[0] if texts else match[1].strip() if match else None


def search_phrase(goal: str) -> str:
    """Return what to search: the quotation, the text after `search for` and the like, or all."""
    if texts := quoted_parts(goal):
        return texts[0]
    is_cut = find_limit(goal, is_search=True, is_newest_first=True) is not None
    text = _LIMIT.sub(" ", with_digits(goal)).rstrip(" .,;") if is_cut else goal
    text = first(_PHRASE, text) or text
    inner = _PHRASE.match(text)  # "passages about tides" of "look for passages about tides"
    return (inner[1] if inner else text).strip(" \t\n.?!,;:") or goal


def find_sender(goal: str) -> str | None:
    """Return the name beside the e-mail address, or after "my name is", "signed" or "from"."""
    return next((name for pattern in _SENDERS if (name := first(pattern, goal))), None)
