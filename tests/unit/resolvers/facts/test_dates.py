"""The spans of time that a question names."""

from datetime import date

import pytest

from resolvers.facts.dates import FIRST, LAST, spans_in

TODAY = date(2026, 11, 25)


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("issued before 2021", FIRST, "2021-01-01"),
        ("issued after 2021", "2022-01-01", LAST),
        ("not before 2021", "2021-01-01", LAST),
        ("begun since march 2021", "2021-03-01", LAST),
        ("begun in 2021 or later", "2021-01-01", LAST),
        ("from 2021 onwards", "2021-01-01", LAST),
        ("until 2021", FIRST, "2022-01-01"),
        ("by the end of 2021", FIRST, "2022-01-01"),
        ("entries from 2025", "2025-01-01", "2026-01-01"),
        ("the 2025 entries", "2025-01-01", "2026-01-01"),
        ("between 2017 and 2019", "2017-01-01", "2020-01-01"),
        ("between March and June 2026", "2026-03-01", "2026-07-01"),
        ("from 2017 to 2019", "2017-01-01", "2020-01-01"),
        ("in December 2025", "2025-12-01", "2026-01-01"),
        ("on 12 November 2026", "2026-11-12", "2026-11-13"),
        ("on November 30th, 2026", "2026-11-30", "2026-12-01"),
        ("since 2026-11-12", "2026-11-12", LAST),
        ("this year", "2026-01-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("in the last two years", "2024-11-25", LAST),
        ("in the past 18 months", "2025-05-25", LAST),
        ("since August", "2026-08-01", LAST),
        ("since December", "2025-12-01", LAST),
        ("since November", "2026-11-01", LAST),
        ("before November", FIRST, "2026-11-01"),
    ],
)
def test_a_span_of_time_is_read(text: str, first: str, end: str) -> None:
    [span] = spans_in(f"what changed {text}?", TODAY)
    assert (span.first, span.end) == (first, end)
    assert span.said in f"what changed {text}?"


def test_a_month_without_a_year_is_that_of_any_year() -> None:
    [span] = spans_in("what was announced in july", TODAY)
    assert [span.has(day) for day in ("2024-07-04", "2026-07-31T10:00:00Z", "2026-08-01")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("value", ["2021", "2021-01", "2021-01-01", "2021-01-01T00:00:00Z"])
def test_a_year_and_a_month_count_from_their_first_day(value: str) -> None:
    before, since = (next(spans_in(f"{word} 2021", TODAY)) for word in ("before", "since"))
    assert (before.has(value), since.has(value)) == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "may I ask",
        "version 2.2021",
        "the 20210 rows",
        "in may I",
        "a march in the rain",
        "1.2026.3",
    ],
)
def test_other_words_and_numbers_are_no_time(text: str) -> None:
    assert not [*spans_in(text, TODAY)]
