"""The hybrid embedder: half of a vector comes from the model, half from hashed words.

The cosine of two vectors is 0.7 of their similarity in meaning plus 0.3 of that in words. Words
find identifiers, slugs and versions, which the model does not know.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from resolvers.embeddings.embedder import DIMENSIONS, TextTokens, Vectors, validate_vectors
from resolvers.embeddings.hashing import VERSION as HASH_VERSION
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.minilm import MiniLM
from resolvers.embeddings.question_cache import QuestionCache
from resolvers.embeddings.weights import Weights, models_folder

MEANING, WORDS = 0.7, 0.3
HALF = DIMENSIONS // 2
"""The dimensions of each half."""


class Hybrid:
    """The built-in default embedder."""

    mode = "hybrid"
    dimensions = DIMENSIONS
    token_width = HALF

    def __init__(self, minilm: MiniLM, hashing: HashingEmbedder, sha256: str) -> None:
        """Take two embedders of equal width and the digest of the model's weights."""
        self._minilm = minilm
        self._hashing = hashing
        self._questions = QuestionCache(minilm.embed_tokens)
        self.model = f"minilm-l6-v2+{hashing.model}"
        self.id = f"{self.model}-{HASH_VERSION}-{sha256[:8]}-{DIMENSIONS}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts; a text without content words is embedded by the model alone."""
        return self._joined(texts, self._minilm.embed(texts))

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search, in the same way as a document."""
        meaning = self.read_question(text).vector[np.newaxis]
        vector: Vectors = self._joined([text], meaning)[0]
        return vector

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """Return what the model makes of texts and their tokens, without the half of words."""
        return self._minilm.embed_tokens(texts)

    def read_question(self, text: str) -> TextTokens:
        """Return the same for a question, which is read once while it is asked again."""
        return self._questions(text)

    def _joined(self, texts: Sequence[str], meaning: Vectors) -> Vectors:
        """Return the vectors with both halves."""
        words = np.array([self._hashing.term_counts(text) for text in texts]).reshape(-1, HALF)
        norms = np.linalg.norm(words, axis=1, keepdims=True)
        words = np.divide(words, norms, out=np.zeros_like(words), where=norms > 0)
        joined = np.hstack([np.sqrt(MEANING) * meaning, np.sqrt(WORDS) * words])
        return validate_vectors(joined, len(texts))


def hybrid(weights: Weights, data: Path) -> Hybrid:
    """Return the embedder for verified weights; its graph is kept in the data folder. Blocks."""
    minilm = MiniLM(weights, models_folder(data))
    return Hybrid(minilm, HashingEmbedder(HALF), weights.sha256)


def meaning_of(vectors: Vectors, mode: str) -> Vectors:
    """Return the part of an embedder's vectors that comes from a model, with unit length.

    Of hybrid vectors that is the first half, and of those of any other mode the whole.
    """
    if mode != Hybrid.mode:
        return vectors
    half = vectors[:, :HALF]
    unit: Vectors = half / np.linalg.norm(half, axis=1, keepdims=True)
    return unit
