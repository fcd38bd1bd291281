"""Ranks every line of a revision for a question: as a whole, token by token, and by examples.

Source: Khattab and Zaharia, "ColBERT" (2020), for the comparison of tokens; here with a model that
was not trained for it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from resolvers.answers.kinds import asks_price, holds_price
from resolvers.answers.lines import Line
from resolvers.embeddings.disk_cache import DiskTokenCache, DiskVectorCache
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.hybrid import meaning_of
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.bm25 import Bm25
from resolvers.search.token_index import TokenIndex, read_question

CANDIDATES = 200
"""How many lines are compared token by token."""
WHOLE, ASKED, TOKENS = 0.5, 1.1, 1.6
"""The weights of the likeness of the whole, of the best example question and of the tokens.

They were fitted on the half of `evals/` to tune, on one studio, and tried on the other one.
"""
PRICED = 0.3
"""How much more a typed amount of money scores where the price of something is asked for, so that
it is said before what the owner writes about prices. On the sample these were up to 0.17 apart;
the evaluation has not weighed it."""
UNLIKE = 0.2
"""The likeness of an example question up to which it is of another matter."""


@dataclass(frozen=True)
class Ranking:
    """How like a question each line is. The arrays have a number for each line."""

    vector: Vectors
    """What the model makes of the whole question."""
    scores: Vectors
    asked: Vectors
    """The likeness of the best example question; -1 of a line that has none."""
    shares: Vectors
    """The share of the question's tokens that a line holds; 0 beyond the candidates."""
    order: Sequence[int]
    """The candidates, the best first."""
    stems: Sequence[str]
    """The stem of each token of the question; empty if it says nothing."""
    weights: Vectors
    """The weight of each token, rare ones more; their sum is 1."""
    nearest: dict[int, Vectors]
    """For each candidate, how like each token of the question is to the nearest of its own."""
    unanswered: float = -1.0
    """The likeness of the best example question of what is not published."""


class Ranker:
    """The lines of one revision. Immutable, so threads may share it. Its methods block."""

    def __init__(
        self,
        lines: Sequence[Line],
        cache: DiskTokenCache | DiskVectorCache,
        unanswered: Sequence[str] = (),
    ) -> None:
        """Embed every line and example question, also those that nothing answers.

        Raises: ModelError.
        """
        self.lines = lines
        asks = list(dict.fromkeys(ask for line in lines for ask in line.asks))
        words = [terms(f"{line.title} {line.text}") for line in lines]
        self.words = [frozenset(item) for item in words]
        """The stems of each line's words."""
        self.known = {word for text in _texts(lines) for word in tokenize(text)}
        """Every word that a line or an example question has."""
        self.known_stems = {word for text in _texts(lines) for word in terms(text)}
        compared = [line.compared for line in lines]
        self._reader: _Tokens | _Words = (
            _Tokens(compared, [*asks, *unanswered], cache)
            if isinstance(cache, DiskTokenCache)
            else _Words(compared, [*asks, *unanswered], cache, Bm25(words), self.words)
        )
        self._end = len(lines) + len(asks)
        """Where the vectors of what nothing answers begin."""
        self._groups = _groups(lines)
        places = {ask: place for place, ask in enumerate(asks)}
        pairs = [(number, places[ask]) for number, line in enumerate(lines) for ask in line.asks]
        self._priced = np.array(
            [line.basis == "field" and holds_price(line.text) for line in lines], dtype=np.bool_
        )
        self._asker = np.array([number for number, _ in pairs], dtype=np.intp)
        self._ask = np.array([place for _, place in pairs], dtype=np.intp)

    @property
    def vectors(self) -> Vectors:
        """The vector of each line."""
        return self._reader.vectors[: len(self.lines)]

    def rank(self, question: str, among: npt.NDArray[np.bool_] | None = None) -> Ranking:
        """Compare a question with every line, token by token with those `among` which to choose.

        Raises: ModelError.
        """
        read = self._reader.read(question)
        alike = self._reader.vectors @ read.vector
        whole, asks = alike[: len(self.lines)], alike[len(self.lines) : self._end]
        asked = np.full(len(self.lines), -1, dtype=np.float32)
        np.maximum.at(asked, self._asker, asks[self._ask])
        scores = (WHOLE * whole + ASKED * fit_of(asked)).astype(np.float32)
        if asks_price(question):
            scores[self._priced] += np.float32(PRICED)
        lines = np.arange(len(scores)) if among is None else np.flatnonzero(among)
        near = np.sort(lines[np.argsort(-scores[lines], kind="stable")[:CANDIDATES]])
        likeness = self._reader.likeness(read, [self._groups[number] for number in near])
        shares = np.zeros(len(self.lines), dtype=np.float32)
        shares[near] = likeness @ read.weights
        scores += np.float32(TOKENS) * shares
        order = near[np.argsort(-scores[near], kind="stable")].tolist()
        nearest = dict(zip(near.tolist(), likeness, strict=True))
        unanswered = float(np.max(alike[self._end :], initial=-1.0))
        return Ranking(
            read.vector,
            scores,
            asked,
            shares,
            order,
            read.stems,
            read.weights,
            nearest,
            unanswered,
        )


def fit_of(asked: Vectors) -> Vectors:
    """Return how well example questions fit, from 0 to 1, by their likeness."""
    fit: Vectors = np.clip((asked - UNLIKE) / (1 - UNLIKE), 0, 1)
    return fit


@dataclass(frozen=True)
class _Read:
    """A question as a reader reads it."""

    vector: Vectors
    tokens: Vectors
    stems: Sequence[str]
    weights: Vectors


class _Tokens:
    """Compares by what a model makes of each token."""

    def __init__(self, texts: Sequence[str], asks: Sequence[str], cache: DiskTokenCache) -> None:
        stored = cache.get_or_embed([*texts, *asks])
        self.vectors = np.array([text.vector for text in stored])
        self._index = TokenIndex(stored[: len(texts)])
        self._embedder = cache.embedder

    def read(self, question: str) -> _Read:
        asked = read_question(question, self._embedder, self._index)
        return _Read(asked.vector, asked.tokens, asked.terms, asked.weights)

    def likeness(self, read: _Read, groups: Sequence[Sequence[int]]) -> Vectors:
        ranges = [[self._index.ranges[number] for number in group] for group in groups]
        return self._index.likeness(read.tokens, ranges)


class _Words:
    """Compares by whole texts and by words, for embedders that tell nothing of tokens."""

    def __init__(
        self,
        texts: Sequence[str],
        asks: Sequence[str],
        cache: DiskVectorCache,
        bm25: Bm25,
        words: Sequence[Collection[str]],
    ) -> None:
        self._embedder = cache.embedder
        self.vectors = meaning_of(cache.get_or_embed([*texts, *asks]), self._embedder.mode)
        self._bm25 = bm25
        self._words = words

    def read(self, question: str) -> _Read:
        vector = meaning_of(self._embedder.embed_query(question)[None], self._embedder.mode)[0]
        stems = list(dict.fromkeys(terms(question))) or [""]
        rarity = np.array([self._bm25.idf(stem) for stem in stems], dtype=np.float32)
        weights = rarity / rarity.sum()
        return _Read(vector, weights, stems, weights)

    def likeness(self, read: _Read, groups: Sequence[Sequence[int]]) -> Vectors:
        found = [set[str]().union(*(self._words[number] for number in group)) for group in groups]
        rows = [[stem in own for stem in read.stems] for own in found]
        return np.array(rows, dtype=np.float32).reshape(len(groups), len(read.stems))


def _texts(lines: Sequence[Line]) -> Iterator[str]:
    for line in lines:
        yield line.compared
        yield line.text
        yield from line.asks


def _groups(lines: Sequence[Line]) -> list[list[int]]:
    """Return the numbers of the lines that stand in the text of each."""
    places: dict[tuple[str, str], list[int]] = {}
    for number, line in enumerate(lines):
        if line.basis == "quotation":
            places.setdefault((line.url, line.title), []).append(number)
    return [
        sorted(
            {number}.union(
                other
                for other in places.get((line.url, line.title), ())
                if lines[other].sentence in line.text
            )
        )
        for number, line in enumerate(lines)
    ]
