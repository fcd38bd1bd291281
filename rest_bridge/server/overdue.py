"""Work of many connections that a few do in each turn of the event loop.

Connections that came together are overdue together, and many may ask for more than one answer at a
time. Done at once, that would hold up whoever else asks; between two portions others are answered.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

PORTION = 4
"""How many have their turn at a time: each costs as much as a small request."""


class Deadline:
    """A timer; when its time is over, its turn comes."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, end: Callable[[], None]
    ) -> None:
        """Call `end` after so many seconds, in the turn that it gets."""
        self._end, self._is_cancelled = end, False
        self._timer = loop.call_later(seconds, in_turn, loop, self._act)

    def cancel(self) -> None:
        """Call nothing."""
        self._is_cancelled = True
        self._timer.cancel()

    def _act(self) -> None:
        """End what is overdue, unless that was cancelled while others had their turn."""
        if not self._is_cancelled:
            self._end()


def in_turn(loop: asyncio.AbstractEventLoop, act: Callable[[], None]) -> None:
    """Call `act` in one of the next turns of the event loop."""
    waiting = _WAITING.setdefault(loop, deque())
    if not waiting:
        loop.call_soon(_act_on_some, loop)
    waiting.append(act)


_WAITING: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[Callable[[], None]]] = (
    WeakKeyDictionary()
)
"""What waits for its turn, by event loop, in the order in which it came."""


def _act_on_some(loop: asyncio.AbstractEventLoop) -> None:
    waiting = _WAITING[loop]
    try:
        for _ in range(min(PORTION, len(waiting))):
            waiting.popleft()()
    finally:
        if waiting:
            loop.call_soon(_act_on_some, loop)
