"""Vectors of words alone: each word and its parts fall into places that a hash gives them.

No model and no idf: nothing that is learnt or counted elsewhere changes a text's vector, so it is
the same for ever, in every process. Knows nothing of meaning.

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
"""Of what a text's vector depends on: the words, their parts, the hash and the weights."""
NGRAM_SIZES = (3, 4, 5)
WORD_WEIGHT = 6.0
_KEPT_WORDS = 8192
_KEPT_LETTERS = 64


class HashingEmbedder:
    """An embedder that needs no weights, and a half of the hybrid one."""

    mode = "lexical"

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.model = f"hash{dimensions}"
        self.id = f"{self.model}-{VERSION}-{dimensions}"
        self._features = lru_cache(_KEPT_WORDS)(self._placed)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts; a text of nothing but stop words or signs has one, too."""
        rows = [self.term_counts(text) for text in texts]
        whole = [
            row if row.any() else self._of_anything(text)
            for row, text in zip(rows, texts, strict=True)
        ]
        return validate_vectors(np.array(whole), len(texts), self.dimensions)

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for; nobody asks for it otherwise than it is told."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def term_counts(self, text: str) -> npt.NDArray[np.float64]:
        """The sum over the content words, not of unit length; zero where there are none."""
        return self._sum([word for word in tokenize(text) if word not in STOP_WORDS])

    def _of_anything(self, text: str) -> npt.NDArray[np.float64]:
        """A sum over whatever the text is made of, which is not zero."""
        row = self._sum(tokenize(text))
        if not row.any():
            place, sign = _hash(f"text {text.strip()}", self.dimensions)
            row[place] = sign
        return row

    def _sum(self, words: Sequence[str]) -> npt.NDArray[np.float64]:
        row = np.zeros(self.dimensions)
        for word, count in Counter(words).items():
            places, weights = self._of_word(word)
            # The tenth time says less than the first.
            np.add.at(row, places, weights * (1 + math.log(count)))
        return row

    def _of_word(self, word: str) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32]]:
        """The places of a word and what it puts there; a very long one is not remembered."""
        return self._features(word) if len(word) <= _KEPT_LETTERS else self._placed(word)

    def _placed(self, word: str) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.float32]]:
        named = [f"word {stem(word)}", *(f"gram {gram}" for gram in _grams(word))]
        hashed = [_hash(name, self.dimensions) for name in named]
        places = np.array([place for place, _ in hashed], dtype=np.int16)
        weights = np.array([sign for _, sign in hashed], dtype=np.float32)
        weights[0] *= WORD_WEIGHT
        return places, weights


def _grams(word: str) -> list[str]:
    """The runs of letters in a word, its edges marked, so that forms of it are alike."""
    edged = f"<{word}>"
    return [edged[at : at + size] for size in NGRAM_SIZES for at in range(len(edged) - size + 1)]


def _hash(name: str, dimensions: int) -> tuple[int, float]:
    """A place and a sign: features that meet by chance cancel out in the mean."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % dimensions, 1.0 if number & 1 else -1.0
