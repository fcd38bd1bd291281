"""The index of the sample studio: what it finds, in which order, and when it says that it cannot.

What needs the model's weights is run where they are; the rest runs on words alone.
"""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from model_weights import WEIGHTS, needs_weights
from repository import MODEL_CACHE

from resolvers.embeddings.disk_cache import DiskVectorCache, document_cache
from resolvers.embeddings.embedder import Embedder
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.search.chroma import VectorStore, ephemeral_store, http_store
from resolvers.search.documents import Document, documents_of
from resolvers.search.index import Hit, Index
from resolvers.search.ranking import MAX_CACHED_QUERY
from resolvers.search.snippet import MAX_LENGTH
from schema.site import Site

RUNGS = ["lexical", pytest.param("hybrid", marks=needs_weights)]
KEYWORDS = {
    "slippage": "glossary/slippage",
    "audit or retainer": "faq/what-is-the-difference-between-an-audit-and-a-retainer",
    "drawdown": "glossary/drawdown",
    "LANTERN ERC-721": "faq/which-on-chain-artifacts-does-the-studio-hold-and-are-they-for",
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
OFF_TOPIC = [
    "population of Brazil",
    "how to change a bicycle tyre",
    "symptoms of vitamin D deficiency",
]
NEAR_MISSES = [
    "Does Tidebook export to SAP?",
    "Is there an iPhone app for Tidebook?",
    "Which GPU does Fathom need?",
    "How do I reset my Tidebook password?",
]


class Counting:
    """Words alone, and how often they were asked for."""

    def __init__(self) -> None:
        self._hashed = HashingEmbedder()
        self.id, self.model, self.mode = self._hashed.id, self._hashed.model, self._hashed.mode
        self.dimensions = self._hashed.dimensions
        self.embed_documents = self._hashed.embed_documents
        self.asked: list[str] = []

    def embed_query(self, text: str) -> np.ndarray:
        """The vector, noted."""
        self.asked.append(text)
        return self._hashed.embed_query(text)


def path(kind: str, slug: str) -> str:
    return f"/{kind}/{slug}"


def embedder(rung: str) -> Embedder:
    """The embedder of a rung."""
    if rung == "lexical":
        return HashingEmbedder()
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - only with weights

    assert WEIGHTS is not None
    return hybrid(WEIGHTS, MODEL_CACHE)


@pytest.fixture(scope="module")
def entries(sample: Site) -> tuple[Document, ...]:
    """Everything in the sample."""
    return documents_of(sample, path)


@pytest.fixture(scope="module", params=RUNGS)
def index(
    request: pytest.FixtureRequest,
    entries: tuple[Document, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Index]:
    """The sample's index on a rung."""
    folder = tmp_path_factory.mktemp(request.param)
    model, store = embedder(request.param), ephemeral_store(str(folder))
    yield Index.build(
        entries, model, document_cache(MODEL_CACHE / "vectors", model), store, "sha256:1"
    )
    store.close()


def built(
    entries: tuple[Document, ...], folder: Path, store: VectorStore, digest: str = "sha256:1"
) -> Index:
    """An index on words alone."""
    return Index.build(
        entries, HashingEmbedder(), DiskVectorCache(folder, HashingEmbedder()), store, digest
    )


def names(hits: list[Hit]) -> list[str]:
    """What was found."""
    return [f"{hit.document.kind}/{hit.document.slug}" for hit in hits]


@pytest.mark.parametrize("query", KEYWORDS)
def test_keywords_find_what_they_name_first(index: Index, query: str) -> None:
    assert names(index.search(query, 5))[0] == KEYWORDS[query]


@needs_weights
@pytest.mark.parametrize("index", ["hybrid"], indirect=True)
@pytest.mark.parametrize("query", PARAPHRASES)
def test_what_is_asked_in_other_words_is_found(index: Index, query: str) -> None:
    assert PARAPHRASES[query] in names(index.search(query, 3, "faq"))


@pytest.mark.parametrize("query", ["tidebook ledger", "signed envelope", "what does it cost?"])
def test_hits_fall_in_score_and_each_entry_is_there_once(index: Index, query: str) -> None:
    hits = index.search(query, 50)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(names(hits))) == len(hits) > 1
    assert all(0 < score <= 1 and score == round(score, 4) for score in scores)


def test_a_limit_and_a_kind_are_kept(index: Index) -> None:
    query = "reconciliation of a ledger"
    assert len(index.search(query, 3)) == 3
    found = index.search(query, 10, "glossary")
    assert found
    assert {hit.document.kind for hit in found} == {"glossary"}
    everything = [name for name in names(index.search(query, 100)) if name.startswith("glossary/")]
    assert everything[:5] == names(found)[:5]


def test_several_kinds_are_searched_at_once(index: Index) -> None:
    query = "reconciliation of a ledger"
    found = names(index.search(query, 100, "glossary", "faq"))
    assert {name.partition("/")[0] for name in found} == {"glossary", "faq"}
    assert (
        found[:5]
        == [
            name
            for name in names(index.search(query, 100))
            if name.startswith(("glossary/", "faq/"))
        ][:5]
    )


@pytest.mark.parametrize("query", ["", "   ", "?", "the of and"])
def test_a_question_that_asks_nothing_finds_nothing_that_answers(index: Index, query: str) -> None:
    hits = index.search(query, 5)
    assert index.answerability(query, hits) != "answer"


def test_a_snippet_stands_in_the_passage_and_holds_what_was_asked(index: Index) -> None:
    for query in KEYWORDS:
        for hit in index.search(query, 10):
            assert hit.snippet in hit.chunk.text
            assert 0 < len(hit.snippet) <= MAX_LENGTH
    (best, *_) = index.search("sign error in a fee import", 5)
    assert "sign" in best.snippet


@pytest.mark.parametrize("query", KEYWORDS)
def test_what_the_content_says_is_answered(index: Index, query: str) -> None:
    assert index.answerability(query, index.search(query, 5)) == "answer"


def test_how_many_results_are_asked_for_changes_no_judgement(index: Index) -> None:
    for pair in pairwise(KEYWORDS):
        hits, band = index.search_and_judge(" ".join(pair), 3)
        assert index.search_and_judge(" ".join(pair), 1) == (hits[:1], band)


@pytest.mark.parametrize("query", [*OFF_TOPIC, *NEAR_MISSES])
def test_what_the_content_does_not_say_is_not_answered(index: Index, query: str) -> None:
    assert index.answerability(query, index.search(query, 5)) != "answer"


@needs_weights
@pytest.mark.parametrize("index", ["hybrid"], indirect=True)
@pytest.mark.parametrize("query", OFF_TOPIC)
def test_what_is_about_something_else_is_told_to_be_far(index: Index, query: str) -> None:
    hits, band = index.search_and_judge(query, 5)
    assert len(hits) == 5
    assert hits[0].score < 0.33
    assert band == index.answerability(query, []) == "refuse"


def test_a_name_that_stands_nowhere_makes_no_answer(index: Index) -> None:
    known = "Which property tests does Tidebook use?"
    strange = "Which property tests does Tidebook use, and does Zorbex?"
    assert index.answerability(known, index.search(known, 5)) == "answer"
    assert index.answerability(strange, index.search(strange, 5)) == "closest"


def test_no_hit_is_dropped_for_its_score(index: Index) -> None:
    assert len(index.search("population of Brazil", 10)) == 10


def test_how_many_are_wanted_does_not_change_what_they_are_worth(index: Index) -> None:
    for query in [*KEYWORDS, *OFF_TOPIC, *NEAR_MISSES]:
        assert len({index.search_and_judge(query, limit)[1] for limit in (1, 2, 5)}) == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("BREAK", "glossary/break"),
        ("recon break", "glossary/break"),
        ("Tidebok", "project/tidebook"),
        ("What is slippage?", "glossary/slippage"),
    ],
)
def test_what_the_query_names_comes_first(index: Index, query: str, expected: str) -> None:
    hits = index.search(query, 5)
    assert names(hits)[0] == expected
    assert hits[0].score == 1
    assert hits[0].document.text.startswith(hits[0].snippet)
    assert expected not in names(index.search(query, 5, "faq"))


def test_a_snippet_is_never_a_line_of_facts(index: Index) -> None:
    for query in [
        "status of Tidebook",
        "tags studio overview",
        "discrepancy mismatch",
        "llm ready",
    ]:
        hits = index.search(query, 10)
        assert hits
        for hit in hits:
            assert not any(fact in hit.snippet for fact in ("Status: ", "Tags: ", "Aliases: "))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("PyO3 proptest", "project/tidebook"),
        ("which project uses Zarr?", "project/harborlight"),
        ("GRIB 2", "project/harborlight"),
    ],
)
def test_what_stands_only_in_the_facts_is_found_by_its_words(
    index: Index, query: str, expected: str
) -> None:
    found = names(index.search(query, 5))
    assert expected in (found[:1] if index.mode == "hybrid" else found)


@needs_weights
def test_a_second_start_finds_the_same_and_embeds_nothing(
    entries: tuple[Document, ...], tmp_path: Path
) -> None:
    model, store = embedder("hybrid"), ephemeral_store(str(tmp_path))
    told: list[int] = []

    def found() -> list[list[Hit]]:
        cache = document_cache(tmp_path, model, lambda done, total: told.append(total - done))
        index = Index.build(entries[:20], model, cache, store, "d")
        return [index.search(query, 5) for query in KEYWORDS]

    first = found()
    assert told.pop(0) > 0
    told.clear()
    assert found() == first
    assert told == [0]
    store.close()


@needs_weights
def test_threads_find_the_same(entries: tuple[Document, ...], tmp_path: Path) -> None:
    model, store = embedder("hybrid"), ephemeral_store(str(tmp_path))
    cache = document_cache(MODEL_CACHE / "vectors", model)
    built_once = Index.build(entries, model, cache, store, "threads")
    expected = {query: built_once.search(query, 5) for query in KEYWORDS}
    shared = Index.build(entries, model, cache, store, "threads")
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda query: (query, shared.search(query, 5)), [*KEYWORDS] * 8)
        assert all(hits == expected[query] for query, hits in found)
    store.close()


def test_one_question_in_two_spellings_is_embedded_once(
    entries: tuple[Document, ...], tmp_path: Path
) -> None:
    model, store = Counting(), ephemeral_store(str(tmp_path))
    index = Index.build(entries[:9], model, DiskVectorCache(tmp_path, model), store, "d")
    found = [index.search(query, 5) for query in ("\ufb01nd a thesis", " find  a thesis\n")]
    index.search("find a thesis", 3, "faq")
    assert model.asked == ["find a thesis"]
    assert found[0] == found[1]
    found[0].clear()
    assert index.search("find a thesis", 5) == found[1]
    store.close()


def test_a_long_question_is_not_kept(entries: tuple[Document, ...], tmp_path: Path) -> None:
    model, store = Counting(), ephemeral_store(str(tmp_path))
    index = Index.build(entries[:9], model, DiskVectorCache(tmp_path, model), store, "d")
    shortest = "a thesis" + "?" * (MAX_CACHED_QUERY - 7)
    assert index.search(shortest, 5) == index.search(shortest, 5)
    assert model.asked == [shortest] * 2
    store.close()


def test_without_its_store_it_finds_the_same_and_says_so(
    entries: tuple[Document, ...], tmp_path: Path
) -> None:
    store = ephemeral_store(str(tmp_path))
    nobody = http_store("http://127.0.0.1:1", "", "studio")
    with_it, without = built(entries, tmp_path, store), built(entries, tmp_path, nobody)
    for query in KEYWORDS:
        for kinds in ([], ["glossary"]):
            assert with_it.search(query, 8, *kinds) == without.search(query, 8, *kinds)
    assert (with_it.mode, without.mode) == ("lexical", "lexical-in-process")
    store.close()


def test_before_its_store_is_filled_it_finds_the_same_and_says_so(
    entries: tuple[Document, ...], tmp_path: Path
) -> None:
    store, model = ephemeral_store(str(tmp_path)), HashingEmbedder()
    cache = DiskVectorCache(tmp_path, model)
    index = Index.build(entries, model, cache, store, "sha256:1", fill=False)
    found = [index.search(query, 8) for query in KEYWORDS]
    assert index.mode == "lexical-in-process"
    index.fill_store()
    assert index.mode == "lexical"
    filled = built(entries, tmp_path, store)
    assert [filled.search(query, 8) for query in KEYWORDS] == found
    store.close()


def test_an_empty_studio_finds_nothing(tmp_path: Path) -> None:
    store = ephemeral_store(str(tmp_path))
    assert built((), tmp_path, store).search("anything", 5) == []
    store.close()


def test_it_is_rebuilt_without_a_gap_while_others_read(
    entries: tuple[Document, ...], tmp_path: Path
) -> None:
    store = ephemeral_store(str(tmp_path))
    current = [built(entries, tmp_path, store, "sha256:0")]
    over, wrong, counted = threading.Event(), [], [0]

    def read() -> None:
        queries = list(KEYWORDS)
        while not over.is_set():
            counted[0] += 1
            index, query = current[0], queries[counted[0] % len(queries)]
            hits = index.search(f"{query} {'-' * (counted[0] % 500)}", 5)  # rarely the same twice
            if not hits or names(hits)[0] != KEYWORDS[query] or index.mode != "lexical":
                wrong.append((query, index.mode))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, 6):
            before = counted[0]
            extra = Document(
                "faq", f"new-{number}", f"Newest {number}", "/new", f"Newest {number}."
            )
            current[0] = built((*entries, extra), tmp_path, store, f"sha256:{number}")
            assert f"faq/new-{number}" in names(current[0].search(f"Newest {number}", 3))
            assert counted[0] > before
    finally:
        over.set()
    for reader in readers:
        reader.join()
    store.close()
    assert not wrong


def test_rarity_is_told_for_every_word(index: Index) -> None:
    assert index.idf("slippag") > index.idf("studio") > 0
    assert index.idf("unheard-of") >= index.idf("slippag")
