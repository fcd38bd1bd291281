"""Stored deliveries: the body of each entry, every attempt, and what follows from an attempt.

The owner can read these rows. By them a repeated job knows that its attempt was made already.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Self

from resolvers.db.database import Database
from resolvers.webhooks.retry_policy import DEAD, DELIVERED, DISABLED, RETRY
from resolvers.webhooks.signing import message_id
from resolvers.webhooks.subscription_store import (
    COLUMNS,
    Session,
    Subscription,
    disable,
    in_session,
    subscription_of,
)

RETENTION_SECONDS = 30 * 24 * 3600
FAILING_SECONDS = 5 * 24 * 3600
"""How long every attempt must have failed before a subscription is disabled."""
MIN_FAILED = 3
"""How many deliveries must have failed in that time: a quiet changelog proves little."""
PROBING_AFTER = 5
"""After so many failed deliveries in a row, an address only gets `MAX_PROBES` (`sender.py`)."""
ENDPOINT_GONE = "the receiver answered 410"
ENDPOINT_FAILING = "every attempt has failed for five days"
"""Why a subscription was disabled."""


@dataclass(frozen=True)
class DeliveryJob:
    """One entry for one subscription. Round 0 is the first; the owner can ask for further ones."""

    subscription: str
    entry: str
    round: int = 0

    @classmethod
    def parse(cls, job_key: str) -> Self:
        """Return the job that a job key stands for."""
        subscription, entry, number = job_key.split(":")
        return cls(subscription, entry, int(number))

    @property
    def job_key(self) -> str:
        """The key of the job in the queue."""
        return f"{self.subscription}:{self.entry}:{self.round}"

    @property
    def delivery(self) -> str:
        """The `webhook-id` that the receiver sees, the same in every round."""
        return message_id(self.subscription, self.entry)


@dataclass(frozen=True)
class Attempt:
    """One attempt. Units: seconds since 1970; `ms` is in milliseconds."""

    delivery: str
    round: int
    n: int
    """The attempt number of the job."""
    subscription: str
    entry: str
    at: float
    status: int | None
    ms: int
    error: str | None
    verdict: str
    due_at: float | None = None
    """When the next attempt is made."""


@dataclass(frozen=True)
class PendingDelivery:
    """The data for the next attempt of a job."""

    subscription: Subscription
    body: bytes = field(repr=False)
    attempts_made: int
    """How many attempts were made in this round."""
    due_at: float | None
    """When the next attempt is due, if one was made before."""
    is_probing: bool


_COLUMNS = tuple(column.name for column in fields(Attempt))
_IS_DEAD = (
    "WHERE verdict = :dead AND NOT EXISTS (SELECT 1 FROM delivery_attempt b"
    " WHERE b.delivery = a.delivery AND b.round > a.round)"
)
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM delivery_attempt a"  # noqa: S608 - our own names
_INSERT = (
    f"INSERT INTO delivery_attempt ({', '.join(_COLUMNS)})"  # noqa: S608 - our own names
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) ON CONFLICT DO NOTHING"
)
_PUBLISH = (
    "INSERT INTO publication (entry, published_at, body, seen_at, deliveries, done)"
    " VALUES (:entry, :published_at, :body, :now, 0, 0) ON CONFLICT DO NOTHING"
)
_SELECT_PENDING = (
    f"SELECT {COLUMNS}, publication.body, made, due_at, is_made"  # noqa: S608 - our own names
    " FROM subscription, publication, (SELECT count(*) AS made, max(due_at) AS due_at,"
    " count(CASE WHEN n = :n THEN 1 END) AS is_made FROM delivery_attempt"
    " WHERE delivery = :delivery AND round = :round) AS so_far"
    " WHERE id = :id AND entry = :entry AND disabled_at IS NULL"
)


class DeliveryStore:
    """The store. Every method raises UnavailableError if the database cannot be used."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    async def published_entries(self) -> set[str]:
        """Return the ids of the entries whose bodies are stored."""
        query = "SELECT entry FROM publication"
        return await in_session(self._database, lambda rows: {*rows.run(query).scalars()})

    async def insert(self, entry: str, published_at: str, body: bytes) -> None:
        """Store the body of an entry, unless one is stored already."""
        values = {"entry": entry, "published_at": published_at, "body": body}
        await in_session(self._database, Session.run, _PUBLISH, **values, now=self._clock())

    async def load(self, job: DeliveryJob, number: int = 0) -> PendingDelivery | Attempt | None:
        """Return what an attempt needs, or the attempt itself if it was made already.

        Return None if the subscription is gone or disabled.
        """
        return await in_session(self._database, _load, job, number)

    async def record(self, attempt: Attempt) -> bool:
        """Record an attempt; return whether it has disabled the subscription."""

        def work(session: Session) -> bool:
            is_new = session.run(_INSERT, **vars(attempt)).rowcount > 0
            return is_new and _update_subscription(session, attempt)

        return await in_session(self._database, work)

    async def attempts(self, delivery: str) -> list[Attempt]:
        """Return the attempts of a delivery, oldest first."""
        return await self._select("WHERE delivery = :id ORDER BY round, n", id=delivery)

    async def dead(self) -> list[Attempt]:
        """Return the last attempt of every failed delivery, oldest first."""
        return await self._select(f"{_IS_DEAD} ORDER BY at, delivery", dead=DEAD)

    async def count_dead(self) -> int:
        """Return how many deliveries have failed."""
        query = f"SELECT count(*) FROM delivery_attempt a {_IS_DEAD}"  # noqa: S608 - our own
        return await in_session(
            self._database, lambda rows: rows.run(query, dead=DEAD).scalar_one()
        )

    async def next_round(self, delivery: str) -> DeliveryJob | None:
        """Return the job of a new round, or None if the delivery has not failed or is purged."""
        attempts = await self.attempts(delivery)
        if not attempts or attempts[-1].verdict != DEAD:
            return None
        last = attempts[-1]
        return DeliveryJob(last.subscription, last.entry, last.round + 1)

    async def purge_expired(self) -> None:
        """Delete attempts after thirty days, and the body of an entry after its last attempt."""
        before = self._clock() - RETENTION_SECONDS

        def work(session: Session) -> None:
            session.run("DELETE FROM delivery_attempt WHERE at < :before", before=before)
            session.run(
                "DELETE FROM publication WHERE seen_at < :before AND NOT EXISTS"
                " (SELECT 1 FROM delivery_attempt WHERE entry = publication.entry)",
                before=before,
            )

        await in_session(self._database, work)

    async def _select(self, condition: str, **values: Any) -> list[Attempt]:
        return await in_session(self._database, _select_attempts, condition, **values)


def _select_attempts(session: Session, /, condition: str, **values: Any) -> list[Attempt]:
    rows = session.run(f"{_SELECT} {condition}", **values)
    return [Attempt(**row) for row in rows.mappings()]


def _load(session: Session, job: DeliveryJob, number: int) -> PendingDelivery | Attempt | None:
    key = {"delivery": job.delivery, "round": job.round, "n": number}
    rows = session.run(_SELECT_PENDING, id=job.subscription, entry=job.entry, **key)
    row = rows.mappings().first()
    if row is None or row["is_made"]:
        condition = "WHERE delivery = :delivery AND round = :round AND n = :n"
        attempts = _select_attempts(session, condition, **key)
        return attempts[0] if attempts else None
    subscription = subscription_of(row)
    since = subscription.first_failure_at
    is_probing = (  # the failed attempts, at least as many, are counted already
        subscription.consecutive_failures >= PROBING_AFTER
        and _count_failed(session, subscription.id, since) >= PROBING_AFTER
    )
    return PendingDelivery(subscription, bytes(row["body"]), row["made"], row["due_at"], is_probing)


def _update_subscription(session: Session, attempt: Attempt) -> bool:
    """Update the subscription after an attempt; return whether it is disabled by this."""
    if attempt.verdict == DELIVERED:
        session.run(
            "UPDATE subscription SET first_failure_at = NULL, last_success_at = :at,"
            " consecutive_failures = 0 WHERE id = :id",
            at=attempt.at,
            id=attempt.subscription,
        )
    if attempt.verdict == DISABLED:
        return disable(session, attempt.subscription, ENDPOINT_GONE, attempt.at)
    return attempt.verdict in (RETRY, DEAD) and _update_failing(session, attempt)


def _update_failing(session: Session, attempt: Attempt) -> bool:
    row = session.run(
        "UPDATE subscription SET first_failure_at = COALESCE(first_failure_at, :at),"
        " consecutive_failures = consecutive_failures + 1 WHERE id = :id"
        " RETURNING first_failure_at",
        at=attempt.at,
        id=attempt.subscription,
    )
    since = row.scalar()
    if since is None or attempt.at - since < FAILING_SECONDS:
        return False
    if _count_failed(session, attempt.subscription, since) < MIN_FAILED:
        return False
    return disable(session, attempt.subscription, ENDPOINT_FAILING, attempt.at)


def _count_failed(session: Session, subscription: str, since: float | None) -> int:
    """Return how many deliveries of a subscription have failed since a time."""
    result = session.run(
        "SELECT count(DISTINCT delivery) FROM delivery_attempt"
        " WHERE subscription = :id AND at >= :since AND verdict IN (:retry, :dead)",
        id=subscription,
        since=since,
        retry=RETRY,
        dead=DEAD,
    )
    return int(result.scalar_one())
