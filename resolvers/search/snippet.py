"""Selects the verbatim part of a text that matches a question best."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from resolvers.embeddings.tokenizer import terms
from resolvers.search.sentences import split_sentences

MAX_LENGTH = 300
"""Units: characters."""
_CACHED_TEXTS = 10_000


@dataclass(frozen=True)
class _Sentence:
    start: int
    end: int
    words: frozenset[str]


def snippet(text: str, query: Collection[str], idf: Callable[[str], float]) -> str:
    """Return the sentence with most of the query's words, by rarity, and what follows it."""
    sentences = _sentences(text)
    if not sentences:
        return text[:MAX_LENGTH]
    weights = [math.fsum(map(idf, sentence.words.intersection(query))) for sentence in sentences]
    best = weights.index(max(weights))
    start = sentences[best].start
    ends = [item.end for item in sentences[best:] if item.end - start <= MAX_LENGTH]
    if ends:
        return text[start : ends[-1]]
    return text[start : start + MAX_LENGTH].rpartition(" ")[0] or text[start : start + MAX_LENGTH]


@lru_cache(_CACHED_TEXTS)
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """Return the sentences of a text; cached, because the same chunks are found often."""
    sentences: list[_Sentence] = []
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        sentences.append(_Sentence(start, end, frozenset(terms(sentence))))
    return tuple(sentences)
