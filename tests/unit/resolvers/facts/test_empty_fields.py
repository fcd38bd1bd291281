"""Questions for what an owner left out are not answered by what stands beside it."""

import pytest
from fact_answers import SECOND, answers_by_words
from minimal_studio import write_minimal_studio

from resolvers.facts.answers import FactAnswers


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> FactAnswers:
    """What answers questions about a studio of five keys."""
    return answers_by_words(write_minimal_studio(tmp_path_factory.mktemp("minimal") / "content"))


@pytest.mark.parametrize(
    "question",
    [
        "where is the studio based",
        "since when does the studio exist",
        "which social media accounts does the studio have",
    ],
)
def test_an_empty_field_is_not_answered_by_another(facts: FactAnswers, question: str) -> None:
    assert facts.answer(question).answered == "no"


@pytest.mark.parametrize(
    "question", ["who runs it", "what does the studio do", "how do I reach a human"]
)
def test_what_is_there_is_answered(facts: FactAnswers, question: str) -> None:
    assert facts.answer(question).answered == "yes"


def test_a_named_entry_is_not_answered_by_what_another_has() -> None:
    lines = answers_by_words(SECOND).answer("who was the client of the Hay Round").lines
    assert not any("Ludbrook" in line.text for line in lines)


def test_what_the_named_entry_has_is_answered() -> None:
    answer = answers_by_words(SECOND).answer("who was the client of Tannery Bank")
    assert answer.answered == "yes"
    assert "Ludbrook Town Council" in answer.lines[0].text
