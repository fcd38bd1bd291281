"""The order that a question asks for: newest, oldest, the second oldest, the latest three."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resolvers.facts.columns import Column, Item

_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_ORDINALS = {"second": 2, "2nd": 2, "next": 2, "third": 3, "3rd": 3, "fourth": 4}
_COUNT = rf"\d\d?|{'|'.join(_NUMBERS)}"
_NTH = "|".join(_ORDINALS)
_BEFORE = rf"(?:\b(?P<count>{_COUNT})\s+|\b(?P<nth>{_NTH})[ -](?:most\s+)?)?\b"
_BEHIND = rf"\b(?:\s+(?P<more>{_COUNT})\b(?!\s+(?:years?|months?|weeks?|days?)\b))?"
_BEGUN = r"(?:beg[au]n|started|launched|issued|published|came|made|built|earned|added)\s+"
_NEWEST = re.compile(
    rf"{_BEFORE}(?:new(?:est|er(?! than))|latest|most recent(?:ly)?|recent|young(?:est|er(?! than))"
    rf"|last(?=\s+(?:{_COUNT})\s+(?!years?|months?|weeks?|days?))|{_BEGUN}(?:last|later)"
    r"|the last(?=\s+(?!years?|months?|weeks?|days?|time|few|word|minute|step|hour|of|\d)\w))"
    rf"{_BEHIND}",
    re.IGNORECASE,
)
_OLDEST = re.compile(
    rf"{_BEFORE}(?:old(?:est|er(?! than))|earliest|first|longest[ -](?:running|standing|serving)"
    r"|(?:running|standing|serving|going) (?:the )?longest"
    rf"|{_BEGUN}earlier){_BEHIND}",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"\b(?:(?P<old>oldest|earliest)|newest|latest)(?:\s+\w+)?\s+(?:to|first)\b"
    r"|\bchronological\b"
    r"|\b(?:sorted|ordered|in order|in the order)\b.*\b(?:date|age|year|time|start)",
    re.IGNORECASE,
)
_BY_DATE = re.compile(r"\bby (?:start|starting|beginning|date|age|year)\b", re.IGNORECASE)
_MANY = re.compile(
    rf"\b(?:which|your|the|their|name|list|show|what)\s+(?P<count>{_COUNT})\s", re.IGNORECASE
)
_EVENT = re.compile(
    r"\b(\w+(?:ed|n|t))\s+(?:the\s+)?(?:most recently|last|first|earliest|earlier|later)\b",
    re.IGNORECASE,
)
MAX_RANKED = 12


@dataclass(frozen=True)
class Order:
    """One end of a list by date, and how many items of it are asked for."""

    word: str
    is_newest: bool
    count: int = 1
    nth: int = 1


def orders_in(text: str) -> list[Order]:
    """Return the orders that a question asks for."""
    if match := _SORTED.search(text):
        is_newest = re.match(r"newest|latest", match[0], re.IGNORECASE) is not None
        return [Order("From the newest" if is_newest else "From the oldest", is_newest, MAX_RANKED)]
    found = [(_NEWEST.search(text), "Newest"), (_OLDEST.search(text), "Oldest")]
    orders = [
        _order(match, word, text)
        for match, word in found
        if match is not None and match[0].lower() != "recent"
    ]
    if not orders and _BY_DATE.search(text):
        return [Order("From the oldest", is_newest=False, count=MAX_RANKED)]
    return orders


def _order(match: re.Match[str], word: str, text: str) -> Order:
    many = _MANY.search(text)
    count = match["count"] or match["more"] or (many["count"] if many is not None else "1")
    number = _NUMBERS.get(count.lower(), 0) or int(count)
    return Order(word, word == "Newest", number, _ORDINALS.get((match["nth"] or "").lower(), 1))


def event_of(text: str) -> str:
    """Return the word for what happened first or last, as `finished`; empty if there is none."""
    match = _EVENT.search(text)
    return match[1].lower() if match is not None else ""


def ranked(items: Sequence[Item], key: str, column: Column, orders: Sequence[Order]) -> str:
    """Return the names of the items at the ends that are asked for, with their dates."""
    dated = [(str(values[0]), item) for item in items if (values := column.values(item))]
    ordered = sorted(dated, key=lambda pair: pair[0])
    parts = (_part(ordered, key, order) for order in orders)
    text = "; ".join(part for part in parts if part)
    return f"{text}." if text else ""


def _part(ordered: Sequence[tuple[str, Item]], key: str, order: Order) -> str:
    picked = [*reversed(ordered)] if order.is_newest else [*ordered]
    picked = picked[order.nth - 1 :][: order.count]
    names = "; ".join(f"{item[key]} ({day})" for day, item in picked)
    nth = {2: "Second ", 3: "Third ", 4: "Fourth "}.get(order.nth, "")
    word = f"{nth}{order.word.lower()}" if nth else order.word
    return f"{word}: {names}" if names else ""


def dates_of(columns: Sequence[Column], asked: set[str]) -> Iterator[Column]:
    """Yield the dates of the items, first the one that the words of a question are about."""
    own = [column for column in columns if column.is_date and not column.is_far]
    asked = asked - {"last", "new", "old"}
    yield from sorted(own, key=lambda c: -len(asked & c.words) - len(asked & c.names))
