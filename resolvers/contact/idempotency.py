"""Idempotency keys: a call that is repeated with its key gets the receipt of the first one."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from sqlalchemy import Connection, TextClause, text

from resolvers.db.database import Database, DatabaseError
from schema.services.contact import Receipt
from sdl.errors import FieldProblem, InvalidInputError, UnavailableError
from sdl.types.scalar_types import IdempotencyKey

KEPT_SECONDS = 24 * 3600
LEASE_SECONDS = 40
"""A call without a receipt after this time was cut off: no call takes that long."""
TIMEOUT_SECONDS = 2
"""How long a call waits for the database."""
_ATTEMPTS, _PAUSE_SECONDS = 60, 0.25

T = TypeVar("T")

log = logging.getLogger("studiograph.contact")


@dataclass(frozen=True)
class IdempotentCall:
    """A call with an Idempotency-Key, as digests: neither the key nor the request is stored."""

    key: str
    request: str

    @classmethod
    def of(cls, key: IdempotencyKey, network: str, request: str) -> "IdempotentCall":
        """Return the call with this key; callers in different networks may use the same key."""
        return cls(_digest(f"{network} {key}"), _digest(request))


class IdempotencyStore:
    """The receipts of the last 24 hours."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def find(self, call: IdempotentCall) -> Receipt | None:
        """Return the receipt of a call, or None if it was never made or failed.

        Raises: InvalidInputError if the key was used with another request, UnavailableError if the
        first call is still running or the database does not respond.
        """
        for _ in range(_ATTEMPTS):
            row = await self._run(_find, call, self._clock())
            if row is None:
                return None
            if row[0] != call.request:
                problem = FieldProblem("Idempotency-Key", "was used with another body")
                raise InvalidInputError(
                    "This Idempotency-Key was used for another call; choose a new one.", [problem]
                )
            if row[1] is not None:
                return Receipt.model_validate_json(row[1])
            await asyncio.sleep(_PAUSE_SECONDS)
        raise UnavailableError(
            "The first call with this Idempotency-Key is still running; try again soon."
        )

    async def run_once(
        self, call: IdempotentCall, action: Callable[[], Awaitable[Receipt]]
    ) -> Receipt:
        """Run the action unless the same call did; return its receipt. A failure stores none.

        Raises: the errors of `find` and of `action`.
        """
        while not await self._run(_claim, call, self._clock()):
            receipt = await self.find(call)
            if receipt is not None:
                return receipt
        try:
            receipt = await action()
        except BaseException:
            await self._write(_DELETE, key=call.key)
            raise
        response = receipt.model_dump_json(by_alias=True, exclude_none=True)
        await self._write(_STORE, key=call.key, response=response)
        return receipt

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        """Run `work` in a transaction and return its result. Raises: UnavailableError."""

        def transact() -> T:
            with self._database.transaction() as connection:
                return work(connection, *arguments)

        try:
            return await self._database.run(transact, TIMEOUT_SECONDS)
        except DatabaseError:
            raise UnavailableError(
                "The Idempotency-Key cannot be checked now; try again soon."
            ) from None

    async def _write(self, statement: TextClause, **values: str) -> None:
        """Store or delete the receipt of a finished call; a failure here does not fail the call."""
        try:
            await self._run(_execute, statement, values)
        except UnavailableError:
            log.error("a receipt was not stored: if the call is repeated, it runs again")  # noqa: TRY400 - the text is enough


_DELETE_EXPIRED = text(
    "DELETE FROM idempotency WHERE claimed_at < :oldest OR claimed_at > :newest"
    " OR (response IS NULL AND claimed_at < :begun)"
)
_INSERT = text(
    "INSERT INTO idempotency (key, request, claimed_at) VALUES (:key, :request, :now)"
    " ON CONFLICT (key) DO NOTHING"
)
_SELECT = text(
    "SELECT request, response FROM idempotency WHERE key = :key AND claimed_at > :oldest"
    " AND (response IS NOT NULL OR claimed_at > :begun)"
)
_DELETE = text("DELETE FROM idempotency WHERE key = :key")
_STORE = text("UPDATE idempotency SET response = :response WHERE key = :key")


def _find(
    connection: Connection, call: IdempotentCall, now: float
) -> tuple[str, str | None] | None:
    """Return the request and the receipt of the first call with this key."""
    limits = {"oldest": now - KEPT_SECONDS, "begun": now - LEASE_SECONDS}
    return connection.execute(_SELECT, {"key": call.key, **limits}).first()


def _claim(connection: Connection, call: IdempotentCall, now: float) -> bool:
    """Reserve the key for this call; return False if another call has it.

    Deletes rows that are too old, and rows of the future, which a clock left that went back.
    """
    limits = {"oldest": now - KEPT_SECONDS, "newest": now + KEPT_SECONDS}
    connection.execute(_DELETE_EXPIRED, {**limits, "begun": now - LEASE_SECONDS})
    values = {"key": call.key, "request": call.request, "now": now}
    return connection.execute(_INSERT, values).rowcount == 1


def _execute(connection: Connection, statement: TextClause, values: Mapping[str, str]) -> None:
    connection.execute(statement, values)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
