"""A store that forgets vectors without a word: they are found here all the same."""

from collections.abc import Sequence

import numpy as np

from resolvers.answers.embedder import Vectors
from resolvers.answers.shelf import Shelf
from resolvers.answers.store import Near


class Forgetful:
    """A store that takes everything and finds nothing."""

    def put(self, name: str, ids: Sequence[str], vectors: Vectors) -> None:
        """Nothing, and nothing is kept."""

    def query(self, name: str, vector: Vectors, k: int) -> Near:
        """Nothing."""
        del name, vector, k
        return []

    def keep(self, name: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def test_what_the_store_has_forgotten_is_found_here() -> None:
    vectors = np.eye(8, 768, dtype=np.float32)
    shelf = Shelf(Forgetful(), "name", vectors, ["faq"] * 4 + ["project"] * 4)
    shelf.fill()
    assert not shelf.is_away
    assert shelf.nearest(vectors[5], 1) == [5]
    assert shelf.is_away
    assert shelf.nearest(vectors[5], 1, "faq") == [0]
    assert shelf.nearest(vectors[5], 3, "nothing of this kind") == []
