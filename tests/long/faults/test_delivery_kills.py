"""Whatever dies and however often an entry is published: nothing is lost, little comes twice."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from databases import KINDS
from webhook_server import SCALE, Studio, studio, until
from webhook_sinks import Sink, sink

HOOKS = [f"h{number}" for number in range(20 * SCALE)]
LONG = 12
"""So many entries that much is left to do whenever a busy machine comes to the kill."""
WORK_SECONDS = 0.3
STOP_SECONDS = 30


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
