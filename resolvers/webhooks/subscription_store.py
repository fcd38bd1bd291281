"""Stored subscriptions, with their caps. Secrets are stored encrypted."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, CursorResult, text

from resolvers.db.database import Database, DatabaseError
from sdl.caller import RateLimitStatus
from sdl.errors import RateLimitedError, UnavailableError

Params = ParamSpec("Params")
Result = TypeVar("Result")

log = logging.getLogger("studiograph.webhooks")


class Session:
    """A transaction; in its statements `:name` stands for a value."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def run(self, sql: str, /, **values: Any) -> CursorResult[Any]:
        """Execute a statement and return its result."""
        return self._connection.execute(text(sql), values)


async def in_session(
    database: Database,
    work: Callable[Concatenate[Session, Params], Result],
    *args: Params.args,
    **kwargs: Params.kwargs,
) -> Result:
    """Run a function in a transaction, and return its result. Raises: UnavailableError."""

    def transact() -> Result:
        with database.shared_transaction() as connection:
            return work(Session(connection), *args, **kwargs)

    try:
        return await database.run(transact)
    except DatabaseError as error:
        log.error("subscriptions must wait: %s", error)  # noqa: TRY400 - the text says it all
        raise UnavailableError("Subscriptions cannot be stored now; try again soon.") from None


MAX_PER_OWNER, MAX_ACTIVE = 10, 10_000
DISABLED_RETENTION_SECONDS = 90 * 24 * 3600
"""How long a disabled subscription is kept."""
CHALLENGE_SECONDS = 10
"""After this time, the process that challenges a host is taken for dead."""
_RETRY_AFTER_SECONDS = 3600
_ADD_LOCK = 0x7375_6273_6372


@dataclass(frozen=True)
class Subscription:
    """A webhook subscription. Units: seconds since 1970."""

    id: str
    url: str = field(repr=False)
    owner: str
    """The registrable host, whose subscriptions are counted together."""
    kinds: tuple[str, ...]
    """The kinds of entries it is for; all kinds, if empty."""
    secret: bytes = field(repr=False)
    """The encrypted secret."""
    created_at: float
    cursor: str
    """When the newest entry that was enqueued for it was published."""
    disabled_at: float | None = None
    disabled_reason: str | None = None
    first_failure_at: float | None = None
    """The first of the failed attempts since the last success."""
    last_success_at: float | None = None
    consecutive_failures: int = 0

    @property
    def is_active(self) -> bool:
        """Whether it receives deliveries."""
        return self.disabled_at is None

    def matches(self, kind: str) -> bool:
        """Return whether it is for entries of this kind."""
        return not self.kinds or kind in self.kinds


_COLUMNS = tuple(column.name for column in fields(Subscription))
COLUMNS = ", ".join(f"subscription.{name}" for name in _COLUMNS)
"""The columns that `subscription_of` reads."""
_INSERT = (
    f"INSERT INTO subscription ({', '.join(_COLUMNS)})"  # noqa: S608 - our own names
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)


class SubscriptionStore:
    """The store. Every method raises UnavailableError if the database cannot be used."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def add(self, subscription: Subscription) -> None:
        """Store a subscription, and remove disabled ones of the same URL.

        Raises: RateLimitedError.
        """

        def work(session: Session) -> None:
            if not self._database.is_sqlite:  # SQLite has one writer anyway
                session.run("SELECT pg_advisory_xact_lock(:lock)", lock=_ADD_LOCK)
            session.run(
                "DELETE FROM subscription WHERE url = :url AND disabled_at IS NOT NULL",
                url=subscription.url,
            )
            _check_capacity(session, subscription.owner)
            values = {name: getattr(subscription, name) for name in _COLUMNS}
            session.run(_INSERT, **{**values, "kinds": ",".join(subscription.kinds)})

        await in_session(self._database, work)

    async def check_capacity(self, owner: str) -> None:
        """Check that an owner may have one more subscription. Raises: RateLimitedError."""
        await in_session(self._database, _check_capacity, owner)

    async def find(self, subscription: str) -> Subscription | None:
        """Return the subscription with this id."""
        rows = await self._select("WHERE id = :id", id=subscription)
        return rows[0] if rows else None

    async def all(self) -> list[Subscription]:
        """Return every subscription, oldest first."""
        return await self._select("ORDER BY created_at, id")

    async def lagging(self, newest: str, most: int) -> list[Subscription]:
        """Return active subscriptions whose cursor is before the newest entry."""
        return await self._select(
            "WHERE cursor < :newest AND disabled_at IS NULL ORDER BY id LIMIT :most",
            newest=newest,
            most=most,
        )

    async def is_any_active(self) -> bool:
        """Return whether there is an active subscription."""
        return bool(await self._select("WHERE disabled_at IS NULL LIMIT 1"))

    async def remove(self, subscription: str) -> bool:
        """Delete a subscription; return whether it existed."""
        return await self._change("DELETE FROM subscription WHERE id = :id", id=subscription)

    async def disable(self, subscription: str, reason: str) -> bool:
        """Disable a subscription; return whether it was active."""
        return await in_session(self._database, disable, subscription, reason, self._clock())

    async def enable(self, subscription: str) -> bool:
        """Enable a subscription for entries from now on; return whether it was disabled."""
        return await self._change(
            "UPDATE subscription SET disabled_at = NULL, disabled_reason = NULL,"
            " first_failure_at = NULL, consecutive_failures = 0"
            " WHERE id = :id AND disabled_at IS NOT NULL",
            id=subscription,
        )

    async def min_cursor(self, newest: str) -> str | None:
        """Return the lowest cursor of the active subscriptions that lag, or None.

        Cursors of disabled subscriptions are moved to the newest entry: they never receive what
        they missed.
        """

        def work(session: Session) -> str | None:
            session.run(
                "UPDATE subscription SET cursor = :newest"
                " WHERE cursor < :newest AND disabled_at IS NOT NULL",
                newest=newest,
            )
            result = session.run(
                "SELECT min(cursor) FROM subscription"
                " WHERE cursor < :newest AND disabled_at IS NULL",
                newest=newest,
            )
            lowest: str | None = result.scalar()
            return lowest

        return await in_session(self._database, work)

    async def advance_cursor(
        self, subscriptions: Iterable[Subscription], newest: str
    ) -> list[Subscription]:
        """Move cursors to the newest entry; return the subscriptions that this call has moved."""

        def work(session: Session) -> list[Subscription]:
            return [
                subscription
                for subscription in sorted(subscriptions, key=lambda row: row.id)  # no deadlock
                if session.run(
                    "UPDATE subscription SET cursor = :newest WHERE id = :id AND cursor = :before",
                    newest=newest,
                    id=subscription.id,
                    before=subscription.cursor,
                ).rowcount
            ]

        return await in_session(self._database, work)

    async def claim_host(self, host: str) -> bool:
        """Reserve a host for a challenge; return False if another call is challenging it."""
        now = self._clock()
        return await self._change(
            "INSERT INTO challenge (host, ends_at) VALUES (:host, :ends_at)"
            " ON CONFLICT (host) DO UPDATE SET ends_at = excluded.ends_at"
            " WHERE challenge.ends_at < :now OR challenge.ends_at > :ends_at",
            host=host,
            now=now,
            ends_at=now + CHALLENGE_SECONDS,
        )

    async def release(self, host: str) -> None:
        """Let other calls challenge a host again."""
        await self._change("DELETE FROM challenge WHERE host = :host", host=host)

    async def purge_expired(self) -> None:
        """Delete subscriptions that were disabled long ago."""
        before = self._clock() - DISABLED_RETENTION_SECONDS
        await self._change("DELETE FROM subscription WHERE disabled_at < :before", before=before)

    def has_any(self) -> bool:
        """Return whether a subscription or the body of an entry is stored.

        Blocks. Raises: DatabaseError.
        """
        query = "SELECT 1 FROM subscription UNION ALL SELECT 1 FROM publication LIMIT 1"
        with self._database.snapshot() as rows:
            return rows.execute(text(query)).first() is not None

    async def _select(self, condition: str, **values: Any) -> list[Subscription]:
        query = f"SELECT {COLUMNS} FROM subscription {condition}"  # noqa: S608 - our own words

        def work(session: Session) -> list[Subscription]:
            return [subscription_of(row) for row in session.run(query, **values).mappings()]

        return await in_session(self._database, work)

    async def _change(self, sql: str, **values: Any) -> bool:
        """Execute a statement; return whether it has changed a row."""
        return await in_session(self._database, _has_changed, sql, **values)


def _has_changed(session: Session, /, sql: str, **values: Any) -> bool:
    return session.run(sql, **values).rowcount > 0


def disable(session: Session, subscription: str, reason: str, now: float) -> bool:
    """Disable a subscription; return whether it was active."""
    return _has_changed(
        session,
        "UPDATE subscription SET disabled_at = :now, disabled_reason = :reason"
        " WHERE id = :id AND disabled_at IS NULL",
        now=now,
        reason=reason,
        id=subscription,
    )


def subscription_of(row: Any) -> Subscription:
    """Return the subscription that a row holds."""
    values = {name: row[name] for name in _COLUMNS}
    kinds = tuple(kind for kind in row["kinds"].split(",") if kind)
    return Subscription(**{**values, "kinds": kinds, "secret": bytes(row["secret"])})


def _check_capacity(session: Session, owner: str) -> None:
    """Check that an owner may have one more active subscription. Raises: RateLimitedError."""
    count = "SELECT count(*) FROM subscription WHERE disabled_at IS NULL"
    of_owner = session.run(f"{count} AND owner = :owner", owner=owner)
    if of_owner.scalar_one() >= MAX_PER_OWNER:
        raise _capacity_error(
            f"This host already has {MAX_PER_OWNER} subscriptions, the most that one host may"
            " have. End one of them first.",
            MAX_PER_OWNER,
        )
    if session.run(count).scalar_one() >= MAX_ACTIVE:
        raise _capacity_error("No more subscriptions can be stored. Try again later.", MAX_ACTIVE)


def _capacity_error(detail: str, limit: int) -> RateLimitedError:
    status = RateLimitStatus("subscriptions", limit, _RETRY_AFTER_SECONDS, 0, _RETRY_AFTER_SECONDS)
    return RateLimitedError(detail, spent=status)
