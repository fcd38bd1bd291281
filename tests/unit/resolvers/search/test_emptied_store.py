"""A store that forgets vectors without a word: they are found here all the same."""

from collections.abc import Sequence

import numpy as np

from resolvers.embeddings.embedder import Vectors
from resolvers.search.chroma import Neighbours
from resolvers.search.vector_index import VectorIndex


class Forgetful:
    """A store that takes everything and finds nothing."""

    def upsert(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Nothing, and nothing is kept."""

    def query(self, name: str, vector: Vectors, k: int) -> Neighbours:
        """Nothing."""
        del name, vector, k
        return []

    def prune(self, name: str) -> None:
        """Nothing."""

    def forget(self, name: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def test_what_the_store_has_forgotten_is_found_here() -> None:
    vectors = np.eye(8, 768, dtype=np.float32)
    shelf = VectorIndex(Forgetful(), "name", vectors)
    shelf.build()
    assert not shelf.is_away
    assert shelf.nearest(vectors[5], 1) == [5]
    assert shelf.is_away
    assert shelf.nearest(vectors[5], 1) == [5]
