"""A thread beside the event loop for queries and reads that take long, with a bounded queue."""

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sdl.errors import UnavailableError

MAX_WAITING = 64
RETRY_SECONDS = 1

Result = TypeVar("Result")


class QueryWorker:
    """Runs one piece of work after the other in a thread of its own."""

    def __init__(self, max_waiting: int = MAX_WAITING, name: str = "graphql") -> None:
        self._max_waiting = max_waiting
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what the work returns; it sees the context variables of the caller.

        A caller that is cancelled while it waits has its work dropped. Raises: UnavailableError
        if the queue is full, and whatever the work raises.
        """
        if self._waiting >= self._max_waiting:
            raise UnavailableError(
                "Too many queries are waiting to be run. Try again soon.",
                retry_seconds=RETRY_SECONDS,
            )
        loop = asyncio.get_running_loop()
        self._waiting += 1
        running = self._thread.submit(contextvars.copy_context().run, work)
        running.add_done_callback(lambda _: self._count_down(loop))
        return await asyncio.wrap_future(running)

    def _count_down(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count one less, in the event loop, which may have ended."""
        try:
            loop.call_soon_threadsafe(self._end)
        except RuntimeError:
            self._end()

    def _end(self) -> None:
        self._waiting -= 1
