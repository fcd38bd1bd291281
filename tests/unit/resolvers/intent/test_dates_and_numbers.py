"""Dates and numbers in a goal, in digits and in words."""

import pytest

from resolvers.intent.dates import ends_a_time, find_instant
from resolvers.intent.numbers import find_first_items, find_limit, find_number, without_limit


@pytest.mark.parametrize(
    ("goal", "instant"),
    [
        ("fixes dated 1 April 2026 or later", "2026-04-01T00:00:00Z"),
        ("from 2026-01-02 to 2026-03-04", "2026-01-02T00:00:00Z"),
        ("until 2026-03-04, from 2026-01-02", "2026-01-02T00:00:00Z"),
        ("between 1 May 2026 and 3 June 2026", "2026-05-01T00:00:00Z"),
        ("older than May 2026", None),
        ("before the 3rd of May 2026", None),
        ("between March and May 2026", None),
        ("since yesterday", None),
    ],
)
def test_a_date_that_ends_a_time_is_none_that_begins_one(goal: str, instant: str | None) -> None:
    assert find_instant(goal) == instant


def test_a_goal_that_ends_a_time_is_told_from_others() -> None:
    assert ends_a_time("from 2026-01-02 to 2026-03-04")
    assert ends_a_time("the changelog up to May 2026")
    assert not ends_a_time("bring it up to date since May 2026")


@pytest.mark.parametrize(
    ("goal", "limit", "rest"),
    [
        ("larch, five hits at most", 5, "larch"),
        ("larch and return no more than three hits", 3, "larch"),
        ("larch, max 4", 4, "larch"),
        ("larch, top 3 results", 3, "larch"),
        ("larch, one hit", 1, "larch"),
        ("two boats, limited to 8 results", 8, "two boats"),
        ("the top 10 mistakes of builders", None, "the top 10 mistakes of builders"),
        ("when the log had 31 entries", None, "when the log had 31 entries"),
        ("larch for three boats", None, "larch for three boats"),
    ],
)
def test_how_many_results_are_asked_for_is_no_part_of_the_query(
    goal: str, limit: int | None, rest: str
) -> None:
    assert find_limit(goal) == limit
    if limit is not None:
        assert without_limit(goal) == rest


def test_the_first_items_of_a_list_are_told_by_number() -> None:
    assert find_first_items("the first two projects", is_newest_first=False) == 2
    assert find_first_items("the 3 newest of them", is_newest_first=True) == 3
    assert find_first_items("the 3 newest of them", is_newest_first=False) is None
    assert find_first_items("the latest entry", is_newest_first=True) == 1
    assert find_first_items("all projects", is_newest_first=True) is None


def test_a_number_in_words_counts_but_one_does_not() -> None:
    assert find_number("entry seven of the log", "index", alone=True) == 7
    assert find_number("one entry of the log", "index", alone=True) is None
    assert find_number("offset eleven of 40", "offset", alone=False) == 11
