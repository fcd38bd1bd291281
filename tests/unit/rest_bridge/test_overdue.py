"""Deadlines that are over together are acted on in portions, between which others are served."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest
import uvloop

from rest_bridge.server.protocol import TURNS, Deadline

MANY = 10 * TURNS
Factory = Callable[[], asyncio.AbstractEventLoop]


def fail() -> None:
    """Fail as nothing should."""
    raise ZeroDivisionError


async def each_turn(acted: list[int], turns: list[int]) -> None:
    """Note in each turn of the loop how many have been acted on, until all have."""
    while len(acted) < MANY:
        turns.append(len(acted))
        await asyncio.sleep(0)


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_crowd_that_is_overdue_together_is_acted_on_in_order_and_in_portions(
    factory: Factory,
) -> None:
    acted: list[int] = []
    turns: list[int] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        for number in range(MANY):
            Deadline(loop, 0, partial(acted.append, number))
        async with asyncio.timeout(30):
            await each_turn(acted, turns)

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(run())
    assert acted == [*range(MANY)]
    steps = [after - before for before, after in zip(turns, [*turns[1:], MANY], strict=True)]
    assert 0 < max(steps) <= TURNS


@pytest.mark.parametrize("factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_who_is_cancelled_while_waiting_is_left_alone_and_a_failure_holds_up_nobody(
    factory: Factory,
) -> None:
    acted: list[str] = []
    failures: list[BaseException | None] = []
    late: list[Deadline] = []

    def cancel_late() -> None:
        late[0].cancel()

    async def run() -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.set_exception_handler(lambda _, context: failures.append(context.get("exception")))
        Deadline(loop, 0, cancel_late)
        for _ in range(TURNS - 2):
            Deadline(loop, 0, partial(acted.append, "first"))
        Deadline(loop, 0, fail)
        late.append(Deadline(loop, 0, partial(acted.append, "never")))
        Deadline(loop, 60, partial(acted.append, "never")).cancel()
        Deadline(loop, 0, fail)
        Deadline(loop, 0, ended.set)
        async with asyncio.timeout(30):
            await ended.wait()

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(run())
    assert acted == ["first"] * (TURNS - 2)
    assert [type(each) for each in failures] == [ZeroDivisionError] * 2
