"""Finds names in a question that the published content does not contain."""

import re
from collections.abc import Container

from resolvers.embeddings.tokenizer import tokenize

_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}\"'\u201c\u201d\u2018\u2019]+(?:['\u2019]\w+)?")
_QUOTED = re.compile(r"[\"\u201c`]([^\"\u201c\u201d`]{1,80})[\"\u201d`]")
_ENDED = re.compile(r"\W*?[.!?:]")
"""The end of a sentence, matched on reversed text, because that is faster."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)
_NO_NAMES = re.compile(
    r"I|I['\u2019]\w+|OK|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)
MAX_CAPITALISED = 0.75
"""With a larger share of capitalised words, capitals mean nothing, as in a title."""
LOOKBACK = 20
"""How far before a name the end of a sentence is looked for. Units: characters."""


def unknown_names(question: str, known: Container[str]) -> list[str]:
    """Return the names in a question that are not known, verbatim.

    A name is a capitalised word that does not begin a sentence, a word with a capital or a digit
    inside, a version, or a text in quotation marks.
    """
    names = [*_names(question), *(match[1] for match in _QUOTED.finditer(question))]
    return [name for name in dict.fromkeys(names) if not _is_known(name, known)]


def _names(question: str) -> list[str]:
    tokens = list(_TOKEN.finditer(question))
    inner = [token for token in tokens if not _is_first(_before(token))]
    capitals = [token for token in inner if token.group()[0].isupper()]
    if len(capitals) > MAX_CAPITALISED * len(inner):
        capitals = []
    identifiers = [token for token in tokens if _is_identifier(_strip(token))]
    names = [_strip(token) for token in sorted(capitals + identifiers, key=re.Match.start)]
    return [name for name in names if name and not _NO_NAMES.fullmatch(name)]


def _strip(token: re.Match[str]) -> str:
    return token.group().strip(".*_-/")


def _before(token: re.Match[str]) -> str:
    return token.string[max(0, token.start() - LOOKBACK) : token.start()]


def _is_first(before: str) -> bool:
    """Return whether a sentence begins after this text."""
    return not before.strip() or _ENDED.match(before[::-1]) is not None


def _is_identifier(name: str) -> bool:
    rest = name[1:]
    has_both = any(char.isalpha() for char in name) and any(char.isdigit() for char in name)
    is_mixed = any(char.isupper() for char in rest) and any(char.islower() for char in name)
    return has_both or is_mixed or "_" in rest or _VERSION.fullmatch(name) is not None


def _is_known(name: str, known: Container[str]) -> bool:
    """Return whether the name, or each of its parts, is known."""
    words = tokenize(name)
    return (
        not words
        or words[0] in known
        or (len(words) > 1 and all(word in known for word in words[1:]))
    )
