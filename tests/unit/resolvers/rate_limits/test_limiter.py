"""Rate limits in one process: what is left, and who shares a budget."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from counter_stores import placed
from rate_limit_callers import Desk

from sdl.caller import Caller, Channel
from sdl.errors import RateLimitedError


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with placed("sqlite", tmp_path) as place, Desk(place) as desk:
        yield desk


def test_a_limit_refuses_the_next_call_and_nobody_else(desk: Desk) -> None:
    assert desk.passed(["192.0.2.1"] * 21) == list(range(20))
    assert desk.is_refused("192.0.2.1")
    assert not desk.is_refused("192.0.2.2")


def test_what_is_left_is_the_least_of_the_network_and_its_site(desk: Desk) -> None:
    assert desk.spend("2001:db8:0:1::1").remaining == 19
    site = [f"2001:db8:0:{number // 15 + 2:x}::1" for number in range(150)]
    assert len(desk.passed(site)) == 150  # of the 160 calls of a site, one is counted above
    assert desk.spend("2001:db8:0:ff::1").remaining == 160 - 152


def test_a_call_counts_as_what_it_costs_and_the_dearest_as_a_whole_budget(desk: Desk) -> None:
    assert desk.spend(cost=12).remaining == 8
    with pytest.raises(RateLimitedError):
        desk.spend(cost=9)
    assert desk.spend(cost=8).remaining == 0
    assert desk.spend("192.0.2.2", cost=1000).remaining == 0


def test_a_refusal_names_no_time_before_the_end_of_the_window(desk: Desk) -> None:
    began = time.time()  # the window of an hour begins now or later
    desk.spend(cost=20)
    with pytest.raises(RateLimitedError) as refused:
        desk.spend()
    assert time.time() + refused.value.retry_seconds >= began + 3600


def test_what_counts_for_somebody_else_is_not_reported_to_the_caller(desk: Desk) -> None:
    caller = Caller("192.0.2.1", Channel.HTTP)
    for _ in range(20):
        desk.runner.run(desk.limits.consume_for(desk.name, "a host", caller))
    with pytest.raises(RateLimitedError):
        desk.runner.run(desk.limits.consume_for(desk.name, "a host", caller))
    assert caller.rate_limits == []
    assert desk.spend("192.0.2.1").remaining == 19
