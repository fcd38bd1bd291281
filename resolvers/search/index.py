"""The search index of one revision: finds entries and tells whether they answer a question.

An index is immutable; a new revision gets a new one. All its methods block.
"""

import math
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from resolvers.embeddings.disk_cache import DiskVectorCache
from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.bm25 import Bm25
from resolvers.search.chroma import VectorStore
from resolvers.search.documents import Chunk, Document, chunks_of, embedding_text
from resolvers.search.snippet import snippet
from resolvers.search.unknown_names import unknown_names
from resolvers.search.vector_index import VectorIndex, name_of
from schema.search import Retrieval

Band = Literal["answer", "closest", "refuse"]
QUERY_CACHE_SIZE = 2_000
MAX_CACHED_QUERY = 500
"""Longer queries are rarely repeated and would take memory. Units: characters."""
COVERAGE_CANDIDATES = 5
"""How many of the best entries may contribute to an answer."""
_HALF_BM25 = 10.0
"""The BM25 score that is mapped to 0.5."""
_TITLE_REPEATS = 2
"""How often the title counts in BM25."""


@dataclass(frozen=True)
class ScoreProfile:
    """The weights and thresholds for one mode of embeddings.

    `hybrid` and `lexical` were fitted to the dev half of `evals/`; the test half must stay unused.
    `semantic` was not measured, because cosines differ between providers.
    """

    bm25: float
    """The weight of BM25 in a score; the rest is the cosine's."""
    answer: float
    """The minimum score of the best hit for an answer."""
    refuse: float
    """Hits with a lower score are dropped."""
    coverage: float
    """The minimum share of the question's words, by rarity, in the best entries for an answer."""


PROFILES = {
    "hybrid": ScoreProfile(bm25=0.1, answer=0.24, refuse=0.17, coverage=0.55),
    "semantic": ScoreProfile(bm25=0.1, answer=0.35, refuse=0.25, coverage=0.55),
    "lexical": ScoreProfile(bm25=0.67, answer=0.34, refuse=0.2, coverage=0.65),
}


@dataclass(frozen=True)
class Hit:
    """A search result."""

    document: Document
    score: float
    """How well it matches, from 0 to 1, with four decimals."""
    snippet: str
    """The part of the chunk that matches best, verbatim."""
    chunk: Chunk


class Index:
    """The documents of one revision and their search index; made by `build`."""

    def __init__(
        self,
        documents: Sequence[Document],
        chunks: Sequence[Chunk],
        embedder: Embedder,
        vectors: VectorIndex,
    ) -> None:
        self._documents = documents
        self._chunks = chunks
        self._embedder = embedder
        self._vectors = vectors
        self._profile = PROFILES[embedder.mode]
        self._numbers = {(item.kind, item.slug): number for number, item in enumerate(documents)}
        self._owners = [self._numbers[chunk.kind, chunk.slug] for chunk in chunks]
        self._chunks_of: list[list[int]] = [[] for _ in documents]
        for chunk_number, owner in enumerate(self._owners):
            self._chunks_of[owner].append(chunk_number)
        words = [terms(f"{item.title}. " * _TITLE_REPEATS + item.text) for item in documents]
        self._terms = [frozenset(document_words) for document_words in words]
        self._bm25 = Bm25(words)
        self._known_words = frozenset(
            word for item in documents for word in tokenize(f"{item.title}. {item.text}")
        )
        # Both caches are thread-safe; at worst, a query is computed twice at the same time.
        self._cached_embed = lru_cache(QUERY_CACHE_SIZE)(self._embed)
        self._cached_find = lru_cache(QUERY_CACHE_SIZE)(self._find)

    @classmethod
    def build(  # noqa: PLR0913, PLR0917 - all parts of an index
        cls,
        documents: Sequence[Document],
        embedder: Embedder,
        cache: DiskVectorCache,
        store: VectorStore,
        digest: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> "Index":
        """Build the index of the revision with this digest. Raises: ModelError.

        An older index of the same store can still be searched meanwhile.
        """
        chunks = [chunk for document in documents for chunk in chunks_of(document)]
        texts = [embedding_text(chunk) for chunk in chunks]
        kinds = [chunk.kind for chunk in chunks]
        name = name_of(embedder.id, digest, *kinds, *texts)
        vectors = VectorIndex(store, name, cache.get_or_embed(texts, progress), kinds)
        vectors.build()
        return cls(documents, chunks, embedder, vectors)

    @property
    def mode(self) -> str:
        """The embedder's mode, with `-in-process` while the vector store is unavailable."""
        mode = self._embedder.mode
        return f"{mode}-in-process" if self._vectors.is_away else mode

    def retrieval(self, **details: Any) -> Retrieval:
        """Return how entries are found here, with the details of one answer."""
        return Retrieval(
            mode=self.mode,
            embedder=self._embedder.model,
            dimensions=self._embedder.dimensions,
            **details,
        )

    def search(self, query: str, limit: int, kind: str | None = None) -> list[Hit]:
        """Return the matching entries, the best first, each once. Raises: ModelError."""
        plain = " ".join(unicodedata.normalize("NFKC", query).split())
        find = self._cached_find if len(plain) <= MAX_CACHED_QUERY else self._find
        return list(find(plain, limit, kind)) if plain else []

    def answerability(self, query: str, hits: Sequence[Hit]) -> Band:
        """Return whether the hits answer the question, are only close to it, or do not match.

        A name that the content does not contain, or too many words that the best entries do not
        contain, mean that the content does not answer the question.
        """
        if not hits or hits[0].score < self._profile.refuse:
            return "refuse"
        is_answer = (
            hits[0].score >= self._profile.answer
            and self._coverage(query, hits) >= self._profile.coverage
            and not unknown_names(query, self._known_words)
        )
        return "answer" if is_answer else "closest"

    def idf(self, word: str) -> float:
        """Return how rare one of the `terms` is in the content; the maximum if it is absent."""
        return self._bm25.idf(word)

    def _embed(self, query: str) -> Vectors:
        vector = self._embedder.embed_query(query)
        vector.setflags(write=False)
        return vector

    def _find(self, query: str, limit: int, kind: str | None) -> tuple[Hit, ...]:
        vector = (self._cached_embed if len(query) <= MAX_CACHED_QUERY else self._embed)(query)
        bm25 = self._bm25.scores(query)
        nearest = self._nearest(vector, self._candidates(vector, bm25, limit, kind))
        scores = {
            number: self._score(cosine, bm25[number]) for number, (cosine, _) in nearest.items()
        }
        best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
        words = set(terms(query))
        return tuple(
            Hit(
                self._documents[number],
                scores[number],
                snippet(chunk.text, words, self.idf),
                chunk,
            )
            for number in best
            if scores[number] >= self._profile.refuse
            for chunk in (self._chunks[nearest[number][1]],)
        )

    def _score(self, cosine: float, bm25: float) -> float:
        """Return the weighted mean of both, between 0 and 1."""
        share = bm25 / (bm25 + _HALF_BM25)
        score = (1 - self._profile.bm25) * max(0.0, cosine) + self._profile.bm25 * share
        return round(min(1.0, float(score)), 4)

    def _candidates(
        self, vector: Vectors, bm25: np.ndarray, limit: int, kind: str | None
    ) -> set[int]:
        """Return the documents to score: the nearest by vector and the best by BM25."""
        nearest = self._vectors.nearest(vector, 4 * limit + 20, kind)
        best = np.argsort(-bm25, kind="stable")[: 2 * limit + 10]
        return {self._owners[chunk_number] for chunk_number in nearest} | {
            int(number)
            for number in best
            if bm25[number] > 0
            and kind in (None, self._documents[number].kind)
            and self._chunks_of[number]
        }

    def _nearest(self, vector: Vectors, owners: Collection[int]) -> dict[int, tuple[float, int]]:
        """Return the cosine and the number of the nearest chunk of each document."""
        chunks = [number for owner in owners for number in self._chunks_of[owner]]
        nearest: dict[int, tuple[float, int]] = {}
        for number, cosine in zip(chunks, self._vectors.cosines(vector, chunks), strict=True):
            owner = self._owners[number]
            if owner not in nearest or cosine > nearest[owner][0]:
                nearest[owner] = (cosine, number)
        return nearest

    def _coverage(self, query: str, hits: Sequence[Hit]) -> float:
        """Return the share of the question's words, by rarity, that the best entries contain."""
        words = set(terms(query))
        best = [
            self._numbers[hit.document.kind, hit.document.slug]
            for hit in hits[:COVERAGE_CANDIDATES]
        ]
        present = words & frozenset[str]().union(*(self._terms[number] for number in best))
        total = math.fsum(self.idf(word) for word in words)
        return math.fsum(self.idf(word) for word in present) / total if total else 0.0
