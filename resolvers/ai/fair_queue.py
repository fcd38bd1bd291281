"""The calls that wait for the threads of one kind of work, and whose turn it is."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from sdl.errors import AiUnavailableError

RETRY_SECONDS = 1
CALLERS = 4
"""How many callers it takes to fill a queue."""


class FairQueue:
    """A bounded queue in which callers, not calls, take turns.

    A call is admitted if there is room for what it costs, of which one caller gets at most a
    quarter; so no caller keeps another one out, and one with many calls waits for itself. All
    methods run on the event loop.
    """

    def __init__(self, name: str, places: int, room: int) -> None:
        """Take how many calls run at a time, and how much all admitted calls may cost."""
        self._name = name
        self._free = places
        self._room = room
        self._costs: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def length(self) -> int:
        """How many calls wait for their turn."""
        return sum(map(len, self._waiting.values()))

    @contextmanager
    def admit(self, caller: str, cost: int) -> Iterator[None]:
        """Take the room that a call needs until the block ends. Raises: AiUnavailableError."""
        own = self._costs[caller] + cost
        if own > self._room // CALLERS or self._costs.total() + cost > self._room:
            raise AiUnavailableError(
                f"Too many {self._name} are waiting. Try again in a second.",
                retry_seconds=RETRY_SECONDS,
            )
        self._costs[caller] = own
        try:
            yield
        finally:
            self._costs[caller] -= cost
            if not self._costs[caller]:
                del self._costs[caller]

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Wait for a place, and keep it until the block ends; a cancelled call leaves the queue."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(caller)
        try:
            yield
        finally:
            self._give_place()

    async def _wait(self, caller: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._forget(caller, turn)
            else:  # the place came at the same moment
                self._give_place()
            raise

    def _give_place(self) -> None:
        """Give a free place to the caller whose turn it is, who then goes to the end."""
        while self._waiting:
            caller, calls = self._waiting.popitem(last=False)
            turn = calls.popleft()
            if calls:
                self._waiting[caller] = calls
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _forget(self, caller: str, turn: "asyncio.Future[None]") -> None:
        calls = self._waiting.get(caller)
        if calls is not None and turn in calls:
            calls.remove(turn)
            if not calls:
                del self._waiting[caller]
