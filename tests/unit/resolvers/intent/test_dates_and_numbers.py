"""Dates and numbers in a goal, in digits and in words."""

import pytest

from resolvers.intent.values import find_instant, find_limit, find_number, search_phrase


@pytest.mark.parametrize(
    ("goal", "instant"),
    [
        ("fixes dated 1 April 2026 or later", "2026-04-01T00:00:00Z"),
        ("since 2026-06-01T10:30:00+02:00", "2026-06-01T08:30:00Z"),
        ("since September 2026", "2026-09-01T00:00:00Z"),
        ("from 2026-01-02 to 2026-03-04", "2026-01-02T00:00:00Z"),
        ("until 2026-03-04, from 2026-01-02", "2026-01-02T00:00:00Z"),
        ("between 1 May 2026 and 3 June 2026", "2026-05-01T00:00:00Z"),
        ("older than May 2026", None),
        ("before the 3rd of May 2026", None),
        ("since 30 February 2026", None),
        ("since last Tuesday", None),
        ("the decision 2025 and the market 2026", None),
    ],
)
def test_a_date_that_ends_a_time_is_none_that_begins_one(goal: str, instant: str | None) -> None:
    assert find_instant(goal) == instant


@pytest.mark.parametrize(
    ("goal", "limit", "rest"),
    [
        ("larch, five hits at most", 5, "larch"),
        ("larch, max 4", 4, "larch"),
        ("larch, top 3 results", 3, "larch"),
        ("larch, limited to 8 results", 8, "larch"),
        ("the top 10 mistakes of builders", None, "the top 10 mistakes of builders"),
        ("when the log had 31 entries", None, "when the log had 31 entries"),
        ("larch for three boats", None, "larch for three boats"),
    ],
)
def test_how_many_results_are_asked_for_is_no_part_of_the_query(
    goal: str, limit: int | None, rest: str
) -> None:
    assert find_limit(goal, is_search=True, is_newest_first=True) == limit
    assert search_phrase(goal) == rest


@pytest.mark.parametrize(
    ("goal", "is_newest_first", "limit"),
    [
        ("the first two projects", False, 2),
        ("the newest 3 of them", True, 3),
        ("the newest 3 of them", False, None),
        ("news of the last 3 weeks", True, None),
        ("all projects", True, None),
    ],
)
def test_the_first_items_of_a_list_are_told_by_number(
    goal: str, limit: int | None, *, is_newest_first: bool
) -> None:
    assert find_limit(goal, is_search=False, is_newest_first=is_newest_first) == limit


def test_a_number_in_words_counts_but_one_does_not() -> None:
    assert find_number("entry seven of the log", "index", alone=True) == 7
    assert find_number("one entry of the log", "index", alone=True) is None
    assert find_number("offset 11 of 40", "offset", alone=False) == 11
