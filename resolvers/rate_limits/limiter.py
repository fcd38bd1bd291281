"""Rate limits: how many calls of one caller pass in a time window, counted across all processes.

A window begins with the first call of a caller and has a fixed length; later calls do not extend
it. When the store of the counters does not respond, every limited call is refused.

The limits are the settings `*_limit` of `studiograph/settings.py` and `studiograph/ai_settings.py`,
collected in `studiograph/services.py`. A service that is limited calls `consume` itself; the
directive `@spends` only documents that it does.
"""

import asyncio
import hashlib
import logging
import math
import re
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Protocol
from urllib.parse import urlsplit

from resolvers.db.database import IMPORT_LOCK, Database
from sdl.caller import Caller, RateLimitStatus
from sdl.errors import RateLimitedError, StudiographError, UnavailableError

TIMEOUT_SECONDS = 4
LOG_INTERVAL = 60
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
SITE_SHARE = 8
"""All callers of one IPv6 site, a /48, share this many limits."""

log = logging.getLogger("studiograph.limits")
_UNAVAILABLE = "The rate limit cannot be checked now; try again soon."
_LIMIT = re.compile(rf"([0-9]{{1,9}})/({'|'.join(UNITS)})")


class CounterStorage(Protocol):
    """The methods of a storage of the library `limits` that are used here."""

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Count `amount` hits and return those of the key's window; the first begins a window."""
        ...

    async def get(self, key: str) -> int:
        """Return the hits in the key's window."""
        ...

    async def get_expiry(self, key: str) -> float:
        """Return when the key's window ends.

        Units: seconds of `time.time`.
        """
        ...


class CounterBackend(Protocol):
    """A store of counters."""

    def begin(self) -> AbstractAsyncContextManager[CounterStorage]:
        """Open the counters for one call; an error rolls its counts back where the store can."""
        ...

    async def close(self) -> None:
        """Close the connections that this object opened."""
        ...


@dataclass(frozen=True)
class Limit:
    """How many calls of one caller pass in a window; 0 means no limit."""

    name: str
    limit: int
    window_seconds: int


_CallerGroups = Sequence[tuple[str, int]]
"""Groups of callers who share a counter, each with the number of limits the group has."""


@dataclass(frozen=True)
class _Bucket:
    key: str
    limit: int


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
    """The limits of all operations, and the store that counts the calls.

    With the URL "", calls are counted in the state database; with `redis://`, in Redis; with
    `memory://`, in this process alone. `clock` gives the time for SQLite and for memory: a
    monotonic clock, which never jumps and is the same for all processes of a machine. PostgreSQL
    and Redis use their own clocks.
    """

    def __init__(
        self,
        url: str,
        database: Database,
        limits: Mapping[str, Limit],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._database = database
        self._limits = limits
        self._clock = clock
        self._store: CounterBackend | None = None
        self._open_lock = threading.Lock()
        self._logged_at = -math.inf
        self._tasks: set[asyncio.Task[RateLimitStatus]] = set()

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
        store = self._store
        if store is None:
            store = await asyncio.to_thread(self._open)
        try:
            status = await self._await_count(_count(store, limit, shares, min(cost, limit.limit)))
        except _LimitReachedError as error:
            status = _status(limit, 0, error.seconds)
            caller.rate_limits.append(status)
            raise _rate_limited(status) from None
        caller.rate_limits.append(status)

    async def close(self) -> None:
        """Wait until pending calls are counted, then close the store's connections."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._store is not None:
            await self._store.close()

    async def _await_count(
        self, counting: Coroutine[None, None, RateLimitStatus]
    ) -> RateLimitStatus:
        """Wait for the store, for a limited time. Raises: _LimitReachedError, UnavailableError.

        The counting is not cancelled when the time is over or the caller leaves: cancelling amid a
        transaction may leave its connection unusable.
        """
        from limits.errors import StorageError  # noqa: PLC0415 - 0.04 s, loaded with the store

        task = asyncio.create_task(counting)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        done, _ = await asyncio.wait([task], timeout=TIMEOUT_SECONDS)
        if not done:
            raise self._unavailable("it takes too long")
        try:
            return task.result()
        except StorageError as error:
            raise self._unavailable(type(error.storage_error).__name__) from None

    def _unavailable(self, reason: str) -> UnavailableError:
        """Return the error for the caller, and log the reason at most once a minute."""
        now = time.monotonic()
        if now - self._logged_at > LOG_INTERVAL:
            self._logged_at = now
            log.error(
                "calls cannot be counted in %s (%s), so limited calls are refused. Fix: see that it"
                " runs and responds, or name another store in STUDIOGRAPH_RATELIMIT_URL.",
                *(urlsplit(self._url).hostname or self._database.place, reason),
            )
        return UnavailableError(_UNAVAILABLE)

    def _forget(self, task: asyncio.Task[RateLimitStatus]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # or asyncio logs that nobody retrieved it

    def _open(self) -> CounterBackend:
        with self._open_lock:  # two calls may be the first
            if self._store is None:
                with IMPORT_LOCK:
                    self._store = self._make_store()
            return self._store

    def _make_store(self) -> CounterBackend:
        from resolvers.rate_limits import stores  # noqa: PLC0415 - 0.02 s, not needed to start

        if self._url == "memory://":
            return stores.MemoryStore(self._clock)
        if self._url:
            return stores.RedisStore(self._url, TIMEOUT_SECONDS)
        longest = max(limit.window_seconds for limit in self._limits.values())
        return stores.SqlStore(self._database, self._clock, longest)


async def _count(
    store: CounterBackend, limit: Limit, shares: _CallerGroups, cost: int
) -> RateLimitStatus:
    """Count a call as `cost` calls and return what is left. Raises: _LimitReachedError.

    All counters are read before any is increased: so a refused call creates no row and uses
    nothing of its site's limit.
    """
    buckets = _buckets(limit, shares)
    async with store.begin() as counters:
        seconds = await _seconds_blocked(counters, limit, buckets, cost)
        if seconds is None:
            statuses = [await _hit(counters, limit, bucket, cost) for bucket in buckets]
            return min(statuses, key=lambda status: status.remaining)
    raise _LimitReachedError(seconds)


async def _seconds_blocked(
    counters: CounterStorage, limit: Limit, buckets: list[_Bucket], cost: int
) -> float | None:
    """Return how long the window of a counter still lasts that has not enough left, or None."""
    for bucket in buckets:
        if await counters.get(bucket.key) + cost > bucket.limit:
            seconds = await _seconds_left(counters, bucket)
            if seconds > limit.window_seconds:  # a clock went back; a hit shortens the window
                await counters.incr(bucket.key, limit.window_seconds)
            return seconds
    return None


async def _hit(
    counters: CounterStorage, limit: Limit, bucket: _Bucket, cost: int
) -> RateLimitStatus:
    remaining = bucket.limit - await counters.incr(bucket.key, limit.window_seconds, cost)
    seconds = await _seconds_left(counters, bucket)
    if remaining < 0:  # another process was faster
        raise _LimitReachedError(seconds)  # which rolls back the hit in the other counter
    return _status(limit, remaining, seconds)


async def _seconds_left(counters: CounterStorage, bucket: _Bucket) -> float:
    return await counters.get_expiry(bucket.key) - time.time()


def _rate_limited(status: RateLimitStatus) -> RateLimitedError:
    return RateLimitedError(
        f"At most {status.limit} calls are allowed in {status.window_seconds} seconds;"
        f" try again in {status.reset_seconds} seconds.",
        spent=status,
    )


def _status(limit: Limit, remaining: int, seconds: float) -> RateLimitStatus:
    # Rounded up, and past the store's own rounding: after that time a call is not refused again.
    reset = min(max(int(seconds) + 1, 1), limit.window_seconds)
    return RateLimitStatus(limit.name, limit.limit, limit.window_seconds, remaining, reset)


def network_of(address: str) -> str:
    """Return the narrowest network that counts as one caller; "" for an unreadable address."""
    return _networks(address)[0][0]


def _buckets(limit: Limit, shares: _CallerGroups) -> list[_Bucket]:
    """Return the counters of the groups, the narrowest first.

    The key holds a digest, so that no address is read by accident in a dump or a backup. Somebody
    who can read the store could still try all of IPv4 and learn who called in the last window.
    """
    return [_Bucket(_key(limit, network), limit.limit * share) for network, share in shares]


def _key(limit: Limit, network: str) -> str:
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
