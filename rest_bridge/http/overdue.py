"""Deadlines of connections, of which a few are acted on in each turn of the event loop.

Connections that came together are overdue together. Ended at once, a thousand of them would hold up
whoever else asks; between two portions the others are read and answered.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

PORTION = 4
"""How many are acted on in one turn: each costs as much as a small request."""


class Deadline:
    """A timer; when its time is over, its turn comes."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, end: Callable[[], None]
    ) -> None:
        """Call `end` after so many seconds, in the turn that it gets."""
        self._end, self._is_cancelled = end, False
        self._timer = loop.call_later(seconds, self._wait_for_turn, loop)

    def cancel(self) -> None:
        """Call nothing."""
        self._is_cancelled = True
        self._timer.cancel()

    def act(self) -> None:
        """Act as the time is over, unless the deadline was kept while others had their turn."""
        if not self._is_cancelled:
            self._end()

    def _wait_for_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        waiting = _OVERDUE.setdefault(loop, deque())
        if not waiting:
            loop.call_soon(_act_on_some, loop)
        waiting.append(self)


_OVERDUE: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[Deadline]] = WeakKeyDictionary()
"""What waits for its turn, by event loop, in the order in which the time was over."""


def _act_on_some(loop: asyncio.AbstractEventLoop) -> None:
    waiting = _OVERDUE[loop]
    try:
        for _ in range(min(PORTION, len(waiting))):
            waiting.popleft().act()
    finally:
        if waiting:
            loop.call_soon(_act_on_some, loop)
