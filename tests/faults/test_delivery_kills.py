"""Whatever dies and however often an entry is published: nothing is lost, little comes twice."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from hooking import SCALE, Studio, studio, until
from sink_program import EVERY
from sinks import Sink, sink
from stores import KINDS

HOOKS = [f"h{number}" for number in range(20 * SCALE)]
ENTRIES = 5
ALL = len(HOOKS) * ENTRIES
MIDDLE = "sub_8"
"""About half of all ids are below it."""
WORK_SECONDS = 0.3
STOP_SECONDS = 30
SWEEP_SECONDS = 30


@dataclass
class Scene:
    """A studio without a process yet, and receivers that take their time."""

    studio: Studio
    sink: Sink

    def acked(self) -> int:
        """How many messages were acknowledged."""
        return int(self.sink.counts()["acked"])

    def again(self) -> int:
        """How many deliveries came beyond one for each message."""
        return int(self.sink.counts()["again"])

    def at_once(self) -> int:
        """How many deliveries were in hand at the same time, at most."""
        return int(self.sink.counts()["most"].get(EVERY, 0))

    def is_done(self) -> bool:
        """Whether no job is left."""
        return not {"PENDING", "ENQUEUED", "DELAYED"} & set(self.studio.states())


@pytest.fixture(params=KINDS)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """A studio on an empty store of a kind."""
    with sink(2 * SCALE) as receivers, studio(request.param, tmp_path) as made:
        for hook in HOOKS:
            receivers.rule(hook, delay=WORK_SECONDS, keep=False)
        yield Scene(made, receivers)


def test_killed_processes_lose_nothing_and_double_at_most_what_was_in_hand(scene: Scene) -> None:
    tree = scene.studio.start(workers=4)
    tree.follow(scene.sink, HOOKS)
    scene.studio.publish(ENTRIES)
    until(lambda: scene.acked() >= ALL // 10)
    os.kill(tree.workers()[0], signal.SIGKILL)
    until(lambda: scene.acked() >= ALL // 3)
    scene.studio.kill()
    assert scene.acked() < ALL
    scene.studio.start()
    until(lambda: scene.acked() == ALL)
    until(scene.is_done)
    assert scene.acked() == ALL
    assert scene.again() <= 2 * scene.at_once()


def test_those_that_are_left_finish_the_work_of_the_dead(scene: Scene) -> None:
    with ThreadPoolExecutor(4) as pool:
        four = list(pool.map(lambda _: scene.studio.start(), range(4)))
    four[0].follow(scene.sink, HOOKS)
    scene.studio.publish(ENTRIES)
    until(lambda: scene.acked() >= ALL // 10)
    for one in four[:2]:
        one.kill()
    began = time.monotonic()
    until(scene.is_done)
    assert time.monotonic() - began < SWEEP_SECONDS
    assert scene.acked() == ALL
    assert scene.again() <= scene.at_once()


def test_a_stop_under_load_loses_nothing_and_doubles_nothing(scene: Scene) -> None:
    tree = scene.studio.start(workers=2)
    tree.follow(scene.sink, HOOKS)
    scene.studio.publish(ENTRIES)
    until(lambda: scene.acked() >= ALL // 10)
    began = time.monotonic()
    tree.stop()
    assert time.monotonic() - began <= STOP_SECONDS
    scene.studio.served.clear()
    assert scene.acked() < ALL
    scene.studio.start()
    until(lambda: scene.acked() == ALL)
    until(scene.is_done)
    assert (scene.acked(), scene.again()) == (ALL, 0)


def test_an_entry_that_is_published_again_and_again_is_sent_once(scene: Scene) -> None:
    tree = scene.studio.start(workers=3)
    tree.follow(scene.sink, HOOKS)
    before = scene.studio.rows("SELECT min(cursor) FROM subscription")[0][0]
    scene.studio.publish(2)  # seen by three processes at once
    for _ in range(8):
        tree.process.send_signal(signal.SIGHUP)
    until(lambda: scene.acked() == 2 * len(HOOKS))
    until(scene.is_done)
    scene.studio.kill()
    # As if all had died before they wrote down how far half of the subscriptions had come,
    # and for the others a month had passed: what is finished is forgotten.
    scene.studio.rows(f"UPDATE subscription SET cursor = '{before}' WHERE id < '{MIDDLE}'")  # noqa: S608 - our own words
    scene.studio.rows(f"DELETE FROM JOBS.workflow_status WHERE workflow_uuid >= 'dlv:{MIDDLE}'")  # noqa: S608 - our own words
    scene.studio.start()
    scene.studio.publish()
    until(lambda: scene.acked() == 3 * len(HOOKS))
    until(scene.is_done)
    assert (scene.acked(), scene.again()) == (3 * len(HOOKS), 0)
