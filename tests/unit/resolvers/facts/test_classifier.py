"""What tells fields apart: all their example questions together."""

import numpy as np
import pytest

from resolvers.embeddings.embedder import Vectors
from resolvers.facts.classifier import MAX_DOUBT, FieldClassifier

PRICE, HOURS, OTHER = 0, 1, 2
WORDINGS = 8


DIMENSIONS = 24
COURTESY = 3


def _question(subject: int, courtesy: float, clearness: float = 1) -> Vectors:
    """Return a question about a subject, more or less clear and polite."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[subject], vector[COURTESY] = clearness, courtesy
    return vector / np.float32(np.linalg.norm(vector))


@pytest.fixture
def examples() -> Vectors:
    """Plain and polite questions about prices, and about hours only plain ones."""
    prices = [_question(PRICE, number / WORDINGS) for number in range(WORDINGS)]
    hours = [_question(HOURS, number / 100) for number in range(WORDINGS)]
    return np.stack([*prices, *hours])


@pytest.fixture
def classifier(examples: Vectors) -> FieldClassifier:
    rows = {PRICE: slice(0, WORDINGS), HOURS: slice(WORDINGS, 2 * WORDINGS)}
    return FieldClassifier(examples, rows)


@pytest.fixture
def polite() -> Vectors:
    """A question about hours, as polite as the politest one about prices."""
    return _question(HOURS, 0.9, clearness=0.5)


def _nearest(examples: Vectors, question: Vectors) -> Vectors:
    of_fields = np.split(examples @ question, 2)
    return np.array([*(float(scores.max()) for scores in of_fields), 0.5], dtype=np.float32)


def test_what_examples_of_one_field_do_not_share_counts_less(
    examples: Vectors, classifier: FieldClassifier, polite: Vectors
) -> None:
    nearest = _nearest(examples, polite)
    weighed = classifier.weigh(nearest, polite, [PRICE, HOURS, OTHER])
    assert nearest[PRICE] > nearest[HOURS]
    assert weighed[HOURS] > weighed[PRICE]


def test_the_best_score_and_what_was_not_learned_stay(
    examples: Vectors, classifier: FieldClassifier, polite: Vectors
) -> None:
    nearest = _nearest(examples, polite)
    weighed = classifier.weigh(nearest, polite, [PRICE, HOURS, OTHER])
    assert weighed.max() == pytest.approx(nearest.max())
    assert weighed[OTHER] == nearest[OTHER]
    assert nearest[PRICE] - weighed[PRICE] <= MAX_DOUBT


def test_only_the_fields_that_are_asked_compete(
    examples: Vectors, classifier: FieldClassifier, polite: Vectors
) -> None:
    nearest = _nearest(examples, polite)
    assert classifier.weigh(nearest, polite, [PRICE, OTHER]) == pytest.approx(nearest)
    assert classifier.weigh(nearest, polite, [OTHER]) == pytest.approx(nearest)


def test_weighing_leaves_the_scores_that_it_is_given(
    examples: Vectors, classifier: FieldClassifier, polite: Vectors
) -> None:
    nearest = _nearest(examples, polite)
    before = nearest.copy()
    classifier.weigh(nearest, polite, [PRICE, HOURS])
    assert nearest == pytest.approx(before)
