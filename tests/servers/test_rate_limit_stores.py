"""Stores that fill up, go away and come back, and clocks that step."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from counter_stores import placed
from rate_limit_callers import ALICE, Desk, Place
from stoppable_stores import Trouble, cut_off, locked_file, until

from resolvers.rate_limits.limiter import MAX_KEYS
from sdl.caller import RateLimitStatus
from sdl.errors import RateLimitedError, UnavailableError

PORTION = 10_000

DATABASES = ["sqlite", "postgresql"]
YEARS = 10 * 365 * 86400

databases = pytest.mark.parametrize("kind", DATABASES)


@pytest.fixture
def place(kind: str, tmp_path: Path) -> Iterator[Place]:
    with placed(kind, tmp_path) as place:
        yield place


@pytest.fixture
def trouble(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Trouble]:
    with request.param(tmp_path) as trouble:
        yield trouble


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("trouble", [locked_file, cut_off], indirect=True)
def test_a_store_that_does_not_answer_lets_nothing_pass_and_heals(trouble: Trouble) -> None:
    with Desk(trouble.place) as desk:
        assert len(desk.passed([ALICE] * 5)) == 5
        trouble.stop()
        with pytest.raises(UnavailableError, match="cannot be checked now") as refused:
            desk.spend()
        assert refused.value.retry_seconds == 5
        trouble.start()
        until(lambda: is_answered(desk))
        assert desk.runner.run(passing(desk, 30)) <= 14
        until(lambda: refuses(desk))


async def passing(desk: Desk, calls: int) -> int:
    """How many of so many calls at once passed, where a store that heals may not count each."""
    done = await asyncio.gather(*(desk.one(ALICE) for _ in range(calls)), return_exceptions=True)
    assert {type(each) for each in done} <= {RateLimitStatus, RateLimitedError, UnavailableError}
    return sum(isinstance(each, RateLimitStatus) for each in done)


def refuses(desk: Desk) -> bool:
    """Whether a call was counted, and is one too many."""
    try:
        return desk.is_refused()
    except UnavailableError:
        return False


def is_answered(desk: Desk) -> bool:
    """Whether a call was counted."""
    try:
        desk.spend()
    except UnavailableError:
        return False
    return True


@databases
def test_a_call_whose_caller_left_is_counted_and_holds_nothing_up(place: Place) -> None:
    with Desk(place) as desk:
        desk.spend()
        for number in range(10):
            desk.runner.run(left(desk, number / 2000))
        until(lambda: is_counted(desk, 11))
        assert desk.spend().remaining == 8


def is_counted(desk: Desk, calls: int) -> bool:
    """Whether so many calls were counted."""
    return desk.rows("SELECT hits FROM rate_limit") == [(calls,)]


async def left(desk: Desk, after_seconds: float) -> None:
    """A caller who leaves before there is an answer, or with it."""
    call = asyncio.ensure_future(desk.one(ALICE))
    await asyncio.wait([call], timeout=after_seconds)
    call.cancel()
    await asyncio.wait([call])


@pytest.mark.parametrize("kind", ["postgresql"])
def test_a_window_ends_when_it_is_over_however_often_it_is_asked(place: Place) -> None:
    with Desk(place, limit=2, window_seconds=2) as desk:
        began = time.monotonic()
        assert len(desk.passed([ALICE] * 20)) == 2
        until(lambda: not desk.is_refused())
        assert time.monotonic() - began > 1.8
        assert len(desk.passed([ALICE] * 20)) == 1


@pytest.mark.parametrize("kind", ["sqlite"])
@pytest.mark.parametrize("back", [1, 3600, YEARS])
def test_a_clock_that_goes_back_opens_nothing_and_shuts_nobody_out(
    place: Place, back: float
) -> None:
    clock = Clock()
    with Desk(place, limit=2, clock=clock) as desk:
        assert len(desk.passed([ALICE] * 9)) == 2
        clock.now -= back
        assert desk.is_refused()
        clock.now += 3599
        assert desk.is_refused()
        clock.now += 1 + back
        assert not desk.is_refused()


@pytest.mark.parametrize("kind", ["postgresql"])
def test_the_clock_of_a_process_counts_for_nothing_where_the_store_has_one(place: Place) -> None:
    clock = Clock()
    with Desk(place, limit=2, clock=clock) as desk:
        assert not desk.is_refused()
        clock.now += YEARS
        assert not desk.is_refused()
        clock.now += YEARS
        assert desk.is_refused()


@databases
def test_a_server_whose_clock_went_back_shuts_nobody_out_longer_than_a_window(
    place: Place,
) -> None:
    with Desk(place, limit=2, window_seconds=2) as desk:
        assert len(desk.passed([ALICE] * 9)) == 2
        desk.rows("UPDATE rate_limit SET expires_at = expires_at + 9e9")
        assert desk.is_refused()
        until(lambda: not desk.is_refused())
        assert desk.spend().remaining == 0


def test_sqlite_goes_by_a_clock_that_nobody_can_set(tmp_path: Path) -> None:
    with placed("sqlite", tmp_path) as place, Desk(place) as desk:
        desk.spend()
        ends = desk.rows("SELECT expires_at FROM rate_limit")[0][0]
        assert time.monotonic() + 3590 < ends <= time.monotonic() + 3600


@pytest.mark.parametrize("kind", ["sqlite"])
def test_rows_are_at_most_100_000_and_those_go_that_end_first(place: Place) -> None:
    with Desk(place, clock=lambda: 0.0) as desk:
        fill(desk, MAX_KEYS)
        desk.spend()
        assert desk.rows("SELECT count(*) <= 100000, count(*) > 90000 FROM rate_limit") == [(1, 1)]
        assert desk.rows("SELECT count(*) FROM rate_limit WHERE key IN ('row 1', 'row 2')") == [
            (0,)
        ]
        assert len(desk.passed([ALICE] * 30)) == 19


@pytest.mark.parametrize("kind", ["sqlite"])
def test_no_address_stands_in_the_store(place: Place) -> None:
    with Desk(place) as desk:
        desk.spend("192.0.2.77")
        desk.spend("2001:db8:77::1")
        keys = [row[0] for row in desk.rows("SELECT key FROM rate_limit")]
        assert len(keys) == 3
        assert not [key for key in keys if "192" in key.rpartition("/")[0] or ":" in key]


def fill(desk: Desk, count: int) -> None:
    """Windows of so many callers, one after the other."""
    statement = "INSERT INTO rate_limit VALUES (:key, 1, :now + :ends)"
    if not desk.database.is_sqlite:
        statement = statement.replace(":now", "extract(epoch FROM now())")
    rows = [
        {"key": f"row {number}", "now": 0, "ends": 1000 + number / 100} for number in range(count)
    ]
    for at in range(0, count, PORTION):
        desk.rows(statement, rows[at : at + PORTION])
