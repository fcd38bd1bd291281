"""What a question means after the ones before it."""

import pytest
from boatyard import answers_from, yard_table

from resolvers.facts.clauses import clauses_of
from resolvers.facts.follow_up import resolve
from resolvers.facts.names import NameFinder

ANSWERS = answers_from(yard_table())
NAMES = NameFinder(yard_table().entries)
MOORED = (("user", "where is Marigold moored?"), ("assistant", "Marigold is afloat. [1]"))
ASHORE = (
    ("user", "which boats are ashore?"),
    ("assistant", "2 of 4. [1] Boats: Heron (ashore); Saltwind (ashore). [1]"),
)


@pytest.mark.parametrize(
    ("turns", "question", "answer"),
    [
        (MOORED, "and Saltwind?", "Saltwind is ashore."),
        (MOORED, "what about the Grey Heron", "The Grey Heron is afloat."),
        (MOORED, "is it insured?", "Marigold is insured."),
        (MOORED, "and how is it rigged?", "Marigold is rigged as a yawl."),
        (MOORED, "how many hands?", "Marigold needs 2 hands."),
        (ASHORE, "how is the second one rigged?", "Saltwind is rigged as a ketch."),
        (ASHORE, "when was the first of those launched?", "Heron was launched on 2019-08-01."),
        (ASHORE, "is the last one insured?", "Saltwind is insured."),
        ((*MOORED, *ASHORE), "is the second one insured?", "Saltwind is insured."),
    ],
)
def test_what_is_left_out_comes_from_the_turns_before(
    turns: tuple[tuple[str, str], ...], question: str, answer: str
) -> None:
    assert ANSWERS.answer(question, turns).lines[0].text == answer
    assert answer not in [line.text for line in ANSWERS.answer(question).lines[:1]]


@pytest.mark.parametrize("turns", [(), (("assistant", "Marigold is afloat."),)])
def test_without_a_question_before_nothing_is_added(turns: tuple[tuple[str, str], ...]) -> None:
    assert resolve("is it insured?", turns, NAMES) == "is it insured?"


def test_a_whole_question_stands_alone() -> None:
    question = "which rules apply to members and visitors who use the slipway by night?"
    assert resolve(question, MOORED, NAMES) == question


@pytest.mark.parametrize("ordinal", ["third", "fifth"])
def test_an_ordinal_beyond_the_list_means_no_part_of_it(ordinal: str) -> None:
    assert "Saltwind" not in resolve(f"is the {ordinal} one insured?", ASHORE, NAMES)


@pytest.mark.parametrize("answer", ["Yes.", "", "[1]"])
def test_the_last_of_an_answer_without_parts_is_none_of_it(answer: str) -> None:
    turns = (("user", "where is Marigold moored?"), ("assistant", answer))
    assert resolve("is the last one insured?", turns, NAMES) == "is the last one insured Marigold?"


def test_a_short_question_without_a_name_is_read_with_the_one_before() -> None:
    turns = (("user", "what are the rules of the slipway?"), ("assistant", "Members may use it."))
    assert resolve("and its depth?", turns, NAMES) == (
        "its depth (what are the rules of the slipway)?"
    )


def test_what_was_asked_before_is_not_asked_again() -> None:
    turns = (("user", "Who may use the slipway, and how deep is it? Tell me."), ("assistant", ""))
    question = resolve("and when?", turns, NAMES)
    assert question == "when (Who may use the slipway how deep is it Tell me)?"
    assert clauses_of(question) == [question]


def test_a_pronoun_stands_for_the_entry_that_was_asked_about() -> None:
    assert resolve("is it insured?", MOORED, NAMES) == "is Marigold insured?"
