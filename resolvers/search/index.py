"""The search index of one revision: finds entries and sentences, and tells what they are worth.

An index is immutable; a new revision gets a new one. All its methods block.
"""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from resolvers.embeddings.disk_cache import DiskTokenCache, DiskVectorCache
from resolvers.embeddings.embedder import Embedder
from resolvers.embeddings.tokenizer import terms
from resolvers.search.chroma import VectorStore
from resolvers.search.documents import Chunk, Document
from resolvers.search.late_interaction import LateInteraction
from resolvers.search.names import NameIndex
from resolvers.search.passages import Passages
from resolvers.search.plain_ranking import PlainRanking
from resolvers.search.ranking import Ranked, Ranking, cache_by_query
from resolvers.search.snippet import snippet
from resolvers.search.unknown_names import unknown_names
from resolvers.search.vector_index import VectorIndex, name_of
from schema.search import Retrieval

_DECIMALS = 4
Band = Literal["answer", "closest", "refuse"]
QUERY_CACHE_SIZE = 500
COVERAGE_CANDIDATES = 3
"""How many of the best entries may contribute to an answer."""
_COVERAGE = 0.65
"""The share of the question's words, by rarity, that the best entries contain for an answer."""


@dataclass(frozen=True)
class Hit:
    """A search result."""

    document: Document
    score: float
    """How well it matches, from 0 to 1, with four decimals; 1 if the query is its name."""
    snippet: str
    """The part of the chunk that matches best, verbatim."""
    chunk: Chunk


class Index:
    """The documents of one revision and their search index; made by `build`."""

    def __init__(
        self, passages: Passages, embedder: Embedder, vectors: VectorIndex, ranking: Ranking
    ) -> None:
        self._passages = passages
        self._embedder = embedder
        self._vectors = vectors
        self._ranking = ranking
        self._find = cache_by_query(_Search(passages, ranking), QUERY_CACHE_SIZE)

    @classmethod
    def build(  # noqa: PLR0913 - what an index is made of
        cls,
        documents: Sequence[Document],
        embedder: Embedder,
        cache: DiskVectorCache | DiskTokenCache,
        store: VectorStore,
        digest: str,
        *,
        fill: bool = True,
    ) -> "Index":
        """Build the index of the revision with this digest. Raises: ModelError.

        Unless `fill`, vectors are searched in this process until `fill_store` is called. An older
        index of the same store can still be searched meanwhile.
        """
        passages = Passages(documents)
        name = name_of(embedder.id, cache.file.suffix, digest, *passages.kinds, *passages.texts)
        if isinstance(cache, DiskTokenCache):
            texts = cache.get_or_embed(passages.texts)
            rows = np.array([text.vector for text in texts], dtype=np.float32)
        else:
            texts, rows = [], cache.get_or_embed(passages.texts)
        vectors = VectorIndex(store, name, rows, passages.kinds)
        ranking: Ranking = (
            LateInteraction(passages, cache.embedder, vectors, texts)
            if isinstance(cache, DiskTokenCache) and texts
            else PlainRanking(passages, embedder, vectors)
        )
        index = cls(passages, embedder, vectors, ranking)
        if fill:
            index.fill_store()
        return index

    def fill_store(self) -> None:
        """Put the vectors into the store, or note that it is unavailable. Blocks."""
        self._vectors.build()

    def leave_store(self, successor: "Index") -> None:
        """Let another index have the store; whoever still searches this one finds the same."""
        self._vectors.leave_store(successor._vectors)  # noqa: SLF001 - of the same class

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

    def search(self, query: str, limit: int, *kinds: str) -> list[Hit]:
        """Return the nearest entries, the best first, each once. Raises: ModelError.

        They are of these `kinds`, or of all if there are none. They may be far away;
        `answerability` tells. An entry whose name is the query comes first.
        """
        plain = _plain(query)
        return list(self._find(plain, limit, *kinds)) if plain else []

    def search_and_judge(self, query: str, limit: int, *kinds: str) -> tuple[list[Hit], Band]:
        """Return what `search` returns, and the `answerability`. Raises: ModelError."""
        hits = self.search(query, max(limit, COVERAGE_CANDIDATES), *kinds)
        return hits[:limit], self.answerability(query, hits)

    def answerability(self, query: str, hits: Sequence[Hit]) -> Band:
        """Return whether the hits answer the query, are only close to it, or do not match.

        The likeness of an entry does not tell: questions without an answer are more like the
        content than questions in other words. So a name that the content does not contain means
        that there is no answer; and one that there is, that one entry stands out from all others,
        or that the best entries contain the words of the query.
        """
        if not hits or hits[0].score < self._ranking.refuse:
            return "refuse"
        lead = hits[0].score - hits[1].score if len(hits) > 1 else 0.0
        is_answer = (
            lead >= self._ranking.outstanding or self._coverage(query, hits) >= _COVERAGE
        ) and not unknown_names(query, self._passages.known_words)
        return "answer" if is_answer else "closest"

    def idf(self, word: str) -> float:
        """Return how rare one of the `terms` is in the content; the maximum if it is absent."""
        return self._passages.bm25.idf(word)

    def _coverage(self, query: str, hits: Sequence[Hit]) -> float:
        """Return the share of the query's words, by rarity, that the best entries contain."""
        words = set(terms(query))
        numbers = self._passages.numbers
        best = [numbers[hit.document.kind, hit.document.slug] for hit in hits[:COVERAGE_CANDIDATES]]
        found = frozenset[str]().union(*(self._passages.terms[number] for number in best))
        total = math.fsum(map(self.idf, words))
        return math.fsum(map(self.idf, words & found)) / total if total else 0.0


class _Search:
    """Finds the entries for a query. The index keeps its results, so it must not hold the index."""

    def __init__(self, passages: Passages, ranking: Ranking) -> None:
        self._passages = passages
        self._ranking = ranking
        self._names = NameIndex(passages.documents)

    def __call__(self, query: str, limit: int, *kinds: str) -> tuple[Hit, ...]:
        ranked = self._ranking.rank(query, limit, kinds)
        found = {item.document: place for place, item in enumerate(ranked)}
        named = [
            Ranked(number, 1.0, self._passages.chunks_of[number][0], 0)
            for number in self._names.named(query)
            if not kinds or self._passages.documents[number].kind in kinds
        ]
        named.sort(key=lambda item: found.get(item.document, limit))
        names = {item.document for item in named}
        rest = [item for item in ranked if item.document not in names]
        return tuple(map(self._hit, [*named, *rest][:limit]))

    def _hit(self, item: Ranked) -> Hit:
        chunk = self._passages.chunks[item.chunk]
        return Hit(
            self._passages.documents[item.document],
            round(item.score, _DECIMALS),
            snippet(chunk.text, item.begin),
            chunk,
        )


def _plain(query: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", query).split())
