"""Selects the verbatim part of a text that is shown for a question."""

import math
from collections.abc import Callable, Collection
from functools import lru_cache

from resolvers.embeddings.tokenizer import terms
from resolvers.search.sentences import split_sentences

MAX_LENGTH = 300
"""Units: characters."""
_CACHED_TEXTS = 10_000


def snippet(text: str, begin: int = 0) -> str:
    """Return the sentence that begins there and as many more as there is room for."""
    ends = [end for start, end in _sentences(text) if start >= begin and end - begin <= MAX_LENGTH]
    if ends:
        return text[begin : ends[-1]]
    cut = text[begin : begin + MAX_LENGTH]
    return cut.rpartition(" ")[0] or cut


def best_begin(text: str, query: Collection[str], idf: Callable[[str], float]) -> int:
    """Return where the sentence with most of the query's words, by rarity, begins."""
    best, most = 0, 0.0
    for start, end in _sentences(text):
        weight = math.fsum(map(idf, set(terms(text[start:end])).intersection(query)))
        if weight > most:
            best, most = start, weight
    return best


@lru_cache(_CACHED_TEXTS)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return where each sentence begins and ends; cached, as the same chunks are found often."""
    places: list[tuple[int, int]] = []
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        places.append((start, end))
    return tuple(places)
