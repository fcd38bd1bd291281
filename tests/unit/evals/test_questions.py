"""The questions of the evaluation are sound: what they call right exists, and halves are equal."""

import re
from collections import Counter

import pytest

from evals.questions import (
    ANSWERABLE,
    ANSWERS,
    HALVES,
    UNANSWERABLE,
    Half,
    Style,
    goals,
    questions,
)
from resolvers.search.documents import documents_of
from schema.site import Site

EVERY = questions()
FEWEST: dict[Style, int] = {
    "keyword": 25,
    "paraphrase": 25,
    "goal": 25,
    "near-miss": 20,
    "off-topic": 20,
}
"""How many questions of a style a half has at least."""
INTENTS = 40


def plain(text: str) -> str:
    """A text without what does not make it another one."""
    return " ".join(re.findall(r"\w+", text.lower()))


def twice(values: list[str]) -> list[str]:
    """The values that stand there more than once."""
    return [value for value, count in Counter(values).items() if count > 1]


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("style", FEWEST)
def test_a_half_has_enough_questions_of_each_style(half: Half, style: Style) -> None:
    own = [question for question in questions(half) if question.style == style]
    assert len(own) >= FEWEST[style]


@pytest.mark.parametrize("style", FEWEST)
def test_both_halves_have_equally_many_questions_of_a_style(style: Style) -> None:
    count = Counter(question.half for question in EVERY if question.style == style)
    assert count["dev"] == count["test"]


@pytest.mark.parametrize("half", HALVES)
def test_the_file_of_a_half_holds_that_half_alone(half: Half) -> None:
    assert {question.half for question in questions(half)} == {half}


def test_there_is_no_other_style() -> None:
    assert {question.style for question in EVERY} == {*ANSWERABLE, *UNANSWERABLE} == {*FEWEST}


def test_no_id_stands_twice() -> None:
    assert twice([question.id for question in EVERY]) == []


def test_no_text_is_asked_twice_not_even_in_both_halves() -> None:
    assert twice([plain(question.text) for question in EVERY]) == []


def test_every_text_is_as_long_as_the_service_takes_it() -> None:
    assert [question.id for question in EVERY if not 2 <= len(question.text) <= 500] == []
    assert [goal.text for goal in goals() if not 4 <= len(goal.text) <= 500] == []


def test_every_relevant_entry_exists_in_the_sample_studio(sample: Site) -> None:
    entries = documents_of(sample, lambda kind, slug: f"/{kind}/{slug}")
    known = {f"{entry.kind}/{entry.slug}" for entry in entries}
    named = {(question.id, name) for question in EVERY for name in question.relevant}
    assert [one for one in sorted(named) if one[1] not in known] == []


def test_an_answerable_question_names_an_entry_that_answers_it() -> None:
    asked = [question for question in EVERY if question.style in ANSWERABLE]
    assert [question.id for question in asked if not question.right] == []


def test_grades_are_one_and_two() -> None:
    assert {grade for question in EVERY for grade in question.relevant.values()} == {1, ANSWERS}


def test_an_unanswerable_question_names_no_entry() -> None:
    asked = [question for question in EVERY if question.style in UNANSWERABLE]
    assert [question.id for question in asked if question.relevant] == []


def test_every_kind_that_can_be_found_is_asked_for_in_both_halves(sample: Site) -> None:
    kinds = {entry.kind for entry in documents_of(sample, lambda kind, slug: f"/{kind}/{slug}")}
    for half in HALVES:
        named = {name.partition("/")[0] for question in questions(half) for name in question.right}
        assert named == kinds


@pytest.mark.parametrize("half", HALVES)
def test_a_half_has_enough_goals(half: Half) -> None:
    assert len(goals(half)) >= INTENTS


def test_no_goal_is_set_twice() -> None:
    assert twice([plain(goal.text) for goal in goals()]) == []


def test_every_goal_names_operations_and_none_twice() -> None:
    assert [goal.text for goal in goals() if not goal.operations] == []
    assert [goal.text for goal in goals() if twice(list(goal.operations))] == []
