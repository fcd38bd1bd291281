"""Meaning and words in one vector: the model's half beside the hashed one.

The cosine of two vectors is seven tenths of their likeness in meaning and three of that in words:
the words find identifiers, slugs and versions, of which the model knows nothing.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from resolvers.embeddings.embedder import DIMENSIONS, Vectors, validate_vectors
from resolvers.embeddings.hashing import VERSION as HASH_VERSION
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.minilm import MiniLM
from resolvers.embeddings.weights import Weights, models_folder

MEANING, WORDS = 0.7, 0.3
HALF = DIMENSIONS // 2
"""What the model and the hashed words each contribute."""


class Hybrid:
    """The embedded default."""

    mode = "hybrid"
    dimensions = DIMENSIONS

    def __init__(self, minilm: MiniLM, hashed: HashingEmbedder, sha256: str) -> None:
        """Of halves of equal width; the digest is that of the model's weights."""
        self._minilm = minilm
        self._hashed = hashed
        self.model = f"minilm-l6-v2+{hashed.model}"
        self.id = f"{self.model}-{HASH_VERSION}-{sha256[:8]}-{DIMENSIONS}"

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts; of one without content words, the model alone speaks."""
        meaning = self._minilm.embed(texts)
        words = np.array([self._hashed.term_counts(text) for text in texts]).reshape(-1, HALF)
        norms = np.linalg.norm(words, axis=1, keepdims=True)
        words = np.divide(words, norms, out=np.zeros_like(words), where=norms > 0)
        joined = np.hstack([np.sqrt(MEANING) * meaning, np.sqrt(WORDS) * words])
        return validate_vectors(joined, len(texts))

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for, made as that of a document is."""
        vector: Vectors = self.embed_documents([text])[0]
        return vector


def hybrid(weights: Weights, data: Path) -> Hybrid:
    """The embedder of verified weights; its graph is kept in the data folder. Takes a second."""
    minilm = MiniLM(weights, models_folder(data))
    return Hybrid(minilm, HashingEmbedder(HALF), weights.sha256)
