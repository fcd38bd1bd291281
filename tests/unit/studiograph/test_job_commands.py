"""`studiograph jobs`: what its operator sees of the work, and how what is dead is tried again."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_runs import Run, runs

from resolvers.jobs.queue import JobQueue
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, DeliveryStore
from resolvers.webhooks.retry_policy import DEAD, DELIVERED
from resolvers.webhooks.sender import JOB_NAME, job_type
from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from studiograph.commands import hooks
from studiograph.settings import Settings, database_of, jobs_url

NOW = 1_790_000_000.0
MOMENT = "2026-01-01T00:00:00Z"
WAITING = DeliveryJob("sub_a", "2026-01-02-two")
KNOWN, FORGOTTEN = DeliveryJob("sub_a", "2026-01-01-one"), DeliveryJob("sub_gone", "2026-01-01-one")
FAILED = Attempt(
    delivery=KNOWN.delivery,
    round=0,
    n=10,
    subscription=KNOWN.subscription,
    entry=KNOWN.entry,
    at=NOW,
    status=503,
    ms=12,
    error=None,
    verdict=DEAD,
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings with a data folder of their own."""
    return Settings(data=tmp_path / "var")


@pytest.fixture
def run(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("list")`: the exit code of `studiograph jobs list`, its output and its errors."""

    return runs(capsys, "jobs", settings=settings)


async def _nobody(_about: str, _attempt: int) -> None:
    """Nothing is done here."""


@pytest.fixture
def work(settings: Settings) -> None:
    """A delivery that waits, one that is dead, one whose subscriber is gone, one that was made."""

    async def put() -> None:
        database = database_of(settings)
        database.ensure_schema()
        deliveries = DeliveryStore(database, lambda: NOW)
        one = Subscription("sub_a", "https://a.example.com/", "example.com", (), b"", NOW, MOMENT)
        await SubscriptionStore(database, lambda: NOW).add(one)
        await deliveries.insert(KNOWN.entry, MOMENT, b"{}")
        gone = replace(FAILED, delivery=FORGOTTEN.delivery, subscription=FORGOTTEN.subscription)
        made = replace(FAILED, delivery="msg_made", entry="2026-01-03-three", verdict=DELIVERED)
        for attempt in (FAILED, replace(gone, status=None, error="unreachable"), made):
            await deliveries.record(attempt)
        queue = JobQueue(jobs_url(settings), [job_type(_nobody)], runs=False)
        await queue.enqueue(JOB_NAME, WAITING.job_key)
        await queue.close()
        await database.close()

    asyncio.run(put())


def test_where_nothing_is_to_be_done_it_says_so(run: Run) -> None:
    assert run("list") == run("list", "--status", "dead") == (0, "", f"{hooks.NO_JOBS}\n")
    assert run("list", "--json", "--quiet") == (0, "[]\n", "")


@pytest.mark.usefixtures("work")
def test_what_waits_and_what_is_dead_is_listed(run: Run) -> None:
    listed = json.loads(run("list", "--json")[1])
    assert listed == [
        {
            "id": WAITING.delivery,
            "kind": JOB_NAME,
            "status": "pending",
            "attempt": 1,
            "about": "2026-01-02-two to sub_a",
        },
        *json.loads(run("list", "--status", "dead", "--json")[1]),
    ]
    dead = {each["id"]: each for each in listed[1:]}
    assert dead[KNOWN.delivery] == {
        "id": KNOWN.delivery,
        "kind": JOB_NAME,
        "status": "dead",
        "attempt": 10,
        "last": "503",
        "about": "2026-01-01-one to sub_a",
    }
    assert dead[FORGOTTEN.delivery]["last"] == "unreachable"
    assert len(dead) == 2
    code, out, err = run("list", "--status", "pending")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["ID", "KIND", "STATE", "ATTEMPT", "DUE", "LAST", "ABOUT"],
        [WAITING.delivery, JOB_NAME, "pending", "1", "2026-01-02-two", "to", "sub_a"],
    ]


@pytest.mark.usefixtures("work")
def test_a_dead_delivery_is_put_into_the_queue_again(run: Run) -> None:
    code, out, err = run("retry", KNOWN.delivery)
    assert (code, out) == (0, "")
    assert err == f"{KNOWN.delivery} is queued; the running service will send it again.\n"
    waits = json.loads(run("list", "--status", "pending", "--json")[1])
    assert [(each["id"], each["attempt"]) for each in waits] == [
        (WAITING.delivery, 1),
        (KNOWN.delivery, 1),
    ]


@pytest.mark.usefixtures("work")
def test_what_cannot_be_tried_again_says_why(run: Run) -> None:
    for name in ("msg_made", "msg_unknown", WAITING.delivery):
        assert run("retry", name) == (1, "", f"no failed delivery has this id. {hooks.SEE_DEAD}\n")
    told = f"{FORGOTTEN.delivery}: its subscription is gone or disabled. {hooks.SEE_SUBSCRIBERS}\n"
    assert run("retry", FORGOTTEN.delivery) == (1, "", told)
