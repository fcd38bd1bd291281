"""Answers without a language model: whose words they are, and what they never say."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import cycle

import pytest
from boatyard import answers_from, yard_table
from injections import INJECTIONS, Injection
from local_service import facts_of
from offenders import offenders
from owners_words import owners_words, words_of
from sample_sources import OWN, idf

from resolvers.ai.builder import roles_of
from resolvers.chat.citation_check import check_citations
from resolvers.chat.conversation import (
    CANNED_REPLIES,
    GREETING,
    NEAR_MISS_REPLY,
    REFUSAL,
    ChatRequest,
    Message,
    near_miss_reply,
)
from resolvers.chat.pipeline import answer_facts
from resolvers.chat.quoting import QuotedAnswer, quote
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.errors import ModelError
from resolvers.embeddings.hashing import HashingEmbedder
from resolvers.facts.answers import FactAnswer, FactAnswers
from resolvers.facts.fields import FactTable
from resolvers.facts.likeness import Embed
from resolvers.facts.lines import Line
from resolvers.facts.passages import passages_of
from resolvers.facts.router import FactRouter
from schema.sections import GlossaryEntry
from schema.site import Site
from sdl.marks import Prose
from sdl.shape import Field

PRICE = "What does the studio charge?"
QUESTIONS = (
    PRICE,
    "What is Tidebook?",
    "How do I hire the studio?",
    "How long does an audit take and what is handed over?",
    "Who owns Harborlight?",
    "Compare Tidebook and Harborlight: which is newer?",
    "How many projects are in production?",
    "slippage by contract",
    "Which languages does the founder speak?",
    "the",
)


class Counted:
    """The embedder without a model; it counts the texts of each call."""

    def __init__(self, fault: ModelError | None = None) -> None:
        self.counts: list[int] = []
        self.fault = fault
        self._hashed = HashingEmbedder()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.counts.append(len(texts))
        if self.fault is not None:
            raise self.fault
        return self._hashed.embed_documents(texts)


def answerer(table: FactTable, site: Site, embed: Embed) -> FactAnswers:
    return FactAnswers(FactRouter(table, embed, roles_of(site.studio, "the founder")), embed)


@pytest.fixture(scope="module")
def table(sample: Site) -> FactTable:
    """The fields of the sample studio."""
    return facts_of(sample)


@pytest.fixture(scope="module")
def facts(table: FactTable, sample: Site) -> FactAnswers:
    """The sample studio's answers, without a model."""
    return answerer(table, sample, HashingEmbedder().embed_documents)


@pytest.fixture(scope="module")
def own_words(table: FactTable, sample: Site) -> frozenset[str]:
    """Every word that the owner or a template has written, in small letters."""
    return owners_words(table, sample)


def told(facts: FactAnswers, question: ChatRequest | str) -> tuple[FactAnswer, QuotedAnswer]:
    """What the fields say, and the answer that quotes it."""
    request = ChatRequest(question) if isinstance(question, str) else question
    found = answer_facts(facts, request)
    return found, quote(request, found, 5)


def quotes_of(answer: str) -> list[tuple[str, int]]:
    """Each quotation of an answer and its number."""
    answer = CANNED_REPLIES.sub("", answer)
    found = re.findall(r"(.+?) \[(\d+)\](?:\s|$)", answer, re.DOTALL)
    assert "".join(f"{said} [{n}]" for said, n in found) == re.sub(r"(?<=\])\s", "", answer)
    return [(said.strip(), int(n)) for said, n in found]


def _is_prose(field: Field) -> bool:
    return field.is_marked(Prose)


def passes(answer: QuotedAnswer) -> bool:
    return check_citations(answer.text, answer.sources, idf, None, OWN).ok


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_sentence_names_its_source_and_holds_the_owners_words(
    facts: FactAnswers, own_words: frozenset[str], question: str
) -> None:
    found, answer = told(facts, question)
    for said, n in quotes_of(answer.text):
        assert said in answer.sources[n - 1].text
        assert words_of(said) <= own_words
    is_partly = answer.text.startswith(near_miss_reply(found.missing))
    assert is_partly == (found.answered == "partly")
    assert (answer.text == REFUSAL) == (found.answered == "no") == (answer.sources == ())
    assert (found.basis == "none") == (found.answered == "no")
    assert passes(answer)


@pytest.mark.parametrize(
    "question", ["How old is the founder?", "What is the founder's telephone number?"]
)
def test_a_field_without_what_is_asked_for_does_not_answer(
    facts: FactAnswers, question: str
) -> None:
    assert answer_facts(facts, ChatRequest(question)).answered != "yes"


def test_what_is_cited_stands_at_its_address(facts: FactAnswers, table: FactTable) -> None:
    bodies = {}
    for entry in table.entries:
        operation, variables, _ = entry.read
        assert operation.rest is not None
        path = operation.rest.path.format(**variables)
        bodies[path] = table.body(operation, variables)
    for operation in table.single_reads:
        assert operation.rest is not None
        bodies.setdefault(operation.rest.path, table.body(operation, {}))
    for question in QUESTIONS:
        for source in told(facts, question)[1].sources:
            value = bodies[source.url]
            for part in (source.pointer or "").split("/")[1:]:
                value = value[int(part) if isinstance(value, list) else part]
            cited = words_of(json.dumps(value, ensure_ascii=False))
            # Of a flag, the schema has the words: one sentence for true and one for false.
            assert isinstance(value, bool) or cited & words_of(source.text), (question, source)


def test_every_entry_can_be_quoted_and_passes_the_lint(table: FactTable) -> None:
    passages: dict[tuple[str, str], list[Line]] = {}
    for item in passages_of(table):
        if (entry := item.entry) is not None:
            line = Line(item.quote, entry.kind, entry.slug, entry.name, item.url, item.pointer, 0.5)
            passages.setdefault((entry.kind, entry.name), []).append(line)
    quotable = [(e.kind, e.name) for e in table.entries if any(map(_is_prose, e.shape.fields))]
    assert len(quotable) > 90

    def check(kind: str, name: str) -> None:
        lines = tuple(passages[kind, name])
        answer = quote(ChatRequest(name), FactAnswer(lines, "yes", "quotation"), 5)
        assert {(source.kind, source.title) for source in answer.sources} == {(kind, name)}
        assert passes(answer), check_citations(answer.text, answer.sources, idf, None, OWN)

    assert offenders(check, quotable) == []


def test_whatever_is_named_the_answer_passes_the_lint(facts: FactAnswers, table: FactTable) -> None:
    def check(name: str) -> None:
        _, answer = told(facts, name)
        assert passes(answer), check_citations(answer.text, answer.sources, idf, None, OWN)
        assert "Tags:" not in answer.text
        assert "Keywords:" not in answer.text

    assert offenders(check, [entry.name for entry in table.entries]) == []


def test_a_frequent_question_is_answered_as_the_owner_does_or_by_a_field(
    facts: FactAnswers, sample: Site
) -> None:
    fields = 0

    def check(question: str, answer: str) -> None:
        nonlocal fields
        found, quoted = told(facts, question)
        assert found.answered == "yes"
        fields += found.basis == "field"
        if found.basis != "field":
            assert found.basis == "faq"
            assert quoted.sources[0].title == question
            assert answer.startswith(quotes_of(quoted.text)[0][0])

    assert offenders(check, [(entry.q, entry.a) for entry in sample.faq]) == []
    assert fields < len(sample.faq) / 4


def test_the_owners_answer_about_money_goes_before_the_note_that_no_price_is_published(
    facts: FactAnswers,
) -> None:
    found, answer = told(facts, PRICE)
    assert (found.answered, found.basis) == ("yes", "faq")
    assert answer.text.startswith("Prices are given on request and always in writing, because")


def test_an_answer_cites_at_most_as_many_entries_as_may_be() -> None:
    lines = tuple(
        Line(f"Number {n}.", "faq", f"q{n}", f"Q{n}", "/api/faq", f"/{n}/a", 0.5) for n in range(4)
    )
    answer = quote(ChatRequest("numbers"), FactAnswer(lines, "yes", "faq"), 2)
    assert answer.text == "Number 0. [1]\n\nNumber 1. [2]"
    assert [source.pointer for source in answer.sources] == ["/0/a", "/1/a"]


def test_lines_of_one_value_share_a_number() -> None:
    line = Line("One. Two.", "faq", "q", "Q", "/api/faq", "/0/a", 0.5)
    more = Line("Three.", "faq", "q", "Q", "/api/faq", "/0/a", 0.5)
    answer = quote(ChatRequest("numbers"), FactAnswer((line, more), "partly", "quotation"), 5)
    assert answer.text == f"{NEAR_MISS_REPLY}\n\nOne. [1] Two. [1]\n\nThree. [1]"
    assert [source.text for source in answer.sources] == ["One. Two.\n\nThree."]


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What is the uptime of Harborlight?", "uptime"),
        ("What is the zq000xv of Harborlight?", ""),
        ("What is the donaudampfschifffahrtsgesellschaft of Harborlight?", ""),
    ],
)
def test_a_near_miss_names_a_word_of_which_nothing_is_said_if_it_is_a_plain_one(
    facts: FactAnswers, question: str, missing: str
) -> None:
    found, answer = told(facts, question)
    assert found.answered == "partly"
    assert found.missing == missing
    assert answer.text.startswith(near_miss_reply(missing))
    assert passes(answer)


def about(sample: Site, **definitions: str) -> FactAnswers:
    """The sample studio with these terms alone and no questions, which need not be valid."""
    terms = [
        GlossaryEntry.model_construct(slug=slug, term=slug.title(), definition=definition)
        for slug, definition in definitions.items()
    ]
    site = sample.model_copy(update={"glossary": terms, "faq": []})
    return answerer(facts_of(site), site, HashingEmbedder().embed_documents)


def test_a_sentence_that_leans_is_quoted_with_the_one_before_it(sample: Site) -> None:
    pledged = "A pledge is a quarter of an ether. "
    filler = "Nothing else about pledges matters to anybody who reads this text in full. " * 6
    held = f"{filler}\n\n{pledged}It has a notarised deed with candidate heirs."
    facts = about(sample, pledge=held)
    _, answer = told(facts, "notarised deed with candidate heirs")
    assert f"{pledged}[1] It has a notarised deed with candidate heirs. [1]" in answer.text


SIGNS = {
    "pledge": "[7]",
    "obelisk": "![sign](/pledge.png)",
    "zither": "[![x](/x)](/)",
    "cowrie": "<img src=/p",
    "marmot": "<!-- p",
}
"""What no answer may hold, each in the definition of a term."""


def test_neither_images_nor_html_are_quoted_nor_what_reads_like_a_citation(sample: Site) -> None:
    says = "A {0} has {1} for its deed. The {0} is a quarter."
    facts = about(sample, **{term: says.format(term, sign) for term, sign in SIGNS.items()})
    for term, sign in SIGNS.items():
        for question in (f"What is a {term}?", f"{term} deed", f"How large is the {term}?"):
            _, answer = told(facts, question)
            assert f"{term} is a quarter" in answer.text or "large" in question
            assert sign not in answer.text
            assert {int(n) for n in re.findall(r"\[(\d+)\]", answer.text)} == {
                source.n for source in answer.sources
            }


def test_where_nothing_is_relevant_the_answer_is_one_refusal(facts: FactAnswers) -> None:
    for question in ("xylophone quartets", "\u043f\u0440\u0438\u0432\u0435\u0442"):
        found, answer = told(facts, question)
        assert (found.answered, found.basis, found.lines) == ("no", "none", ())
        assert answer == QuotedAnswer(REFUSAL, ())


@pytest.mark.parametrize("text", ["Good morning!", "hello", "Hi there"])
def test_a_greeting_is_returned(facts: FactAnswers, text: str) -> None:
    found, answer = told(facts, text)
    assert (found.answered, found.basis) == ("no", "none")
    assert answer == QuotedAnswer(GREETING, ())


def test_the_same_question_has_the_same_answer_again_and_in_any_state(
    facts: FactAnswers, table: FactTable, sample: Site
) -> None:
    used = answerer(table, sample, HashingEmbedder().embed_documents)
    first = [told(used, question) for question in QUESTIONS]
    assert [told(used, question) for question in reversed(QUESTIONS)] == first[::-1]
    assert [told(facts, question) for question in QUESTIONS] == first


WAYS: tuple[Callable[[str], ChatRequest], ...] = (
    ChatRequest,
    lambda attack: ChatRequest(f"{PRICE} {attack}"),
    lambda attack: ChatRequest("Why?", (Message("user", attack), Message("assistant", attack))),
    lambda attack: ChatRequest(PRICE, (Message("assistant", attack),), (attack,)),
)
"""How an attack comes in, with an honest question where there is room for one."""


def test_nothing_of_an_attack_is_in_the_answer(
    facts: FactAnswers, own_words: frozenset[str]
) -> None:
    def check(attack: Injection, way: Callable[[str], ChatRequest]) -> None:
        _, answer = told(facts, way(attack.text))
        assert attack.canary not in answer.text
        assert "attacker" not in answer.text
        for said, n in quotes_of(answer.text):
            assert said in answer.sources[n - 1].text
            assert words_of(said) <= own_words
        assert passes(answer), check_citations(answer.text, answer.sources, idf, None, OWN)

    assert offenders(check, [*zip(INJECTIONS, cycle(WAYS), strict=False)]) == []


def test_a_hundred_attacks_are_tried() -> None:
    assert len({attack.name for attack in INJECTIONS}) == len(INJECTIONS) == 100


def test_a_model_that_fails_fails_the_answer() -> None:
    embed = Counted()
    facts = answers_from(yard_table(), embed)
    embed.fault = ModelError("The model is away.")
    with pytest.raises(ModelError):
        told(facts, PRICE)


def test_once_made_only_the_question_is_embedded() -> None:
    embed = Counted()
    facts = answers_from(yard_table(), embed)
    made = len(embed.counts)
    told(facts, PRICE)
    assert set(embed.counts[made:]) == {1}
    asked = len(embed.counts)
    told(facts, PRICE)
    assert len(embed.counts) == asked
