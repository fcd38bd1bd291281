"""The lint is put to every case of a half, with real vectors."""

from collections import Counter

import pytest

from evals.lints import cases, lints
from evals.material import Half
from resolvers.embeddings.hashing import HashingEmbedder


@pytest.mark.parametrize(("half", "named"), [("tune", "dev"), ("report", "test")])
def test_every_case_of_a_half_is_judged(half: Half, named: str) -> None:
    count = Counter(case.good for case in cases() if case.half == named)
    found = lints(half, lambda texts: HashingEmbedder().embed_documents(texts).tolist())
    assert (len(found.flagged), len(found.passed)) == (count[False], count[True])
    assert count[False]
    assert count[True]
