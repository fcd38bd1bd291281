"""Calls that are done together: what comes while one is under way waits, and is done at once.

Nobody waits longer to fill a batch. A call ends when its batch has, so what it promises holds.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

MAX_BATCH = 50

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """One kind of call, of one event loop at a time."""

    def __init__(
        self, run: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], most: int = MAX_BATCH
    ) -> None:
        """`run` does so many calls at most, and answers each in its place."""
        self._run = run
        self._most = most
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, given: Item) -> Result:
        """What comes of one call. Raises: what its whole batch raised."""
        if self._running is None or self._running.done():
            self._waiting.clear()  # whoever still waits there waits in a loop that is closed
            self._running = asyncio.create_task(self._work())
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((given, answer))
        return await answer

    async def _work(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            answers = [answer for _, answer in batch]
            try:
                made = await self._run([given for given, _ in batch])
            except BaseException as error:  # also when the loop is being closed
                _end(answers, error)
                if isinstance(error, asyncio.CancelledError):
                    raise
            else:
                for answer, each in zip(answers, made, strict=True):
                    if not answer.done():  # its caller may have left
                        answer.set_result(each)


def _end(answers: Sequence["asyncio.Future[Result]"], error: BaseException) -> None:
    """Nothing, once all who still wait know that their batch failed."""
    for answer in answers:
        if answer.done():
            continue
        if isinstance(error, asyncio.CancelledError):
            answer.cancel()
        else:
            answer.set_exception(error)
