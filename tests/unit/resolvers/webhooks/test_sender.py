"""One attempt is one signed request, written down, and followed by what its answer asks for."""

import asyncio
import json
import time
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
from databases import store
from nacl.signing import SigningKey
from receiver_behaviours import Habit, Heard, Hook, Say, answer, answers, hook
from standardwebhooks import Webhook, WebhookVerificationError
from webhook_services import SEED, Hall, entry, with_hall

from resolvers.jobs.job_type import PermanentFailureError, RetryLaterError
from resolvers.webhooks.delivery_store import ENDPOINT_GONE, DeliveryJob
from resolvers.webhooks.retry_policy import ABORTED, DEAD, DELIVERED, DISABLED, RETRY
from resolvers.webhooks.sender import PerHostLimiter, QueueFullError
from resolvers.webhooks.subscription_store import Subscription

FINE = answers(lambda _: b"thanks")
BAD = answers(lambda _: b"no", 500)
ENTRIES = [entry(f"e{number}", at=f"2026-03-02T00:00:0{number}Z") for number in range(8)]


async def queued(
    made: Hall, receiver: Hook, number: int = 1
) -> tuple[Subscription, list[DeliveryJob]]:
    """A subscription of a receiver, and so many jobs for it."""
    stored = await made.store(receiver.url)
    made.entries = ENTRIES[:number]
    await made.fanout().reconcile()
    return stored, [DeliveryJob.parse(key) for key in made.queued if key.startswith(stored.id)]


async def tried(made: Hall, job: DeliveryJob, number: int = 1) -> float:
    """The seconds until the next attempt; none follows where it is 0."""
    try:
        await made.worker().run(job.job_key, number)
    except RetryLaterError as again:
        return again.seconds
    return 0


def saying(status: int, **headers: str) -> Habit:
    """The habit of one that answers with a status and headers."""

    async def habit(_: Heard, say: Say) -> None:
        await say(answer(b"", status, **headers))

    return habit


def test_a_delivery_is_signed_twice_and_verifies_by_other_hands(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(FINE) as receiver:
            stored, (job,) = await queued(made, receiver)
            assert await tried(made, job) == 0
        (heard,) = receiver.heard
        body = json.loads(heard.body)
        assert (body["type"], body["data"]["id"]) == ("changelog.added", job.entry)
        secret = made.cipher.decrypt(stored.secret)
        assert Webhook(secret).verify(heard.body, heard.headers) == body
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(heard.body.replace(b"About", b"abouT"), heard.headers)
        identifier, moment = heard.headers["webhook-id"], heard.headers["webhook-timestamp"]
        signed = b"%s.%s.%s" % (identifier.encode(), moment.encode(), heard.body)
        v1a = heard.headers["webhook-signature"].partition("v1a,")[2]
        SigningKey(SEED).verify_key.verify(signed, b64decode(v1a))
        assert identifier == job.delivery
        assert abs(int(moment) - time.time()) < 5
        assert (heard.method, heard.target) == ("POST", "/in?a=b")
        assert heard.headers["user-agent"] == "studio-webhooks/2"
        (attempt,) = await made.deliveries.attempts(job.delivery)
        assert (attempt.verdict, attempt.status, attempt.error) == (DELIVERED, 200, None)
        (stored,) = await made.subscriptions.all()
        assert stored.last_success_at == attempt.at

    with_hall(url, work)


def test_what_fails_is_tried_by_the_schedule_with_the_same_bytes_and_then_is_dead(
    url: str,
) -> None:
    async def work(made: Hall) -> None:
        async with hook(BAD) as receiver:
            _, (job,) = await queued(made, receiver)
            assert 3.5 < await tried(made, job, 1) < 5
            made.clock.ahead += timedelta(seconds=10)
            assert 298 < await tried(made, job, 2) < 300
            made.clock.ahead += timedelta(seconds=400)
            with pytest.raises(PermanentFailureError):
                await made.worker().run(job.job_key, 3)
        bodies = {heard.body for heard in receiver.heard}
        identifiers = {heard.headers["webhook-id"] for heard in receiver.heard}
        moments = [int(heard.headers["webhook-timestamp"]) for heard in receiver.heard]
        assert (len(receiver.heard), len(bodies), len(identifiers)) == (3, 1, 1)
        assert moments[1] - moments[0] >= 10
        attempts = await made.deliveries.attempts(job.delivery)
        assert [(each.n, each.verdict) for each in attempts] == [(1, RETRY), (2, RETRY), (3, DEAD)]
        assert [each.delivery for each in await made.deliveries.dead()] == [job.delivery]
        assert await made.deliveries.count_dead() == 1

    with_hall(url, work)


def test_a_dead_delivery_has_another_round_when_the_owner_asks_for_it(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(BAD) as receiver:
            _, (job,) = await queued(made, receiver)
            with pytest.raises(PermanentFailureError):
                await made.worker().run(job.job_key, 1)
            receiver.habit = FINE
            again = await made.deliveries.next_round(job.delivery)
            assert again == (later := replace(job, round=1))
            assert await tried(made, later) == 0
        assert len({heard.headers["webhook-id"] for heard in receiver.heard}) == 1
        assert await made.deliveries.dead() == []
        assert await made.deliveries.count_dead() == 0
        for none in (job.delivery, "msg_nothing"):
            assert await made.deliveries.next_round(none) is None

    with_hall(url, work, schedule=(0,))


def test_an_attempt_that_was_written_down_is_not_made_again(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(BAD) as receiver:
            _, (job,) = await queued(made, receiver)
            first = await tried(made, job, 1)
            assert abs(await tried(made, job, 1) - first) < 1
            assert len(receiver.heard) == 1
            receiver.habit = FINE
            for _ in range(2):
                assert await tried(made, job, 2) == 0
            assert len(receiver.heard) == 2

    with_hall(url, work)


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_receiver_that_is_busy_says_when_to_come_again(url: str, form: str) -> None:
    async def work(made: Hall) -> None:
        then = format_datetime(datetime.now(UTC) + timedelta(seconds=41), usegmt=True)
        asked = {"seconds": "40", "date": then}[form]
        async with hook(saying(503, retry_after=asked)) as receiver:
            _, (job,) = await queued(made, receiver)
            assert 37 < await tried(made, job) < 41

    with_hall(url, work)


def test_gone_disables_at_once_and_sends_no_more(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(saying(410)) as receiver:
            stored, (first, *rest) = await queued(made, receiver, 3)
            assert await tried(made, first) == 0
            for job in rest:
                assert await tried(made, job) == 0
            assert len(receiver.heard) == 1
        (now,) = await made.subscriptions.all()
        assert (now.id, now.disabled_reason) == (stored.id, ENDPOINT_GONE)
        (attempt,) = await made.deliveries.attempts(first.delivery)
        assert attempt.verdict == DISABLED

    with_hall(url, work)


def test_a_receiver_can_end_one_message_alone(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(saying(400, webhook_delivery="abort-message")) as receiver:
            _, (first, second) = await queued(made, receiver, 2)
            assert await tried(made, first) == 0
            receiver.habit = FINE
            assert await tried(made, second) == 0
        verdicts = [(await made.deliveries.attempts(each.delivery))[0] for each in (first, second)]
        assert [each.verdict for each in verdicts] == [ABORTED, DELIVERED]

    with_hall(url, work)


def test_who_has_gone_is_sent_nothing(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(FINE) as receiver:
            stored, (job,) = await queued(made, receiver)
            await made.subscriptions.remove(stored.id)
            assert await tried(made, job) == 0
            assert receiver.heard == []

    with_hall(url, work)


def test_a_redirect_is_not_followed_and_a_host_that_is_barred_is_not_reached(url: str) -> None:
    async def work(made: Hall) -> None:
        async with hook(FINE) as secret:
            there = f"http://127.0.0.1:{secret.port}/"
            async with hook(saying(302, location=there)) as receiver:
                _, (job,) = await queued(made, receiver)
                assert await tried(made, job) > 0
            assert secret.heard == []
            barred = await made.store("https://127.0.0.2/in")
            assert await tried(made, replace(job, subscription=barred.id)) > 0
        (attempt,) = await made.deliveries.attempts(replace(job, subscription=barred.id).delivery)
        assert (attempt.status, attempt.error) == (None, "blocked: the host is not public")

    with_hall(url, work)


def test_a_host_is_sent_four_at_a_time_and_who_comes_too_many_comes_later(tmp_path: Path) -> None:
    async def work(made: Hall) -> None:
        go, full = asyncio.Event(), asyncio.Event()

        async def patient(_: Heard, say: Say) -> None:
            if receiver.inside == 4:
                full.set()
            await go.wait()
            await say(answer(b"ok"))

        async with hook(patient) as receiver:
            jobs = [(await queued(made, receiver))[1][0] for _ in range(8)]
            worker = made.worker()
            tasks = [asyncio.create_task(worker.run(each.job_key, 1)) for each in jobs]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            assert all(isinstance(each.exception(), RetryLaterError) for each in done)
            await full.wait()
            go.set()
            came = await asyncio.gather(*tasks, return_exceptions=True)
            assert receiver.most_inside == 4
            assert sum(isinstance(each, RetryLaterError) for each in came) == 2
            assert len(receiver.heard) == 6

    with store("sqlite", tmp_path) as url:
        with_hall(url, work)


def test_turns_are_given_in_order_and_forgotten_places_cost_nothing() -> None:
    async def work() -> None:
        turns, order = PerHostLimiter(1, 1), list[str]()

        async def take(name: str) -> None:
            async with turns.slot("here"):
                order.append(name)

        async with turns.slot("here"):
            waiting = asyncio.create_task(take("second"))
            await asyncio.sleep(0)
            with pytest.raises(QueueFullError):
                await take("third")
            async with turns.slot("there"):
                pass
        await waiting
        assert order == ["second"]
        assert turns._slots == {}  # noqa: SLF001 - the claim

    asyncio.run(work())
