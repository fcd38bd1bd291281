"""Turns new changelog entries into delivery jobs, one for each subscription they are for.

Every step may be interrupted and repeated, also by several processes at once: the key of a job
follows from its subscription and entry, and a cursor moves only after the jobs are in the queue.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from resolvers.db.database import DatabaseError
from resolvers.jobs.queue import JobQueue
from resolvers.webhooks.delivery_store import DeliveryJob, DeliveryStore
from resolvers.webhooks.sender import JOB_NAME
from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from schema.changelog import ChangelogEntry
from sdl.errors import ApiError
from sdl.types.scalar_types import format_instant

RECONCILE_SECONDS = 60
RETRY_SECONDS = 5
"""The wait after a failed round."""
POLL_SECONDS = 1
"""How often the content is checked for new entries."""
PURGE_INTERVAL_SECONDS = 24 * 3600
MAX_BYTES = 20 * 1024
"""The largest body that holds the entry itself; a larger entry is sent as its id and URL."""
_SUBSCRIPTION_BATCH, _JOB_BATCH = 200, 500

ReadOnlyQuery = Callable[..., Mapping[str, Any]]
"""Runs a stored operation by its name and variables, and returns its body."""

log = logging.getLogger("studiograph.webhooks")


class Fanout:
    """Enqueues a delivery of every new entry for every subscription that it is for."""

    def __init__(  # noqa: PLR0913 - keywords name the last three
        self,
        subscriptions: SubscriptionStore,
        deliveries: DeliveryStore,
        jobs: JobQueue,
        *,
        entries: Callable[[], Sequence[ChangelogEntry]],
        read: ReadOnlyQuery,
        changelog_url: str,
    ) -> None:
        self._subscriptions = subscriptions
        self._deliveries = deliveries
        self._jobs = jobs
        self._entries = entries
        self._read = read
        self._changelog_url = changelog_url
        self._purged_at = -float(PURGE_INTERVAL_SECONDS)

    async def reconcile(self) -> int:
        """Enqueue all deliveries that are missing; return their number.

        A process whose content is older than another's moves no cursor back. Raises:
        UnavailableError.
        """
        entries = sorted(self._entries(), key=lambda entry: entry.published_at)
        if not entries:
            return 0
        newest = format_instant(entries[-1].published_at)
        lowest = await self._subscriptions.min_cursor(newest)
        if lowest is None:
            return 0
        entries = [entry for entry in entries if format_instant(entry.published_at) > lowest]
        await self._store_bodies(entries)
        counts: Counter[str] = Counter()
        while batch := await self._subscriptions.lagging(newest, _SUBSCRIPTION_BATCH):
            jobs = {subscription.id: _jobs_of(subscription, entries) for subscription in batch}
            keys = [job.job_key for missing in jobs.values() for job in missing]
            for start in range(0, len(keys), _JOB_BATCH):
                await self._jobs.enqueue_all(JOB_NAME, keys[start : start + _JOB_BATCH])
            for subscription in await self._subscriptions.advance_cursor(batch, newest):
                counts.update(job.entry for job in jobs[subscription.id])
        for entry, number in counts.items():
            log.info("entry %s is published: %d deliveries are queued", entry, number)
        return counts.total()

    async def run(self) -> None:
        """Reconcile at the start, on every new entry, every minute, and soon after a failure."""
        clock = asyncio.get_running_loop().time
        while True:
            newest = self._newest()
            wait = RETRY_SECONDS
            try:
                await self._round()
                wait = RECONCILE_SECONDS
            except (DatabaseError, ApiError) as error:
                log.error("deliveries must wait: %s", error)  # noqa: TRY400 - the text says it all
            except Exception as error:  # noqa: BLE001 - one odd entry must not end all deliveries
                log.error("deliveries must wait: %s", type(error).__name__)  # noqa: TRY400 - its text may hold personal data
            until = clock() + wait
            while clock() < until and self._newest() == newest:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(POLL_SECONDS)

    def _newest(self) -> object:
        return max((entry.published_at for entry in self._entries()), default=None)

    async def _round(self) -> None:
        if not await asyncio.to_thread(self._subscriptions.has_any):
            return
        if await self._subscriptions.is_any_active():
            await self._jobs.launch()
        await self.reconcile()
        if time.monotonic() - self._purged_at > PURGE_INTERVAL_SECONDS:
            await self._deliveries.purge_expired()
            await self._subscriptions.purge_expired()
            self._purged_at = time.monotonic()

    async def _store_bodies(self, entries: Sequence[ChangelogEntry]) -> None:
        stored = await self._deliveries.published_entries()
        for entry in entries:
            if entry.id not in stored:
                body = event_body(self._read, entry.id, self._changelog_url)
                await self._deliveries.insert(entry.id, format_instant(entry.published_at), body)


def event_body(read: ReadOnlyQuery, entry: str, changelog_url: str) -> bytes:
    """Return the body of a delivery; for a large entry, only its id and URL."""
    event = dict(read("GetDelivery", entry=entry))
    body = _to_json(event)
    if len(body) <= MAX_BYTES:
        return body
    return _to_json({**event, "data": {"id": entry, "url": changelog_url}})


def _to_json(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def _jobs_of(subscription: Subscription, entries: Sequence[ChangelogEntry]) -> list[DeliveryJob]:
    """Return the jobs that a subscription has not had yet, oldest entry first."""
    return [
        DeliveryJob(subscription.id, entry.id)
        for entry in entries
        if format_instant(entry.published_at) > subscription.cursor
        and subscription.matches(entry.kind.value)
    ]
