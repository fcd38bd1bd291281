"""What every embedder's vectors are held against before anybody uses them."""

import numpy as np
import pytest

from resolvers.embeddings.embedder import validate_vectors
from resolvers.embeddings.errors import ModelError


def test_vectors_become_unit_length() -> None:
    vectors = validate_vectors([[3, 4], [0, -2]], 2, 2)
    assert vectors.dtype == np.float32
    assert vectors == pytest.approx(np.array([[0.6, 0.8], [0, -1]]))


@pytest.mark.parametrize("none", [[], np.empty((0, 2)), [[]]])
def test_no_vectors_for_no_texts_are_fine(none: object) -> None:
    assert validate_vectors(np.array(none), 0, 2).shape == (0, 2)


@pytest.mark.parametrize(
    ("vectors", "told"),
    [
        ([[1, 0]], "shape"),
        ([[1, 0], [0, 1], [1, 1]], "shape"),
        ([[1, 0, 0], [0, 1, 0]], "shape"),
        ([1, 0], "shape"),
        ([], "shape"),
        ([[1, 0], [0, 0]], "zero or not finite"),
        ([[1, 0], [0, float("nan")]], "zero or not finite"),
        ([[1, 0], [float("inf"), 1]], "zero or not finite"),
        ([[1, 0], [1e300, 1e300]], "zero or not finite"),
        ([[1, 0], [1]], "not a list of vectors"),
        ([["a", "b"]] * 2, "not a list of vectors"),
        (None, "shape"),
    ],
)
def test_anything_else_is_a_fault(vectors: object, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        validate_vectors(vectors, 2, 2)  # type: ignore[arg-type]
