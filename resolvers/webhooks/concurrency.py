"""Whose turn it is: how many requests of this process go to one place at a time. Sends nothing."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sdl.errors import StudiographError


class QueueFullError(StudiographError):
    """Too many wait for their turn already."""


@dataclass
class _Queue:
    turns: asyncio.Semaphore
    waiting: int = 0
    inside: int = 0


@dataclass
class PerHostLimiter:
    """The turns at every place. Places that nobody goes to are forgotten."""

    max_active: int
    """How many have their turn at one place at a time."""
    max_waiting: int
    """How many may wait for it."""
    _queues: dict[Hashable, _Queue] = field(default_factory=dict)

    @asynccontextmanager
    async def slot(self, place: Hashable) -> AsyncIterator[None]:
        """While inside, it is the caller's turn. Raises: Crowded."""
        queue = self._queues.setdefault(place, _Queue(asyncio.Semaphore(self.max_active)))
        if queue.inside >= self.max_active and queue.waiting >= self.max_waiting:
            raise QueueFullError
        queue.waiting += 1
        try:
            await queue.turns.acquire()
        finally:
            queue.waiting -= 1
        queue.inside += 1
        try:
            yield
        finally:
            queue.inside -= 1
            queue.turns.release()
            if not queue.inside and not queue.waiting:
                self._queues.pop(place, None)
