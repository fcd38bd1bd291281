"""Who fails for long is sent nothing more, and who seems dead takes no room from the others."""

from dataclasses import replace

import pytest
from receiver_behaviours import answers, hook
from webhook_services import Hall, entry, with_hall

from resolvers.jobs.job_type import RetryLaterError
from resolvers.webhooks.delivery_store import (
    ENDPOINT_FAILING,
    Attempt,
    DeliveryJob,
    PendingDelivery,
)
from resolvers.webhooks.retry_policy import DELIVERED, RETRY
from resolvers.webhooks.subscription_store import Subscription

DAY = 24 * 3600
ENTRIES = [entry(f"e{number}", at=f"2026-03-02T00:00:0{number}Z") for number in range(6)]


def failed(stored: Subscription, name: str, number: int, at: float) -> Attempt:
    """An attempt that failed at an instant."""
    job = DeliveryJob(stored.id, name)
    return Attempt(job.delivery, 0, number, stored.id, name, at, 500, 5, None, RETRY, at + 5)


@pytest.mark.parametrize(
    ("names", "days", "is_disabled"),
    [
        (["a", "b", "c"], 5.01, True),
        (["a", "b", "b"], 5.01, False),
        (["a", "b", "c"], 4.99, False),
        (["a", "b", "c", "d"], 30, True),
    ],
)
def test_five_days_of_failures_of_three_deliveries_disable(
    url: str, names: list[str], days: float, *, is_disabled: bool
) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        moments = [0.0] * (len(names) - 1) + [days * DAY]
        recorded = [
            await made.deliveries.record(failed(stored, name, number, at))
            for number, (name, at) in enumerate(zip(names, moments, strict=True))
        ]
        assert recorded[-1] == is_disabled
        (now,) = await made.subscriptions.all()
        assert (now.disabled_reason == ENDPOINT_FAILING, now.is_active) == (
            is_disabled,
            not is_disabled,
        )

    with_hall(url, work)


def test_one_success_makes_all_failures_forgotten(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        for number, name in enumerate(("a", "b", "c")):
            await made.deliveries.record(failed(stored, name, number, 0.0))
        fine = replace(failed(stored, "d", 1, 2.0 * DAY), verdict=DELIVERED)
        await made.deliveries.record(fine)
        recorded = await made.deliveries.record(failed(stored, "e", 1, 6.0 * DAY))
        assert not recorded
        (now,) = await made.subscriptions.all()
        assert (now.consecutive_failures, now.first_failure_at) == (1, 6.0 * DAY)
        assert now.last_success_at == 2.0 * DAY

    with_hall(url, work)


def test_an_address_taken_for_dead_gets_a_probe_only_where_there_is_room_for_one(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(answers(lambda _: b"thanks")) as receiver:
            stored = await made.store(receiver.url)
            made.entries = ENTRIES
            await made.fanout().reconcile()
            jobs = [DeliveryJob.parse(key) for key in made.queued]
            for number, name in enumerate(("a", "b", "c", "d")):
                await made.deliveries.record(failed(stored, name, number, made.clock.seconds()))
            pending = await made.deliveries.load(jobs[0], 1)
            assert isinstance(pending, PendingDelivery)
            assert not pending.is_probing
            await made.deliveries.record(failed(stored, "e", 1, made.clock.seconds()))
            with pytest.raises(RetryLaterError) as again:
                await made.worker(probes=0).run(jobs[0].job_key, 1)
            assert again.value.seconds <= 3
            for number, least in ((2, 2), (5, 16), (900, 64)):
                with pytest.raises(RetryLaterError) as again:
                    await made.worker(probes=0).run(jobs[0].job_key, number)
                assert again.value.seconds >= least
            assert receiver.heard == []
            assert await made.deliveries.attempts(jobs[0].delivery) == []
            await made.worker(probes=1).run(jobs[0].job_key, 2)
            pending = await made.deliveries.load(jobs[1], 1)
            assert isinstance(pending, PendingDelivery)
            assert not pending.is_probing

    with_hall(url, work)


def test_an_enabled_subscription_begins_without_failures(url: str) -> None:
    async def work(made: Hall) -> None:
        stored = await made.store("https://a.example/")
        for number, name in enumerate(["a", "b", "c"]):
            await made.deliveries.record(failed(stored, name, number, number * 3 * DAY))
        assert await made.subscriptions.enable(stored.id)
        for number, name in enumerate(["d", "e", "f"]):
            assert not await made.deliveries.record(failed(stored, name, number, 7 * DAY))
        (now,) = await made.subscriptions.all()
        assert now.is_active

    with_hall(url, work)
