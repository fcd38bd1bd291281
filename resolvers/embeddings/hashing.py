"""An embedder without a model: a hash gives each word and its letter n-grams a dimension.

A vector depends on its text alone, so it is the same in every process. It says nothing about
meaning.

Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009).
"""

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import DIMENSIONS, Vectors, validate_vectors
from resolvers.embeddings.tokenizer import STOP_WORDS, stem, tokenize

VERSION = 1
"""To be raised when the words, the n-grams, the hash or the weights change."""
NGRAM_SIZES = (3, 4, 5)
WORD_WEIGHT = 6.0
_CACHED_WORDS = 8192
_MAX_CACHED_LENGTH = 64


class HashingEmbedder:
    """An embedder that needs no weights; also one half of the hybrid embedder."""

    mode = "lexical"

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.model = f"hash{dimensions}"
        self.id = f"{self.model}-{VERSION}-{dimensions}"
        self._features = lru_cache(_CACHED_WORDS)(self._word_vector)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts, including those of only stop words or punctuation."""
        rows = [self.term_counts(text) for text in texts]
        vectors = [
            row if row.any() else self._fallback(text)
            for row, text in zip(rows, texts, strict=True)
        ]
        return validate_vectors(np.array(vectors), len(texts), self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search, in the same way as a document."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def term_counts(self, text: str) -> npt.NDArray[np.float64]:
        """Return the sum over the content words, not of unit length; zero if there are none."""
        return self._sum([word for word in tokenize(text) if word not in STOP_WORDS])

    def _fallback(self, text: str) -> npt.NDArray[np.float64]:
        """Return the sum over all words, or over the text as one feature, which is never zero."""
        row = self._sum(tokenize(text))
        if not row.any():
            dimension, sign = _hash(f"text {text.strip()}", self.dimensions)
            row[dimension] = sign
        return row

    def _sum(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        row = np.zeros(self.dimensions)
        for word, count in Counter(words).items():
            dimensions, weights = self._cached_word_vector(word)
            # The logarithm: the tenth occurrence says less than the first.
            np.add.at(row, dimensions, weights * (1 + math.log(count)))
        return row

    def _cached_word_vector(
        self, word: str
    ) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32]]:
        """Return a word's dimensions and weights; very long words are not cached."""
        is_short = len(word) <= _MAX_CACHED_LENGTH
        return self._features(word) if is_short else self._word_vector(word)

    def _word_vector(self, word: str) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32]]:
        features = [f"word {stem(word)}", *(f"gram {gram}" for gram in _ngrams(word))]
        hashed = [_hash(name, self.dimensions) for name in features]
        dimensions = np.array([dimension for dimension, _ in hashed], dtype=np.int16)
        weights = np.array([sign for _, sign in hashed], dtype=np.float32)
        weights[0] *= WORD_WEIGHT
        return dimensions, weights


def _ngrams(word: str) -> list[str]:
    """Return the letter n-grams of a word with marked edges; they make its forms similar."""
    edged = f"<{word}>"
    return [edged[i : i + size] for size in NGRAM_SIZES for i in range(len(edged) - size + 1)]


def _hash(name: str, dimensions: int) -> tuple[int, float]:
    """Return a dimension and a sign; with signs, collisions cancel out on average."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % dimensions, 1.0 if number & 1 else -1.0
