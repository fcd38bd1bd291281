"""The part of a text that fits a question best, as it stands there. Changes no character of it."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from resolvers.embeddings.tokenizer import terms
from resolvers.search.sentences import split_sentences

LONGEST = 300
_KEPT = 10_000


@dataclass(frozen=True)
class _Sentence:
    start: int
    end: int
    words: frozenset[str]


def snippet(text: str, asked: Collection[str], idf: Callable[[str], float]) -> str:
    """The sentence with the most of the words asked for, by rarity, and what else has room."""
    sentences = _read(text)
    if not sentences:
        return text[:LONGEST]
    weights = [math.fsum(map(idf, one.words.intersection(asked))) for one in sentences]
    best = weights.index(max(weights))
    start = sentences[best].start
    ends = [one.end for one in sentences[best:] if one.end - start <= LONGEST]
    if ends:
        return text[start : ends[-1]]
    return text[start : start + LONGEST].rpartition(" ")[0] or text[start : start + LONGEST]


@lru_cache(_KEPT)
def _read(text: str) -> tuple[_Sentence, ...]:
    """The text's sentences; kept, as passages are found again and again."""
    found: list[_Sentence] = []
    at = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, at)
        at = start + len(sentence)
        found.append(_Sentence(start, at, frozenset(terms(sentence))))
    return tuple(found)
