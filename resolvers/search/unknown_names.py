"""Names in a question: what asks for one thing and no other. Knows no content."""

import re
from collections.abc import Container

from resolvers.embeddings.tokenizer import tokenize

_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}\"'\u201c\u201d\u2018\u2019]+(?:['\u2019]\w+)?")
_QUOTED = re.compile(r"[\"\u201c`]([^\"\u201c\u201d`]{1,80})[\"\u201d`]")
_ENDED = re.compile(r"\W*?[.!?:]")
"""The end of a sentence, read backwards: forwards, each stop would be tried from."""
_VERSION = re.compile(r"v?\d+(?:\.\d+)+", re.IGNORECASE)
_NO_NAMES = re.compile(
    r"I|I['\u2019]\w+|OK|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)
MOST_CAPITALS = 0.75
"""With a larger share of capitals, they say nothing: a title, or a caller who shouts."""

LOOKED_BACK = 20
"""How far before a name the end of a sentence is looked for. Units: characters."""


def unknown_names(question: str, known: Container[str]) -> list[str]:
    """The names in a question of which no word is known, as they stand there.

    A name is a word with a capital that begins no sentence, one with a capital or a digit among
    its letters, a version, or what stands in quotation marks.
    """
    names = [*_named(question), *(match[1] for match in _QUOTED.finditer(question))]
    return [name for name in dict.fromkeys(names) if not _is_known(name, known)]


def _named(question: str) -> list[str]:
    tokens = list(_TOKEN.finditer(question))
    inner = [token for token in tokens if not _is_first(_before(token))]
    capitals = [token for token in inner if token.group()[0].isupper()]
    if len(capitals) > MOST_CAPITALS * len(inner):
        capitals = []
    identifiers = [token for token in tokens if _is_identifier(_bare(token))]
    names = [_bare(token) for token in sorted(capitals + identifiers, key=re.Match.start)]
    return [name for name in names if name and not _NO_NAMES.fullmatch(name)]


def _bare(token: re.Match[str]) -> str:
    return token.group().strip(".*_-/")


def _before(token: re.Match[str]) -> str:
    return token.string[max(0, token.start() - LOOKED_BACK) : token.start()]


def _is_first(before: str) -> bool:
    """Whether a sentence begins after this, and its capital says nothing."""
    return not before.strip() or _ENDED.match(before[::-1]) is not None


def _is_identifier(name: str) -> bool:
    rest = name[1:]
    has_both = any(char.isalpha() for char in name) and any(char.isdigit() for char in name)
    is_mixed = any(char.isupper() for char in rest) and any(char.islower() for char in name)
    return has_both or is_mixed or "_" in rest or _VERSION.fullmatch(name) is not None


def _is_known(name: str, known: Container[str]) -> bool:
    """Whether the name is known as it stands, or all its parts are."""
    words = tokenize(name)
    return not words or words[0] in known or (len(words) > 1 and all(w in known for w in words[1:]))
