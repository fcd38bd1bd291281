"""Entries that a question describes by words of their summaries instead of naming them."""

from functools import cache

import pytest
from boatyard import BY_WORDS
from fact_answers import SECOND, table_of

from resolvers.facts.descriptions import described_entries
from resolvers.facts.router import FactRouter


@cache
def router() -> FactRouter:
    """What finds the fields of the second studio, without a model."""
    return FactRouter(table_of(SECOND), BY_WORDS, {"Aftermath": "the studio"})


def described(question: str) -> list[tuple[str, str]]:
    """The names of the entries that are described, and the parts of the question that do it."""
    named = router().parse(question).named
    return [(item.entry.name, question[item.start : item.end]) for item in named]


@pytest.mark.parametrize(
    "question",
    [
        "How many people use the lending library, and who may?",
        "is that lending library open",
        "Your lending library: since when?",
    ],
)
def test_the_words_behind_an_article_are_those_of_a_summary(question: str) -> None:
    assert [(n, p.casefold()) for n, p in described(question)] == [
        ("The Seed Drawer", "lending library")
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Are there lending libraries?",  # no certain one is meant
        "Who runs the Lending Library of Ghent?",  # a name, which no entry has
        "What does the studio lend?",
        "What is the capital city of Peru?",
        "the of it",
    ],
)
def test_other_words_describe_nothing(question: str) -> None:
    assert described(question) == []


def test_a_name_goes_before_a_description() -> None:
    question = "Does Quadrat Cards have the lending library's plants?"
    assert [name for name, _ in described(question)] == ["Quadrat Cards"]


def test_only_entries_with_an_address_and_a_summary_are_described() -> None:
    entries = {e.name: texts for e, texts in described_entries(table_of(SECOND).entries)}
    assert "The Seed Drawer" in entries
    assert "Quadrat" not in entries
    assert all(entries.values())
    assert not any(name.endswith("?") for name in entries)
