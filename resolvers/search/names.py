"""Finds the entries whose name is the query, also with one letter mistyped."""

import re
from collections.abc import Sequence

from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.search.documents import Document

MIN_MISTYPED = 5
"""The length from which one letter of a word may be wrong. Units: characters."""
_PART = re.compile(r"[^\W_]+")

_Words = tuple[str, ...]


class NameIndex:
    """The titles and aliases of documents, each without the words that say nothing."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._names: dict[_Words, list[int]] = {}
        for number, document in enumerate(documents):
            for name in dict.fromkeys(map(_words, (document.title, *document.aliases))):
                if name:
                    self._names.setdefault(name, []).append(number)

    def named(self, query: str) -> list[int]:
        """Return the numbers of the documents that the query names; exact names go first."""
        words = _words(query)
        if words in self._names:
            return self._names[words]
        return [
            number
            for name, numbers in self._names.items()
            if len(name) == len(words) and all(map(_is_same, name, words))
            for number in numbers
        ]


def _words(text: str) -> _Words:
    parts = [part for word in tokenize(text) if word.isalnum() for part in _PART.findall(word)]
    return tuple(part for part in parts if part not in STOP_WORDS)


def _is_same(word: str, written: str) -> bool:
    """Return whether the words are equal but for one letter: missing, added, wrong or swapped."""
    if word == written or min(len(word), len(written)) < MIN_MISTYPED:
        return word == written
    if abs(len(word) - len(written)) > 1:
        return False
    pairs = enumerate(zip(word, written, strict=False))
    same = next(
        (place for place, (one, other) in pairs if one != other), min(len(word), len(written))
    )
    rest, other = word[same:], written[same:]
    return (
        rest[1:] == other
        or rest == other[1:]
        or rest[1:] == other[1:]
        or (rest[:2] == other[1::-1] and rest[2:] == other[2:])
    )
