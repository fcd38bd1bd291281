"""Shares the event loop between what can be answered at once and what must be made first."""

import asyncio
from collections import deque
from collections.abc import Callable

SECONDS = 0.0005
"""How long answers are made within one turn of the loop; what is left waits for the next turn."""
LEAST = 0.0001
"""What takes less is not counted: counting costs a turn of the loop."""


class LoopTurn:
    """Counts the time that making answers has taken in this turn of the event loop.

    Without it a read would wait for all answers that other connections asked for at the same time.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._delayed: deque[Callable[[], None]] = deque()
        self._is_counting = False

    @property
    def is_spent(self) -> bool:
        """Whether nothing more should be made in this turn."""
        return self._spent >= SECONDS

    def spend(self, seconds: float, loop: asyncio.AbstractEventLoop) -> None:
        """Count the seconds that an answer took, until the next turn begins."""
        if seconds < LEAST:
            return
        self._spent += seconds
        if not self._is_counting:
            self._is_counting = True
            loop.call_soon(self._next, loop)

    def delay(self, work: Callable[[], None]) -> None:
        """Do some work in one of the next turns, in order; only while this one is spent."""
        self._delayed.append(work)

    def _next(self, loop: asyncio.AbstractEventLoop) -> None:
        self._spent = 0.0
        while self._delayed and not self.is_spent:
            self._delayed.popleft()()
        self._is_counting = self._spent > 0
        if self._is_counting:
            loop.call_soon(self._next, loop)
