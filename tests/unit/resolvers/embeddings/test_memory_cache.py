"""Remembered vectors: nothing is embedded twice, and no more is kept than was allowed."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.embeddings.memory_cache import VectorCache


class Noting:
    """What embeds, noting what it was asked."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self._hashed = HashingEmbedder()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(list(texts))
        return self._hashed.embed_documents(texts)


def test_the_rows_are_those_of_the_texts_in_their_order() -> None:
    remembered = VectorCache(Noting())
    remembered(["ledger"])
    expected = HashingEmbedder().embed_documents(["tide", "ledger", "tide"])
    assert np.array_equal(remembered(["tide", "ledger", "tide"]), expected)


def test_a_text_is_embedded_once() -> None:
    noting = Noting()
    remembered = VectorCache(noting)
    remembered(["a", "b", "a"])
    remembered(["b", "c"])
    assert noting.asked == [["a", "b"], ["c"]]


def test_no_text_needs_no_embedding() -> None:
    noting = Noting()
    assert VectorCache(noting)([]).shape == (0, 768)
    assert not noting.asked


def test_what_was_not_asked_for_longest_is_dropped_first() -> None:
    noting = Noting()
    remembered = VectorCache(noting, max_entries=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        remembered([text])
    assert noting.asked == [["a"], ["b"], ["c"], ["b"]]


def test_more_texts_than_are_kept_are_still_answered_whole() -> None:
    remembered = VectorCache(Noting(), max_entries=2)
    texts = ["ledger", "tide", "quay", "desk"]
    assert np.array_equal(remembered(texts), HashingEmbedder().embed_documents(texts))


def test_what_could_not_be_embedded_is_not_kept() -> None:
    faults = [ModelError("The model is away.")]
    hashed = HashingEmbedder()

    def embed(texts: Sequence[str]) -> Vectors:
        if faults:
            raise faults.pop()
        return hashed.embed_documents(texts)

    remembered = VectorCache(embed)
    with pytest.raises(ModelError):
        remembered(["ledger"])
    assert np.array_equal(remembered(["ledger"]), hashed.embed_documents(["ledger"]))


def test_many_threads_get_the_right_rows_from_a_small_store() -> None:
    remembered = VectorCache(HashingEmbedder().embed_documents, max_entries=3)
    texts = [f"text{place}" for place in range(8)]
    expected = HashingEmbedder().embed_documents(texts)

    def asked(turn: int) -> bool:
        order = [(turn + step) % 8 for step in range(8)]
        return np.array_equal(remembered([texts[place] for place in order]), expected[order])

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(asked, range(64)))
