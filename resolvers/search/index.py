"""The index of one revision: what is found for a question, how well, and whether it answers.

Everything here is frozen once it is built; a new revision has a new index. All of it blocks.
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
"""Longer queries are hardly asked twice, and would take memory. Units: characters."""
COVERAGE_CANDIDATES = 5
"""How many of the best entries may share in an answer."""
_HALF_BM25 = 10.0
"""The BM25 score that counts half."""
_TITLE_TIMES = 2


@dataclass(frozen=True)
class ScoreProfile:
    """How scores are made and read with embeddings of one mode.

    `hybrid` and `lexical` were fitted to the dev half of `evals/`, and may be to no other.
    `semantic` was not measured: each provider's cosines lie elsewhere.
    """

    bm25: float
    """The share of BM25 in a score; the rest is the cosine."""
    answer: float
    """From which score on the best hit may answer."""
    refuse: float
    """Below which score nothing was found."""
    coverage: float
    """Which share of the question's words must stand in the best entries, by rarity."""


PROFILES = {
    "hybrid": ScoreProfile(bm25=0.1, answer=0.24, refuse=0.17, coverage=0.55),
    "semantic": ScoreProfile(bm25=0.1, answer=0.35, refuse=0.25, coverage=0.55),
    "lexical": ScoreProfile(bm25=0.67, answer=0.34, refuse=0.2, coverage=0.65),
}


@dataclass(frozen=True)
class Hit:
    """An entry that was found."""

    document: Document
    score: float
    """How well it fits, from 0 to 1, with four decimals."""
    snippet: str
    """The part of the passage that fits best, as it stands there."""
    chunk: Chunk


class Index:
    """What can be found in one revision; made by `build`."""

    def __init__(
        self,
        entries: Sequence[Document],
        passages: Sequence[Chunk],
        embedder: Embedder,
        shelf: VectorIndex,
    ) -> None:
        self._entries = entries
        self._passages = passages
        self._embedder = embedder
        self._shelf = shelf
        self._blend = PROFILES[embedder.mode]
        self._number = {(entry.kind, entry.slug): at for at, entry in enumerate(entries)}
        self._owners = [self._number[passage.kind, passage.slug] for passage in passages]
        self._places: list[list[int]] = [[] for _ in entries]
        for place, owner in enumerate(self._owners):
            self._places[owner].append(place)
        words = [terms(f"{entry.title}. " * _TITLE_TIMES + entry.text) for entry in entries]
        self._words = [frozenset(of) for of in words]
        self._bm25 = Bm25(words)
        self._known = frozenset(
            word for entry in entries for word in tokenize(f"{entry.title}. {entry.text}")
        )
        # Both are safe with threads; a question asked twice at once is answered twice, once.
        self._vector = lru_cache(QUERY_CACHE_SIZE)(self._embed)
        self._found = lru_cache(QUERY_CACHE_SIZE)(self._find)

    @classmethod
    def build(  # noqa: PLR0913, PLR0917 - everything that an index is made of
        cls,
        entries: Sequence[Document],
        embedder: Embedder,
        vectors: DiskVectorCache,
        store: VectorStore,
        digest: str,
        progress: Callable[[int, int], None] | None = None,
    ) -> "Index":
        """The index, complete; what an older one finds meanwhile stays found. Raises: ModelFault.

        The digest is that of the revision.
        """
        passages = [passage for entry in entries for passage in chunks_of(entry)]
        texts = [embedding_text(passage) for passage in passages]
        kinds = [passage.kind for passage in passages]
        name = name_of(embedder.id, digest, *kinds, *texts)
        shelf = VectorIndex(store, name, vectors.get_or_embed(texts, progress), kinds)
        shelf.build()
        return cls(entries, passages, embedder, shelf)

    @property
    def mode(self) -> str:
        """How a search works: that of the embedder, and whether the store takes part."""
        return f"{self._embedder.mode}-in-process" if self._shelf.is_away else self._embedder.mode

    def retrieval(self, **details: Any) -> Retrieval:
        """Return how entries are found here, with the details of one answer."""
        return Retrieval(
            mode=self.mode,
            embedder=self._embedder.model,
            dimensions=self._embedder.dimensions,
            **details,
        )

    def search(self, query: str, limit: int, kind: str | None = None) -> list[Hit]:
        """The entries that fit, the best first, each once. Raises: ModelFault."""
        plain = " ".join(unicodedata.normalize("NFKC", query).split())
        find = self._found if len(plain) <= MAX_CACHED_QUERY else self._find
        return list(find(plain, limit, kind)) if plain else []

    def answerability(self, query: str, hits: Sequence[Hit]) -> Band:
        """Whether the hits answer the question, are merely close to it, or are nothing.

        A name that stands nowhere in the content, or too many words that the best entries lack,
        mean that something is asked which the content does not say.
        """
        if not hits or hits[0].score < self._blend.refuse:
            return "refuse"
        is_answer = (
            hits[0].score >= self._blend.answer
            and self._coverage(query, hits) >= self._blend.coverage
            and not unknown_names(query, self._known)
        )
        return "answer" if is_answer else "closest"

    def idf(self, word: str) -> float:
        """How rare a word of `content_words` is in the content; most, if it is not there."""
        return self._bm25.idf(word)

    def _embed(self, query: str) -> Vectors:
        vector = self._embedder.embed_query(query)
        vector.setflags(write=False)
        return vector

    def _find(self, query: str, limit: int, kind: str | None) -> tuple[Hit, ...]:
        vector = (self._vector if len(query) <= MAX_CACHED_QUERY else self._embed)(query)
        bm25 = self._bm25.scores(query)
        near = self._nearest(vector, self._candidates(vector, bm25, limit, kind))
        scores = {owner: self._score(cosine, bm25[owner]) for owner, (cosine, _) in near.items()}
        best = sorted(scores, key=lambda owner: (-scores[owner], owner))[:limit]
        asked = set(terms(query))
        return tuple(
            Hit(
                self._entries[owner], scores[owner], snippet(passage.text, asked, self.idf), passage
            )
            for owner in best
            if scores[owner] >= self._blend.refuse
            for passage in (self._passages[near[owner][1]],)
        )

    def _score(self, cosine: float, bm25: float) -> float:
        """The convex sum of both, between 0 and 1."""
        share = bm25 / (bm25 + _HALF_BM25)
        score = (1 - self._blend.bm25) * max(0.0, cosine) + self._blend.bm25 * share
        return round(min(1.0, float(score)), 4)

    def _candidates(
        self, vector: Vectors, bm25: np.ndarray, limit: int, kind: str | None
    ) -> set[int]:
        """Numbers of entries among which the best are: the nearest, and those of the same words."""
        near = self._shelf.nearest(vector, 4 * limit + 20, kind)
        worded = np.argsort(-bm25, kind="stable")[: 2 * limit + 10]
        return {self._owners[place] for place in near} | {
            int(at)
            for at in worded
            if bm25[at] > 0 and kind in (None, self._entries[at].kind) and self._places[at]
        }

    def _nearest(self, vector: Vectors, owners: Collection[int]) -> dict[int, tuple[float, int]]:
        """How near the nearest passage of each entry is, and its place."""
        places = [place for owner in owners for place in self._places[owner]]
        nearest: dict[int, tuple[float, int]] = {}
        for place, cosine in zip(places, self._shelf.cosines(vector, places), strict=True):
            owner = self._owners[place]
            if owner not in nearest or cosine > nearest[owner][0]:
                nearest[owner] = (cosine, place)
        return nearest

    def _coverage(self, query: str, hits: Sequence[Hit]) -> float:
        """The share of the question's words, by rarity, that the best entries have."""
        asked = set(terms(query))
        best = [
            self._number[hit.document.kind, hit.document.slug] for hit in hits[:COVERAGE_CANDIDATES]
        ]
        there = asked & frozenset[str]().union(*(self._words[at] for at in best))
        total = math.fsum(self.idf(word) for word in asked)
        return math.fsum(self.idf(word) for word in there) / total if total else 0.0
