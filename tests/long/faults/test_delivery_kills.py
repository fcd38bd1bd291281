"""Whatever dies and however often an entry is published: nothing is lost, little comes twice."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from databases import KINDS
from webhook_server import SCALE, Studio, studio, until
from webhook_sinks import Sink, sink

HOOKS = [f"h{number}" for number in range(20 * SCALE)]
ENTRIES = 5
LONG = 12
"""So many entries that much is left to do whenever a busy machine comes to the kill."""
MIDDLE = "sub_8"
"""About half of all ids are below it."""
WORK_SECONDS = 0.3
STOP_SECONDS = 30
SWEEP_SECONDS = 60
"""What the dead had is looked for every ten; a busy machine may add the rest."""


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

    def take(self, seconds: float) -> None:
        """Have every receiver take so long for its answers."""
        for hook in HOOKS:
            self.sink.rule(hook, delay=seconds, keep=False)

    def is_done(self) -> bool:
        """Whether no job is left."""
        return not {"PENDING", "ENQUEUED", "DELAYED"} & set(self.studio.states())


@pytest.fixture(params=KINDS)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    """A studio on an empty store of a kind."""
    with sink(2 * SCALE) as receivers, studio(request.param, tmp_path) as made:
        scene = Scene(made, receivers)
        scene.take(WORK_SECONDS)
        yield scene


def test_killed_processes_lose_nothing_and_double_at_most_what_was_in_hand(scene: Scene) -> None:
    tree = scene.studio.start(workers=4)
    tree.follow(scene.sink, HOOKS)
    scene.studio.publish(LONG)
    until(lambda: scene.acked() >= len(HOOKS) // 2)
    os.kill(tree.workers()[0], signal.SIGKILL)
    until(lambda: scene.acked() >= 2 * len(HOOKS))
    scene.studio.kill()
    assert scene.acked() < LONG * len(HOOKS)
    scene.take(0)
    scene.studio.start()
    until(lambda: scene.acked() == LONG * len(HOOKS))
    until(scene.is_done)
    assert scene.acked() == LONG * len(HOOKS)
    assert scene.again() <= 2 * len(HOOKS)  # one of each is in hand at a kill


def test_those_that_are_left_finish_the_work_of_the_dead(scene: Scene) -> None:
    with ThreadPoolExecutor(4) as pool:
        four = list(pool.map(lambda _: scene.studio.start(), range(4)))
    four[0].follow(scene.sink, HOOKS)
    scene.studio.publish(ENTRIES)
    until(lambda: scene.acked() >= len(HOOKS) // 2)
    for one in four[:2]:
        one.kill()
    began = time.monotonic()
    until(scene.is_done)
    assert time.monotonic() - began < SWEEP_SECONDS
    assert scene.acked() == ENTRIES * len(HOOKS)
    assert scene.again() <= len(HOOKS)


def test_a_stop_under_load_loses_nothing_and_doubles_nothing(scene: Scene) -> None:
    tree = scene.studio.start(workers=2, stops=True)
    tree.follow(scene.sink, HOOKS)
    scene.studio.publish(LONG)
    until(lambda: scene.acked() >= len(HOOKS) // 2)
    began = time.monotonic()
    tree.stop()
    assert time.monotonic() - began <= STOP_SECONDS
    scene.studio.served.clear()
    assert scene.acked() < LONG * len(HOOKS)
    scene.take(0)
    scene.studio.start()
    until(lambda: scene.acked() == LONG * len(HOOKS))
    until(scene.is_done)
    assert (scene.acked(), scene.again()) == (LONG * len(HOOKS), 0)


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
