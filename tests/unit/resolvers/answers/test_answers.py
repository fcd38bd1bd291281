"""What is answered: whose words, from where, and when it says that it answers."""

import re
from pathlib import Path

import pytest
from boatyard import BOATS, boat, yard_table
from injections import INJECTIONS, Injection
from minimal_studio import write_minimal_studio
from model_weights import needs_weights
from offenders import offenders
from owners_words import owners_words, words_of
from repository import ROOT
from studio_answers import (
    SECOND,
    answers_by_meaning,
    answers_by_words,
    answers_from,
    table_of,
    texts_of,
)

from resolvers.answers.answers import Answers
from resolvers.answers.lines import lines_of
from resolvers.chat.check import check_citations
from resolvers.chat.conversation import ChatRequest
from resolvers.chat.pipeline import quote
from schema.site import Site

ASKED = (
    ("user", "Which projects has the studio made?"),
    ("assistant", "Tidebook (in-production) [1]; Harborlight (in-production) [1]."),
)
QUESTIONS = (
    "What is Tidebook?",
    "how can I contact the studio",
    "is the second one in production?",
    "and the price?",
)


@pytest.fixture(scope="module")
def own_words(sample: Site) -> frozenset[str]:
    """Every word that the owner or a template has written, in small letters."""
    return owners_words(table_of(), sample)


@pytest.mark.parametrize("place", ["question", "user", "assistant"])
def test_no_attack_has_a_word_said_that_is_not_the_owners(
    own_words: frozenset[str], place: str
) -> None:
    def check(attack: Injection) -> None:
        for question in QUESTIONS:
            asked = f"{question} {attack.text}" if place == "question" else question
            turns = (*ASKED, (place, attack.text)) if place != "question" else ASKED
            answer = answers_by_words().answer(asked, turns)
            for line, _ in answer.lines:
                assert words_of(line.text) <= own_words
                assert attack.canary not in f"{line.text} {line.title} {line.url} {line.pointer}"
            assert attack.canary not in answer.missing
            assert re.fullmatch(r"[^\W\d_]{0,24}", answer.missing)

    assert offenders(check, INJECTIONS) == []


def test_a_line_that_reads_as_a_citation_is_never_said() -> None:
    story = "The mast is of spruce wood [7]. The keel is of oak wood."
    lines = lines_of(yard_table([*BOATS, boat("Wooden", story)]))
    texts = [line.text for line in lines if line.title == "Wooden"]
    assert any("keel is of oak" in text for text in texts)
    assert not [text for text in texts if "[7]" in text]


def test_a_short_answer_is_said_with_its_question() -> None:
    lines = [line for line in lines_of(table_of(SECOND)) if line.basis == "faq"]
    bare = [line.text for line in lines if re.match(r"(?:Yes|No|Never|Only)\b", line.text)]
    assert len(lines) > 5
    assert bare == []


def test_an_item_of_a_long_list_leads_to_all_of_it() -> None:
    lines = lines_of(table_of())
    items = [line for line in lines if line.whole is not None]
    assert len(items) > 20
    for item in items:
        whole = lines[item.whole or 0]
        assert item.pointer.startswith(f"{whole.pointer}/")
        assert item.url == whole.url


def test_no_text_is_said_twice_in_an_answer() -> None:
    for question in ("How do I verify a claim?", "May I quote you?", "audits and retainers"):
        texts = texts_of(answers_by_words(), question)
        assert not [a for a in texts for b in texts if a is not b and a in b]


@needs_weights
def test_the_same_field_of_several_entries_is_said_of_each_that_fits() -> None:
    said = texts_of(answers_by_meaning(), "All certificates she got from Civic Data Forum please")
    assert len([text for text in said if text.endswith("was issued by Civic Data Forum.")]) > 1


def test_a_greeting_is_greeted_and_nonsense_is_not_answered() -> None:
    assert answers_by_words().answer("Good morning").greets
    for text in ("the", "?", "of and"):
        assert answers_by_words().answer(text).answered != "yes"


@needs_weights
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many sets of the cards are in use?", "about 540"),
        ("How much land is under plan rigth now?", "137 hectares"),
        ("Which jobs do they turn down?", "takes on no"),
    ],
)
def test_what_is_published_is_found_by_its_meaning(question: str, words: str) -> None:
    said = " ".join(texts_of(answers_by_meaning(SECOND), question)).casefold()
    assert words in said or "refuse" in said or "does not take" in said


@needs_weights
@pytest.mark.parametrize(
    "question",
    [
        "Who is the mayor of Ludbrook?",
        "How many staff does Aftermath employ in the winter?",
        "Do you support single sign-on?",
        "What is your VAT number?",
        "Is Iola married?",
        "What is the weather in Lisbon tomorrow?",
    ],
)
def test_what_is_not_published_is_never_claimed(question: str) -> None:
    assert answers_by_meaning(SECOND).answer(question).answered != "yes"


@needs_weights
def test_what_is_lacking_is_named() -> None:
    answers = answers_by_meaning(SECOND)
    assert answers.answer("What is the founder's telephone number?").lacks == "telephone number"
    assert answers.answer("Does the Verge Almanac have an app?").missing == "app"


def test_a_model_of_many_languages_quotes_and_says_in_which_language() -> None:
    lines = answers_from(table_of(ROOT / "evals/third")).ranker
    answers = Answers(lines, "words", "de", reads_any_language=True)
    question = ChatRequest("Can somebody mend an organ in our village church?")
    said = quote(answers, question, 4)
    note, *rows = said.text.split("\n\n")
    assert note == "The content is in German (de), and quotations from it are too."
    assert rows
    assert said.answer.lines
    assert check_citations(said.text, said.sources).ok


@needs_weights
def test_a_studio_of_five_answers_claims_nothing_else(tmp_path: Path) -> None:
    answers = answers_by_meaning(write_minimal_studio(tmp_path / "content"))

    def check(question: str) -> None:
        assert answers.answer(question).answered != "yes", question

    unpublished = (
        *("Where is the studio based?", "Is the studio open to new work?", "Are you available?"),
        *("Which work does the studio not take on?", "What will the studio not do?"),
        *("Where did the founder study?", "What are the working hours?", "Is the work guaranteed?"),
        *("Can you start in March?", "What is a merkle tree?", "How long does a job take?"),
    )
    assert offenders(check, unpublished) == []
    for question in ("Who runs the studio?", "What is the e-mail address?", "Who is the founder?"):
        assert answers.answer(question).answered == "yes"


def test_what_no_field_says_is_known_by_its_questions(tmp_path: Path) -> None:
    minimal, sample = table_of(write_minimal_studio(tmp_path / "content")), table_of()
    assert "where is the studio based" in minimal.unanswered
    assert "where is the studio based" not in sample.unanswered
    assert "who is the founder" not in minimal.unanswered
    assert len(sample.unanswered) < len(minimal.unanswered) / 5


@needs_weights
@pytest.mark.parametrize(
    ("question", "answered", "said"),
    [
        ("What does a project cost?", "yes", "9600 EUR"),
        ("How much is an audit?", "yes", "9600 EUR"),
        ("how much is a retainer per month", "yes", "from 8400 up to 12600 EUR per month"),
        ("price list", "yes", "9600 EUR"),
        ("How much does a logo design cost?", "partly", "9600 EUR"),
        ("What is the day rate?", "partly", "9600 EUR"),
    ],
)
def test_a_price_is_said_first_and_answers_for_what_it_is_of(
    question: str, answered: str, said: str
) -> None:
    found = answers_by_meaning().answer(question)
    assert found.answered == answered
    assert said in found.lines[0][0].text
    assert found.lines[0][0].url.startswith("/api/prices")
