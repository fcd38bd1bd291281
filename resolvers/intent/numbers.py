"""Finds numbers in the text of a goal, and how many results it asks for."""

import re

_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_VALUES = {word: number for number, word in enumerate(_WORDS, 2)} | {"thirty": 30, "fifty": 50}
"""Numbers in words; "one" is left out, because it seldom counts."""
_ANY = rf"(?:\d{{1,9}}|{'|'.join(_VALUES)})"
_WORD = re.compile(rf"(?i)(?<![\w-])(?:{'|'.join(_VALUES)})(?![\w-])")
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,9}(?![\w-]|[.,]\d)")
_RESULTS = (
    r"(?:results?|hits?|match(?:es)?|entries|entry|items?|passages?|recommendations?|answers)"
)
_ONE = r"one(?= (?:hit|result|match))"
_AT_MOST = (
    r"(?:at most|(?:no|not) more than|up to|max(?:imum)?(?: of)?|limit(?:ed)?(?: (?:it )?to| of"
    r"| is)?)\W{1,3}"
)
_BEST = r"(?:top|first|best|nearest|closest)"
_NEWEST = r"(?:latest|newest|most recent|recent|last)"
_END = r"(?=\W*$|\W*(?:[,.;]|\b(?:and|for|about|on|regarding|that|with)\b))"
_COUNT = (
    rf"(?:{_AT_MOST}(?P<most>{_ANY})(?:\s+{_RESULTS})?{_END}"
    rf"|{_BEST} (?P<best>{_ANY})(?:\s+{_RESULTS})?{_END}"
    rf"|(?<![\w.,-])(?<!had )(?<!has )(?<!of )(?P<results>{_ANY}|{_ONE})"
    rf" (?:{_BEST} )?{_RESULTS}"
    r"(?: (?:at most|max(?:imum)?|or (?:fewer|less)))?(?!\w))"
)
_LIMIT = re.compile(rf"(?i)(?<!\w){_COUNT}")
_TAIL = re.compile(
    r"(?i)[\s,;]*(?:\b(?:and|with|but)\b\s*)?(?:\b(?:return|show|give|list|get|send)(?: me| us)?\b"
    rf"\s*)?(?:\b(?:only|just|the|please)\b\s*)*(?<!\w){_COUNT}(?: (?:please|only))?\W*$"
)
_ITEMS = re.compile(
    rf"(?i)(?<!\w)(?:(?P<new>{_NEWEST})|{_BEST}) (?P<after>{_ANY})(?!\w|[.,]\d)"
    rf"|(?<![\w.,-])(?P<before>{_ANY}) (?:(?P<newer>{_NEWEST})|{_BEST})(?!\w)"
    rf"|(?<!\w)(?P<single>{_NEWEST}|first) (?:\w+ )?(?:entry|item|announcement|addition)(?!\w)"
)


def with_digits(text: str) -> str:
    """Return a text with its numbers from two to twenty, thirty and fifty in digits."""
    return _WORD.sub(lambda match: str(_VALUES[match[0].lower()]), text)


def find_number(goal: str, name: str, *, alone: bool) -> int | None:
    """Return the number after its name, or, with `alone`, the only number in the goal."""
    goal, words = with_digits(goal), r"[\s_-]?".join(re.findall(r"[A-Z]?[a-z0-9]+", name))
    if match := re.search(rf"(?i)(?<!\w){words}\W{{0,3}}(\d{{1,9}})(?!\w)", goal):
        return int(match[1])
    numbers = _NUMBER.findall(goal) if alone else []
    return int(numbers[0]) if len(numbers) == 1 else None


def find_limit(goal: str) -> int | None:
    """Return how many results of a search are asked for: "at most 5", "top 3", "two hits"."""
    match = _LIMIT.search(goal)
    return _value(match["most"] or match["best"] or match["results"]) if match else None


def without_limit(text: str) -> str:
    """Remove from the end of a text how many results are asked for."""
    return _TAIL.sub("", text)


def find_first_items(goal: str, *, is_newest_first: bool) -> int | None:
    """Return how many items from the start of a list are asked for.

    The newest are the first of a list only if it says so.
    """
    match = _ITEMS.search(goal)
    if match is None:
        return find_limit(goal)
    single = match["single"]
    is_newest = match["new"] or match["newer"] or (single and single.lower() != "first")
    if is_newest and not is_newest_first:
        return None
    return 1 if single else _value(match["after"] or match["before"])


def is_cut(goal: str) -> bool:
    """Return whether a goal asks for a part of a list, by number."""
    return _ITEMS.search(goal) is not None


def _value(number: str) -> int:
    return 1 if number.lower() == "one" else int(_VALUES.get(number.lower(), number))
