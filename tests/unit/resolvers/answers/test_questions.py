"""How a question is read before anything is looked for."""

import pytest

from resolvers.answers.questions import Spelling, in_context, is_greeting, parts_of

TURNS = (("user", "Which boats are for hire?"), ("assistant", "Two: Marigold and Grey Heron. [1]"))


@pytest.mark.parametrize("question", ["and what do they cost?", "since when?", "its rig?"])
def test_what_leans_on_the_question_before_comes_after_it(question: str) -> None:
    assert in_context(question, TURNS) == f"Which boats are for hire? {question}"


def test_what_stands_alone_stays_as_it_is() -> None:
    question = "Which insurance covers a broken mast?"
    assert in_context(question, TURNS) == question
    assert in_context("and then?", ()) == "and then?"


def test_an_ordinal_takes_its_name_from_the_answer_before() -> None:
    assert in_context("Is the second one insured?", TURNS) == "Is Grey Heron insured?"
    assert in_context("Is the last one insured?", TURNS) == "Is Grey Heron insured?"
    assert in_context("Is the fifth one insured?", TURNS).startswith("Which boats")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Who founded it and when was it built?", ["Who founded it", "when was it built?"]),
        (
            "What does a mast cost? Which wood is used?",
            ["What does a mast cost?", "Which wood is used?"],
        ),
        ("We are a school. Can you haul our dinghy?", None),
        ("Do you paint and varnish hulls?", None),
    ],
)
def test_only_what_asks_for_different_things_is_parted(
    question: str, parts: list[str] | None
) -> None:
    assert parts_of(question) == (parts or [question])


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("where is the slpway", "where is the slipway"),
        ("the slipwaay and the harbor", "the slipway and the harbour"),
        ("Slpway of Meridian", "Slpway of Meridian"),
        ("slipways", "slipways"),
    ],
)
def test_one_wrong_letter_of_a_known_word_is_mended(written: str, mended: str) -> None:
    assert Spelling({"slipway", "harbour", "boats"}).mend(written) == mended


def test_a_mere_greeting_is_told_from_a_question() -> None:
    assert is_greeting("Good evening!")
    assert not is_greeting("Good evening, who are you?")
