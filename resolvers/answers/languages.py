"""In which language a question is, as far as that matters: whether the content can be asked so."""

import re
from collections.abc import Container, Sequence
from functools import cache

from stop_words import LANGUAGE_MAPPING, get_stop_words  # type: ignore[import-untyped]

from schema.language_names import ENGLISH

MIN_SHARE = 0.2
"""The share of a question's words that another language's small words must be."""
MAX_KNOWN = 0.5
"""The share of its other words that the content may have."""
MIN_HELD = 0.6
"""The share of a question's words that lines must have where no model knows the language."""
_MIN_PIECE = 4
_WORD = re.compile(r"[^\W\d_]+")
_POLITE = {
    ENGLISH: frozenset({"please", "you", "your", "they", "their", "what", "which", "who", "how"})
}
"""Words that the lists of small words leave out."""


def is_foreign(question: str, language: str, known: Container[str]) -> bool:
    """Return whether a question is in another language than the content.

    `known` has the content's words, in small letters.
    """
    words = _WORD.findall(question.casefold())
    own = _share(words, language)
    best = max((_share(words, code) for code in LANGUAGE_MAPPING if code != language), default=0.0)
    others = [word for word in words if word not in _small_words(language)]
    share = sum(word in known for word in others) / max(1, len(others))
    return best >= MIN_SHARE and best > own and share <= MAX_KNOWN


def holds(question: str, lines: Sequence[str], language: str) -> bool:
    """Return whether lines have nearly all words of a question, in any form or in a compound.

    It takes the place of what English rules and an English model tell of an answer.
    """
    small = _small_words(language)
    asked = {word for word in _WORD.findall(question.casefold()) if word not in small}
    said = {word for line in lines for word in _WORD.findall(line.casefold())}
    found = sum(any(_is_like(word, other) for other in said) for word in asked)
    return bool(asked) and found >= MIN_HELD * len(asked)


def _is_like(word: str, other: str) -> bool:
    """Return whether two words are forms of one, or one is a part of the other."""
    stem = word[: max(_MIN_PIECE, len(word) - 2)]
    return stem in other or (len(other) > _MIN_PIECE and other in word)


def _share(words: Sequence[str], language: str) -> float:
    small = _small_words(language)
    return sum(word in small for word in words) / max(1, len(words))


@cache
def _small_words(language: str) -> frozenset[str]:
    """Return the articles, pronouns, prepositions and the like of a language, if they are known."""
    code = language.partition("-")[0].lower()
    code = "no" if code in {"nb", "nn"} else code
    words = get_stop_words(code) if code in LANGUAGE_MAPPING else ()
    return frozenset(words) | _POLITE.get(code, frozenset())
