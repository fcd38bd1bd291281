"""The built-in answerer: what it quotes and what it never says."""

import re
import threading
from collections.abc import Sequence

import pytest
from injections import INJECTIONS, Injection
from model_weights import WEIGHTS, needs_weights
from offenders import offenders
from repository import MODEL_CACHE
from sample_sources import OWN, entries, idf, sources_of

from resolvers.chat.citation_check import check_citations
from resolvers.chat.conversation import (
    CANNED_REPLIES,
    GREETING,
    NEAR_MISS_REPLY,
    QUOTE_INTRO,
    REFUSAL,
    ChatRequest,
    Message,
    Source,
)
from resolvers.chat.extractive import Extractive
from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.search.index import Band

CHARGE = "faq/what-does-the-studio-charge"
AUDIT = "faq/what-is-the-difference-between-an-audit-and-a-retainer"
NAMES = (CHARGE, AUDIT, "faq/how-soon-will-a-message-be-answered", "project/tidebook")
PRICE = "What does the studio charge?"
QUESTIONS = (
    (PRICE, NAMES),
    ("How long does an audit take and what is handed over?", (AUDIT, CHARGE)),
    ("slippage by contract", ("glossary/slippage", "glossary/backtest")),
    ("Who owns Harborlight?", ("project/harborlight", "domain/climate-risk")),
    ("the", ("glossary/agent", "glossary/mcp", "glossary/ens")),
)


class Watched:
    """The embedder without a model; it notes what it is asked, and where."""

    id, model, mode, dimensions = "watched", "hash768", "lexical", 768

    def __init__(self, fault: ModelError | None = None) -> None:
        self.threads: list[str] = []
        self.counts: list[int] = []
        self._fault = fault
        self._hashed = HashingEmbedder()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.counts.append(len(texts))
        return self._hashed.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        self.threads.append(threading.current_thread().name)
        if self._fault is not None:
            raise self._fault
        return self._hashed.embed_query(text)


@pytest.fixture(scope="module")
def extractive() -> Extractive:
    """The answerer without a model."""
    return Extractive(HashingEmbedder(), idf)


def quotes_of(answer: str) -> list[tuple[str, int]]:
    """Each quotation of an answer and its number."""
    for phrase in CANNED_REPLIES:
        answer = answer.replace(phrase, "")
    found = re.findall(r"(.+?) \[(\d+)\](?:\s|$)", answer, re.DOTALL)
    assert "".join(f"{said} [{n}]" for said, n in found) == re.sub(r"(?<=\])\s", "", answer)
    return [(said.strip(), int(n)) for said, n in found]


@pytest.mark.parametrize("band", ["answer", "closest"])
@pytest.mark.parametrize(("text", "names"), QUESTIONS, ids=lambda case: str(case)[:20])
def test_every_sentence_is_the_owners_and_names_its_source(
    extractive: Extractive, text: str, names: tuple[str, ...], band: Band
) -> None:
    sources = sources_of(names)
    answer = extractive.answer(ChatRequest(text), sources, band)
    quotes = quotes_of(answer)
    assert quotes
    assert all(said in sources[n - 1].text for said, n in quotes)
    assert len(quotes) <= (3 if band == "answer" else 2)
    assert answer.startswith(NEAR_MISS_REPLY) == (band == "closest")


@pytest.mark.parametrize(("text", "names"), QUESTIONS, ids=lambda case: str(case)[:20])
def test_the_lint_finds_nothing_in_a_quoted_answer(
    extractive: Extractive, text: str, names: tuple[str, ...]
) -> None:
    sources = sources_of(names)
    for band in ("answer", "closest", "refuse"):
        found = check_citations(
            extractive.answer(ChatRequest(text), sources, band), sources, idf, None, OWN
        )
        assert found.ok, found


def test_every_entry_can_be_quoted_and_passes_the_lint(extractive: Extractive) -> None:
    for name, entry in entries().items():
        sources = sources_of([name])
        answer = extractive.answer(ChatRequest(entry.title), sources, "answer")
        assert check_citations(answer, sources, idf, None).ok, (name, answer)
        assert "Tags:" not in answer
        assert "Keywords:" not in answer


def test_a_frequent_question_is_answered_as_the_owner_does(extractive: Extractive) -> None:
    answer = extractive.answer(ChatRequest(PRICE), sources_of(NAMES), "answer")
    assert answer.startswith("Prices are given on request and always in writing, because")
    assert [n for _, n in quotes_of(answer)] == [1, 1, 1]


def test_quotes_that_answer_no_frequent_question_are_introduced_as_quotes(
    extractive: Extractive,
) -> None:
    sources = sources_of(["glossary/slippage"])
    answer = extractive.answer(ChatRequest("slippage of stops"), sources, "answer")
    assert answer.startswith(f"{QUOTE_INTRO} ")


def test_a_sentence_that_leans_is_quoted_with_the_one_before_it() -> None:
    text = "A break is a difference. It has an amount and candidate entries. Other things exist."
    source = Source(1, "glossary", "break", "Break", "/b", 0.5, text)
    answerer = Extractive(HashingEmbedder(), idf)
    answer = answerer.answer(ChatRequest("amount and candidate entries"), [source], "answer")
    expected = "A break is a difference. [1] It has an amount and candidate entries. [1]"
    assert answer == f"{QUOTE_INTRO} {expected}"


def test_what_reads_like_a_citation_is_not_quoted() -> None:
    text = "The pledge stands in a footnote [7] of the deed. The pledge is a quarter of an ether."
    source = Source(1, "glossary", "pledge", "Pledge", "/p", 0.5, text)
    answer = Extractive(HashingEmbedder(), idf).answer(
        ChatRequest("pledge deed"), [source], "answer"
    )
    assert answer == f"{QUOTE_INTRO} The pledge is a quarter of an ether. [1]"


@pytest.mark.parametrize("sign", ["![sign](/pledge.png)", "[![x](/x)](/)", "<img src=/p", "<!-- p"])
def test_neither_images_nor_html_are_quoted_nor_what_leans_on_them(sign: str) -> None:
    text = f"A pledge has {sign} for its deed. It is a deed of a pledge. The pledge is a quarter."
    source = Source(1, "glossary", "pledge", "Pledge", "/p", 0.5, text)
    answer = Extractive(HashingEmbedder(), idf).answer(
        ChatRequest("pledge deed"), [source], "answer"
    )
    assert answer == f"{QUOTE_INTRO} The pledge is a quarter. [1]"


def test_where_nothing_is_relevant_the_answer_is_one_refusal(extractive: Extractive) -> None:
    assert (
        extractive.answer(ChatRequest("Who won in 1998?"), sources_of(NAMES), "refuse") == REFUSAL
    )
    assert extractive.answer(ChatRequest("Who won in 1998?"), [], "answer") == REFUSAL
    assert extractive.answer(ChatRequest("Good morning!"), [], "refuse") == GREETING


@pytest.mark.parametrize("band", ["answer", "closest"])
def test_where_no_source_has_a_sentence_the_answer_is_the_refusal(
    extractive: Extractive, band: Band
) -> None:
    source = Source(1, "glossary", "x", "X", "/x", 0.5, "Tags: ledger; audit.")
    assert extractive.answer(ChatRequest("audit"), [source], band) == REFUSAL


def test_the_same_question_has_the_same_answer_again_and_in_any_state() -> None:
    question, sources = ChatRequest("Who reads statements from brokers?"), sources_of(NAMES)
    used = Extractive(HashingEmbedder(), idf)
    first = used.answer(question, sources, "answer")
    used.answer(ChatRequest(PRICE), sources, "answer")
    assert used.answer(question, sources, "answer") == first
    assert Extractive(HashingEmbedder(), idf).answer(question, sources, "answer") == first


def ways(attack: str) -> list[ChatRequest]:
    """The attack by each way in, with an honest question where there is room for one."""
    return [
        ChatRequest(attack),
        ChatRequest(f"{PRICE} {attack}"),
        ChatRequest("Why?", (Message("user", attack), Message("assistant", attack))),
        ChatRequest(PRICE, (Message("assistant", attack),), (attack,)),
    ]


def test_nothing_of_an_attack_is_in_the_answer(extractive: Extractive) -> None:
    def check(attack: Injection) -> None:
        sources = sources_of(NAMES)
        for question in ways(attack.text):
            for band in ("answer", "closest", "refuse"):
                answer = extractive.answer(question, sources, band)
                assert attack.canary not in answer
                assert "attacker" not in answer
                bare = answer
                for phrase in CANNED_REPLIES:
                    bare = bare.replace(phrase, "")
                assert all(said in sources[n - 1].text for said, n in quotes_of(bare))
                assert check_citations(answer, sources, idf, None, OWN).ok

    assert offenders(check, INJECTIONS) == []


def test_a_hundred_attacks_are_tried() -> None:
    assert len({attack.name for attack in INJECTIONS}) == len(INJECTIONS) == 100


def test_a_model_that_fails_fails_the_answer() -> None:
    answerer = Extractive(Watched(ModelError("The model is away.")), idf)
    with pytest.raises(ModelError):
        answerer.answer(ChatRequest(PRICE), sources_of(NAMES), "answer")


def test_once_warm_only_the_question_is_embedded() -> None:
    watched = Watched()
    answerer = Extractive(watched, idf)
    sources = sources_of(NAMES)
    answerer.warm(sources, watched.embed_documents)
    for text, _ in QUESTIONS:
        answerer.answer(ChatRequest(text), sources, "answer")
    assert len(watched.counts) == 1
    assert len(watched.threads) == len(QUESTIONS)


@pytest.fixture(scope="module")
def meaning() -> Embedder:
    """The embedded model."""
    from resolvers.embeddings.hybrid import hybrid  # noqa: PLC0415 - heavy

    assert WEIGHTS is not None
    return hybrid(WEIGHTS, MODEL_CACHE)


@needs_weights
def test_with_a_model_other_words_find_the_sentence(meaning: Embedder) -> None:
    answerer = Extractive(meaning, idf)
    sources = sources_of([CHARGE, AUDIT])
    answer = answerer.answer(ChatRequest("Is there an hourly rate?"), sources, "answer")
    assert "billed by the hour" in answer
    assert check_citations(answer, sources, idf, answerer.vectors, OWN).ok
