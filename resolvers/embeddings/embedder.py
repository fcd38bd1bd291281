"""The interface of embedding models, and the check of their vectors.

All vectors have unit length, so the cosine of two texts is the product of their vectors.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.errors import ModelError

DIMENSIONS = 768
_MIN_NORM = 1e-12

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """An embedding model. Under one id, a text always has the same vector."""

    @property
    def id(self) -> str:
        """Name, version, digest of the weights and dimensions. Shape: `[a-z0-9+._-]+`."""
        ...

    @property
    def model(self) -> str:
        """The name that callers see."""
        ...

    @property
    def mode(self) -> str:
        """The kind of search that it makes: `hybrid`, `lexical` or `semantic`."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts to be searched: one row of unit length for each text. Blocks.

        Raises: ModelError.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed the text of a search. Blocks. Raises: ModelError."""
        ...


@dataclass(frozen=True)
class TextTokens:
    """A text as a model reads it: a vector for each of its tokens, and one for all of it."""

    ids: npt.NDArray[np.int32]
    """The numbers of the word pieces. Shape: tokens."""
    spans: npt.NDArray[np.int32]
    """Where each piece begins and ends in the text. Shape: tokens x 2. Units: characters."""
    tokens: Vectors
    """What the last layer says of each piece, not of unit length. Shape: tokens x width."""
    vector: Vectors
    """The mean of all tokens, with unit length. Shape: width."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedding model that also tells what it made of each token."""

    @property
    def token_width(self) -> int:
        """The length of a token's vector."""
        ...

    def embed_tokens(self, texts: Sequence[str]) -> list[TextTokens]:
        """Embed texts and their tokens. Blocks. Raises: ModelError."""
        ...

    def read_question(self, text: str) -> TextTokens:
        """Embed a question and its tokens; what was asked lately is kept. Blocks.

        Raises: ModelError.
        """
        ...


def validate_vectors(vectors: npt.ArrayLike, count: int, dimensions: int = DIMENSIONS) -> Vectors:
    """Return the vectors with unit length; check their number, and that none is zero or not finite.

    A vector store accepts NaN without an error and never finds such a vector again.
    Raises: ModelError.
    """
    try:
        array = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("The model's response is not a list of vectors.") from None
    array = array.reshape(0, dimensions) if array.size == count == 0 else array
    if array.shape != (count, dimensions):
        raise ModelError(
            f"The model returned vectors of shape {array.shape}; {(count, dimensions)} is needed."
        )
    with np.errstate(all="ignore"):  # too large numbers become infinite and are refused below
        norms = np.linalg.norm(array, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms < _MIN_NORM).any():
        raise ModelError("The model returned a vector that is zero or not finite.")
    unit: Vectors = (array / norms).astype(np.float32)
    return unit
