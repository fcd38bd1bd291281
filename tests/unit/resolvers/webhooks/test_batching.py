"""What comes while a batch is under way is done in the next one, and each gets its own answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from resolvers.webhooks.batching import Batcher

FAULTY = -1


@dataclass
class Doubler:
    """Doubles numbers once its gate is open."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    began: asyncio.Event = field(default_factory=asyncio.Event)
    seen: list[list[int]] = field(default_factory=list)

    async def run(self, numbers: Sequence[int]) -> list[int]:
        """Each number twice. Raises: ValueError."""
        self.seen.append([*numbers])
        self.began.set()
        await self.gate.wait()
        if FAULTY in numbers:
            raise ValueError("odd")
        return [2 * number for number in numbers]


async def begun(doubler: Doubler, batches: Batcher[int, int], first: int) -> "asyncio.Task[int]":
    """A call that is under way."""
    task = asyncio.create_task(batches.submit(first))
    await doubler.began.wait()
    return task


def test_what_comes_meanwhile_is_done_together_and_answered_each() -> None:
    doubler = Doubler()
    batches = Batcher(doubler.run, most=3)

    async def calls() -> list[int]:
        first = await begun(doubler, batches, 1)
        others = [asyncio.create_task(batches.submit(number)) for number in range(2, 7)]
        asyncio.get_running_loop().call_soon(doubler.gate.set)  # once they have all come
        return await asyncio.gather(first, *others)

    assert asyncio.run(calls()) == [2, 4, 6, 8, 10, 12]
    assert doubler.seen == [[1], [2, 3, 4], [5, 6]]


def test_a_fault_is_raised_to_its_batch_and_to_no_other() -> None:
    doubler = Doubler()
    batches = Batcher(doubler.run, most=2)

    async def calls() -> list[int | BaseException]:
        first = await begun(doubler, batches, 1)
        others = [asyncio.create_task(batches.submit(number)) for number in (FAULTY, 2, 3)]
        asyncio.get_running_loop().call_soon(doubler.gate.set)
        answers = await asyncio.gather(first, *others, return_exceptions=True)
        return [*answers, await batches.submit(4)]

    answers = asyncio.run(calls())
    assert [type(answer) for answer in answers] == [int, ValueError, ValueError, int, int]
    assert doubler.seen == [[1], [FAULTY, 2], [3], [4]]


def test_who_leaves_takes_nobody_along() -> None:
    doubler = Doubler()
    batches = Batcher(doubler.run)

    async def calls() -> list[int | BaseException]:
        first = await begun(doubler, batches, 1)
        others = [asyncio.create_task(batches.submit(number)) for number in (2, 3)]
        first.cancel()
        asyncio.get_running_loop().call_soon(doubler.gate.set)
        return await asyncio.gather(first, *others, return_exceptions=True)

    left, *stayed = asyncio.run(calls())
    assert isinstance(left, asyncio.CancelledError)
    assert stayed == [4, 6]


def test_another_event_loop_begins_anew() -> None:
    doubler = Doubler()
    batches = Batcher(doubler.run)

    async def abandoned() -> None:
        await begun(doubler, batches, 1)  # which the end of the loop cancels

    async def anew() -> int:
        doubler.gate.set()
        return await batches.submit(2)

    asyncio.run(abandoned())
    assert asyncio.run(anew()) == 4
