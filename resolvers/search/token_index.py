"""The vectors of all tokens of some texts, made comparable and small.

Vectors of a language model's tokens share a large part that says nothing; without their mean, and
on their principal axes, like tokens are near each other and others are not.

Source: Mu and Viswanath, "All-but-the-Top" (2018).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.disk_cache import StoredTokens, vectors_of
from resolvers.embeddings.embedder import TokenEmbedder, Vectors
from resolvers.embeddings.tokenizer import terms

AXES = 128
"""How many axes are kept; a token takes a byte for each."""
_SAMPLE = 4096
"""How many tokens the mean and the axes are taken from."""
_AT_ONCE = 4096
"""How many tokens are projected at once; they take 6 MiB while they are."""
_MAX_BYTE = 127
_TINY = 1e-12
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


@dataclass(frozen=True)
class QuestionTokens:
    """A question as the model reads it, beside the tokens of an index."""

    vector: Vectors
    tokens: Vectors
    weights: Vectors
    """The weight of each token; their sum is 1."""
    terms: Sequence[str]
    """The stem of the word that each token is part of; empty if it says nothing."""


class TokenIndex:
    """The tokens of texts in their order. Immutable, so threads may share it."""

    def __init__(self, texts: Sequence[StoredTokens]) -> None:
        """Take at least one text; each has at least one token."""
        ends = np.cumsum([len(text.pieces) for text in texts]).tolist()
        self.ranges = [slice(begin, end) for begin, end in pairwise([0, *ends])]
        """Where the tokens of each text are."""
        pieces = np.concatenate([text.pieces for text in texts])
        step = -(-ends[-1] // _SAMPLE)
        sample = vectors_of(pieces[::step])
        self._mean = sample.mean(axis=0)
        centred = sample - self._mean
        spread, axes = np.linalg.eigh(centred.T @ centred)
        useful = spread > _TINY * max(spread[-1], _TINY)
        self._axes = np.ascontiguousarray(axes[:, useful][:, ::-1][:, :AXES])
        self._rows = np.empty((ends[-1], self._axes.shape[1]), dtype=np.int8)
        self._scales = np.empty((ends[-1], 1), dtype=np.float32)
        for start in range(0, ends[-1], _AT_ONCE):  # thousands of small products take longer
            tokens = slice(start, start + _AT_ONCE)
            rows = self.project(vectors_of(pieces[tokens]))
            scales = np.abs(rows).max(axis=1, keepdims=True, initial=_TINY) / _MAX_BYTE
            self._rows[tokens], self._scales[tokens] = np.round(rows / scales), scales
        self._rarity = _rarity(pieces["id"], ends)

    def project(self, tokens: Vectors) -> Vectors:
        """Return vectors of tokens in the space of this index, with unit length."""
        rows = (tokens - self._mean) @ self._axes
        unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY)
        return unit

    def rarity(self, ids: npt.NDArray[np.int32]) -> Vectors:
        """Return how rare word pieces are in the texts; the maximum for one that none contains."""
        last = len(self._rarity) - 1  # stands for every piece that is not in a text
        rarity: Vectors = self._rarity[np.minimum(ids, last)]
        return rarity

    def likeness(self, question: Vectors, groups: Sequence[Sequence[slice]]) -> Vectors:
        """Return the best cosine of each of a question's tokens in each group of tokens.

        A group is given by its ranges in this index; none is empty. Shape: groups x tokens.
        """
        if not groups:
            return np.zeros((0, len(question)), dtype=np.float32)
        ranges = [tokens for group in groups for tokens in group]
        rows = np.concatenate([self._rows[tokens] for tokens in ranges]).astype(np.float32)
        cosines = (rows @ question.T) * np.concatenate([self._scales[tokens] for tokens in ranges])
        sizes = [sum(tokens.stop - tokens.start for tokens in group) for group in groups]
        starts = np.cumsum([0, *sizes[:-1]])
        best: Vectors = np.maximum.reduceat(cosines, starts, axis=0)
        return best


def _rarity(ids: npt.NDArray[np.int32], ends: Sequence[int]) -> Vectors:
    """Return the BM25 weight of each word piece, by its number; `ends` are those of the texts."""
    texts = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    size = int(ids.max()) + 1
    once = np.unique(texts * size + ids) % size  # each piece of a text counts once
    counts = np.append(np.bincount(once), 0)
    rarity: Vectors = np.log1p((len(ends) - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return rarity


def read_question(text: str, embedder: TokenEmbedder, index: TokenIndex) -> QuestionTokens:
    """Return the tokens of a question, where rare ones weigh more. Raises: ModelError."""
    asked = embedder.read_question(text)
    stems = _terms(text, asked.spans)
    weights = index.rarity(asked.ids) * np.array([bool(stem) for stem in stems])
    weights = weights if weights.any() else np.ones_like(weights)
    return QuestionTokens(asked.vector, index.project(asked.tokens), weights / weights.sum(), stems)


def _terms(query: str, spans: npt.NDArray[np.int32]) -> list[str]:
    """Return the stem of the word around each word piece, or nothing for stop words and marks."""
    words = [(*match.span(), "".join(terms(match.group()))) for match in _WORD.finditer(query)]
    return [
        next((term for start, end, term in words if start <= begin < end), "")
        for begin in spans[:, 0].tolist()
    ]
