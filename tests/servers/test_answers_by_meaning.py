"""What the embedded model adds to answers: entries and sentences found by their meaning."""

from pathlib import Path

import pytest
from fact_answers import STUDIOS, answers_by_meaning, router_by_meaning, table_of
from model_weights import needs_weights
from offenders import offenders

from content.first_questions import FIRST_QUESTIONS, FirstQuestion, unanswered_questions
from content.reader import load
from resolvers.facts.fields import Entry
from resolvers.facts.router import SAME


@pytest.fixture(scope="module", params=STUDIOS, ids=lambda folder: folder.name)
def studio(request: pytest.FixtureRequest) -> Path:
    """A studio, once every sentence of it is embedded."""
    found: Path = request.param
    answers_by_meaning(found)
    return found


@needs_weights
def test_word_for_word_it_is_answered_by_its_entry_or_by_a_field_as_near(studio: Path) -> None:
    answers = answers_by_meaning(studio)

    def check(entry: Entry) -> None:
        found = answers.answer(entry.name)
        own = [line.text for line in found.lines if line.title == entry.name]
        assert found.answered in {"yes", "partly"}
        assert own or (found.basis == "field" and found.lines[0].score >= SAME)
        assert all(text[:40] in entry.value["a"] for text in own)

    asked = table_of(studio).entries_of("FaqEntry")
    assert len(asked) > 10
    assert offenders(check, asked) == []


@needs_weights
@pytest.mark.parametrize(
    "question", ["price of a survey?", "day rate?", "How much do they charge for a small job?"]
)
def test_what_the_owner_answers_elsewhere_is_not_called_unpublished(
    studio: Path, question: str
) -> None:
    answer = answers_by_meaning(studio).answer(question)
    assert "No prices are published" not in " ".join(line.text for line in answer.lines)
    assert "charge?" in answer.lines[0].title


@needs_weights
def test_no_text_is_quoted_twice(studio: Path) -> None:
    def check(question: str) -> None:
        texts = [line.text for line in answers_by_meaning(studio).answer(question).lines]
        assert not any(a in b for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j)

    asked = ["How do I verify a claim?", "How do I check a signature?", "May I quote you?"]
    assert offenders(check, asked) == []


@needs_weights
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Why is one person enough, and what if she falls ill?", "one head"),
        ("What share of the surge warnings came true?", "27"),
    ],
)
def test_by_tokens_other_words_find_what_only_a_sentence_says(question: str, words: str) -> None:
    answer = answers_by_meaning(STUDIOS[0]).answer(question)
    assert words in " ".join(line.text for line in answer.lines)


@needs_weights
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many sets of the cards are in use?", "about 540"),
        ("How much land is under plan?", "137 hectares"),
    ],
)
def test_a_note_to_a_figure_is_said_with_the_figure(question: str, words: str) -> None:
    assert words in answers_by_meaning(STUDIOS[1]).answer(question).lines[0].text


@needs_weights
@pytest.mark.parametrize(
    "question",
    [
        "Who is the mayor of Ludbrook?",
        "How many staff does Aftermath employ in the winter?",
        "What is the time in Tokyo?",
        "Is Iola married?",
    ],
)
def test_an_answer_without_what_is_asked_for_does_not_claim_to_be_one(question: str) -> None:
    assert answers_by_meaning(STUDIOS[1]).answer(question).answered != "yes"


@needs_weights
def test_what_callers_tell_of_themselves_hides_no_field() -> None:
    said = answers_by_meaning(STUDIOS[1]).answer(
        "Which jobs do they turn down? Our legal department wants to have it before the call."
    )
    assert (said.answered, said.lines[0].pointer) == ("yes", "/notInScope")


@needs_weights
def test_the_fields_of_a_form_are_those_of_the_studio(studio: Path) -> None:
    answer = answers_by_meaning(studio).answer("name, city, website, e-mail and time zone please")
    pointers = [line.pointer for line in answer.lines]
    own = ["name", "founder/based", "url", "contact/email"]
    assert answer.answered == "yes"
    assert pointers == [*(f"/studio/{name}" for name in own), "/timezone"]


@needs_weights
@pytest.mark.parametrize("word", ["insurance", "parking", "weather", "fax", "pets"])
def test_what_a_studio_does_not_publish_is_no_field_of_it(studio: Path, word: str) -> None:
    answer = answers_by_meaning(studio).answer(word)
    assert answer.basis != "field" or answer.answered != "yes"


@needs_weights
def test_a_misspelt_word_is_not_looked_for() -> None:
    answers = answers_by_meaning(STUDIOS[1])
    for question in ("How much land is under plan rigth now?", "How much land is under plan?"):
        assert answers.answer(question).answered == "yes"


@needs_weights
def test_whether_they_are_available_is_said_by_two_fields_and_needs_no_date(studio: Path) -> None:
    answer = answers_by_meaning(studio).answer("Are they available now, and if not, from when?")
    pointers = [line.pointer for line in answer.lines]
    assert (answer.answered, pointers) == ("yes", ["/studio/openToWork", "/availability"])


@needs_weights
@pytest.mark.parametrize(
    ("studio_folder", "question", "name"),
    [
        (STUDIOS[0], "What does the ledger software cost?", "Tidebook"),
        (STUDIOS[0], "who pays for the harbour forecasts", "Harborlight"),
        (STUDIOS[1], "how many species are in the seed cabinet", "The Seed Drawer"),
    ],
)
def test_an_entry_may_be_described_instead_of_named(
    studio_folder: Path, question: str, name: str
) -> None:
    named = router_by_meaning(studio_folder).parse(question).named
    assert [item.entry.name for item in named] == [name]


@needs_weights
@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("By what means could I get in touch?", {"preferredChannel", "email"}),
        ("In which city does she live?", {"based"}),
    ],
)
def test_other_words_find_the_field(question: str, keys: set[str]) -> None:
    assert router_by_meaning().parse(question).matches[0].field.field.key in keys


@needs_weights
@pytest.mark.parametrize(
    "question", ["Does Fathom have a website?", "Which version is Fathom at?", "fathom: url?"]
)
def test_what_a_named_entry_leaves_out_is_not_answered_by_the_studio(question: str) -> None:
    answer = answers_by_meaning(STUDIOS[0]).answer(question)
    assert answer.answered != "yes"
    assert "The studio's website" not in " ".join(line.text for line in answer.lines)


@needs_weights
def test_a_first_question_for_which_check_finds_a_field_is_answered(studio: Path) -> None:
    """Or `studiograph check` would promise the owner an answer that agents do not get."""
    answers = answers_by_meaning(studio)

    def check(question: FirstQuestion) -> None:
        answer = answers.answer(question.text)
        assert (answer.answered, answer.basis) in {("yes", "field"), ("yes", "faq")}

    warned_of = " ".join(finding.rule for finding in unanswered_questions(load(studio)))
    asked = [q for q in FIRST_QUESTIONS if q.fields and q.text not in warned_of]
    assert len(asked) > 15
    assert offenders(check, asked) == []
