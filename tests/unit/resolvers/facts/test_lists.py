"""Counts, filters and superlatives over a list, and comparisons of its entries."""

import pytest
from boatyard import answers_from, yard_table

ANSWERS = answers_from(yard_table())


def said(question: str) -> list[str]:
    """The lines of the answer, which is one."""
    answer = ANSWERS.answer(question)
    assert (answer.answered, answer.basis) == ("yes", "field")
    return [line.text for line in answer.lines]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (
            "how many boats are there",
            "4 in all. Boats: The Grey Heron (afloat); Heron (ashore); Marigold (afloat); Saltwind"
            " (ashore).",
        ),
        ("how many boats are ashore", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("which boats are ashore?", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("which boats are not afloat?", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("which boats aren't afloat?", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("which boat is the longest-serving?", "Oldest: The Grey Heron (1962-03-09)."),
        ("list the boats afloat", "2 of 4. Boats: The Grey Heron (afloat); Marigold (afloat)."),
        (
            "which boats are a ketch?",
            "2 of 4. Boats: The Grey Heron (afloat); Saltwind (ashore).",
        ),
        ("which boat is the newest", "Newest: Heron (2019-08-01)."),
        ("the oldest boat in the yard?", "Oldest: The Grey Heron (1962-03-09)."),
        ("which is the oldest boat ashore?", "Oldest: Saltwind (2001-05-04)."),
        ("which boat is newer, Marigold or Saltwind?", "Newest: Saltwind (2001-05-04)."),
    ],
)
def test_a_list_is_counted_filtered_and_ranked(question: str, line: str) -> None:
    assert said(question) == [line]


def test_the_only_boat_that_is_left_is_told_of() -> None:
    count, *details = said("which boat is rigged as a yawl?")
    assert count == "1 of 4. Boats: Marigold (afloat)."
    assert "Marigold is rigged as a yawl." in details


def test_two_that_are_named_are_compared_field_by_field() -> None:
    assert said("how many hands does Heron need, or Saltwind?") == [
        "Heron needs 2 hands.",
        "Saltwind needs 4 hands.",
    ]


def test_a_part_without_a_list_means_that_of_the_part_before() -> None:
    assert said("Which boats are ashore? Which is the oldest?") == [
        "2 of 4. Boats: Heron (ashore); Saltwind (ashore).",
        "Oldest: The Grey Heron (1962-03-09).",
    ]


def test_an_entry_that_is_named_is_told_of_and_not_its_list() -> None:
    assert said("where is Saltwind moored?") == ["Saltwind is ashore."]


def test_a_thing_that_is_no_item_of_a_list_is_not_counted_in_it() -> None:
    texts = [line.text for line in ANSWERS.answer("how many anchors are in the yard").lines]
    assert not [text for text in texts if " in all." in text or " of 4." in text]


def test_where_no_list_is_named_none_is_counted() -> None:
    texts = [line.text for line in ANSWERS.answer("how many anchors does it weigh").lines]
    assert not [text for text in texts if text.startswith(("4 in all", "1 of", "2 of"))]
