"""The scores of a trial that was written down by hand, and the report of them."""

import json
import math

import pytest

from evals.lints import Lints
from evals.questions import Goal, Question, Style
from evals.report import as_json, markdown, table
from evals.scores import Aim, Score, scores
from evals.system import Answered, Recommended
from evals.trial import Asked, Routed, Times, Trial

ABOUT = {"model": "some-model", "mode": "hybrid"}


def asked(style: Style, found: str, band: str, cited: str = "", **relevant: int) -> Asked:
    """A question with what came back, entries being letters."""
    question = Question(f"{style}-{found}", style, "test", "some words", relevant)
    return Asked(question, tuple(found), Answered(band, tuple(cited), band != "closest"))


def recommended(operations: str) -> tuple[Recommended, ...]:
    """Operations, each a letter, with the path of that letter."""
    return tuple(Recommended(one, f"/{one.lower()}") for one in operations)


TRIAL = Trial(
    (
        asked("keyword", "ab", "answer", "a", a=2),
        asked("keyword", "ba", "answer", "ba", a=2, b=1),
        asked("paraphrase", "xyzuva", "closest", "x", a=2),
        asked("goal", "ba", "refuse", "", a=2),
        asked("near-miss", "ab", "answer", "a"),
        asked("near-miss", "", "refuse"),
        asked("off-topic", "", "refuse"),
    ),
    (
        Routed(Goal("one", ("A", "B"), "test", "/a"), recommended("BC")),
        Routed(Goal("two", ("A",), "test", "/a/one"), recommended("CDEA")),
        Routed(Goal("three", ("C",), "test", "/c"), recommended("C")),
    ),
    Times((0.001,), (0.004, 0.006, 0.020), (0.0015, 0.002), (0.010, 0.030)),
)
EVERY = scores(TRIAL, Lints((1.0, 0.0), (1.0,)), 2.5, None)
BY_NAME = {score.name: score for score in EVERY}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nDCG@5 paraphrase", 0.0),
        ("nDCG@5 agent goal", 1 / math.log2(3)),
        ("R@5", 0.75),
        ("R@1 keyword", 0.5),
        ("R@1", 0.25),
        ("false answers off-topic", 0.0),
        ("false answers near-miss", 0.5),
        ("answerable and answered", 0.5),
        ("answerable and answered keyword", 1.0),
        ("answerable and refused", 0.25),
        ("unanswerable and refused", 2 / 3),
        ("citation precision", 1.0),
        ("first citation right", 0.5),
        ("answers that pass the lint", 6 / 7),
        ("lint: bad answers flagged", 0.5),
        ("lint: good answers passed", 1.0),
        ("intent R@1", 2 / 3),
        ("intent R@3", 2 / 3),
        ("intent MRR", (1 + 1 / 4 + 1) / 3),
        ("intent path filled in", 0.5),
        ("search p50", 6.0),
        ("search p99", 20.0),
        ("search repeated p50, less HTTP", 0.5),
        ("chat first byte p95", 30.0),
        ("start to first search", 2.5),
    ],
)
def test_a_score_is_what_the_answers_make_it(name: str, value: float) -> None:
    assert BY_NAME[name].value == pytest.approx(value)


def test_no_score_stands_twice() -> None:
    assert len(BY_NAME) == len(EVERY)


def test_what_the_machine_does_not_tell_has_no_value() -> None:
    assert "value" not in BY_NAME["memory"].plain()


@pytest.mark.parametrize(
    ("aim", "value", "met"),
    [
        (Aim(0.8, 0.9), 0.8, True),
        (Aim(0.8, 0.9), 0.79, False),
        (Aim(0.1, 0.0, is_ceiling=True), 0.1, True),
        (Aim(0.1, 0.0, is_ceiling=True), 0.11, False),
    ],
    ids=["floor-met", "floor-missed", "ceiling-met", "ceiling-missed"],
)
def test_a_goal_is_a_floor_or_a_ceiling(aim: Aim, value: float, met: object) -> None:
    assert Score("some", [value], aim).plain()["met"] is met


def test_the_table_says_first_what_ran_and_then_each_score() -> None:
    first, empty, head, *lines = table(ABOUT, EVERY).splitlines()
    assert first == "model some-model, mode hybrid"
    assert empty == ""
    assert head.split()[:3] == ["measure", "n", "value"]
    assert [line.startswith(score.name) for line, score in zip(lines, EVERY, strict=True)] == (
        [True] * len(EVERY)
    )


def test_a_line_shows_the_value_its_interval_and_whether_the_goal_is_met() -> None:
    score = Score("some measure", [1.0] * 4, Aim(0.86, 0.9))
    cells = table(ABOUT, [score]).splitlines()[-1].split("  ")
    shown = [cell.strip() for cell in cells if cell.strip()]
    assert shown == ["some measure", "4", "1.000", "1.000 to 1.000", ">= 0.860", ">= 0.900", "met"]


def test_the_markdown_has_a_row_for_each_score_all_of_equal_width() -> None:
    rows = [row for row in markdown(ABOUT, EVERY).splitlines() if row.startswith("|")]
    assert len(rows) == 2 + len(EVERY)
    assert {row.count("|") for row in rows} == {8}


def test_the_json_has_every_score_and_what_ran() -> None:
    told = json.loads(as_json(ABOUT, EVERY))
    assert {name: told[name] for name in ABOUT} == ABOUT
    assert [one["measure"] for one in told["scores"]] == [score.name for score in EVERY]
    assert all(one["low"] <= one["value"] <= one["high"] for one in told["scores"] if "low" in one)
