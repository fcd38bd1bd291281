"""Where the rate limits count: the state database, Redis, or this process alone.

Heavy to import, so loaded with the first call that is counted. Knows no caller and no budget.
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
"""How many new windows of one process lie between two clearings of what is over."""
KEPT_KEYS = MAX_KEYS - 20 * TRIM_EVERY
"""How many keys a clearing leaves: below the most, as other processes count on meanwhile."""

_SERVER_NOW = "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"

# A row that ends later than a window from now was written by a clock that has since gone back, as
# SQLite's does when the machine is started: it keeps its hits and ends a window from now.
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
    """Counters in one transaction of the state database, which spends all of a call or nothing."""

    STORAGE_SCHEME = ["async+studiograph"]  # noqa: RUF012 - so `limits` declares it

    def __init__(self, connection: "AsyncConnection", now: float | None) -> None:
        super().__init__()
        self._connection = connection
        self._now = now
        self.new_windows = 0

    @property
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        """What a store raises that does not answer."""
        return (DatabaseError,)

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """The hits in the key's window, these included; the first one begins a window."""
        hits = int((await self._run(_INCREMENT, key=key, amount=amount, expiry=expiry))[0])
        self.new_windows += hits == amount
        return hits

    async def get(self, key: str) -> int:
        """The hits in the key's window."""
        return int((await self._run(_HITS, key=key))[0])

    async def get_expiry(self, key: str) -> float:
        """When the key's window ends.

        Units: seconds of `time.time`.
        """
        return time.time() + float((await self._run(_LEFT, key=key))[0])

    async def check(self) -> bool:
        """True: the store has begun a transaction."""
        return True

    async def reset(self) -> int | None:
        """Nothing, once all counters are gone."""
        await self._run("DELETE FROM rate_limit")
        return None

    async def clear(self, key: str) -> None:
        """Nothing, once the key's counter is gone."""
        await self._run("DELETE FROM rate_limit WHERE key = :key", key=key)

    async def trim(self, longest_seconds: int) -> None:
        """Nothing, once what is over is gone, and what is over `KEPT_KEYS`."""
        await self._run(_SHORTEN, longest=longest_seconds)
        await self._run(_TRIM, kept=KEPT_KEYS)

    async def _run(self, statement: str, **values: str | float) -> tuple[Any, ...]:
        """The first row of what the statement gives, or a row of one 0."""
        from sqlalchemy import text  # noqa: PLC0415 - heavy, and loaded by now

        if self._now is None:
            statement = statement.replace(":now", _SERVER_NOW)
        elif ":now" in statement:
            values["now"] = self._now
        result = await self._connection.execute(text(statement), values)
        row = result.first() if result.returns_rows else None
        return (0,) if row is None else tuple(row)


class SqlStore:
    """The state database as a store. Its rows are at most `MAX_KEYS`: those go that end first."""

    def __init__(
        self, database: Database, clock: Callable[[], float], longest_seconds: int
    ) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - heavy

        import resolvers.db.dialects  # noqa: F401, PLC0415 - before any engine is made

        create_async_engine(database.url)  # loads the driver: not in the time that a call has
        self._database = database
        self._clock = clock
        self._longest_seconds = longest_seconds
        self._until_trim = 0

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[SqlCounters]:
        """The counters of one call. Raises: StorageError."""
        try:
            async with self._transaction() as counters:
                yield counters
            self._until_trim -= counters.new_windows
            if self._until_trim < 0:
                self._until_trim = TRIM_EVERY
                # Apart from the call: rows of others are not waited for with one's own in hand.
                async with self._transaction() as counters:
                    await counters.trim(self._longest_seconds)
        except DatabaseError as error:
            raise StorageError(error) from error

    async def close(self) -> None:
        """Nothing: the database is the roof's."""

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[SqlCounters]:
        async with self._database.connect() as connection:
            yield SqlCounters(connection, self._clock() if self._database.is_sqlite else None)


class RedisStore:
    """Redis as a store. It counts key by key: a refusal does not take back what it counted."""

    def __init__(self, url: str, patience_seconds: float) -> None:
        from redis.asyncio import BlockingConnectionPool  # noqa: PLC0415 - heavy, for Redis alone

        self._pool = BlockingConnectionPool.from_url(
            url,
            protocol=2,  # with 3 a connection that the server has closed is handed out again
            timeout=patience_seconds,
            socket_timeout=patience_seconds,
            socket_connect_timeout=patience_seconds,
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
        """The counters of one call."""
        yield self._storage

    async def close(self) -> None:
        """Nothing, once the connections are closed."""
        await self._pool.disconnect()


class MemoryStore:
    """A store for one process. The one of `limits` looks through all its keys at every hit."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._windows: dict[str, tuple[int, float]] = {}

    @asynccontextmanager
    async def begin(self) -> AsyncIterator["MemoryStore"]:
        """The counters of one call."""
        yield self

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """The hits in the key's window, these included; the first one begins a window."""
        now = self._clock()
        hits, ends = self._windows.get(key, (0, now))
        if ends <= now:
            self._windows.pop(key, None)  # or the new window would stand among the old ones
            hits, ends = 0, now + expiry
        self._windows[key] = (hits + amount, min(ends, now + expiry))
        if len(self._windows) > MAX_KEYS:
            del self._windows[next(iter(self._windows))]
        return hits + amount

    async def get(self, key: str) -> int:
        """The hits in the key's window."""
        hits, ends = self._windows.get(key, (0, 0.0))
        return hits if ends > self._clock() else 0

    async def get_expiry(self, key: str) -> float:
        """When the key's window ends.

        Units: seconds of `time.time`.
        """
        now = self._clock()
        return time.time() + self._windows.get(key, (0, now))[1] - now

    async def close(self) -> None:
        """Nothing: there is nothing to close."""
