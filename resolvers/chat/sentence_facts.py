"""The facts in an English sentence that can be looked up: numbers, names, addresses, negations.

They are found by rules and word lists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from resolvers.embeddings.tokenizer import STOP_WORDS, terms, tokenize

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = {
    **{word: value for value, word in enumerate(_SMALL)},
    **{word: 10 * (index + 2) for index, word in enumerate(_TENS)},
    "dozen": 12,
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}

_NUMBER = re.compile(
    r"(?<![\w.])v?(?P<digits>[0-9]+(?:[.,:][0-9]+)*)(?![0-9]|[A-Za-z]*[0-9])"
    r"|\b(?P<words>(?:WORDS)(?:[ -](?:and )?(?:WORDS|SCALES))*)\b".replace(
        "WORDS", "|".join(_VALUES)
    ).replace("SCALES", "|".join(_SCALES)),
    re.IGNORECASE,
)
_SCALE = re.compile(rf"[\s-]*({'|'.join(_SCALES)})\b", re.IGNORECASE)
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_ADDRESS = re.compile(
    r"(?:https?://|mailto:|www\.)[^\s<>\"')\]]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w/])/[a-z.][\w.{}-]*(?:/[\w.{}-]+)*"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b(?:/[^\s<>\"')\]]*)?"
)
_CAPITALISED = re.compile(r"(?<![\w/@.-])[A-Z][\w'\u2019-]*")
_OPENS = re.compile(r"(?:^|[.!?:\u2026]|[\"\u201c(\[])\s*$")
_CLAUSE = re.compile(
    r"[,:](?![0-9])|[;()\u2013\u2014?]|\s-\s|\b(?:and|but|while|whereas|because|so|which|who|unless"
    r"|until|although|though|when|where|if|since|as)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:no (?:more|less|fewer|later|longer|sooner) than|not only|not just|not least|no matter"
    r"|nothing but|no doubt|without delay|not merely)\b",
    re.IGNORECASE,
)
"""Phrases that have the form of a negation and are none."""
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|\w+n[\u2019']t)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:refus(?:e[sd]?|ing|als?)|declin(?:e[sd]?|ing)|exclud(?:e[sd]?|ing)|forbid(?:s|den)?"
    r"|lack(?:s|ed)?|avoid(?:s|ed)?|prohibit(?:s|ed)?|impossible|unable|reject(?:s|ed)?|absent"
    r"|without|fail(?:s|ed)?|left out|instead of|rather than|read-only|only|few|rare|beyond|hardly"
    r"|yet)\b",
    re.IGNORECASE,
)
"""Words that may negate or not; they contradict neither."""
_UNITS = {
    **dict.fromkeys(("second", "seconds", "sec", "s"), "second"),
    **dict.fromkeys(("minute", "minutes", "min"), "minute"),
    **dict.fromkeys(("hour", "hours", "h"), "hour"),
    **dict.fromkeys(("day", "days"), "day"),
    **dict.fromkeys(("week", "weeks"), "week"),
    **dict.fromkeys(("month", "months"), "month"),
    **dict.fromkeys(("year", "years"), "year"),
    **dict.fromkeys(("%", "percent", "per cent"), "percent"),
    **dict.fromkeys(("mm", "millimetre", "millimetres"), "millimetre"),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeters"), "centimetre"),
    **dict.fromkeys(("m", "metre", "metres", "meters"), "metre"),
    **dict.fromkeys(("km", "kilometres", "kilometers"), "kilometre"),
    **dict.fromkeys(("byte", "bytes"), "byte"),
    **dict.fromkeys(("bit", "bits"), "bit"),
    **dict.fromkeys(("euro", "euros", "\u20ac"), "euro"),
    **dict.fromkeys(("dollar", "dollars", "$"), "dollar"),
}
_UNIT = re.compile(
    rf"[\s-]*({'|'.join(sorted(map(re.escape, _UNITS), key=len, reverse=True))})(?![\w])",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[A-Z][\w ]{0,30}: [^;]+;.*", re.DOTALL)

Negation = Literal["denies", "may", "asserts"]


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that can be true or false by itself."""

    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    denial: Negation


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers in one spelling: `twelve` is `12`, `1.5 million` is `1500000`.

    The word `one` counts as a number only before a unit; elsewhere it is mostly a pronoun.
    """
    return frozenset(figure for figure, _ in _numbers(text))


def subjects_of(text: str) -> frozenset[str]:
    """Return the stems of the content words, without numbers."""
    words = terms(_NUMBER.sub(" ", text))
    return frozenset(word for word in words if not word[0].isdigit())


def addresses_in(text: str) -> frozenset[str]:
    """Return the URLs, paths, hosts and mail addresses, without punctuation at the end."""
    return frozenset(match.group().rstrip(".,;:!?*_/").lower() for match in _ADDRESS.finditer(text))


def names_in(text: str) -> frozenset[str]:
    """Return the capitalised words that do not begin a sentence, in lower case."""
    bare = _ADDRESS.sub(lambda match: "x" * len(match.group()), text)
    return frozenset(
        word
        for match in _CAPITALISED.finditer(bare)
        if not _OPENS.search(bare[: match.start()])
        for word in tokenize(match.group())[:1]
        if word not in STOP_WORDS
    )


def measures_in(text: str) -> frozenset[tuple[str, str]]:
    """Return the numbers with a unit: `9 cm` is `("9", "centimetre")`."""
    return frozenset((figure, unit) for figure, unit in _numbers(text) if unit)


def find_negation(text: str) -> Negation:
    """Return whether the text denies, may deny or asserts something."""
    bare = _BOUND.sub(" ", text)
    if _DENIAL.search(bare):
        return "denies"
    return "may" if _REFUSAL.search(bare) else "asserts"


def is_list(sentence: str) -> bool:
    """Return whether a sentence is only a label and a list, such as `Tags: ledgers; futures`."""
    return bool(_LISTED.fullmatch(sentence))


def clauses_of(sentence: str) -> list[Clause]:
    """Split a sentence at commas and conjunctions."""
    parts = _CLAUSE.split(_BOUND.sub(" at ", sentence))
    return [clause for part in parts if (clause := clause_of(part)).words]


def clause_of(text: str) -> Clause:
    """Return the text as one clause; its first word counts as a name if it is capitalised."""
    return Clause(subjects_of(text), numbers_in(text), names_in(f"a {text}"), find_negation(text))


def _numbers(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number and its unit, or an empty text if none follows."""
    for match in _NUMBER.finditer(text):
        end = match.end()
        if match["words"]:
            figure = _value(match["words"].lower())
        else:
            scale = _SCALE.match(text, end)
            end = scale.end() if scale else end
            figure = _figure(match["digits"], _SCALES[scale[1].lower()] if scale else 1)
        unit = _UNIT.match(text, end)
        if unit or match.group().lower() != "one":
            yield figure, _UNITS[unit[1].lower()] if unit else ""


def _figure(digits: str, scale: int) -> str:
    plain = digits.replace(",", "") if _GROUPED.fullmatch(digits) else digits
    if plain.count(".") > 1 or ":" in plain or "," in plain:  # a version, a time, a list
        return ":".join(part.lstrip("0") or "0" for part in plain.split(":"))
    return f"{(Decimal(plain) * scale).normalize():f}"


def _value(words: str) -> str:
    """Return the value of a number in words."""
    total = part = 0
    names = [name for name in re.split(r"[ -]", words) if name != "and"]
    for name in names:
        if name == "hundred":
            part = (part or 1) * 100
        elif name in _SCALES:
            total, part = total + (part or 1) * _SCALES[name], 0
        else:
            part += _VALUES[name]
    return str(total + part)
