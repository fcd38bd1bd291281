"""The subscriptions that were stored: rows in, rows out, and how many there may be.

Sends nothing, and sees no secret that is not sealed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any

from resolvers.db.database import Database
from resolvers.webhooks.session import Session, open_session
from sdl.caller import RateLimitStatus
from sdl.errors import RateLimitedError

MOST_OF_A_HOST, MOST_OF_ALL = 10, 10_000
DISABLED_KEPT_SECONDS = 90 * 24 * 3600
"""How long a subscription that receives nothing is kept."""
CHALLENGE_SECONDS = 10
"""After this a challenge is one of a process that died."""
_LATER_SECONDS = 3600


@dataclass(frozen=True)
class Subscription:
    """Who is told of what. Units: seconds since 1970."""

    id: str
    url: str = field(repr=False)
    owner: str
    """Whom it is counted for."""
    kinds: tuple[str, ...]
    """None are all."""
    secret: bytes = field(repr=False)
    """Sealed."""
    created_at: float
    cursor: str
    """The instant of the newest entry that was fanned out to it."""
    disabled_at: float | None = None
    disabled_reason: str | None = None
    first_failure_at: float | None = None
    """Since when every attempt has failed."""
    last_success_at: float | None = None
    consecutive_failures: int = 0

    @property
    def is_active(self) -> bool:
        """Whether anything is sent to it."""
        return self.disabled_at is None

    def matches(self, kind: str) -> bool:
        """Whether it is told of entries of this kind."""
        return not self.kinds or kind in self.kinds


_COLUMNS = tuple(each.name for each in fields(Subscription))
COLUMNS = ", ".join(f"subscription.{name}" for name in _COLUMNS)
"""What `subscription_of` reads."""


class SubscriptionStore:
    """The store. Raises: Unavailable, everywhere."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def add(self, subscription: Subscription) -> None:
        """Nothing, once it is stored, in the place of a disabled one of its URL.

        Raises: RateLimited.
        """
        async with open_session(self._database) as books:
            await books.lock()
            await books.run(
                "DELETE FROM subscription WHERE url = :url AND disabled_at IS NOT NULL",
                url=subscription.url,
            )
            await _refuse_many(books, subscription.owner)
            marks = ", ".join(f":{name}" for name in _COLUMNS)
            named = ", ".join(_COLUMNS)
            await books.run(
                f"INSERT INTO subscription ({named}) VALUES ({marks})",  # noqa: S608 - our own names
                **_row_of(subscription),
            )

    async def check_capacity(self, owner: str) -> None:
        """Nothing, where one more can be stored. Raises: RateLimited."""
        async with open_session(self._database) as books:
            await _refuse_many(books, owner)

    async def find(self, subscription: str) -> Subscription | None:
        """The subscription with this id."""
        found = await self._read("WHERE id = :id", id=subscription)
        return found[0] if found else None

    async def all(self) -> list[Subscription]:
        """Every subscription, the oldest first."""
        return await self._read("ORDER BY created_at, id")

    async def lagging(self, newest: str, most: int) -> list[Subscription]:
        """Active ones to which not all was fanned out."""
        return await self._read(
            "WHERE cursor < :newest AND disabled_at IS NULL ORDER BY id LIMIT :most",
            newest=newest,
            most=most,
        )

    async def is_any_active(self) -> bool:
        """Whether anybody is sent anything."""
        async with open_session(self._database) as books:
            asked = "SELECT 1 FROM subscription WHERE disabled_at IS NULL LIMIT 1"
            return (await books.run(asked)).first() is not None

    async def remove(self, subscription: str) -> bool:
        """Whether it was there; it is gone."""
        async with open_session(self._database) as books:
            sql = "DELETE FROM subscription WHERE id = :id"
            return await books.run_counted(sql, id=subscription) == 1

    async def disable(self, subscription: str, reason: str) -> bool:
        """Whether it was active; it receives nothing from now on."""
        async with open_session(self._database) as books:
            return await disable(books, subscription, reason, self._clock())

    async def enable(self, subscription: str) -> bool:
        """Whether it was disabled; it receives what is published from now on."""
        async with open_session(self._database) as books:
            changed = await books.run_counted(
                "UPDATE subscription SET disabled_at = NULL, disabled_reason = NULL,"
                " first_failure_at = NULL, consecutive_failures = 0"
                " WHERE id = :id AND disabled_at IS NOT NULL",
                id=subscription,
            )
            return changed == 1

    async def min_cursor(self, newest: str) -> str | None:
        """The lowest cursor of an active one that is behind; nothing where none is.

        Those that receive nothing are brought up to date: they never get what they missed.
        """
        async with open_session(self._database) as books:
            await books.run(
                "UPDATE subscription SET cursor = :newest"
                " WHERE cursor < :newest AND disabled_at IS NOT NULL",
                newest=newest,
            )
            found = await books.run(
                "SELECT min(cursor) FROM subscription"
                " WHERE cursor < :newest AND disabled_at IS NULL",
                newest=newest,
            )
            lowest: str | None = found.scalar()
            return lowest

    async def advance_cursor(
        self, subscriptions: Iterable[Subscription], newest: str
    ) -> list[Subscription]:
        """Those of the subscriptions whose cursor was moved by this call, and by no other."""
        async with open_session(self._database) as books:
            return [
                each
                for each in sorted(subscriptions, key=lambda each: each.id)  # no deadlock
                if await books.run_counted(
                    "UPDATE subscription SET cursor = :newest WHERE id = :id AND cursor = :before",
                    newest=newest,
                    id=each.id,
                    before=each.cursor,
                )
            ]

    async def claim_host(self, host: str) -> bool:
        """Whether this call may challenge the host, which nobody else does now."""
        now = self._clock()
        async with open_session(self._database) as books:
            changed = await books.run_counted(
                "INSERT INTO challenge (host, ends_at) VALUES (:host, :ends_at)"
                " ON CONFLICT (host) DO UPDATE SET ends_at = excluded.ends_at"
                " WHERE challenge.ends_at < :now OR challenge.ends_at > :ends_at",
                host=host,
                now=now,
                ends_at=now + CHALLENGE_SECONDS,
            )
            return changed == 1

    async def release(self, host: str) -> None:
        """Nothing, once the host may be challenged again."""
        async with open_session(self._database) as books:
            await books.run("DELETE FROM challenge WHERE host = :host", host=host)

    async def purge_expired(self) -> None:
        """Nothing, once what was disabled long ago is gone."""
        async with open_session(self._database) as books:
            before = self._clock() - DISABLED_KEPT_SECONDS
            await books.run("DELETE FROM subscription WHERE disabled_at < :before", before=before)

    def is_initialised(self) -> bool:
        """Whether anything is kept; asked without SQLAlchemy, which a start cannot afford.

        Waits for the disk: call it in a thread. Raises: StateFault.
        """
        with self._database.transaction() as books:
            asked = "SELECT 1 FROM subscription UNION ALL SELECT 1 FROM publication LIMIT 1"
            return books.execute(asked).fetchone() is not None

    async def _read(self, which: str, **values: Any) -> list[Subscription]:
        async with open_session(self._database) as books:
            sql = f"SELECT {COLUMNS} FROM subscription {which}"  # noqa: S608 - our own words
            return [subscription_of(row) for row in (await books.run(sql, **values)).mappings()]


async def disable(books: Session, subscription: str, reason: str, now: float) -> bool:
    """Whether an active subscription was disabled."""
    changed = await books.run_counted(
        "UPDATE subscription SET disabled_at = :now, disabled_reason = :reason"
        " WHERE id = :id AND disabled_at IS NULL",
        now=now,
        reason=reason,
        id=subscription,
    )
    return changed == 1


def subscription_of(row: Any) -> Subscription:
    """The subscription that a row holds."""
    values = {name: row[name] for name in _COLUMNS}
    kinds = tuple(kind for kind in values.pop("kinds").split(",") if kind)
    return Subscription(kinds=kinds, **{**values, "secret": bytes(values["secret"])})


def _row_of(subscription: Subscription) -> dict[str, Any]:
    values = {name: getattr(subscription, name) for name in _COLUMNS}
    return {**values, "kinds": ",".join(subscription.kinds)}


async def _refuse_many(books: Session, owner: str) -> None:
    """Nothing, where one more may be active. Raises: RateLimited."""
    active = "SELECT count(*) FROM subscription WHERE disabled_at IS NULL"
    of_host = await books.run(f"{active} AND owner = :owner", owner=owner)
    if of_host.scalar_one() >= MOST_OF_A_HOST:
        told = f"The host has {MOST_OF_A_HOST} subscriptions, and may have no more."
        raise _full(told, MOST_OF_A_HOST)
    if (await books.run(active)).scalar_one() >= MOST_OF_ALL:
        raise _full("There are as many subscriptions as there may be.", MOST_OF_ALL)


def _full(detail: str, most: int) -> RateLimitedError:
    spent = RateLimitStatus("subscriptions", most, _LATER_SECONDS, 0, _LATER_SECONDS)
    return RateLimitedError(detail, spent=spent)
