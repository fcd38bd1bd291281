"""Which entries a question names, and what names stand for."""

from pathlib import Path

import pytest
from boatyard import BOATS, boat, yard_table
from fact_answers import table_of
from hypothesis import given
from hypothesis import strategies as st

from resolvers.ai.builder import roles_of
from resolvers.facts.names import (
    NameFinder,
    is_one_letter_away,
    replace_names,
    replace_roles,
    without_one_letter,
)
from schema.site import Site

SECOND = Path(__file__).parents[4] / "evals/second"
YARD = NameFinder(yard_table().entries)


def named(question: str, finder: NameFinder = YARD) -> list[str]:
    """The names of the entries that a question names."""
    return [item.entry.name for item in finder.find(question)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("where is Marigold?", ["Marigold"]),
        ("WHERE IS MARIGOLD", ["Marigold"]),
        ("Marigold's rig", ["Marigold"]),
        ("two Marigolds", ["Marigold"]),
        ("Saltwind or Marigold", ["Saltwind", "Marigold"]),
        ("is the Grey Heron older than Heron?", ["The Grey Heron", "Heron"]),
        ("a grey heron", ["The Grey Heron"]),
        ("Grey-Heron", ["The Grey Heron"]),
        ("who sailed old spindrift", ["The Grey Heron"]),
        ("grey boats", []),
        ("is anything for sale", []),
    ],
)
def test_a_name_is_found_the_longest_first(question: str, names: list[str]) -> None:
    assert named(question) == names


@pytest.mark.parametrize("word", ["Marigld", "Marigoold", "Narigold", "Marigodl", "Herom"])
def test_one_wrong_letter_is_forgiven_from_five_letters_on(word: str) -> None:
    assert len(named(f"where is {word} now")) == 1


@pytest.mark.parametrize("word", ["Merigald", "Mari", "Hero", "gold"])
def test_two_wrong_letters_or_a_short_word_are_no_name(word: str) -> None:
    assert named(f"where is {word} now") == []


def test_a_name_is_found_by_its_last_word_after_the_if_no_other_has_it() -> None:
    finder = NameFinder(table_of(SECOND).entries)
    assert named("who prints the Almanac", finder) == ["The Verge Almanac"]
    assert named("who prints an almanac", finder) == []
    assert named("where is the heron now") == ["Heron"]
    more = (boat("Vellach harbour bakehouse"), boat("Grey barge"), boat("Old barge"))
    finder = NameFinder(yard_table((*BOATS, *more)).entries)
    assert named("who ordered the bakehouse", finder) == ["Vellach harbour bakehouse"]
    assert named("who ordered the barge", finder) == []


def test_the_place_of_a_name_is_that_in_the_question() -> None:
    question = "is the Grey Heron older than marigold?"
    places = [question[item.start : item.end] for item in YARD.find(question)]
    assert places == ["the Grey Heron", "marigold"]
    assert replace_names(question, YARD.find(question), "the boat") == (
        "is the boat older than the boat?"
    )


def test_a_question_and_a_word_that_says_nothing_are_no_names() -> None:
    more = (boat("Who paints the boats?"), boat("The Other"), boat("Who"))
    finder = NameFinder(yard_table((*BOATS, *more)).entries)
    assert named("who paints the boats? and the other?", finder) == []
    faq = [entry.name for entry in table_of().entries_of("FaqEntry")]
    found = [item.entry.type_name for q in faq for item in NameFinder(table_of().entries).find(q)]
    assert len(faq) > 30
    assert "FaqEntry" not in found


WORDS = st.text("abc", max_size=6)


@given(WORDS, WORDS)
def test_one_letter_away_is_a_distance_of_one(one: str, other: str) -> None:
    assert is_one_letter_away(one, other) == (distance(one, other) <= 1)


@given(WORDS, WORDS)
def test_words_one_letter_away_are_found_by_what_is_left_of_them(one: str, other: str) -> None:
    if is_one_letter_away(one, other):
        assert without_one_letter(one) & without_one_letter(other)


def test_a_word_longer_than_any_name_is_not_compared() -> None:
    assert named(f"where is {'Marigold' * 400} now") == []


def distance(one: str, other: str) -> int:
    """How many letters are wrong, missing or swapped, by the textbook's table."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            steps = [row[-1] + 1, rows[-1][j] + 1, rows[-1][j - 1] + (a != b)]
            if i > 1 and j > 1 and (a, b) == (other[j - 2], one[i - 2]):
                steps.append(rows[-2][j - 2] + 1)
            row.append(min(steps))
        rows.append(row)
    return rows[-1][-1]


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("what does Maren Quill charge", "what does the founder charge"),
        ("is maren in?", "is the founder in?"),
        ("Quillmere's address", "the studio's address"),
        ("quills and quillmeres", "quills and quillmeres"),
    ],
)
def test_the_studio_and_its_founder_are_read_as_what_they_are(
    question: str, plain: str, sample: Site
) -> None:
    assert replace_roles(question, roles_of(sample.studio, "the founder")) == plain
