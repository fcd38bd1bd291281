"""The lint is put to every case of a half, with real vectors."""

from collections import Counter

import pytest

from evals.lints import Lints, cases, lints
from evals.questions import HALVES, Half
from resolvers.embeddings.hashing import HashingEmbedder


def judged(*halves: Half) -> Lints:
    """How the lint judges with the vectors that need no model."""
    return lints(halves, lambda texts: HashingEmbedder().embed_documents(texts).tolist())


@pytest.mark.parametrize("half", HALVES)
def test_every_case_of_a_half_is_judged(half: Half) -> None:
    count = Counter((case.half, case.good) for case in cases())
    found = judged(half)
    assert len(found.flagged) == count[half, False]
    assert len(found.passed) == count[half, True]
