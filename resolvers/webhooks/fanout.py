"""From new changelog entries to deliveries: which subscription has not yet got what.

Everything here may be cut off anywhere and done again, by every process at once: jobs have ids that
follow from what they are about, and a cursor moves only once they are in the queue.
"""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from resolvers.db.database import DatabaseError
from resolvers.webhooks.delivery_store import DeliveryJob, DeliveryStore
from resolvers.webhooks.sender import tell
from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from schema.changelog import ChangelogEntry
from sdl.errors import StudioError
from sdl.scalar_types import format_instant

RECONCILE_SECONDS = 60
RETRY_SECONDS = 5
"""After how long a round that went wrong is tried again."""
POLL_SECONDS = 1
"""How soon an entry that came to the content is seen."""
TRIM_SECONDS = 24 * 3600
MAX_BYTES = 20 * 1024
"""What is sent of an entry at most; beyond that, where it is."""
_BATCH, _SLICE = 200, 500

ReadOnlyQuery = Callable[..., Mapping[str, Any]]
"""The body of a stored operation."""
Enqueue = Callable[[Sequence[str]], Awaitable[None]]
Cancel = Callable[[str], Awaitable[list[DeliveryJob]]]
"""Takes what still waits for a subscription out of the queue, and says what it was."""

log = logging.getLogger("studiograph.webhooks")


class Fanout:
    """Sees to it that every entry is delivered to whom it is for."""

    def __init__(  # noqa: PLR0913 - the roof names each
        self,
        subscriptions: SubscriptionStore,
        deliveries: DeliveryStore,
        *,
        entries: Callable[[], Sequence[ChangelogEntry]],
        reads: ReadOnlyQuery,
        changelog_url: str,
        enqueue: Enqueue,
        launch: Callable[[], Awaitable[None]],
        cancel: Cancel,
    ) -> None:
        """`launch` lets the jobs be worked on, where this process does that."""
        self._subscriptions = subscriptions
        self._deliveries = deliveries
        self._entries = entries
        self._reads = reads
        self._changelog_url = changelog_url
        self._enqueue = enqueue
        self._launch = launch
        self._cancel = cancel
        self._ended: set[str] = set()
        self._woken = asyncio.Event()

    def notify(self) -> None:
        """Have `follow` look at once."""
        self._woken.set()

    def end(self, subscription: str) -> None:
        """Have `follow` take what waits for a subscription that is gone out of the queue."""
        self._ended.add(subscription)
        self.notify()

    async def reconcile(self) -> int:
        """How many deliveries were put in the queue that nobody had put there. Raises: Unavailable.

        A process whose content is older than another's moves no cursor back.
        """
        entries = sorted(self._entries(), key=lambda entry: entry.published_at)
        if not entries:
            return 0
        newest = format_instant(entries[-1].published_at)
        lowest = await self._subscriptions.min_cursor(newest)
        if lowest is None:
            return 0
        entries = [each for each in entries if format_instant(each.published_at) > lowest]
        await self._keep(entries)
        counted: Counter[str] = Counter()
        while batch := await self._subscriptions.lagging(newest, _BATCH):
            parcels = {each.id: _parcels(each, entries) for each in batch}
            abouts = [parcel.job_key for each in parcels.values() for parcel in each]
            for at in range(0, len(abouts), _SLICE):
                await self._enqueue(abouts[at : at + _SLICE])
            for each in await self._subscriptions.advance_cursor(batch, newest):
                counted.update(parcel.entry for parcel in parcels[each.id])
        for entry, number in counted.items():
            log.info("entry %s is published: %d deliveries are queued", entry, number)
            finished = await self._deliveries.count(entry, number)
            if finished is not None:
                tell(finished)
        return counted.total()

    async def run(self) -> None:
        """Reconcile at the start, on every change, every minute, and soon after a failure."""
        trimmed = -float(TRIM_SECONDS)
        clock = asyncio.get_running_loop().time
        while True:
            seen = self._newest()
            self._woken.clear()
            is_done = await self._tried(self._round)
            if clock() - trimmed > TRIM_SECONDS and await self._tried(self._trim):
                trimmed = clock()
            until = clock() + (RECONCILE_SECONDS if is_done else RETRY_SECONDS)
            while clock() < until and self._newest() == seen and not self._woken.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), POLL_SECONDS)

    def _newest(self) -> object:
        return max((each.published_at for each in self._entries()), default=None)

    async def _round(self) -> None:
        for each in [*self._ended]:
            tell(*await self._deliveries.discard(await self._cancel(each)))
            self._ended.discard(each)
        if not await asyncio.to_thread(self._subscriptions.is_initialised):
            return
        if await self._subscriptions.is_any_active():
            await self._launch()
        await self.reconcile()

    async def _trim(self) -> None:
        if await asyncio.to_thread(self._subscriptions.is_initialised):
            await self._deliveries.purge_expired()
            await self._subscriptions.purge_expired()

    async def _tried(self, action: Callable[[], Awaitable[None]]) -> bool:
        """Whether it was done; what goes wrong is told, and tried again soon."""
        try:
            await action()
        except (DatabaseError, StudioError) as error:
            log.error("deliveries must wait: %s", error)  # noqa: TRY400 - it says it all
        except Exception as error:  # noqa: BLE001 - one odd entry must not end all deliveries
            log.error("deliveries must wait: %s", type(error).__name__)  # noqa: TRY400 - its text might be anybody's
        else:
            return True
        return False

    async def _keep(self, entries: Sequence[ChangelogEntry]) -> None:
        """Nothing, once the bytes of these entries are kept."""
        known = await self._deliveries.published_entries()
        for each in entries:
            if each.id not in known:
                body = event_body(self._reads, each.id, self._changelog_url)
                await self._deliveries.insert(each.id, format_instant(each.published_at), body)


def event_body(reads: ReadOnlyQuery, entry: str, changelog_url: str) -> bytes:
    """What is sent when an entry is published; of a large one, its id and where it is."""
    body = dict(reads("GetDelivery", entry=entry))
    data = _encoded(body)
    if len(data) <= MAX_BYTES:
        return data
    return _encoded({**body, "data": {"id": entry, "url": changelog_url}})


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def _parcels(subscription: Subscription, entries: Sequence[ChangelogEntry]) -> list[DeliveryJob]:
    """What a subscription has not got yet, the oldest first."""
    return [
        DeliveryJob(subscription.id, each.id)
        for each in entries
        if format_instant(each.published_at) > subscription.cursor
        and subscription.matches(each.kind.value)
    ]
