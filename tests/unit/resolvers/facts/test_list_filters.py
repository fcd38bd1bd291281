"""Conditions on the items of a list, each read by the type of its value."""

import re

import pytest
from boatyard import answers_from, yard_table
from fact_answers import SECOND, answers_by_words

ANSWERS = answers_from(yard_table())


def said(question: str) -> str:
    """The first line of an answer, which is one."""
    answer = ANSWERS.answer(question)
    assert (answer.answered, answer.basis) == ("yes", "field")
    return answer.lines[0].text


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which boats were launched before 1990?", "2 of 4. The Grey Heron (1962-03-09); Marigold"),
        ("boats launched after 2001", "1 of 4. Heron (2019-08-01)."),
        ("how many boats were launched since 2001", "2 of 4. Heron (2019-08-01); Saltwind"),
        ("boats from between 1980 and 2005", "2 of 4. Marigold (1988-06-30); Saltwind"),
        ("boats launched in 2010", "None of 4: no boat has launched in 2010."),
        ("which boats are insured", "3 of 4. Boats: The Grey Heron"),
        ("which boats are not insured", "1 of 4. Boats: Heron (ashore)."),
        ("list the uninsured boats", "1 of 4. Boats: Heron (ashore)."),
        ("which insured boats are ashore", "1 of 4. Boats: Saltwind (ashore)."),
        ("which boats are ashore and were launched before 2010", "1 of 4. Saltwind (2001-05-04)."),
        ("boats that are ashore, not afloat", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("which boats are under repair", "2 of 4. Boats: Heron (ashore); Saltwind (ashore)."),
        ("the two oldest boats", "Oldest: The Grey Heron (1962-03-09); Marigold (1988-06-30)."),
        ("the second oldest boat", "Second oldest: Marigold (1988-06-30)."),
        (
            "list the boats from newest to oldest",
            "From the newest: Heron (2019-08-01); Saltwind (2001-05-04); Marigold",
        ),
        ("all boats, whether ashore or not", "Boats: The Grey Heron (afloat); Heron (ashore);"),
    ],
)
def test_a_list_is_filtered_by_the_types_of_its_values(question: str, line: str) -> None:
    assert said(question).startswith(line)


@pytest.mark.parametrize(
    "question",
    [
        "which boats were sold before 1990?",
        "which boats have more than 100 passengers",
        "how many sailors joined before 1990",
        "which boats were painted in Norway",
    ],
)
def test_a_condition_that_cannot_be_told_is_not_left_out(question: str) -> None:
    texts = [line.text for line in ANSWERS.answer(question).lines]
    assert not [text for text in texts if " of 4" in text or " in all." in text]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which projects have no website", "2 of 5. Tannery Bank (in-production)"),
        ("which certificates were issued after 2016", "2 of 4. Registered Assessor of Lowland"),
        ("all projects except the client's", "4 of 5. The Hay Round"),
        ("which project finished most recently", None),
        ("which project took the most volunteers", None),
        ("how many clients are there", "1 in all. Tannery Bank was made for Ludbrook"),
        ("what was removed in 2026", "1 of 10. The Seed Drawer no longer posts seed"),
        ("projects not owned by the studio", "1 of 5. Tannery Bank"),
        ("which projects does she own herself", "4 of 5. The Hay Round"),
        ("which services are no longer offered", "1 of 5. Services and skills: Roof meadows"),
        ("which changes concern Quadrat Cards", "2 of 10. "),
        ("who are the clients", "Tannery Bank was made for Ludbrook Town Council"),
        ("which client has which project", "Tannery Bank was made for Ludbrook Town Council"),
        (
            "certificates issued in 2022",
            "None of 4: no certification was issued in 2022. Of 1 it is",
        ),
        ("which projects were finished in 2024", None),
        ("which certificates expire before 2028", None),
    ],
)
def test_the_lists_of_a_studio_are_filtered(question: str, line: str | None) -> None:
    first = [said.text for said in answers_by_words(SECOND).answer(question).lines[:1]]
    if line is None:
        assert not any(re.search(r" of (?:4|5|10)\b", text) for text in first)
    else:
        assert [text[: len(line)] for text in first] == [line]


def test_two_that_are_compared_are_told_apart_by_the_fields_that_are_named() -> None:
    lines = answers_by_words(SECOND).answer(
        "compare the Hay Round and the Seed Drawer: stack, owner"
    )
    assert [line.text.split(" is ")[0] for line in lines.lines[2:]] == [
        "The Hay Round",
        "The Seed Drawer",
    ]


def test_two_that_are_compared_without_a_field_are_told_apart_by_their_state_and_beginning() -> (
    None
):
    lines = answers_by_words(SECOND).answer("compare Quadrat Cards and the Verge Almanac").lines
    texts = [line.text for line in lines]
    assert "Quadrat Cards is in-production." in texts
    assert "Work on The Verge Almanac began in 2025-01." in texts
