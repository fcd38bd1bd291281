"""Rate limits: how many calls of one caller pass in one window, counted for all processes at once.

A window begins with a caller's first call and ends when it is over, whatever is asked meanwhile.
Nothing is counted here for a store that does not answer: then nothing passes.
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

from resolvers.db.database import Database
from resolvers.db.importing import import_locked
from sdl.caller import Caller, RateLimitStatus
from sdl.errors import RateLimitedError, UnavailableError

TIMEOUT_SECONDS = 4
LOG_INTERVAL = 60
RETRY_SECONDS = 5
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
SITE_SHARE = 8
"""How many callers' budgets all of one IPv6 site, a /48, have together."""

log = logging.getLogger("studiograph.limits")
_AWAY = "The rate limit cannot be checked now; try again soon."
_BUDGET = re.compile(rf"([0-9]{{1,9}})/({'|'.join(UNITS)})")


class CounterStorage(Protocol):
    """The part of a storage of `limits` that is used here."""

    async def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """The hits in the key's window, these included; the first one begins a window."""
        ...

    async def get(self, key: str) -> int:
        """The hits in the key's window."""
        ...

    async def get_expiry(self, key: str) -> float:
        """When the key's window ends.

        Units: seconds of `time.time`.
        """
        ...


class CounterBackend(Protocol):
    """Where counters are."""

    def begin(self) -> AbstractAsyncContextManager[CounterStorage]:
        """The counters of one call; what it counted is taken back, if it can be, by an error."""
        ...

    async def close(self) -> None:
        """Nothing, once nothing made by this object is open."""
        ...


@dataclass(frozen=True)
class Limit:
    """How many calls of one caller pass in a window. A limit of 0 is none."""

    name: str
    limit: int
    window_seconds: int


_Sharing = Sequence[tuple[str, int]]
"""Who shares a count, and how many budgets they have together."""


@dataclass(frozen=True)
class _Bucket:
    key: str
    limit: int


class _LimitReachedError(Exception):
    """A bucket is spent; how many seconds are left of its window."""

    def __init__(self, left: float) -> None:
        self.left = left


def parse_limit(name: str, text: str) -> Limit:
    """The budget that a setting such as `20/hour` gives; `0` switches it off.

    Raises: ValueError.
    """
    match = _BUDGET.fullmatch("0/hour" if text == "0" else text)
    if match is None:
        raise ValueError(f"must be 0, or a number and one of {', '.join(UNITS)}, as in 20/hour")
    return Limit(name, int(match[1]), UNITS[match[2]])


class RateLimiter:
    """The budgets, and the store in which is counted what is spent of them.

    The URL "" counts in the state database, `redis://` in Redis, `memory://` in this process
    alone. The clock is that of SQLite and of this process: it never steps, and all processes of a
    machine read the same. PostgreSQL and Redis go by their own.
    """

    def __init__(
        self,
        url: str,
        database: Database,
        budgets: Mapping[str, Limit],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = url
        self._database = database
        self._budgets = budgets
        self._clock = clock
        self._store: CounterBackend | None = None
        self._opening = threading.Lock()
        self._told_at = -math.inf
        self._counting: set[asyncio.Task[RateLimitStatus]] = set()

    async def consume(self, name: str, caller: Caller) -> None:
        """Nothing, once the call is counted; what is left is noted on the caller.

        Raises: RateLimited, Unavailable.
        """
        await self._spend(self._budgets[name], caller, _networks(caller.address))

    async def consume_for(self, name: str, owner: str, caller: Caller) -> None:
        """The same for what is counted by whom it is about; what others have left is not noted."""
        await self._spend(self._budgets[name], replace(caller, rate_limits=[]), [(owner, 1)])

    async def _spend(self, budget: Limit, caller: Caller, sharing: _Sharing) -> None:
        if budget.limit == 0:
            return
        store = self._store
        if store is None:
            store = await asyncio.to_thread(self._open)
        try:
            spent = await self._answered(_count(store, budget, sharing))
        except _LimitReachedError as refused:
            caller.rate_limits.append(_spent(budget, 0, refused.left))
            raise _refusal(caller.rate_limits[-1]) from None
        caller.rate_limits.append(spent)

    async def close(self) -> None:
        """Nothing, once nothing is counted any more and no connection made here is open."""
        if self._counting:
            await asyncio.wait(self._counting)
        if self._store is not None:
            await self._store.close()

    async def _answered(self, counting: Coroutine[None, None, RateLimitStatus]) -> RateLimitStatus:
        """What comes of the counting, if it comes in time. Raises: _Refused, Unavailable.

        The counting goes on when nobody waits for it any more: what is cancelled amid a
        transaction may leave its connection unusable.
        """
        from limits.errors import StorageError  # noqa: PLC0415 - loaded with the store

        task = asyncio.create_task(counting)
        self._counting.add(task)
        task.add_done_callback(self._ended)
        done, _ = await asyncio.wait([task], timeout=TIMEOUT_SECONDS)
        if not done:
            raise self._away("it takes too long")
        try:
            return task.result()
        except StorageError as error:
            raise self._away(type(error.storage_error).__name__) from None

    def _away(self, reason: str) -> UnavailableError:
        """What the caller is told; the owner is told why, once a minute."""
        now = time.monotonic()
        if now - self._told_at > LOG_INTERVAL:
            self._told_at = now
            log.error(
                "calls cannot be counted in %s (%s), so what is limited is refused. Fix: see that"
                " it runs and answers, or name another store in STUDIOGRAPH_RATELIMIT_URL.",
                *(urlsplit(self._url).hostname or self._database.place, reason),
            )
        return UnavailableError(_AWAY, retry_seconds=RETRY_SECONDS)

    def _ended(self, task: asyncio.Task[RateLimitStatus]) -> None:
        self._counting.discard(task)
        if not task.cancelled():
            task.exception()  # or it is reported as one that nobody looked at

    def _open(self) -> CounterBackend:
        with self._opening:  # two calls may be the first
            if self._store is None:
                with import_locked():
                    self._store = self._opened()
            return self._store

    def _opened(self) -> CounterBackend:
        from resolvers.rate_limits import (  # noqa: PLC0415 - heavy, and of no use before a call
            stores as counters,
        )

        if self._url == "memory://":
            return counters.MemoryStore(self._clock)
        if self._url:
            return counters.RedisStore(self._url, TIMEOUT_SECONDS)
        longest = max(budget.window_seconds for budget in self._budgets.values())
        return counters.SqlStore(self._database, self._clock, longest)


async def _count(store: CounterBackend, budget: Limit, sharing: _Sharing) -> RateLimitStatus:
    """What is left of the budget after this call. Raises: _Refused.

    Every bucket is read before one is counted in: a refused call makes no row, and takes nothing
    from others of its site.
    """
    buckets = _buckets(budget, sharing)
    async with store.begin() as counters:
        left = await _wait(counters, budget, buckets)
        if left is None:
            hits = [await _hit(counters, budget, bucket) for bucket in buckets]
            return min(hits, key=lambda spent: spent.remaining)
    raise _LimitReachedError(left)


async def _wait(counters: CounterStorage, budget: Limit, buckets: list[_Bucket]) -> float | None:
    """How many seconds the window of a spent bucket still lasts, if one is spent."""
    for bucket in buckets:
        if await counters.get(bucket.key) >= bucket.limit:
            left = await _left(counters, bucket)
            if left > budget.window_seconds:  # a clock went back; to count makes the window end
                await counters.incr(bucket.key, budget.window_seconds)
            return left
    return None


async def _hit(counters: CounterStorage, budget: Limit, bucket: _Bucket) -> RateLimitStatus:
    remaining = bucket.limit - await counters.incr(bucket.key, budget.window_seconds)
    left = await _left(counters, bucket)
    if remaining < 0:
        raise _LimitReachedError(left)  # and what was counted in the other bucket is taken back
    return _spent(budget, remaining, left)


async def _left(counters: CounterStorage, bucket: _Bucket) -> float:
    return await counters.get_expiry(bucket.key) - time.time()


def _refusal(spent: RateLimitStatus) -> RateLimitedError:
    return RateLimitedError(
        f"At most {spent.limit} calls pass in {spent.window_seconds} seconds;"
        f" ask again in {spent.reset_seconds} seconds.",
        spent=spent,
    )


def _spent(budget: Limit, remaining: int, left: float) -> RateLimitStatus:
    # Rounded up past the rounding of the store: whoever waits that long is not refused again.
    reset = min(max(int(left) + 1, 1), budget.window_seconds)
    return RateLimitStatus(budget.name, budget.limit, budget.window_seconds, remaining, reset)


def network_of(address: str) -> str:
    """The narrowest network that counts as one caller; nothing, if the address cannot be read."""
    return _networks(address)[0][0]


def _buckets(budget: Limit, sharing: _Sharing) -> list[_Bucket]:
    """The counts of those who share one, from the narrowest.

    The key holds a digest: an address is not to be read in a dump or a backup by accident. Who can
    read the store could try all of IPv4, and would learn who called within the last window.
    """
    return [_Bucket(_key(budget, network), budget.limit * share) for network, share in sharing]


def _key(budget: Limit, network: str) -> str:
    digest = hashlib.sha256(network.encode()).hexdigest()[:32]
    return f"{budget.name}/{budget.window_seconds}/{digest}"


def _networks(address: str) -> _Sharing:
    """Each network and its share; who has no address that can be read shares one with the like."""
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
