"""What can be looked up in an English sentence: numbers, names, addresses, words and denials."""

import re
from calendar import month_name
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from resolvers.embeddings.tokenizer import STOP_WORDS, terms, tokenize

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_UNITS = {
    "s": "second",
    "sec": "second",
    "min": "minute",
    "h": "hour",
    "%": "percent",
    "mm": "millimetre",
    "cm": "centimetre",
    "m": "metre",
    "km": "kilometre",
    "\u20ac": "euro",
    "$": "dollar",
    "per cent": "percent",
}


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


_NUMBER = re.compile(
    r"(?:(?<![\w.])v?(?P<digits>[0-9]+(?:[.,:][0-9]+)*)(?![0-9]|[A-Za-z]*[0-9])"
    rf"|\b(?P<words>(?:{_any_of(_VALUES)})(?:[ -](?:{_any_of(_VALUES)}))?)\b)"
    rf"(?:[\s-]*(?P<scale>{_any_of(_SCALES)})\b)?"
    r"(?:[\s-]*(?P<unit>(?:second|minute|hour|day|week|month|year|percent|euro|dollar|byte|bit"
    rf"|(?:milli|centi|kilo)?met(?:re|er))(?=s?\b)|{_any_of(_UNITS)})(?=s?(?!\w)))?",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DATE = re.compile(r"\b([0-9]{4})-(0[1-9]|1[0-2])(?:-([0-3][0-9]))?\b")
_ADDRESS = re.compile(
    r"(?:https?://|mailto:|www\.)[^\s<>\"')\]]+"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w/])/[a-z.][\w.{}-]*(?:/[\w.{}-]+)*"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,}\b(?:/[^\s<>\"')\]]*)?"
)
_NAME = re.compile(r"(?<![\w/@.-])(?:[A-Z][\w'\u2019-]*|(?!v?\d)(?=[a-z_-]*\d)\w+)")
"""A word with a capital letter, or a code such as `sha256`."""
_OPENS = re.compile(r"(?:^|[.!?\u2026])[\"\u201c(\[\s]*$")
_CLAUSE = re.compile(
    r"[,:](?![0-9])|[;()\u2013\u2014?]|\s-\s|\b(?:and|but|while|whereas|because|so|which|who|unless"
    r"|until|although|though|when|where|if|since|as)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:no (?:more|less|fewer|later|longer|sooner) than|not (?:only|just|least|merely)"
    r"|no matter|no doubt|nothing but)\b",
    re.IGNORECASE,
)
"""Phrases that have the form of a denial and are none."""
_DENIAL = re.compile(
    r"\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|cannot|\w+n[\u2019']t)\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:refus|declin|exclud|forbid|lack|avoid|prohibit|impossible|unable|reject|absent|without"
    r"|fail|left out|instead of|rather than|read-only|only|few|rare|beyond|hardly|yet)",
    re.IGNORECASE,
)
"""Words that may deny or not; they contradict neither."""
_LISTED = re.compile(r"[A-Z][\w ]{0,30}: [^;]+;.*", re.DOTALL)


@dataclass(frozen=True)
class Clause:
    """A part of a sentence that can be true or false by itself."""

    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]
    denial: bool | None
    """Whether it denies something; `None` if that cannot be told."""


def spell_dates(text: str) -> str:
    """Return the text with dates as sentences have them: `2026-11-02` is `2 November 2026`."""

    def spell(match: re.Match[str]) -> str:
        day = f"{int(match[3])} " if match[3] else ""
        return f"{day}{month_name[int(match[2])]} {match[1]}"

    return _DATE.sub(spell, text)


def measures_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield each number in one spelling and its unit or "": `nine cm` is `"9", "centimetre"`.

    `1.5 million` is `1500000`. The word `one` counts only before a unit; else it is a pronoun.
    """
    for match in _NUMBER.finditer(without_addresses(text)):
        unit = (match["unit"] or "").lower().replace("meter", "metre")
        if unit or match.group().lower() != "one":
            figure = _figure(match["digits"], match["words"], match["scale"])
            yield figure, _UNITS.get(unit, unit)


def addresses_in(text: str) -> frozenset[str]:
    """Return the URLs, paths, hosts and mail addresses, without punctuation at the end."""
    return frozenset(match.group().rstrip(".,;:!?*_/").lower() for match in _ADDRESS.finditer(text))


def without_addresses(text: str) -> str:
    """Return the text with a word of `x` in place of each address."""
    return _ADDRESS.sub(lambda match: "x" * len(match.group()), text)


def names_in(text: str) -> frozenset[str]:
    """Return the names, in lower case; the first word of a sentence counts as none."""
    bare = without_addresses(text)
    return frozenset(
        word
        for match in _NAME.finditer(bare)
        if not _OPENS.search(bare[: match.start()])
        for word in tokenize(match.group())[:1]
        if word not in STOP_WORDS
    )


def words_in(text: str) -> frozenset[str]:
    """Return the stems of the content words, without numbers."""
    bare = _NUMBER.sub(lambda match: f" {match['unit'] or ''}", text)
    return frozenset(word for word in terms(bare) if not word[0].isdigit())


def denies(text: str) -> bool | None:
    """Return whether the text denies something; `None` if that cannot be told."""
    bare = _BOUND.sub(" ", text)
    if _DENIAL.search(bare):
        return True
    return None if _REFUSAL.search(bare) else False


def clauses_of(sentence: str) -> list[Clause]:
    """Split a sentence at commas and conjunctions; the first word of each part may be a name."""
    return [
        Clause(
            words,
            frozenset(figure for figure, _ in measures_in(part)),
            names_in(f"a {part}"),
            denies(part),
        )
        for part in _CLAUSE.split(_BOUND.sub(" at ", sentence))
        if (words := words_in(part))
    ]


def is_list(sentence: str) -> bool:
    """Return whether a sentence is only a label and a list, such as `Tags: ledgers; futures`."""
    return bool(_LISTED.fullmatch(sentence))


def _figure(digits: str | None, words: str | None, scale: str | None) -> str:
    factor = _SCALES[scale.lower()] if scale else 1
    if words:
        return str(sum(_VALUES[word] for word in re.split(r"[ -]", words.lower())) * factor)
    plain = (digits or "").replace(",", "") if _GROUPED.fullmatch(digits or "") else digits or ""
    if plain.count(".") > 1 or ":" in plain or "," in plain:  # a version, a time, a list
        return ":".join(part.lstrip("0") or "0" for part in plain.split(":"))
    return f"{(Decimal(plain) * factor).normalize():f}"
