"""Questions that ask for more than one thing, and what is said of each part."""

from datetime import date

import pytest
from boatyard import BOATS, answers_from, boat, yard_table

ANSWERS = answers_from(yard_table())


def said(question: str) -> list[str]:
    """The lines of an answer, which answers."""
    answer = ANSWERS.answer(question)
    assert answer.answered == "yes"
    return [line.text for line in answer.lines]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "is the boat Marigold insured, and if not, how many hands does the boat need?",
            ["Marigold is insured."],
        ),
        (
            "is the boat Marigold insured, and if so, how many hands does it need?",
            ["Marigold is insured.", "Marigold needs 2 hands."],
        ),
        (
            "is the boat Heron insured? If not, how many hands does it need?",
            ["Heron is not insured.", "Heron needs 2 hands."],
        ),
    ],
)
def test_a_part_whose_condition_is_not_met_falls_away(question: str, lines: list[str]) -> None:
    assert said(question) == lines


def test_where_one_part_is_an_example_the_other_is_answered_too() -> None:
    assert said("where is the boat Heron moored, and when was the boat Heron launched?") == [
        "Heron is ashore.",
        "Heron was launched on 2019-08-01.",
    ]


def test_a_part_of_a_name_that_no_other_has_means_its_entry() -> None:
    launched = date(1999, 1, 2)
    boats = [*BOATS, boat("Larne Market Hall Tender", launched=launched), boat("Larne Pilot")]
    answers = answers_from(yard_table(boats))
    (line,) = answers.answer("when was the boat market hall launched").lines
    assert line.text == "Larne Market Hall Tender was launched on 1999-01-02."
    texts = [line.text for line in answers.answer("when was the boat of Larne launched").lines]
    assert line.text not in texts[:1]


def test_no_line_of_an_answer_is_empty_or_said_twice() -> None:
    story = "The mast is of spruce wood. It was stepped in May. The keel is of oak wood."
    answers = answers_from(yard_table([*BOATS, boat("Wooden", story)]))
    for question in ("mast of spruce wood", "what wood is the keel of", "tell me of oak wood"):
        texts = [line.text for line in answers.answer(question).lines]
        assert texts
        assert all(texts)
        assert not [a for a in texts for b in texts if a is not b and a in b]
