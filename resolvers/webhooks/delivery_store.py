"""Deliveries as they are written down: the bytes of an entry, every attempt, what came of it.

Sends nothing. What stands here is what the owner can see, and by what a repeated job knows that
its attempt was made already.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Self

from resolvers.db.database import Database
from resolvers.webhooks.batching import Batcher
from resolvers.webhooks.progress import Finished, counted
from resolvers.webhooks.session import Session, open_session
from resolvers.webhooks.signing import message_id
from resolvers.webhooks.subscription_store import COLUMNS, Subscription, disable, subscription_of

DELIVERED, RETRY, DEAD, ABORTED, DISABLED = "delivered", "retry", "dead", "aborted", "disabled"
KEPT_SECONDS = 30 * 24 * 3600
FAILING_SECONDS = 5 * 24 * 3600
"""How long every attempt must have failed before a subscription is disabled."""
MIN_FAILED = 3
"""How many deliveries must have failed in that time: a quiet changelog proves little."""
PROBING_AFTER = 5
"""After so many failed deliveries in a row an address is taken for dead."""
ENDPOINT_GONE = "the receiver answered 410"
ENDPOINT_FAILING = "every attempt has failed for five days"
"""Why a subscription was disabled."""
_FAILED = f"'{RETRY}', '{DEAD}'"


@dataclass(frozen=True)
class DeliveryJob:
    """One entry for one subscription. A later round is one that the owner has asked for."""

    subscription: str
    entry: str
    round: int = 0

    @classmethod
    def parse(cls, about: str) -> Self:
        """The parcel that a job is about."""
        subscription, entry, number = about.split(":")
        return cls(subscription, entry, int(number))

    @property
    def job_key(self) -> str:
        """What its jobs are about."""
        return f"{self.subscription}:{self.entry}:{self.round}"

    @property
    def delivery(self) -> str:
        """The identifier that the receiver sees, the same in every round."""
        return message_id(self.subscription, self.entry)


@dataclass(frozen=True)
class Attempt:
    """One attempt. Units: seconds since 1970; `ms` is in milliseconds."""

    delivery: str
    round: int
    n: int
    """The number of its job."""
    subscription: str
    entry: str
    at: float
    status: int | None
    ms: int
    error: str | None
    verdict: str
    due_at: float | None = None
    """When the next one is made."""


@dataclass(frozen=True)
class PendingDelivery:
    """What a job needs to know of a parcel."""

    subscription: Subscription
    body: bytes = field(repr=False)
    attempts_made: int
    """How many attempts were made in this round."""
    due_at: float | None
    """When the next one is due, if there was one."""
    is_probing: bool


@dataclass(frozen=True)
class AttemptResult:
    """What follows from an attempt that was written down."""

    finished: Finished | None = None
    """The entry, if it was the last of all its deliveries."""
    is_disabled: bool = False
    """Whether the subscription receives nothing from now on."""


_COLUMNS = tuple(each.name for each in fields(Attempt))
_READ = f"SELECT {', '.join(_COLUMNS)} FROM delivery_attempt a"  # noqa: S608 - our own names
_INSERT = (
    f"INSERT INTO delivery_attempt ({', '.join(_COLUMNS)})"  # noqa: S608 - our own names
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)}) ON CONFLICT DO NOTHING"
)
_ERRAND = (
    f"SELECT {COLUMNS}, publication.body, made, due_at, is_made"  # noqa: S608 - our own names
    " FROM subscription, publication, (SELECT count(*) AS made, max(due_at) AS due_at,"
    " count(CASE WHEN n = :n THEN 1 END) AS is_made FROM delivery_attempt"
    " WHERE delivery = :delivery AND round = :round) AS so_far"
    " WHERE id = :id AND entry = :entry AND disabled_at IS NULL"
)
_FAILED_SINCE = (
    "SELECT count(DISTINCT delivery) FROM delivery_attempt"  # noqa: S608 - our own words
    f" WHERE subscription = :id AND at >= :since AND verdict IN ({_FAILED})"
)


class DeliveryStore:
    """The store. Raises: Unavailable, everywhere."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock
        self._errands = Batcher(self._find)
        self._records = Batcher(self._write)

    async def published_entries(self) -> set[str]:
        """The entries whose bytes are kept."""
        async with open_session(self._database) as books:
            return {str(row[0]) for row in await books.run("SELECT entry FROM publication")}

    async def insert(self, entry: str, published_at: str, body: bytes) -> None:
        """Nothing, once the bytes of an entry are kept; those that were first stay."""
        async with open_session(self._database) as books:
            await books.run(
                "INSERT INTO publication (entry, published_at, body, seen_at, deliveries, done)"
                " VALUES (:entry, :published_at, :body, :now, 0, 0) ON CONFLICT DO NOTHING",
                entry=entry,
                published_at=published_at,
                body=body,
                now=self._clock(),
            )

    async def count(self, entry: str, deliveries: int) -> Finished | None:
        """The entry, if its deliveries, now so many more, are all done."""
        async with open_session(self._database) as books:
            return await counted(books, entry, deliveries, 0)

    async def load(self, parcel: DeliveryJob, number: int = 0) -> PendingDelivery | Attempt | None:
        """What is to be sent where, or the attempt, if this job has made it already.

        Nothing for who is gone or disabled.
        """
        return await self._errands.submit((parcel, number))

    async def record(self, attempt: Attempt) -> AttemptResult:
        """What else follows from an attempt, once it is written down."""
        return await self._records.submit(attempt)

    async def _find(
        self, jobs: Sequence[tuple[DeliveryJob, int]]
    ) -> list[PendingDelivery | Attempt | None]:
        async with open_session(self._database) as books:
            return [await _errand(books, *job) for job in jobs]

    async def _write(self, attempts: Sequence[Attempt]) -> list[AttemptResult]:
        """The same for many. All lock rows in one order, or two processes would lock up."""
        async with open_session(self._database) as books:
            in_order = sorted(attempts, key=lambda each: (each.subscription, each.entry))
            new = [each for each in in_order if await books.run_counted(_INSERT, **vars(each))]
            disabled = {each: await _note(books, each) for each in new}
            goes_on = {each for each in new if each.verdict == RETRY and not disabled[each]}
            last = {each for each in new if each.round == 0 and each not in goes_on}
            done = Counter(each.entry for each in last)
            finished = {
                entry: await counted(books, entry, 0, done[entry]) for entry in sorted(done)
            }
        return [
            AttemptResult(
                finished.pop(each.entry, None) if each in last else None,  # told only once
                disabled.get(each, False),
            )
            for each in attempts
        ]

    async def discard(self, parcels: Iterable[DeliveryJob]) -> list[Finished]:
        """The entries whose last delivery was one of these, which are never made."""
        async with open_session(self._database) as books:
            entries = sorted(each.entry for each in parcels if each.round == 0)  # no deadlock
            found = [await counted(books, entry, 0, 1) for entry in entries]
        return [each for each in found if each is not None]

    async def attempts(self, delivery: str) -> list[Attempt]:
        """Every attempt of a delivery, in turn."""
        return await self._read("WHERE delivery = :id ORDER BY round, n", id=delivery)

    async def dead(self) -> list[Attempt]:
        """The last attempt of every delivery that was given up, the oldest first."""
        return await self._read(
            "WHERE verdict = :dead AND NOT EXISTS (SELECT 1 FROM delivery_attempt b"
            " WHERE b.delivery = a.delivery AND b.round > a.round) ORDER BY at, delivery",
            dead=DEAD,
        )

    async def next_round(self, delivery: str) -> DeliveryJob | None:
        """The same for a new round; nothing, if it was not given up, or is forgotten."""
        made = await self.attempts(delivery)
        if not made or made[-1].verdict != DEAD:
            return None
        return DeliveryJob(made[-1].subscription, made[-1].entry, made[-1].round + 1)

    async def purge_expired(self) -> None:
        """Nothing, once what is older than thirty days is gone; the bytes of an entry go last."""
        before = self._clock() - KEPT_SECONDS
        async with open_session(self._database) as books:
            await books.run("DELETE FROM delivery_attempt WHERE at < :before", before=before)
            tried = "(SELECT 1 FROM delivery_attempt WHERE entry = publication.entry)"
            old = f"DELETE FROM publication WHERE seen_at < :before AND NOT EXISTS {tried}"  # noqa: S608 - our own words
            await books.run(old, before=before)

    async def _read(self, which: str, **values: Any) -> list[Attempt]:
        async with open_session(self._database) as books:
            found = await books.run(f"{_READ} {which}", **values)
            return [Attempt(**row) for row in found.mappings()]


async def _errand(
    books: Session, parcel: DeliveryJob, number: int
) -> PendingDelivery | Attempt | None:
    job = {"delivery": parcel.delivery, "round": parcel.round, "n": number}
    found = await books.run(_ERRAND, id=parcel.subscription, entry=parcel.entry, **job)
    row = found.mappings().first()
    if row is None or row["is_made"]:
        made = await books.run(
            f"{_READ} WHERE delivery = :delivery AND round = :round AND n = :n", **job
        )
        attempt = made.mappings().first()
        return None if attempt is None else Attempt(**attempt)
    subscription = subscription_of(row)
    is_half_open = await _failed(books, subscription) >= PROBING_AFTER
    return PendingDelivery(
        subscription, bytes(row["body"]), row["made"], row["due_at"], is_half_open
    )


async def _note(books: Session, attempt: Attempt) -> bool:
    """Whether the subscription, which now shows what the attempt came to, was disabled."""
    if attempt.verdict == DELIVERED:
        await books.run(
            "UPDATE subscription SET first_failure_at = NULL, last_success_at = :at,"
            " consecutive_failures = 0 WHERE id = :id",
            at=attempt.at,
            id=attempt.subscription,
        )
    if attempt.verdict == DISABLED:
        return await disable(books, attempt.subscription, ENDPOINT_GONE, attempt.at)
    return attempt.verdict in (RETRY, DEAD) and await _note_failure(books, attempt)


async def _note_failure(books: Session, attempt: Attempt) -> bool:
    """The same for one that failed."""
    found = await books.run(
        "UPDATE subscription SET first_failure_at = COALESCE(first_failure_at, :at),"
        " consecutive_failures = consecutive_failures + 1 WHERE id = :id"
        " RETURNING first_failure_at",
        at=attempt.at,
        id=attempt.subscription,
    )
    since = found.scalar()
    if since is None or attempt.at - since < FAILING_SECONDS:
        return False
    failed = await books.run(_FAILED_SINCE, id=attempt.subscription, since=since)
    if failed.scalar_one() < MIN_FAILED:
        return False
    return await disable(books, attempt.subscription, ENDPOINT_FAILING, attempt.at)


async def _failed(books: Session, subscription: Subscription) -> int:
    """How many deliveries have failed since the last one that did not."""
    if subscription.consecutive_failures < PROBING_AFTER:  # so is their number
        return 0
    values = {"id": subscription.id, "since": subscription.first_failure_at}
    return int((await books.run(_FAILED_SINCE, **values)).scalar_one())
