"""The hybrid embedders: half of a vector comes from a model, half from hashed words.

The cosine of two vectors is 0.7 of their similarity in meaning plus 0.3 of that in words. Words
find identifiers, slugs and versions, which the models do not know.
"""

from collections.abc import Sequence

import numpy as np

from resolvers.embeddings.embedder import DIMENSIONS, TextTokens, Vectors, validate_vectors
from resolvers.embeddings.hashing import VERSION as HASH_VERSION
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.minilm import MiniLM
from resolvers.embeddings.weights import Weights
from sdl.tools.byte_cache import ByteCache

MEANING, WORDS = 0.7, 0.3
HALF = DIMENSIONS // 2
"""The dimensions of each half."""
QUESTION_BYTES = 8 * 2**20
"""How much is kept of what was asked lately; a question of ten words takes 20 KB."""
_OTHER_BYTES = 2_500
"""What a kept question takes beside its tokens: the vector, the spans, the objects."""


class HashedHalf:
    """What the hybrid embedders share: names, and the half of hashed words."""

    mode = "hybrid"
    dimensions = DIMENSIONS

    def __init__(self, model: str, version: str) -> None:
        """Take the name of the model of the other half, and what changes with its vectors."""
        self._hashing = HashingEmbedder(HALF)
        self.model = f"{model}+{self._hashing.model}"
        self.id = f"{self.model}-{HASH_VERSION}-{version}-{DIMENSIONS}"

    def joined(self, texts: Sequence[str], meaning: Vectors) -> Vectors:
        """Return a unit vector for each text: the half of meaning, then of words.

        `meaning` has a row of `HALF` dimensions for each text. The half of words is zero for a text
        without content words. Raises: ModelError.
        """
        words = np.array([self._hashing.term_counts(text) for text in texts]).reshape(-1, HALF)
        norms = np.linalg.norm(words, axis=1, keepdims=True)
        words = np.divide(words, norms, out=np.zeros_like(words), where=norms > 0)
        both = np.hstack([np.sqrt(MEANING) * meaning, np.sqrt(WORDS) * words])
        return validate_vectors(both, len(texts))


class Hybrid(HashedHalf):
    """The built-in default embedder."""

    token_width = HALF

    def __init__(self, minilm: MiniLM, sha256: str) -> None:
        """Take the model and the digest of its weights."""
        super().__init__("minilm-l6-v2", sha256[:8])
        self._minilm = minilm
        self._questions: ByteCache[TextTokens] = ByteCache(QUESTION_BYTES)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks."""
        return self.joined(texts, self._minilm.embed(texts))

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search, in the same way as a document. Blocks."""
        vector: Vectors = self.joined([text], self.read_question(text).vector[np.newaxis])[0]
        return vector

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """Return what the model makes of texts and their tokens, without the half of words."""
        return self._minilm.embed_tokens(texts)

    def read_question(self, text: str) -> TextTokens:
        """Return the same for a question, which is read once while it is asked again.

        Search, chat and intent look at one question from several sides, and agents ask the same.
        """
        tokens = self._questions.get(text)
        if tokens is None:
            (tokens,) = self._minilm.embed_tokens([text])
            self._questions.add(text, tokens, tokens.tokens.nbytes + 2 * len(text) + _OTHER_BYTES)
        return tokens


def hybrid(weights: Weights) -> Hybrid:
    """Return the embedder for verified weights. Blocks."""
    return Hybrid(MiniLM(weights), weights.sha256)


def meaning_of(vectors: Vectors, mode: str) -> Vectors:
    """Return the part of an embedder's vectors that comes from a model, with unit length.

    Of hybrid vectors that is the first half, and of those of any other mode the whole.
    """
    if mode != HashedHalf.mode:
        return vectors
    half = vectors[:, :HALF]
    unit: Vectors = half / np.linalg.norm(half, axis=1, keepdims=True)
    return unit
