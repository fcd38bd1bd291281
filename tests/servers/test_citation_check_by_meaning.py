"""How many wrong answers the lint finds, by words alone and with the embedded model."""

import pytest
from lint_cases import CASES, Case
from model_weights import WEIGHTS, needs_weights
from repository import MODEL_CACHE
from sample_sources import linted, right

from resolvers.embeddings.hybrid import hybrid
from resolvers.embeddings.memory_cache import VectorCache


@pytest.fixture(scope="module")
def meanings() -> VectorCache:
    """The embedded model."""
    assert WEIGHTS is not None
    return VectorCache(hybrid(WEIGHTS, MODEL_CACHE).embed_documents)


@pytest.mark.parametrize(("half", "bad", "good"), [("dev", 58, 66), ("test", 32, 34)])
def test_by_words_alone_most_wrong_answers_are_found(half: str, bad: int, good: int) -> None:
    flagged, passed = right(half, None)
    assert (flagged >= bad, passed >= good) == (True, True), (flagged, passed)


@needs_weights
def test_with_a_model_more_are_found(meanings: VectorCache) -> None:
    flagged, passed = right("test", meanings)
    assert (flagged >= 33, passed >= 34) == (True, True), (flagged, passed)


@needs_weights
def test_with_a_model_the_method_says_so(meanings: VectorCache) -> None:
    case: Case = CASES[0]
    assert linted(case.answer, case.entries, meanings).method == "lexical+embedding"
