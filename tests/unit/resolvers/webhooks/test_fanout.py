"""Every entry reaches the queue once for everybody whom it is for, wherever it was cut off."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from databases import store
from webhook_services import Hall, entry, hall, with_hall

from resolvers.db.database import Database
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, PendingDelivery
from resolvers.webhooks.fanout import MAX_BYTES, event_body
from resolvers.webhooks.retry_policy import DEAD, DELIVERED
from resolvers.webhooks.subscription_store import SubscriptionStore
from sdl.errors import UnavailableError

OLD = entry("old", at="2026-03-01T09:30:00Z")

ADDED = entry("one", "added", "2026-03-02T00:00:00Z")

FIXED = entry("two", "fixed", "2026-03-03T00:00:00Z")

AT = "2026-03-02T00:00:00Z"

NEXT = entry("three", "added", "2026-03-04T00:00:00Z")


def test_only_new_entries_of_the_wanted_kinds_are_queued_the_oldest_first(url: str) -> None:
    async def work(made: Hall) -> None:
        made.entries = [FIXED, ADDED, OLD]
        every = await made.store("https://a.example/")
        some = await made.store("https://b.example/", "fixed", "removed")
        none = await made.store("https://c.example/", "announced")
        assert await made.fanout().reconcile() == 3
        assert sorted(made.queued) == sorted(
            [f"{every.id}:{ADDED.id}:0", f"{every.id}:{FIXED.id}:0", f"{some.id}:{FIXED.id}:0"]
        )
        of_one = [key for key in made.queued if key.startswith(every.id)]
        assert of_one == [f"{every.id}:{ADDED.id}:0", f"{every.id}:{FIXED.id}:0"]
        cursors = {each.cursor for each in await made.subscriptions.all()}
        assert cursors == {"2026-03-03T00:00:00Z"}
        assert none.id not in "".join(made.queued)

    with_hall(url, work)


def test_what_was_queued_is_not_queued_again(url: str) -> None:
    async def work(made: Hall) -> None:
        made.entries = [ADDED]
        stored = await made.store("https://a.example/")
        fanout = made.fanout()
        assert [await fanout.reconcile() for _ in range(3)] == [1, 0, 0]
        made.entries = [NEXT, ADDED]
        assert await made.fanout().reconcile() == 1
        assert made.queued == [f"{stored.id}:{each.id}:0" for each in (ADDED, NEXT)]
        made.queued.clear()
        made.entries = [ADDED]
        assert await made.fanout().reconcile() == 0
        assert made.queued == []

    with_hall(url, work)


def test_a_queue_that_is_gone_moves_no_cursor(url: str) -> None:
    async def gone(_: Sequence[str]) -> None:
        raise UnavailableError("The queue does not answer")

    async def work(made: Hall) -> None:
        made.entries = [ADDED]
        stored = await made.store("https://a.example/")
        with pytest.raises(UnavailableError):
            await made.fanout(gone).reconcile()
        assert await made.fanout().reconcile() == 1
        assert made.queued == [f"{stored.id}:{ADDED.id}:0"]

    with_hall(url, work)


def test_eight_at_once_count_every_delivery_once(url: str) -> None:
    async def work(made: Hall) -> None:
        made.entries = [FIXED, ADDED]
        for number in range(30):
            await made.store(f"https://a.example/{number}", owner=f"host {number}")
        counts = await asyncio.gather(*(made.fanout().reconcile() for _ in range(8)))
        assert sum(counts) == 60
        assert len(made.queued) == len(set(made.queued)) == 60

    with_hall(url, work)


def test_who_is_disabled_gets_nothing_and_after_that_nothing_of_what_was_missed(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        await made.subscriptions.disable(stored.id, "by hand")
        made.entries = [ADDED]
        assert await made.fanout().reconcile() == 0
        await made.store("https://b.example/", "removed")
        assert await made.fanout().reconcile() == 0
        assert await made.subscriptions.enable(stored.id)
        assert await made.fanout().reconcile() == 0
        made.entries = [NEXT, ADDED]
        assert await made.fanout().reconcile() == 1
        assert made.queued == [f"{stored.id}:{NEXT.id}:0"]

    with_hall(url, work)


def test_the_first_bytes_of_an_entry_stay(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        made.entries = [ADDED]
        await made.fanout().reconcile()
        first = await made.deliveries.load(DeliveryJob(stored.id, ADDED.id), 1)
        await made.deliveries.insert(ADDED.id, "2026-03-02T00:00:00Z", b"other")
        again = await made.deliveries.load(DeliveryJob(stored.id, ADDED.id), 1)
        assert isinstance(first, PendingDelivery)
        assert isinstance(again, PendingDelivery)
        assert first.body == again.body
        assert json.loads(first.body)["data"]["id"] == ADDED.id

    with_hall(url, work)


@pytest.mark.parametrize("letters", [MAX_BYTES // 2, MAX_BYTES])
def test_a_large_entry_is_sent_as_where_it_is(letters: int) -> None:
    full = {"type": "changelog.added", "timestamp": "x", "data": {"body": "é" * (letters // 2)}}
    thin = {"id": "2026-03-02-one", "url": "https://studio.example/api/changelog"}
    sent = event_body(lambda _, entry: {**full, "entry": entry}, thin["id"], thin["url"])
    body = json.loads(sent)
    assert len(sent) <= MAX_BYTES
    assert (body["type"], body["timestamp"]) == ("changelog.added", "x")
    assert body["data"] == (full["data"] if letters < MAX_BYTES else thin)


def done(job: DeliveryJob, verdict: str, number: int = 1) -> Attempt:
    """An attempt that ends a delivery."""
    named = (job.delivery, job.round, number, job.subscription, job.entry)
    return Attempt(*named, 0.0, 200, 5, None, verdict)


def test_the_owner_is_told_of_an_entry_and_of_the_number_of_its_deliveries(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(made: Hall) -> None:
        for number in range(3):
            await made.store(f"https://a.example/{number}")
        made.entries = [ADDED]
        with caplog.at_level("INFO", "studiograph.webhooks"):
            await made.fanout().reconcile()

    with_hall(url, work)
    assert f"entry {ADDED.id} is published: 3 deliveries are queued" in caplog.text


def test_what_is_old_is_trimmed_and_is_not_delivered_again(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        made.entries = [ADDED]
        await made.fanout().reconcile()
        await made.deliveries.record(done(DeliveryJob(stored.id, ADDED.id), DELIVERED))
        later = Hall(made.database, entries=[ADDED])
        later.clock.ahead = made.clock.ahead.__class__(days=31)
        await later.deliveries.purge_expired()
        assert await later.deliveries.published_entries() == set()
        assert await later.deliveries.attempts(DeliveryJob(stored.id, ADDED.id).delivery) == []
        assert await later.fanout().reconcile() == 0
        assert later.queued == []

    with_hall(url, work)


def test_new_entries_are_seen(tmp_path: Path) -> None:
    async def work(url: str) -> None:
        async with hall(url) as made:
            queued = asyncio.Event()

            async def enqueue(keys: Sequence[str]) -> None:
                made.queued += keys
                queued.set()

            stored = await made.store("https://a.example/")
            following = asyncio.create_task(made.fanout(enqueue).run())
            made.entries = [ADDED]
            await asyncio.wait_for(queued.wait(), 10)
            assert made.queued == [f"{stored.id}:{ADDED.id}:0"]
            queued.clear()
            made.entries = [NEXT, ADDED]
            await asyncio.wait_for(queued.wait(), 10)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    with store("sqlite", tmp_path) as address:
        asyncio.run(work(address))


def test_whether_there_is_anybody_is_known(url: str) -> None:
    async def work(made: Hall) -> None:
        assert not made.subscriptions.has_any()
        stored = await made.store("https://a.example/")
        assert made.subscriptions.has_any()
        assert await made.subscriptions.is_any_active()
        await made.subscriptions.disable(stored.id, "by hand")
        assert not await made.subscriptions.is_any_active()
        assert made.subscriptions.has_any()
        await made.deliveries.insert(ADDED.id, AT, b"kept")
        await made.subscriptions.remove(stored.id)
        assert made.subscriptions.has_any()
        assert Database(url).is_initialised()

    with_hall(url, work)


def test_whether_there_is_anybody_is_known_while_another_process_writes(url: str) -> None:
    database = Database(url)
    with database.transaction():
        assert not SubscriptionStore(Database(url), lambda: 0.0).has_any()


def test_who_alone_was_there_and_disabled_gets_nothing_of_what_was_missed(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        await made.subscriptions.disable(stored.id, "by hand")
        made.entries = [ADDED]
        following = asyncio.create_task(made.fanout().run())
        async with asyncio.timeout(10):
            while (await made.subscriptions.all())[0].cursor != AT:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        assert await made.subscriptions.enable(stored.id)
        assert await made.fanout().reconcile() == 0
        assert made.queued == []

    with_hall(url, work)


def test_the_bytes_of_an_entry_are_kept_as_long_as_an_attempt_can_be_repeated(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        made.entries = [ADDED]
        await made.fanout().reconcile()
        later = Hall(made.database, entries=[ADDED])
        later.clock.ahead = timedelta(days=31)
        late = replace(
            done(job := DeliveryJob(stored.id, ADDED.id), DEAD), at=later.clock.seconds()
        )
        await later.deliveries.record(late)
        await later.deliveries.purge_expired()
        again = await later.deliveries.next_round(job.delivery)
        assert again is not None
        assert isinstance(await later.deliveries.load(again, 1), PendingDelivery)
        later.clock.ahead = timedelta(days=62)
        await later.deliveries.purge_expired()
        assert await later.deliveries.published_entries() == set()

    with_hall(url, work)
