"""Splits a text into words and stems that can be counted, hashed and compared.

An identifier such as `rfc-8785`, `v2.1` or `my_slug` gives one word for the whole and one for each
part, so that both can be found.
"""

import re
import unicodedata
from functools import lru_cache

STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any anyone anything are as at be because
    been before being below between both but by can cannot cant could did didnt do does doesnt doing
    dont down during each either else every everything few for from further get gets give given go
    got had has hasnt have havent having he her here hers herself him himself his how i if im in
    into is isnt it its itself ive just let lets like made make many may me might mine more most
    much must my myself neither no nobody none nor not nothing now of off on once one only onto or
    other others our ours ourselves out over own per please quite rather same say shall she should
    since so some somebody someone something such tell than that thats the their theirs them
    themselves then there these they theyre thing things this those though through thus to too
    under until up upon us very via was wasnt we were werent what whats when where wherever whether
    which while who whoever whole whom whose why will with within without wont would wouldnt yes yet
    you your youre yours yourself yourselves
    """.split()  # noqa: SIM905 - two hundred quoted words are hard to read
)
"""Words that say nothing about the subject of a text, as `tokenize` returns them."""

_LETTER = r"[^\W_]"
_WORD = re.compile(rf"{_LETTER}+(?:[-_.]{_LETTER}+)*")
_PART = re.compile(rf"{_LETTER}+")
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\ufe63\uff0d", "-") | {"\u2019": "'"})
_OWNED = re.compile(rf"(?<={_LETTER})'s\b")
_JOINED = re.compile(rf"(?<={_LETTER})'(?={_LETTER})")
_THOUSANDS = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_MIN_LENGTH = 4
_MIN_PAST_LENGTH = 6
_CACHED_WORDS = 8192
_MAX_CACHED_LENGTH = 64
"""A longer word is none, and would take memory. Units: characters."""


def tokenize(text: str) -> list[str]:
    """Return the normalised words in order; the parts of a compound follow it.

    A possessive loses its `'s`, an apostrophe inside a word is dropped, and so are the commas of a
    number: `don't` becomes `dont`, and `2,500` becomes `2500`.
    """
    normalised = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    plain = normalised.translate(_DASHES)
    for pattern in (_OWNED, _JOINED, _THOUSANDS):
        plain = pattern.sub("", plain)
    words: list[str] = []
    for word in _WORD.findall(plain):
        words.append(word)
        if not word.isalnum():
            words += _PART.findall(word)
    return words


def terms(text: str) -> list[str]:
    """Return the stems of the words in order, without stop words."""
    return [stem(word) for word in tokenize(text) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """Return the word without English endings: plural, past and progressive forms become equal.

    It never changes the first letters, nor a word with a digit or a separator.
    """
    return _stem(word) if len(word) <= _MAX_CACHED_LENGTH else word


@lru_cache(_CACHED_WORDS)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    bare = _without_past(_without_plural(word))
    if len(bare) >= _MIN_LENGTH and bare.endswith("e"):
        return bare[:-1]
    if len(bare) >= _MIN_LENGTH and bare.endswith("y"):
        return f"{bare[:-1]}i"
    return bare


def _without_plural(word: str) -> str:
    """Apply the S stemmer of Harman, "How effective is suffixing?" (1991)."""
    if len(word) < _MIN_LENGTH or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return f"{word[:-3]}y"
    return word.removesuffix("s")


def _without_past(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if (
            rest != word
            and len(word) >= _MIN_PAST_LENGTH
            and _VOWEL.search(rest)
            and not rest.endswith("e")
        ):
            return _DOUBLED.sub(r"\1", rest)
    return word
