"""Receipts of calls that callers have named, so that a repeated call does nothing twice.

Every transaction runs in a thread, which finishes it even where the call itself is cancelled. The
threads are few and of their own: while the database stands still, nothing else waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from resolvers.db.database import Database, DatabaseError, Transaction
from schema.contact import Receipt
from sdl.errors import FieldProblem, InvalidInputError, UnavailableError
from sdl.text_constraints import IdempotencyKey

KEPT_SECONDS = 24 * 3600
LEASE_SECONDS = 40
"""After this a call that has no receipt yet was cut off: no call takes so long."""
TIMEOUT_SECONDS = 2
"""How long the database may take."""
MAX_WAITING = 32
_LOOKS, _PAUSE_SECONDS, _THREADS = 60, 0.25, 4

T = TypeVar("T")

log = logging.getLogger("studiograph.contact")


@dataclass(frozen=True)
class IdempotentCall:
    """A call that its caller has named: digests of who and what, nothing of either."""

    name: str
    asked: str

    @classmethod
    def of(cls, key: IdempotencyKey, network: str, request: str) -> "IdempotentCall":
        """The call with this key, which means nothing in another network."""
        return cls(_digest(f"{network} {key}"), _digest(request))


class IdempotencyStore:
    """The receipts of a day."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._threads = ThreadPoolExecutor(_THREADS, "receipts")
        self._waiting = 0

    async def find(self, call: IdempotentCall) -> Receipt | None:
        """The receipt that the call has; none, if it was never made or failed.

        Raises: InvalidInput when its name is that of another, Unavailable when it is still under
        way or the database does not answer.
        """
        for _ in range(_LOOKS):
            row = await self._run(_read, call, self._clock())
            if row is None:
                return None
            if row[0] != call.asked:
                fault = FieldProblem("Idempotency-Key", "was used with another body")
                raise InvalidInputError("This Idempotency-Key names another call.", [fault])
            if row[1] is not None:
                return Receipt.model_validate_json(row[1])
            await asyncio.sleep(_PAUSE_SECONDS)
        raise UnavailableError("The first call with this Idempotency-Key is still under way.")

    async def run_once(
        self, call: IdempotentCall, make: Callable[[], Awaitable[Receipt]]
    ) -> Receipt:
        """The receipt that is made now, or by who was first; what fails leaves none.

        Raises: what `find` raises, and whatever `make` raises.
        """
        while not await self._run(_claim, call, self._clock()):
            known = await self.find(call)
            if known is not None:
                return known
        try:
            receipt = await make()
        except BaseException:
            await self._write(_FORGET, call.name)
            raise
        await self._write(
            _KEEP, receipt.model_dump_json(by_alias=True, exclude_none=True), call.name
        )
        return receipt

    async def _run(self, work: Callable[..., T], *given: object) -> T:
        """What a transaction finds. Raises: Unavailable."""
        if self._waiting >= MAX_WAITING:
            raise UnavailableError("Too many calls wait for their receipts.")
        self._waiting += 1
        running = asyncio.get_running_loop().run_in_executor(
            self._threads, self._transact, work, *given
        )
        running.add_done_callback(self._done)
        try:
            return await asyncio.wait_for(asyncio.shield(running), TIMEOUT_SECONDS)
        except (DatabaseError, TimeoutError):
            raise UnavailableError("The receipts of calls cannot be read now.") from None

    def _done(self, running: "asyncio.Future[Any]") -> None:
        self._waiting -= 1
        if not running.cancelled():
            running.exception()  # whoever gave up waiting does not ask for it

    def _transact(self, work: Callable[..., T], *given: object) -> T:
        with self._database.transaction() as books:
            return work(books, *given)

    async def _write(self, statement: str, *values: str) -> None:
        """Write down how the call went; if that fails, it went so all the same."""
        try:
            await self._run(_change, statement, values)
        except UnavailableError:
            log.error("a receipt was not kept: a repeated call is taken for a new one")  # noqa: TRY400 - it says it all


_CLEAR = (
    "DELETE FROM idempotency WHERE claimed_at < ? OR claimed_at > ?"
    " OR (response IS NULL AND claimed_at < ?)"
)
_CLAIM = (
    "INSERT INTO idempotency (key, request, claimed_at) VALUES (?, ?, ?)"
    " ON CONFLICT (key) DO NOTHING"
)
_READ = (
    "SELECT request, response FROM idempotency WHERE key = ? AND claimed_at > ?"
    " AND (response IS NOT NULL OR claimed_at > ?)"
)
_FORGET = "DELETE FROM idempotency WHERE key = ?"
_KEEP = "UPDATE idempotency SET response = ? WHERE key = ?"


def _read(books: Transaction, call: IdempotentCall, now: float) -> tuple[str, str | None] | None:
    """What the first call with this name asked and got."""
    limits = (now - KEPT_SECONDS, now - LEASE_SECONDS)
    found: tuple[str, str | None] | None = books.execute(_READ, (call.name, *limits)).fetchone()
    return found


def _claim(books: Transaction, call: IdempotentCall, now: float) -> bool:
    """Whether the name is this call's now; what is old, or from a future, is forgotten."""
    books.execute(_CLEAR, (now - KEPT_SECONDS, now + KEPT_SECONDS, now - LEASE_SECONDS))
    return books.execute(_CLAIM, (call.name, call.asked, now)).rowcount == 1


def _change(books: Transaction, statement: str, values: tuple[str, ...]) -> None:
    books.execute(statement, values)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
