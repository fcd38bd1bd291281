"""Callers that spend a rate limit, in this process and in others.

Run as a program, it is a process of callers: it reads the addresses of callers line by line.
"""

import asyncio
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from child_process import program, read_line
from sqlalchemy import text

from resolvers.db.database import Database
from resolvers.rate_limits.limiter import Limit, RateLimiter
from sdl.caller import Caller, Channel, RateLimitStatus
from sdl.errors import RateLimitedError

ALICE = "192.0.2.1"
AT_ONCE = 10
"""How many calls a process makes at the same time."""


@dataclass(frozen=True)
class Place:
    """A store, as a process is told of it, and a budget that is nobody else's."""

    database: str
    name: str = field(default_factory=lambda: f"test-{secrets.token_hex(4)}")


class Desk:
    """The limits of one process at a place, and callers who come to it."""

    def __init__(
        self,
        place: Place,
        limit: int = 20,
        window_seconds: int = 3600,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.database = Database(place.database)
        self.name = place.name
        budgets = {self.name: Limit(self.name, limit, window_seconds)}
        self.limits = RateLimiter(self.database, budgets, clock)
        self.runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.runner.run(self.database.close())
        self.runner.close()

    def spend(self, address: str = ALICE, cost: int = 1) -> RateLimitStatus:
        """What is left after one call."""
        return self.runner.run(self.one(address, cost))

    def passed(self, addresses: Iterable[str]) -> list[int]:
        """What was left after each call that passed, `AT_ONCE` calls at a time."""
        calls = list(addresses)
        parts = [calls[at : at + AT_ONCE] for at in range(0, len(calls), AT_ONCE)]
        statuses = [status for part in parts for status in self.runner.run(self._all(part))]
        return sorted(status.remaining for status in statuses if status)

    def is_refused(self, address: str = ALICE) -> bool:
        """Whether a call is one too many."""
        try:
            self.spend(address)
        except RateLimitedError:
            return True
        return False

    def rows(self, statement: str, values: list[dict[str, Any]] | None = None) -> list[Any]:
        """The rows that a statement of the state database gives."""
        with self.database.shared_transaction() as connection:
            result = connection.execute(text(statement), values)
            return [tuple(row) for row in result] if result.returns_rows else []

    async def one(self, address: str, cost: int = 1) -> RateLimitStatus:
        """What is left after one call."""
        caller = Caller(address, Channel.HTTP)
        await self.limits.consume(self.name, caller, cost)
        return caller.rate_limits[-1]

    async def _all(self, addresses: Iterable[str]) -> list[RateLimitStatus | None]:
        return await asyncio.gather(*(self._tried(address) for address in addresses))

    async def _tried(self, address: str) -> RateLimitStatus | None:
        try:
            return await self.one(address)
        except RateLimitedError:
            return None


@contextmanager
def callers(place: Place, count: int) -> Iterator[list["subprocess.Popen[str]"]]:
    """So many processes that spend at a place when they are told."""
    words = [sys.executable, __file__, json.dumps(asdict(place))]
    with ExitStack() as stack:
        processes = [stack.enter_context(program(*words)) for _ in range(count)]
        for process in processes:
            assert _answer(process) == "ready"
        yield processes
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(20) == 0


def spent_by(processes: list["subprocess.Popen[str]"], addresses: list[str]) -> list[int]:
    """What was left after each call that passed, where each process made all of these."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(f"{json.dumps(addresses)}\n")
        process.stdin.flush()
    return sorted(left for process in processes for left in _answer(process))


def _answer(process: "subprocess.Popen[str]") -> Any:
    return json.loads(read_line(process))


def _run() -> None:
    with Desk(Place(**json.loads(sys.argv[1]))) as desk:
        desk.rows("SELECT 1")
        print(json.dumps("ready"), flush=True)  # noqa: T201 - how it answers
        for line in sys.stdin:
            print(json.dumps(desk.passed(json.loads(line))), flush=True)  # noqa: T201 - so too


if __name__ == "__main__":
    _run()
