"""Calls of many callers wait for few places: each gets its turn, and none fills the queue."""

import asyncio

import pytest

from resolvers.ai.fair_queue import FairQueue
from sdl.errors import AiUnavailableError

GREEDY, MODEST = "192.0.2.1", "192.0.2.2"


async def served(queue: FairQueue, callers: list[str]) -> list[str]:
    """The callers in the order of their turns, all of whom asked while the place was taken."""
    order: list[str] = []

    async def call(caller: str) -> None:
        async with queue.turn(caller):
            order.append(caller)

    async with queue.turn("first"):
        calls = [asyncio.create_task(call(caller)) for caller in callers]
        await asyncio.sleep(0)
        assert queue.length == len(callers)
    await asyncio.gather(*calls)
    assert queue.length == 0
    return order


def test_a_caller_with_one_call_does_not_wait_for_all_calls_of_another() -> None:
    order = asyncio.run(served(FairQueue("questions", 1, 100), [*[GREEDY] * 9, MODEST]))
    assert order == [GREEDY, MODEST, *[GREEDY] * 8]


def test_one_caller_gets_a_quarter_of_the_room_and_the_rest_stays_free() -> None:
    queue = FairQueue("questions", 1, 100)
    with queue.admit(GREEDY, 20), queue.admit(GREEDY, 5):
        with pytest.raises(AiUnavailableError) as refused, queue.admit(GREEDY, 1):
            pass
        assert refused.value.retry_seconds == 1
        with queue.admit(MODEST, 25), queue.admit("third", 25), queue.admit("fourth", 25):
            with pytest.raises(AiUnavailableError), queue.admit("fifth", 1):
                pass
            assert not queue.length
    with queue.admit(GREEDY, 25):
        pass


def test_a_call_that_is_cancelled_leaves_the_queue_and_loses_no_place() -> None:
    async def work() -> None:
        queue = FairQueue("questions", 1, 100)
        async with queue.turn(GREEDY):
            waiting = [asyncio.create_task(served(queue, [])) for _ in range(2)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            await asyncio.wait(waiting[:1])
            assert queue.length == 1
        waiting[1].cancel()  # at the moment when it got the place
        await asyncio.wait(waiting[1:])
        assert all(task.cancelled() for task in waiting)
        assert await served(queue, [MODEST]) == [MODEST]

    asyncio.run(work())
