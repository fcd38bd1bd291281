"""The search of the sample studio: what it finds, in which order, and what it shows.

What needs the model's weights is run where they are; the rest runs on words alone.
"""

from itertools import pairwise

import pytest
from model_weights import needs_weights
from studio_answers import answers_by_meaning, answers_by_words, model

from resolvers.answers.answers import Answers
from resolvers.answers.entry_search import Hit, Index
from resolvers.answers.lines import MAX_QUOTE
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.search.documents import Document, documents_of
from schema.services.search import Band
from schema.site import Site

RUNGS = ["lexical", pytest.param("hybrid", marks=needs_weights)]
KEYWORDS = {
    "slippage": "glossary/slippage",
    "audit or retainer": "faq/what-is-the-difference-between-an-audit-and-a-retainer",
    "drawdown": "glossary/drawdown",
    "webhook-id duplicate delivery": (
        "faq/my-webhook-receiver-got-the-same-delivery-twice-is-that-a-fault"
    ),
}
PARAPHRASES = {
    "If I send a note tonight, how long until I hear back?": (
        "faq/how-soon-will-a-message-be-answered"
    ),
    "Do you keep tabs on people who visit?": "faq/what-does-this-service-record-about-my-requests",
    "Would she understand me if I wrote in Norwegian?": (
        "faq/when-and-where-does-maren-work-and-in-which-languages"
    ),
}
OFF_TOPIC = ["population of Brazil", "how to change a bicycle tyre"]


class Searched:
    """The sample's index and its answers, as a server has them."""

    def __init__(self, documents: tuple[Document, ...], answers: Answers, rung: str) -> None:
        self.answers = answers
        embedder = HashingEmbedder() if rung == "lexical" else model()
        self.index = Index(documents, answers.ranker, embedder)

    def search(self, query: str, limit: int, *kinds: str) -> list[Hit]:
        """The nearest entries."""
        named = self.answers.mended(query.casefold())
        return self.index.search(named, self.answers.ranker.rank(query), limit, kinds)

    def band(self, query: str) -> Band:
        """What they are worth."""
        return self.answers.band(query, self.answers.ranker.rank(query))


@pytest.fixture(scope="module")
def entries(sample: Site) -> tuple[Document, ...]:
    """Everything in the sample."""
    return documents_of(sample, lambda kind, slug: f"/{kind}/{slug}")


@pytest.fixture(scope="module", params=RUNGS)
def searched(request: pytest.FixtureRequest, entries: tuple[Document, ...]) -> Searched:
    """The sample's index on a rung."""
    answers = answers_by_words() if request.param == "lexical" else answers_by_meaning()
    return Searched(entries, answers, request.param)


def names(hits: list[Hit]) -> list[str]:
    """What was found."""
    return [f"{hit.document.kind}/{hit.document.slug}" for hit in hits]


@pytest.mark.parametrize("query", KEYWORDS)
def test_keywords_find_what_they_name_first(searched: Searched, query: str) -> None:
    assert names(searched.search(query, 5))[0] == KEYWORDS[query]


@needs_weights
@pytest.mark.parametrize("searched", ["hybrid"], indirect=True)
@pytest.mark.parametrize("query", PARAPHRASES)
def test_what_is_asked_in_other_words_is_found(searched: Searched, query: str) -> None:
    assert PARAPHRASES[query] in names(searched.search(query, 3, "faq"))


@pytest.mark.parametrize("query", ["tidebook ledger", "signed envelope", "what does it cost?"])
def test_hits_fall_in_score_and_each_entry_is_there_once(searched: Searched, query: str) -> None:
    hits = searched.search(query, 50)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(names(hits))) == len(hits) > 1
    assert all(0 <= score <= 1 and score == round(score, 4) for score in scores)


def test_a_limit_and_kinds_are_kept(searched: Searched) -> None:
    query = "reconciliation of a ledger"
    assert len(searched.search(query, 3)) == 3
    found = searched.search(query, 10, "glossary", "faq")
    assert {hit.document.kind for hit in found} == {"glossary", "faq"}
    everything = names(searched.search(query, 100))
    own = [name for name in everything if name.startswith(("glossary/", "faq/"))]
    assert names(found) == own[:10]


def test_a_kind_without_entries_has_no_hits(searched: Searched) -> None:
    none = searched.index.among({"symposium"})
    ranking = searched.answers.ranker.rank("reconciliation of a ledger", none)
    assert ranking.order == []
    assert searched.index.search("reconciliation of a ledger", ranking, 3, {"symposium"}) == []


@pytest.mark.parametrize("query", ["   ", "?", "the of and"])
def test_a_question_that_asks_nothing_finds_nothing_that_answers(
    searched: Searched, query: str
) -> None:
    assert searched.band(query) is not Band.ANSWER


def test_a_snippet_is_the_owners_text(searched: Searched) -> None:
    for query in KEYWORDS:
        for hit in searched.search(query, 10):
            assert hit.snippet in " ".join(hit.document.text.split())
            assert 0 < len(hit.snippet) <= MAX_QUOTE


@needs_weights
@pytest.mark.parametrize("searched", ["hybrid"], indirect=True)
def test_what_has_nothing_to_do_with_the_studio_is_not_answered(searched: Searched) -> None:
    for query in OFF_TOPIC:
        assert searched.band(query) is not Band.ANSWER


def test_how_many_results_are_asked_for_changes_no_order(searched: Searched) -> None:
    for pair in pairwise(KEYWORDS):
        query = " ".join(pair)
        assert searched.search(query, 1) == searched.search(query, 3)[:1]


def test_a_name_with_one_wrong_letter_comes_first(searched: Searched) -> None:
    for query in ("Slippage", "slipage", "slippaeg"):
        (best, *_) = searched.search(query, 5)
        assert (best.score, best.document.title) == (1.0, "Slippage")
