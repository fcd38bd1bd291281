"""The scale of likeness: 0 for unrelated texts and 1 for the same, whatever the model."""

import numpy as np
import pytest
from boatyard import BY_WORDS, by_meaning
from model_weights import needs_weights

from resolvers.facts.likeness import Embed, Likeness

UNRELATED = (
    "what does it cost",
    "where is the harbour",
    "who built the boat",
    "which languages do you speak",
    "is the snapshot signed",
    "how do I subscribe to changes",
)


@pytest.fixture(params=["words", pytest.param("meaning", marks=needs_weights)])
def embed(request: pytest.FixtureRequest) -> Embed:
    """The embedder of words, then the model."""
    return BY_WORDS if request.param == "words" else by_meaning()


def test_unrelated_texts_are_at_nought_and_the_same_one_is_at_one(embed: Embed) -> None:
    vectors = embed(UNRELATED)
    likeness = Likeness(embed, vectors)
    scores = np.array([likeness.of(vectors, vector) for vector in vectors])
    assert np.diag(scores) == pytest.approx(np.ones(len(UNRELATED)), abs=1e-5)
    others = scores[~np.eye(len(UNRELATED), dtype=bool)]
    assert float(others.mean()) == pytest.approx(0, abs=1e-5)


def test_a_question_is_compared_as_it_is_embedded(embed: Embed) -> None:
    likeness = Likeness(embed, embed(UNRELATED))
    asked = likeness.vectors([UNRELATED[2], "the boat's builder"])
    scores = likeness.of(embed(UNRELATED), asked[0])
    assert int(scores.argmax()) == 2
    assert likeness.vectors([UNRELATED[2]])[0] == pytest.approx(asked[0])


@pytest.mark.parametrize("count", [0, 1])
def test_without_two_texts_the_scale_is_the_cosine(count: int) -> None:
    vectors = BY_WORDS(UNRELATED)
    likeness = Likeness(BY_WORDS, vectors[:count])
    assert likeness.of(vectors, vectors[0]) == pytest.approx(vectors @ vectors[0])
