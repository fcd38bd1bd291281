"""The real service, asked as the evaluation asks it."""

import os
from collections.abc import Iterator

import pytest

from evals.lints import Lints
from evals.questions import goals, questions
from evals.scores import scores
from evals.server import Started, started
from evals.trial import trial


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """The service over the sample studio, with an empty data folder."""
    with started(tmp_path_factory.mktemp("measured"), os.environ) as service:
        yield service


def test_it_says_what_runs(running: Started) -> None:
    about = running.service.about()
    assert {"model", "mode", "embedder", "dimensions"} <= about.keys()


def test_it_holds_memory(running: Started) -> None:
    assert (running.megabytes() or 1) > 0


def test_more_texts_are_embedded_than_one_call_takes(running: Started) -> None:
    vectors = running.service.embed([f"text {number}" for number in range(21)])
    assert [len(vector) for vector in vectors] == [768] * 21


def test_a_few_questions_of_each_style_have_every_score(running: Started) -> None:
    asked = [question for question in questions("dev") if question.id.endswith("1")]
    seen: list[int] = []
    done = trial(running.service, asked, goals("dev")[:3], lambda at, _: seen.append(at))
    assert seen == list(range(3 * len(asked) + 3))
    found = scores(done, Lints((1.0,), (1.0,)), running.seconds, running.megabytes())
    named = {score.name: score.plain() for score in found}
    assert [name for name, told in named.items() if "value" not in told] == []
    assert named["R@1 keyword"]["value"] > 0
    assert named["false answers off-topic"]["value"] < 1
