"""The real service, asked as the evaluation asks it."""

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evals.lints import Lints
from evals.material import STUDIOS, materials
from evals.scores import scores
from evals.server import Started, started
from evals.trial import trial


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The service over the sample studio, with an empty data folder."""
    with started(STUDIOS["sample"], tmp_path_factory.mktemp("measured"), os.environ) as service:
        yield service


def test_it_says_what_runs(running: Started) -> None:
    about = running.service.about()
    assert {"model", "mode", "embedder", "dimensions"} <= about.keys()


def test_it_holds_memory(running: Started) -> None:
    assert (running.megabytes() or 1) > 0


def test_more_texts_are_embedded_than_one_call_takes(running: Started) -> None:
    vectors = running.service.embed([f"text {number}" for number in range(21)])
    assert [len(vector) for vector in vectors] == [768] * 21


def test_a_few_questions_have_every_score(running: Started) -> None:
    material = next(item for item in materials("tune", "sample") if item.chats)
    few = replace(material, goals=material.goals[:3])
    done = trial(running.service, [few])
    assert len(done.chatted) == len(done.first_bytes) == len(few.chats)
    assert [len(item.recommended) > 0 for item in done.routed] == [True] * 3
    found = scores(done, Lints((1.0,), (1.0,)), (running.seconds, 1.0), running.megabytes())
    named = {score.name: score.plain() for score in found}
    assert named["chat, by patterns"]["value"] > 0
    assert named["nDCG@5"]["value"] > 0
    assert named["search p50"]["value"] > 0


def test_a_conversation_is_asked_with_its_turns(running: Started) -> None:
    history = (("user", "What is Tidebook?"), ("assistant", "A product of the studio."))
    assert running.service.chat("And who owns it?", history).text
    assert running.service.first_byte("And who made it?", history) > 0
