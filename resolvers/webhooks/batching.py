"""Batches of concurrent calls: those that come while a batch runs go into the next one.

No call waits for a batch to fill. Each call returns when its batch has ended, so the work of a
returned call is done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

MAX_BATCH = 50

Item = TypeVar("Item")
Result = TypeVar("Result")


class Batcher(Generic[Item, Result]):
    """Runs one kind of call in batches, for one event loop at a time."""

    def __init__(
        self, run: Callable[[Sequence[Item]], Awaitable[Sequence[Result]]], most: int = MAX_BATCH
    ) -> None:
        """Take `run`, which returns one result for each of at most `most` items."""
        self._run = run
        self._most = most
        self._waiting: list[tuple[Item, asyncio.Future[Result]]] = []
        self._running: asyncio.Task[None] | None = None

    async def submit(self, item: Item) -> Result:
        """Return the result of one item. Raises: what its whole batch raised."""
        if self._running is None or self._running.done():
            self._waiting.clear()  # leftovers belong to an event loop that was closed
            self._running = asyncio.create_task(self._run_batches())
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        return await future

    async def _run_batches(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                results = await self._run([item for item, _ in batch])
            except asyncio.CancelledError:  # the event loop is being closed
                for _, future in batch:
                    future.cancel()
                raise
            except Exception as error:  # noqa: BLE001 - raised again by every caller
                for _, future in batch:
                    if not future.done():  # a caller may have been cancelled
                        future.set_exception(error)
            else:
                for (_, future), result in zip(batch, results, strict=True):
                    if not future.done():
                        future.set_result(result)
