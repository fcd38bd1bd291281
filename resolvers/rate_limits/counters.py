"""The counters of rate limits, as rows of the state database."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, text

from resolvers.db.database import Database

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


class Counters:
    """Counters in one transaction of the state database, so a call counts fully or not at all."""

    def __init__(self, connection: Connection, now: float | None) -> None:
        """Take the time, or None for that of the server."""
        self._connection = connection
        self._now = now
        self.new_windows = 0

    def count(self, key: str, seconds: int, amount: int = 1) -> int:
        """Count `amount` hits and return those of the key's window; the first begins a window."""
        hits = int((self._run(_INCREMENT, key=key, amount=amount, expiry=seconds))[0])
        self.new_windows += hits == amount
        return hits

    def hits(self, key: str) -> int:
        """Return the hits in the key's window."""
        return int((self._run(_HITS, key=key))[0])

    def seconds_left(self, key: str) -> float:
        """Return how long the key's window still lasts."""
        return float((self._run(_LEFT, key=key))[0])

    def trim(self, longest_seconds: int) -> None:
        """Delete the windows that are over, and all but the last `KEPT_KEYS` to end."""
        self._run(_SHORTEN, longest=longest_seconds)
        self._run(_TRIM, kept=KEPT_KEYS)

    def _run(self, statement: str, **values: str | float) -> tuple[Any, ...]:
        """Run a statement and return its first row, or `(0,)` without one."""
        if self._now is None:
            statement = statement.replace(":now", _SERVER_NOW)
        elif ":now" in statement:
            values["now"] = self._now
        result = self._connection.execute(text(statement), values)
        row = result.first() if result.returns_rows else None
        return (0,) if row is None else tuple(row)


class CounterTable:
    """The table of counters, of at most `MAX_KEYS` rows; the first to end are deleted."""

    def __init__(
        self, database: Database, clock: Callable[[], float], longest_seconds: int
    ) -> None:
        self._database = database
        self._clock = clock
        self._longest_seconds = longest_seconds
        self._until_trim = 0

    @contextmanager
    def begin(self) -> Iterator[Counters]:
        """Open the counters for one call; an error rolls back what it counted. Blocks.

        Raises: DatabaseError.
        """
        with self._transaction() as counters:
            yield counters
        self._until_trim -= counters.new_windows
        if self._until_trim < 0:
            self._until_trim = TRIM_EVERY
            # In its own transaction: waiting for other rows while holding one could deadlock.
            with self._transaction() as counters:
                counters.trim(self._longest_seconds)

    @contextmanager
    def _transaction(self) -> Iterator[Counters]:
        with self._database.shared_transaction() as connection:
            yield Counters(connection, self._clock() if self._database.is_sqlite else None)
