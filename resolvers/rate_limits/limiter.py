"""Rate limits: how many calls of one caller pass in a time window, counted across all processes.

A window begins with the first call of a caller and has a fixed length; later calls do not extend
it. When the store of the counters does not respond, every limited call is refused.

The limits are the settings `*_limit` of `studiograph/settings.py`, collected in
`studiograph/wiring/services.py`. A service that is limited calls `consume` itself; the directive
`@spends` only documents that it does.
"""

import hashlib
import logging
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from sqlalchemy import Connection, text

from resolvers.db.database import Database, DatabaseError
from sdl.caller import Caller, RateLimitStatus
from sdl.errors import RateLimitedError, StudiographError, UnavailableError

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
        """Count at the time `now`, in seconds; None means the time of the database server."""
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
        """Run a statement and return its first row, or `(0,)` if it returns none."""
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


TIMEOUT_SECONDS = 4
LOG_INTERVAL = 60
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
SITE_SHARE = 8
"""All callers of one IPv6 site, a /48, share this many limits."""

log = logging.getLogger("studiograph.limits")
_UNAVAILABLE = "The rate limit cannot be checked now; try again soon."
_LIMIT = re.compile(rf"([0-9]{{1,9}})/({'|'.join(UNITS)})")


@dataclass(frozen=True)
class Limit:
    """How many calls of one caller pass in a window; 0 means no limit."""

    name: str
    limit: int
    window_seconds: int


_CallerGroups = Sequence[tuple[str, int]]
"""Groups of callers who share a counter, each with the number of limits the group has."""


class _LimitReachedError(StudiographError):
    """A counter is at its limit; its window still lasts `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


def parse_limit(name: str, text: str) -> Limit:
    """Parse a setting such as `20/hour`; `0` means no limit.

    Raises: ValueError.
    """
    match = _LIMIT.fullmatch("0/hour" if text == "0" else text)
    if match is None:
        raise ValueError(f"must be 0, or a number and one of {', '.join(UNITS)}, as in 20/hour")
    return Limit(name, int(match[1]), UNITS[match[2]])


class RateLimiter:
    """The limits of all operations, counted in the state database by all of its processes.

    `clock` gives the time for SQLite: a monotonic clock, which never jumps and is the same for all
    processes of a machine. PostgreSQL uses its own.
    """

    def __init__(
        self,
        database: Database,
        limits: Mapping[str, Limit],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._database = database
        self._limits = limits
        longest = max((limit.window_seconds for limit in limits.values()), default=0)
        self._table = CounterTable(database, clock, longest)
        self._logged_at = -math.inf

    async def consume(self, name: str, caller: Caller, cost: int = 1) -> None:
        """Count a call and append what is left of the limit to `caller.rate_limits`.

        It counts as `cost` calls, at most as a whole limit. An agent that signs has a limit of
        its own, wherever it calls from. Raises: RateLimitedError,
        UnavailableError.
        """
        signed = caller.agent
        shares = _networks(caller.address) if signed is None else [(f"agent {signed.domain}", 1)]
        await self._consume(self._limits[name], caller, shares, cost)

    async def consume_for(self, name: str, owner: str, caller: Caller) -> None:
        """Like `consume`, keyed by owner instead of caller address; does not report what is left.

        Raises: RateLimitedError, UnavailableError.
        """
        await self._consume(self._limits[name], replace(caller, rate_limits=[]), [(owner, 1)])

    async def _consume(
        self, limit: Limit, caller: Caller, shares: _CallerGroups, cost: int = 1
    ) -> None:
        if limit.limit == 0:
            return
        count = partial(_count, self._table, limit, shares, min(cost, limit.limit))
        try:
            status = await self._database.run(count, TIMEOUT_SECONDS)
        except DatabaseError as error:
            raise self._unavailable(error) from None
        except _LimitReachedError as error:
            status = _status(limit, 0, error.seconds)
            caller.rate_limits.append(status)
            raise RateLimitedError(
                f"At most {status.limit} calls are allowed in {status.window_seconds} seconds;"
                f" try again in {status.reset_seconds} seconds.",
                spent=status,
            ) from None
        caller.rate_limits.append(status)

    def _unavailable(self, error: DatabaseError) -> UnavailableError:
        """Return the error for the caller, and log the reason at most once a minute."""
        now = time.monotonic()
        if now - self._logged_at > LOG_INTERVAL:
            self._logged_at = now
            log.error("limited calls are refused, as they cannot be counted: %s", error)
        return UnavailableError(_UNAVAILABLE)


def _count(table: CounterTable, limit: Limit, shares: _CallerGroups, cost: int) -> RateLimitStatus:
    """Count a call as `cost` calls and return what is left. Raises: _LimitReachedError.

    All counters are read before any is increased: so a refused call creates no row and uses
    nothing of its site's limit.
    """
    buckets = [(_key(limit, network), limit.limit * share) for network, share in shares]
    with table.begin() as counters:
        for key, most in buckets:
            if counters.hits(key) + cost > most:
                seconds = counters.seconds_left(key)
                if seconds > limit.window_seconds:  # a clock went back; a hit shortens the window
                    counters.count(key, limit.window_seconds)
                break
        else:
            statuses = [_hit(counters, limit, *bucket, cost) for bucket in buckets]
            return min(statuses, key=lambda status: status.remaining)
    raise _LimitReachedError(seconds)


def _hit(counters: Counters, limit: Limit, key: str, most: int, cost: int) -> RateLimitStatus:
    remaining = most - counters.count(key, limit.window_seconds, cost)
    seconds = counters.seconds_left(key)
    if remaining < 0:  # another process was faster
        raise _LimitReachedError(seconds)  # which rolls back the hit in the other counter
    return _status(limit, remaining, seconds)


def _status(limit: Limit, remaining: int, seconds: float) -> RateLimitStatus:
    # Rounded up, and past the store's own rounding: after that time a call is not refused again.
    reset = min(max(int(seconds) + 1, 1), limit.window_seconds)
    return RateLimitStatus(limit.name, limit.limit, limit.window_seconds, remaining, reset)


def network_of(address: str) -> str:
    """Return the narrowest network that counts as one caller; "" for an unreadable address."""
    return _networks(address)[0][0]


def _key(limit: Limit, network: str) -> str:
    """Return the key of a counter: a digest, so that no address is read by accident in a backup.

    Somebody who can read the store could still try all of IPv4 and learn who called in the last
    window.
    """
    digest = hashlib.sha256(network.encode()).hexdigest()[:32]
    return f"{limit.name}/{limit.window_seconds}/{digest}"


def _networks(address: str) -> _CallerGroups:
    """Return each network of an address with its share; all unreadable addresses share one."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return [("", 1)]
    if not isinstance(parsed, IPv6Address):
        return [(str(parsed), 1)]
    if parsed.ipv4_mapped is not None:
        return [(str(parsed.ipv4_mapped), 1)]
    return [
        (str(IPv6Network((int(parsed), prefix), strict=False)), share)
        for prefix, share in ((64, 1), (48, SITE_SHARE))
    ]
