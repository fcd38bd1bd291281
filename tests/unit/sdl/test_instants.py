"""Dates, instants, counts and flags: what is one, and what only looks like one."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sdl.types.scalar_types import Count, Date, DateOrDateTime, Flag, Instant, format_instant


def rules(word: Any, value: object) -> list[str]:
    """The messages with which the word refuses the value."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(word).validate_python(value)
    return [error["msg"] for error in caught.value.errors()]


INSTANTS = {
    "2026-03-01T09:30:00Z": (2026, 3, 1, 9, 30, 0),
    "2026-03-01t09:30:00z": (2026, 3, 1, 9, 30, 0),
    "2026-03-01T09:30:00.999999Z": (2026, 3, 1, 9, 30, 0),
    "2026-03-01T00:15:00+05:45": (2026, 2, 28, 18, 30, 0),
    "2026-12-31T23:59:59-00:01": (2027, 1, 1, 0, 0, 59),
    "2024-02-29T00:00:00-00:00": (2024, 2, 29, 0, 0, 0),
}
NO_INSTANTS = [
    *("", "2026-03-01", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z", "2026-03-01T09:30Z"),
    *(
        "2026-02-29T00:00:00Z",
        "2026-03-01T24:00:01Z",
        "2026-03-01T09:60:00Z",
        "2026-03-01T09:30:60Z",
    ),
    *("2026-03-01T09:30:00+0100", "2026-03-01T09:30:00+24:01", "2026-03-01T09:30:00.Z", "now"),
    *("2026-03-01T09:30:00Z\n", "٢٠٢٦-03-01T09:30:00Z", "0001-01-01T00:00:00+00:01", "\x00"),
    *("9999-12-31T23:59:59-00:01", "2026-03-01T09:30:00Z[UTC]", "20260301T093000Z", "1772357400"),
]


@pytest.mark.parametrize(("text", "parts"), INSTANTS.items())
def test_an_instant_is_read_into_whole_seconds_of_utc(
    text: str, parts: tuple[int, int, int, int, int, int]
) -> None:
    read = TypeAdapter(Instant).validate_python(text)
    assert read == datetime(*parts, tzinfo=UTC)
    assert format_instant(read) == f"{datetime(*parts).isoformat()}Z"  # noqa: DTZ001 - the wall clock as text


@pytest.mark.parametrize("value", [*NO_INSTANTS, 1772357400, None, date(2026, 3, 1)])
def test_what_is_no_instant_is_refused_with_the_rule(value: object) -> None:
    rule = "must be an RFC 3339 date-time with its offset, for example 2026-03-01T09:30:00Z"
    assert rules(Instant, value) == [rule]


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_as_written_is_read_as_itself(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    assert TypeAdapter(Instant).validate_python(format_instant(whole)) == whole


@pytest.mark.parametrize("text", ["2024-02-29", "0001-01-01", "9999-12-31"])
def test_a_day_is_read(text: str) -> None:
    assert TypeAdapter(Date).validate_python(text).isoformat() == text


@pytest.mark.parametrize(
    "value",
    [
        *("", "2026-02-29", "2026-3-1", "20260301", "2026-W09-7", "2026-03-01\n", "٢٠٢٦-03-01"),
        *("2026-03-01T00:00:00Z", datetime(2026, 3, 1, tzinfo=UTC), 20260301, None),
    ],
)
def test_what_is_no_day_is_refused_with_the_rule(value: object) -> None:
    assert rules(Date, value) == ["must be a date, YYYY-MM-DD, for example 2026-03-01"]


def test_a_date_or_date_time_is_written_as_the_wire_has_it() -> None:
    read = TypeAdapter(DateOrDateTime).validate_python
    assert read(date(2024, 3, 1)) == "2024-03-01"
    assert read(datetime.fromisoformat("2024-03-01T01:30:00.7+02:00")) == "2024-02-29T23:30:00Z"


@pytest.mark.parametrize("moment", ["2024-03-01T00:00:00", "9999-12-31T23:59:59-01:00"])
def test_a_date_time_that_no_instant_of_utc_is_is_refused(moment: str) -> None:
    (rule,) = rules(DateOrDateTime, datetime.fromisoformat(moment))
    assert rule.startswith("must be an RFC 3339 date-time")


@pytest.mark.parametrize("number", [0, 1, 2**31 - 1])
def test_a_count_is_what_an_int_of_graphql_holds(number: int) -> None:
    assert TypeAdapter(Count).validate_python(number) == number


@pytest.mark.parametrize("value", [-1, 2**31, 10**30, 1.0, "1", True, None])
def test_what_is_no_count_is_refused(value: object) -> None:
    assert rules(Count, value)


@pytest.mark.parametrize("value", [0, 1, "true", None, "yes"])
def test_a_flag_is_true_or_false_and_nothing_like_it(value: object) -> None:
    assert rules(Flag, value) == ["Input should be a valid boolean"]
    assert TypeAdapter(Flag).validate_python(True) is True
