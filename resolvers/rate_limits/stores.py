"""The stores of rate limit counters: the state database, Redis, or the memory of one process.

Slow to import, so loaded with the first counted call.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from limits.aio.storage import RedisStorage, Storage
from limits.errors import StorageError

from resolvers.db.database import Database, DatabaseError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

MAX_KEYS = 100_000
TRIM_EVERY = 100
"""After this many new windows, a process deletes those that are over."""
KEPT_KEYS = MAX_KEYS - 20 * TRIM_EVERY
"""How many rows a trim leaves: fewer than `MAX_KEYS`, since other processes add rows meanwhile."""

_SERVER_NOW = "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"

# A row that ends later than one window from now was written before the clock went back, as the
# monotonic clock does when the machine restarts: it keeps its hits and now ends after one window.
_INCREMENT = """
INSERT INTO rate_limit (key, hits, expires_at) VALUES (:key, :amount, :now + :expiry)
ON CONFLICT (key) DO UPDATE SET
  hits = CASE WHEN rate_limit.expires_at <= excluded.expires_at - :expiry
    THEN excluded.hits ELSE rate_limit.hits + excluded.hits END,
  expires_at = CASE WHEN rate_limit.expires_at <= excluded.expires_at - :expiry
      OR rate_limit.expires_at > excluded.expires_at
    THEN excluded.expires_at ELSE rate_limit.expires_at END
RETURNING hits
"""
_HITS = "SELECT hits FROM rate_limit WHERE key = :key AND expires_at > :now"
_LEFT = "SELECT expires_at - :now FROM rate_limit WHERE key = :key"
_SHORTEN = "UPDATE rate_limit SET expires_at = :now + :longest WHERE expires_at > :now + :longest"
_TRIM = """
DELETE FROM rate_limit WHERE expires_at <= :now OR expires_at <=
  (SELECT expires_at FROM rate_limit ORDER BY expires_at DESC LIMIT 1 OFFSET :kept)
"""


class SqlCounters(Storage):
    """Counters in one transaction of the state database, so a call counts fully or not at all."""

    STORAGE_SCHEME = ["async+studiograph"]  # noqa: RUF012 - declared so by `limits`

    def __init__(self, connection: "AsyncConnection", now: float | None) -> None:
        super().__init__()
        self._connection = connection
        self._now = now
        self.new_windows = 0

    @property
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        """The errors of a store that does not respond."""
        return (DatabaseError,)

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count `amount` hits and return those of the key's window; the first begins a window."""
        hits = int((await self._run(_INCREMENT, key=key, amount=amount, expiry=expiry))[0])
        self.new_windows += hits == amount
        return hits

    async def get(self, key: str) -> int:
        """Return the hits in the key's window."""
        return int((await self._run(_HITS, key=key))[0])

    async def get_expiry(self, key: str) -> float:
        """Return when the key's window ends.

        Units: seconds of `time.time`.
        """
        return time.time() + float((await self._run(_LEFT, key=key))[0])

    async def check(self) -> bool:
        """Return True: the store has begun a transaction."""
        return True

    async def reset(self) -> int | None:
        """Delete all counters."""
        await self._run("DELETE FROM rate_limit")
        return None

    async def clear(self, key: str) -> None:
        """Delete the key's counter."""
        await self._run("DELETE FROM rate_limit WHERE key = :key", key=key)

    async def trim(self, longest_seconds: int) -> None:
        """Delete the windows that are over, and all but the last `KEPT_KEYS` to end."""
        await self._run(_SHORTEN, longest=longest_seconds)
        await self._run(_TRIM, kept=KEPT_KEYS)

    async def _run(self, statement: str, **values: str | float) -> tuple[Any, ...]:
        """Run a statement and return its first row, or `(0,)` without one."""
        from sqlalchemy import text  # noqa: PLC0415 - SQLAlchemy takes 0.3 s

        if self._now is None:
            statement = statement.replace(":now", _SERVER_NOW)
        elif ":now" in statement:
            values["now"] = self._now
        result = await self._connection.execute(text(statement), values)
        row = result.first() if result.returns_rows else None
        return (0,) if row is None else tuple(row)


class SqlStore:
    """The state database as a store of at most `MAX_KEYS` rows; the first to end are deleted."""

    def __init__(
        self, database: Database, clock: Callable[[], float], longest_seconds: int
    ) -> None:
        database.load_driver()  # now, so that it does not use up the time of the first call
        self._database = database
        self._clock = clock
        self._longest_seconds = longest_seconds
        self._until_trim = 0

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[SqlCounters]:
        """Open the counters for one call. Raises: StorageError."""
        try:
            async with self._transaction() as counters:
                yield counters
            self._until_trim -= counters.new_windows
            if self._until_trim < 0:
                self._until_trim = TRIM_EVERY
                # In its own transaction: waiting for other rows while holding one could deadlock.
                async with self._transaction() as counters:
                    await counters.trim(self._longest_seconds)
        except DatabaseError as error:
            raise StorageError(error) from error

    async def close(self) -> None:
        """Do nothing: the owner of the database closes it."""

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[SqlCounters]:
        async with self._database.connect() as connection:
            yield SqlCounters(connection, self._clock() if self._database.is_sqlite else None)


class RedisStore:
    """Redis as a store. It counts each key by itself: a refusal does not undo an earlier hit."""

    def __init__(self, url: str, timeout_seconds: float) -> None:
        from redis.asyncio import BlockingConnectionPool  # noqa: PLC0415 - 0.2 s, for Redis alone

        self._pool = BlockingConnectionPool.from_url(
            url,
            protocol=2,  # with 3 the pool hands out connections that the server has closed
            timeout=timeout_seconds,
            socket_timeout=timeout_seconds,
            socket_connect_timeout=timeout_seconds,
        )
        options: dict[str, Any] = {"connection_pool": self._pool}
        self._storage = RedisStorage(
            "async+redis://",
            wrap_exceptions=True,
            implementation="redispy",
            key_prefix="studiograph",
            **options,
        )

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[Storage]:
        """Open the counters for one call."""
        yield self._storage

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.disconnect()


class MemoryStore:
    """A store for one process. The memory storage of `limits` scans all its keys at every hit."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._windows: dict[str, tuple[int, float]] = {}

    @asynccontextmanager
    async def begin(self) -> AsyncIterator["MemoryStore"]:
        """Open the counters for one call."""
        yield self

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count `amount` hits and return those of the key's window; the first begins a window."""
        now = self._clock()
        hits, ends = self._windows.get(key, (0, now))
        if ends <= now:
            self._windows.pop(key, None)  # so that the new window is the last in order
            hits, ends = 0, now + expiry
        self._windows[key] = (hits + amount, min(ends, now + expiry))
        if len(self._windows) > MAX_KEYS:
            del self._windows[next(iter(self._windows))]
        return hits + amount

    async def get(self, key: str) -> int:
        """Return the hits in the key's window."""
        hits, ends = self._windows.get(key, (0, 0.0))
        return hits if ends > self._clock() else 0

    async def get_expiry(self, key: str) -> float:
        """Return when the key's window ends.

        Units: seconds of `time.time`.
        """
        now = self._clock()
        return time.time() + self._windows.get(key, (0, now))[1] - now

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""
