"""The search of one revision: finds entries by the lines that can be said of them.

An index is immutable; a new revision gets a new one. Its methods block.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from resolvers.answers.lines import MAX_QUOTE, Line
from resolvers.answers.ranker import ASKED, TOKENS, WHOLE, Ranker, Ranking, fit_of
from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import STOP_WORDS, stem, tokenize
from resolvers.search.documents import Document
from resolvers.search.sentences import join_sentences, split_sentences
from schema.services.search import Retrieval

HELD, MEAN = 1.0, 0.5
"""The weights of what all lines of an entry hold of the question, and of their mean, beside the
score of the best line. They and `EXAMPLES` were set on the half of `evals/` to tune."""
EXAMPLES = 0.3
"""How much the example questions of a field count here, of what they count for an answer."""
_MOST = WHOLE + EXAMPLES * ASKED + TOKENS + HELD + MEAN
_DECIMALS = 4


@dataclass(frozen=True)
class Hit:
    """A search result."""

    document: Document
    score: float
    """How well it matches, from 0 to 1, with four decimals; 1 if the query is its name."""
    snippet: str
    """The line that matches best, verbatim."""


class Index:
    """The entries of one revision, and the lines that are said of each."""

    def __init__(self, documents: Sequence[Document], ranker: Ranker, embedder: Embedder) -> None:
        self._documents = documents
        self._ranker = ranker
        self._embedder = embedder
        self._names = _names(documents)
        self._owners = np.array(_owners(documents, ranker.lines), dtype=np.intp)
        # The last kind is for lines that are part of no document, whose owner is -1.
        self._kinds = np.array([*(document.kind for document in documents), ""])
        self._means = _means(ranker.vectors, self._owners, len(documents))

    def retrieval(self, **details: Any) -> Retrieval:
        """Return how entries are found here, with the details of one answer."""
        return Retrieval(
            mode=self._embedder.mode,
            embedder=self._embedder.model,
            dimensions=self._embedder.dimensions,
            **details,
        )

    def among(self, kinds: Collection[str]) -> npt.NDArray[np.bool_] | None:
        """Return which lines are those of entries of these kinds; `None` if all are meant."""
        return np.isin(self._kinds[self._owners], [*kinds]) if kinds else None

    def search(
        self, query: str, ranking: Ranking, limit: int, kinds: Collection[str] = ()
    ) -> list[Hit]:
        """Return the nearest entries, the best first, each once: of these kinds, or of all.

        They may be far away. An entry whose name is the query, well spelt, comes first.
        """
        lines = ranking.scores - np.float32((1 - EXAMPLES) * ASKED) * fit_of(ranking.asked)
        owned = self._owners >= 0
        scores = np.full(len(self._documents), -np.inf, dtype=np.float32)
        np.maximum.at(scores, self._owners[owned], lines[owned])
        for place, held in self._held(ranking).items():
            scores[place] += HELD * float(held @ ranking.weights)
        scores += np.float32(MEAN) * (self._means @ ranking.vector)
        named = self._names.get(_name(query), ())
        order = sorted(
            range(len(scores)), key=lambda place: (place not in named, -scores[place], place)
        )
        found = (
            place
            for place in order
            if not kinds or self._kinds[place] in kinds
            if place in named or not self._documents[place].by_name_only
        )
        return [
            Hit(
                self._documents[place],
                1.0 if place in named else _share(float(scores[place])),
                self._snippet(place, np.where(self._owners == place, lines, -np.inf)),
            )
            for place in islice(found, limit)
        ]

    def _held(self, ranking: Ranking) -> dict[int, Vectors]:
        """Return what the candidates of each entry hold of the question together."""
        held: dict[int, Vectors] = {}
        for number, near in ranking.nearest.items():
            if (place := int(self._owners[number])) >= 0:
                held[place] = np.maximum(held.get(place, near), near)
        return held

    def _snippet(self, place: int, scores: Vectors) -> str:
        """Return the best line of an entry or, if it is not in the text, the text's opening.

        It has at most `MAX_QUOTE` characters, and whole sentences if one fits.
        """
        document = self._documents[place]
        text = self._ranker.lines[int(scores.argmax())].text
        if text not in document.text:
            text = document.text
        kept: list[str] = []
        for sentence in split_sentences(text):
            if kept and len(join_sentences([*kept, sentence])) > MAX_QUOTE:
                break
            kept.append(sentence)
        said = join_sentences(kept)
        return said if len(said) <= MAX_QUOTE else said[:MAX_QUOTE].rpartition(" ")[0]


def _names(documents: Sequence[Document]) -> dict[tuple[str, ...], list[int]]:
    """Return the places of the documents that have each title or alias."""
    names: dict[tuple[str, ...], list[int]] = {}
    for place, document in enumerate(documents):
        for name in dict.fromkeys(map(_name, (document.title, *document.aliases))):
            if name:
                names.setdefault(name, []).append(place)
    return names


def _name(text: str) -> tuple[str, ...]:
    """Return the stems of a name, of compounds those of their parts."""
    words = (word for word in tokenize(text) if word.isalnum() and word not in STOP_WORDS)
    return tuple(map(stem, words))


def _share(score: float) -> float:
    return round(min(max(score / _MOST, 0.0), 1.0), _DECIMALS)


def _owners(documents: Sequence[Document], lines: Sequence[Line]) -> list[int]:
    """Return the document that each line is part of; -1 if it is part of none."""
    entries = {(document.kind, document.slug): n for n, document in enumerate(documents)}
    kinds = Counter(document.kind for document in documents)
    alone = {d.kind: number for number, d in enumerate(documents) if kinds[d.kind] == 1}
    return [
        entries.get((line.kind, line.slug), -1 if line.entry else alone.get(line.kind, -1))
        for line in lines
    ]


def _means(vectors: Vectors, owners: npt.NDArray[np.intp], count: int) -> Vectors:
    """Return the mean of each document's lines, with unit length; zero if it has none."""
    means = np.zeros((count, vectors.shape[1]), dtype=np.float32)
    np.add.at(means, owners[owners >= 0], vectors[owners >= 0])
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    unit: Vectors = np.divide(means, lengths, out=means, where=lengths > 0)
    return unit
