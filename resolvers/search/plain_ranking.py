"""The ranking for embedders that give one vector for a text: its cosine and BM25."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import terms
from resolvers.search.bm25 import share_of
from resolvers.search.passages import Passages
from resolvers.search.ranking import Ranked, cache_by_query
from resolvers.search.snippet import best_begin
from resolvers.search.vector_index import VectorIndex

_FACTS = 0.5
"""The likeness of a document whose facts, which are no part of a chunk, contain all words."""
_CACHED_VECTORS = 200


@dataclass(frozen=True)
class _Profile:
    """The weights for one mode of embeddings.

    `lexical` was fitted to the half of `evals/` to tune; the one to report must stay unused.
    `semantic` was not measured, because cosines differ between providers.
    """

    bm25: float
    """The weight of BM25 in a score; the rest is the cosine's."""
    refuse: float


_LEXICAL, _SEMANTIC = _Profile(bm25=0.67, refuse=0.2), _Profile(bm25=0.1, refuse=0.25)


class PlainRanking:
    """Ranks by the best chunk of each document."""

    outstanding = 1.0
    """Never: not measured."""

    def __init__(self, passages: Passages, embedder: Embedder, vectors: VectorIndex) -> None:
        profile = _LEXICAL if embedder.mode == "lexical" else _SEMANTIC
        self.refuse = profile.refuse
        self._bm25 = profile.bm25
        self._passages = passages
        self._vectors = vectors
        self._embed = cache_by_query(embedder.embed_query, _CACHED_VECTORS)

    def rank(self, query: str, limit: int, kinds: tuple[str, ...]) -> list[Ranked]:
        """Return the nearest documents, best first. Raises: ModelError."""
        vector = self._embed(query)
        bm25 = self._passages.bm25.scores(query)
        words = frozenset(terms(query))
        ranked = [
            self._ranked(document, vector, bm25[document], words)
            for document in self._candidates(vector, bm25, limit, kinds)
        ]
        return sorted(ranked, key=lambda item: (-item.score, item.document))[:limit]

    def _ranked(
        self, document: int, vector: Vectors, bm25: np.float32, words: frozenset[str]
    ) -> Ranked:
        chunks = self._passages.chunks_of[document]
        cosines = self._vectors.cosines(vector, chunks)
        chunk = chunks[cosines.index(max(cosines))]
        facts = _FACTS * self._share(words, self._passages.fact_terms[document])
        likeness = max(0.0, facts, *cosines)
        score = (1 - self._bm25) * likeness + self._bm25 * share_of(bm25)
        begin = best_begin(self._passages.chunks[chunk].text, words, self._passages.bm25.idf)
        return Ranked(document, min(1.0, float(score)), chunk, begin)

    def _candidates(
        self, vector: Vectors, bm25: np.ndarray, limit: int, kinds: tuple[str, ...]
    ) -> Iterator[int]:
        """Yield the documents to score: the nearest by vector and the best by BM25."""
        nearest = self._vectors.nearest(vector, 4 * limit + 20, *kinds)
        best = np.argsort(-bm25, kind="stable")[: 2 * limit + 10]
        yield from {self._passages.owners[chunk] for chunk in nearest} | {
            int(number)
            for number in best
            if bm25[number] > 0 and (not kinds or self._passages.documents[number].kind in kinds)
        }

    def _share(self, words: frozenset[str], others: frozenset[str]) -> float:
        """Return the share of the words, by rarity, that are among the others."""
        idf = self._passages.bm25.idf
        total = math.fsum(map(idf, words))
        return math.fsum(map(idf, words & others)) / total if total else 0.0
