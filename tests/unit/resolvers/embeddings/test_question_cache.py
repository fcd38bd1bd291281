"""Questions as a model reads them: each once, always alone, and bounded in bytes."""

from collections.abc import Sequence

import numpy as np

from resolvers.embeddings.embedder import TextTokens
from resolvers.embeddings.question_cache import QuestionCache

WIDTH = 384


class Model:
    """Notes which texts it is given together."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> list[TextTokens]:
        """A token for each letter."""
        self.calls.append([*texts])
        return [
            TextTokens(
                np.arange(len(text), dtype=np.int32),
                np.zeros((len(text), 2), dtype=np.int32),
                np.ones((len(text), WIDTH), dtype=np.float32),
                np.ones(WIDTH, dtype=np.float32),
            )
            for text in texts
        ]


def test_a_question_is_read_once_and_alone() -> None:
    model = Model()
    read = QuestionCache(model)
    first = [read(text) for text in ("one", "another", "one")]
    assert model.calls == [["one"], ["another"]]
    assert first[0] is first[2]
    assert [len(tokens.ids) for tokens in first] == [3, 7, 3]


def test_what_is_asked_again_stays_and_the_rest_goes() -> None:
    model = Model()
    read = QuestionCache(model, max_bytes=256 * 1024)
    read("often asked")
    read("often asked")
    for number in range(100):
        read(f"asked once, number {number}")
    read("often asked")
    read("asked once, number 0")
    assert model.calls.count(["often asked"]) == 1
    assert model.calls.count(["asked once, number 0"]) == 2


def test_a_question_too_long_to_keep_is_read_anew() -> None:
    model = Model()
    read = QuestionCache(model, max_bytes=64 * 1024)
    assert len(read("long " * 100).ids) == len(read("long " * 100).ids) == 500
    assert len(model.calls) == 2
