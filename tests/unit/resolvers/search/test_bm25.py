"""BM25: rare words count more than common ones, in short texts more than in long ones."""

import math

import pytest

from resolvers.embeddings.tokenizer import terms
from resolvers.search.bm25 import Bm25

TEXTS = [
    "tide gauge",
    "tide ledger ledger",
    "tide and many other words about harbours, boats, storms, quays and gates beside the gauge",
    "",
]


@pytest.fixture(scope="module")
def bm25() -> Bm25:
    """The four texts."""
    return Bm25([terms(text) for text in TEXTS])


def test_a_score_is_what_the_formula_says(bm25: Bm25) -> None:
    lengths = [len(terms(text)) for text in TEXTS]
    assert lengths == [2, 3, 9, 0]
    # in 1 text of 4, which has it twice in 3 words, where 3.5 are the mean
    expected = math.log(1 + 3.5 / 1.5) * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 3.5))
    assert bm25.scores("ledger").tolist() == pytest.approx([0, expected, 0, 0], rel=1e-5)


def test_a_rare_word_counts_more_than_a_common_one(bm25: Bm25) -> None:
    ledger, gauge, tide = terms("ledger gauge tide")
    assert bm25.idf(ledger) > bm25.idf(gauge) > bm25.idf(tide) > 0
    assert bm25.idf("unheard") > bm25.idf("ledger")


def test_a_short_text_counts_more_than_a_long_one(bm25: Bm25) -> None:
    scores = bm25.scores("gauge")
    assert scores[0] > scores[2] > 0


@pytest.mark.parametrize("question", ["", "the of and", "unheard", "?"])
def test_what_shares_no_word_has_no_score(bm25: Bm25, question: str) -> None:
    assert bm25.scores(question).tolist() == [0, 0, 0, 0]


def test_a_word_said_twice_is_asked_once(bm25: Bm25) -> None:
    assert bm25.scores("tide tide tide").tolist() == bm25.scores("tide").tolist()


def test_it_knows_its_words(bm25: Bm25) -> None:
    assert "ledger" in bm25
    assert "unheard" not in bm25


def test_no_texts_are_no_fault() -> None:
    assert Bm25([]).scores("tide").tolist() == []
