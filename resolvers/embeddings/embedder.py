"""What turns texts into vectors, as everybody sees it. Holds no model.

The cosine of two texts is the product of their vectors, as all vectors are of unit length.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.errors import ModelError

DIMENSIONS = 768
_SMALLEST = 1e-12

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """A model that embeds. One text has one vector for ever under one id."""

    @property
    def id(self) -> str:
        """Its name, version, digest of weights and dimensions. Shape: `[a-z0-9+._-]+`."""
        ...

    @property
    def model(self) -> str:
        """The name that callers see."""
        ...

    @property
    def mode(self) -> str:
        """What a search with it is: `hybrid`, `lexical` or `semantic`."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """The vectors of texts to be found. Blocks.

        Shape: one row of unit length a text. Raises: ModelFault.
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """The vector of what is looked for. Blocks. Raises: ModelFault."""
        ...


def validate_vectors(vectors: npt.ArrayLike, count: int, dimensions: int = DIMENSIONS) -> Vectors:
    """The vectors, each of unit length, if they are so many, finite and none is zero.

    A vector store takes what is not a number without a word and never finds it again.

    Raises: ModelFault.
    """
    try:
        made = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError("The model answered with what is no list of vectors.") from None
    made = made.reshape(0, dimensions) if made.size == count == 0 else made
    if made.shape != (count, dimensions):
        raise ModelError(
            f"The model answered with vectors of shape {made.shape},"
            f" and {(count, dimensions)} is needed."
        )
    with np.errstate(all="ignore"):  # what is too large becomes infinite, and is refused
        norms = np.linalg.norm(made, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or (norms < _SMALLEST).any():
        raise ModelError("The model answered with a vector that is zero or not finite.")
    unit: Vectors = (made / norms).astype(np.float32)
    return unit
