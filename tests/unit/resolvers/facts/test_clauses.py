"""Into which parts a question is split, and what a pronoun in a part means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.facts.clauses import (
    MAX_CLAUSES,
    Clause,
    clauses_of,
    is_fragment,
    parts_of,
    pieces_of,
    with_name,
)


@pytest.mark.parametrize(
    ("question", "clauses"),
    [
        ("where is Marigold moored?", ["where is Marigold moored?"]),
        ("Where is Marigold? Is it insured?", ["Where is Marigold?", "Is it insured?"]),
        ("who built it and when was it launched", ["who built it", "when was it launched"]),
        ("how deep is it, who may use it", ["how deep is it", "who may use it"]),
        ("of Marigold: rig, crew", ["of Marigold rig", "of Marigold crew"]),
        ("price + availability", ["price", "availability"]),
        ("what does it carry and may we board it", ["what does it carry", "may we board it"]),
        ("yard, slip, crane, crew, price", ["yard", "slip", "crane", "crew", "price"]),
        ("who built Marigold and when", ["who built Marigold", "when built Marigold"]),
        (
            "Where does Heron lie, and since when?",
            ["Where does Heron lie", "since when does Heron lie"],
        ),
        ("How do I hire it and how soon?", ["How do I hire it", "how soon do I hire it"]),
        ("when?", ["when?"]),
        ("is it a salt and pepper boat of the yard", ["is it a salt and pepper boat of the yard"]),
        ("", [""]),
    ],
)
def test_a_question_is_split_where_it_asks_for_another_thing(
    question: str, clauses: list[str]
) -> None:
    assert clauses_of(question) == clauses


@pytest.mark.parametrize("part", ["day rate", "city?", "name", "mooring fee please"])
def test_the_mere_name_of_a_thing_is_a_fragment(part: str) -> None:
    assert is_fragment(part)


@pytest.mark.parametrize("part", ["who is it", "name three boats", "boats that were built here"])
def test_what_asks_or_tells_more_is_no_fragment(part: str) -> None:
    assert not is_fragment(part)


def test_of_a_question_with_hundreds_of_parts_the_first_are_answered() -> None:
    question = " ".join(f"What is part {number}?" for number in range(200))
    assert clauses_of(question) == [f"What is part {number}?" for number in range(MAX_CLAUSES)]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Is Heron insured, and if not, how many hands does it need?",
            [
                Clause("Is Heron insured"),
                Clause("how many hands does it need?", only_if=False),
            ],
        ),
        (
            "is it free now? If so, since when?",
            [Clause("is it free now"), Clause("since when?", only_if=True)],
        ),
        ("where is it if it is not ashore?", [Clause("where is it if it is not ashore?")]),
        ("is it ashore, if not?", [Clause("is it ashore")]),
        ("If so", [Clause("If so")]),
    ],
)
def test_a_part_may_depend_on_the_answer_to_the_one_before(
    question: str, parts: list[Clause]
) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    ("question", "pieces"),
    [
        ("What is left out? I want a list.", ["What is left out?", "I want a list."]),
        ("We own two hulls. Is that your trade?", ["We own two hulls."]),
    ],
)
def test_a_sentence_that_leans_on_another_is_not_asked_alone(
    question: str, pieces: list[str]
) -> None:
    assert pieces_of(question) == pieces


@given(st.text("abc ,.?:;&+/", max_size=60))
def test_a_part_has_no_word_that_the_question_has_not(question: str) -> None:
    clauses = clauses_of(question)
    assert clauses
    letters = [letter for clause in clauses for letter in clause if letter.isalpha()]
    assert set(letters) <= set(question)
    if len(clauses) == 1:
        assert clauses[0].strip() == question.strip()


@pytest.mark.parametrize(
    ("clause", "names", "whole"),
    [
        ("is it insured", ["Heron", "Marigold"], "is Marigold insured"),
        ("is that one older than it", ["Heron"], "is Heron older than it"),
        ("is it insured", [], "is it insured"),
        ("has italic letters", ["Heron"], "has italic letters"),
        ("is it", [r"\1 \g<0>"], r"is \1 \g<0>"),
    ],
)
def test_a_pronoun_means_the_entry_that_was_named_last(
    clause: str, names: list[str], whole: str
) -> None:
    assert with_name(clause, names) == whole
