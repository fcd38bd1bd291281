"""What becomes of a delivery: the schedule is kept, the receiver's word counts, none starves."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from databases import KINDS
from webhook_server import SCALE, Served, Studio, Subscribed, studio, until
from webhook_sinks import OK, Sink, sink

from resolvers.jobs.store import list_unfinished as waiting

STEPS = (0, 1, 1, 1)
JITTER = 0.1
LATE_SECONDS = 30
"""How long after its time a retry still counts as in time.

The schedule waits seconds, then five minutes, half an hour, hours; half a minute more is a tenth of
the first wait that the owner of a receiver could notice. Of a storm of 300 retries, of which the
queue starts some each second, the last was seen 14.6 s after its time.
"""
SLOW_SECONDS = 10
"""A third less than an answer may take."""
ASKED_SECONDS = 4
MANY = 30 * SCALE
ENTRIES = 3
HOUR = 3600
EARLY_SECONDS = 1
"""How long before its time an attempt leaves the queue."""


@dataclass
class Scene:
    """A service and receivers."""

    studio: Studio
    served: Served
    sink: Sink

    def threads_and_kilobytes(self) -> tuple[int, int]:
        """What the service's process has of both."""
        text = Path(f"/proc/{self.served.process.pid}/status").read_text()
        told = dict(line.split(":", 1) for line in text.splitlines())
        return int(told["Threads"]), int(told["VmRSS"].split()[0])

    def has_loaded_all(self) -> bool:
        """Whether what the service loads in the background is there: it takes memory once."""
        return "answers from" in (self.studio.folder / "log").read_text()

    def forget(self, every: list[Subscribed]) -> None:
        """Nothing, once they are subscribed no more."""
        for each in every:
            assert self.served.unsubscribe(each.id, each.secret).status_code == 200

    def has_come(self, hook: str, count: int) -> bool:
        """Whether so many deliveries came to a hook."""
        return len(self.sink.ledger(hook)) >= count

    def is_idle(self) -> bool:
        """Whether no job waits or runs."""
        return not {"PENDING", "ENQUEUED", "DELAYED"} & set(self.studio.states())


@pytest.fixture(scope="module", params=KINDS)
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """A service with a short schedule on a store of a kind."""
    folder, steps = tmp_path_factory.mktemp(request.param), ",".join(map(str, STEPS))
    with sink(8 * SCALE) as hosts, studio(request.param, folder, WEBHOOK_SCHEDULE=steps) as made:
        yield Scene(made, made.start(), hosts)


def listed(studio: Studio, *words: str) -> list[dict[str, Any]]:
    """What a command lists, from outside the running service."""
    done = studio.command(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_slow_host_holds_up_nobody_and_is_asked_one_at_a_time(scene: Scene) -> None:
    scene.sink.rule("slow", delay=SLOW_SECONDS)
    fast = [f"fast-{number}" for number in range(MANY)]
    every = scene.served.follow(scene.sink, ["slow", *fast], kinds=["added"])
    scene.studio.publish(ENTRIES)
    until(lambda: sum(hook != "slow" for hook, _ in scene.sink.acked()) == ENTRIES * MANY)
    assert len(scene.sink.ledger("slow")) < ENTRIES  # the last comes after 20 s
    assert scene.sink.counts()["most"]["slow"] == 1
    assert set(scene.sink.acked().values()) == {1}
    scene.forget(every)


def test_a_storm_of_failures_is_tried_as_the_schedule_says_and_then_dead(scene: Scene) -> None:
    hooks = [f"storm-{number}" for number in range(MANY)]
    for hook in hooks:
        scene.sink.rule(hook, answers=[(503, {})])
    every = scene.served.follow(scene.sink, hooks, kinds=["fixed"])
    scene.studio.publish(kind="fixed")
    until(lambda: {entry.hook for entry in scene.sink.ledger()} >= set(hooks))
    until(scene.has_loaded_all)
    threads, kilobytes = scene.threads_and_kilobytes()
    until(scene.is_idle)
    more_threads, more_kilobytes = scene.threads_and_kilobytes()
    assert more_threads <= threads + 16
    assert more_kilobytes <= kilobytes + 64 * 1024
    for hook in hooks:
        entries = scene.sink.ledger(hook)
        assert len(entries) == len(STEPS)
        assert len({entry.id for entry in entries}) == 1
        assert len({entry.timestamp for entry in entries}) > 1
        for wait, (one, after) in zip(STEPS[1:], pairwise(entries), strict=True):
            assert wait - 0.05 <= after.at - one.at <= wait * (1 + JITTER) + LATE_SECONDS
    dead = {each["id"] for each in listed(scene.studio, "jobs", "list", "--status", "dead")}
    assert dead == {scene.sink.ledger(hook)[0].id for hook in hooks}
    chosen = hooks[0]
    scene.sink.rule(chosen, answers=[OK])
    done = scene.studio.command("jobs", "retry", scene.sink.ledger(chosen)[0].id)
    assert done.returncode == 0, done.stderr
    until(lambda: scene.has_come(chosen, len(STEPS) + 1))
    until(scene.is_idle)
    left = {each["id"] for each in listed(scene.studio, "jobs", "list", "--status", "dead")}
    assert left == dead - {scene.sink.ledger(chosen)[0].id}
    scene.forget(every)


def test_a_host_says_when_to_come_again_or_never(scene: Scene) -> None:
    scene.sink.rule("later", answers=[(503, {"retry-after": str(ASKED_SECONDS)}), OK])
    scene.sink.rule("stops", answers=[(500, {"webhook-delivery": "abort-message"}), OK])
    scene.sink.rule("gone", answers=[(410, {})])
    scene.sink.rule("moved", answers=[(302, {"location": scene.sink.url("trap")}), OK])
    hooks = ["later", "stops", "gone", "moved"]
    every = scene.served.follow(scene.sink, hooks, kinds=["removed"])
    scene.studio.publish(kind="removed")
    until(lambda: scene.has_come("later", 2) and scene.has_come("moved", 2))
    first, second = scene.sink.ledger("later")
    assert ASKED_SECONDS <= second.at - first.at <= ASKED_SECONDS + LATE_SECONDS
    scene.studio.publish(kind="removed")
    until(lambda: scene.has_come("later", 3) and scene.has_come("stops", 2))
    until(scene.is_idle)
    assert len({entry.id for entry in scene.sink.ledger("stops")}) == 2
    assert len(scene.sink.ledger("gone")) == 1
    assert scene.sink.ledger("trap") == []
    found = {each["id"]: each for each in listed(scene.studio, "subscribers", "list")}
    assert [found[each.id]["active"] for each in every] == [True, True, False, True]
    scene.forget(every)


@pytest.mark.parametrize("kind", KINDS)
def test_a_retry_in_an_hour_survives_a_restart(kind: str, tmp_path: Path) -> None:
    with sink() as hosts, studio(kind, tmp_path, WEBHOOK_SCHEDULE=f"0,{HOUR}") as made:
        hosts.rule("hourly", answers=[(500, {}), OK])
        made.start().follow(hosts, ["hourly"])
        made.publish()
        until(lambda: hosts.ledger("hourly"))
        until(lambda: [row.status for row in waiting(made.jobs_url)] == ["delayed"])
        (before,) = waiting(made.jobs_url)
        made.kill()
        made.start()
        made.publish()  # which the new process delivers, so it works
        until(lambda: len(hosts.ledger("hourly")) == 2)
        until(lambda: len(waiting(made.jobs_url)) == 1)
        assert waiting(made.jobs_url) == [before]
        first, second = hosts.ledger("hourly")
        assert first.id != second.id == next(iter(hosts.acked()))[1]
        assert before.due_at is not None
        wait = before.due_at - first.at
        assert HOUR * (1 - JITTER) - EARLY_SECONDS <= wait <= HOUR * (1 + JITTER) + LATE_SECONDS
