"""How long a caller is told to wait while the models load."""

import pytest

from resolvers.ai.loading_time import MAX_SECONDS, MIN_SECONDS, SETS, LoadingTime


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock."""
    return Clock()


@pytest.mark.parametrize("seconds", [4.0, 20.0, 40.0])
def test_at_a_steady_pace_the_time_left_is_what_is_left(clock: Clock, seconds: float) -> None:
    time, texts = LoadingTime(clock), 10
    time.begin()
    for number in range(SETS):
        for done in range(texts + 1):
            clock.now = 100.0 + seconds * (number + done / texts) / SETS
            time.note(done, texts)
            left = 100.0 + seconds - clock.now
            if number or done:
                assert left <= time.seconds_left() <= max(1, left + 1.01)


def test_before_anything_is_known_a_caller_waits_a_little(clock: Clock) -> None:
    time = LoadingTime(clock)
    clock.now += 3
    assert time.seconds_left() == MIN_SECONDS
    time.note(0, 500)
    assert time.seconds_left() == MIN_SECONDS


def test_nobody_waits_more_than_a_minute_and_a_new_load_counts_anew(clock: Clock) -> None:
    time = LoadingTime(clock)
    clock.now += 3600
    time.note(1, 1000)
    assert time.seconds_left() == MAX_SECONDS
    time.begin()
    assert time.seconds_left() == MIN_SECONDS
