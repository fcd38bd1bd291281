"""The scores of a trial that was written down by hand, the report of them, and what was missed."""

import json
import math
from typing import Any

import pytest

from evals.failures import failures
from evals.lints import Lints
from evals.material import Chat, Goal, Search
from evals.report import Report, as_json, markdown, table
from evals.scores import Aim, Score, scores, slices
from evals.system import Answered, Found, Recommended
from evals.trial import Chatted, Routed, Searched, Trial

ABOUT = {"studio": "some", "model": "some-model"}


def chatted(style: str, expected: str, text: str, answered: str, by: str = "ann") -> Chatted:
    """A question that must be answered with a price, and its answer."""
    patterns = {"must": ["900|nine", "day"], "must_not": ["week"]} if expected == "yes" else {}
    asked = Chat.model_validate({"text": text, "style": style, "answered": expected, **patterns})
    basis = "field" if answered == "yes" else "none"
    return Chatted(by, asked, Answered(text, answered, basis, ("/a",), answered == "yes", 0.004))


def searched(style: str, found: str, by: str = "ann", **relevant: int) -> Searched:
    """A query with what was found, entries being letters."""
    graded = {f"faq/{name}": grade for name, grade in relevant.items()}
    asked = Search.model_validate({"text": "some words", "style": style, "relevant": graded})
    return Searched(by, asked, Found(tuple(f"faq/{name}" for name in found), len(found) / 1000))


def routed(goal: dict[str, Any], *recommended: Recommended) -> Routed:
    """A goal with what was recommended."""
    return Routed("ann", Goal.model_validate({"text": "some goal", **goal}), recommended)


def request(
    operation: str, path: str, body: dict[str, Any] | None = None, *, ready: bool = True
) -> Recommended:
    return Recommended(operation, path, body, ready)


HOOK = {"url": "https://x.example/h", "kinds": ["fixed", "added"]}
TRIAL = Trial(
    (
        chatted("first", "yes", "Nine\n hundred [1] a  DAY [2].", "yes"),
        chatted("first", "yes", "900 a day, 4000 a week.", "yes", by="bob"),
        chatted("field", "yes", "900 a day.", "partly"),
        chatted("near-miss", "no", "Something.", "partly"),
        chatted("near-miss", "no", "Anything.", "yes"),
        chatted("off-topic", "no", "Nothing.", "no"),
        chatted("off-topic", "no", "Who knows.", "yes"),
    ),
    (
        searched("keyword", "ab", a=3, b=1),
        searched("identifier", "xa", by="bob", a=2),
        searched("identifier", "a", a=3),
        searched("paraphrase", "xyzuva", a=2),
    ),
    (
        routed(
            {"operations": ["A", "B"], "path": "/a%20b?x=1&y=2"},
            request("B", "/a b?y=2&x=1"),
        ),
        routed(
            {"operations": ["A"], "body": HOOK},
            request("A", "/a", {**HOOK, "kinds": ["added", "fixed"]}),
        ),
        routed(
            {"operations": ["A"], "body": HOOK},
            request("A", "/a", {**HOOK, "kinds": ["added"]}),
        ),
        routed(
            {"operations": ["A"], "path": "/a"},
            request("C", "/c", ready=False),
            request("A", "/a", ready=False),
        ),
        routed({"operations": ["A"]}, request("A", "/anything")),
    ),
    (0.010, 0.030),
)
EVERY = scores(TRIAL, Lints((1.0, 0.0), (1.0,)), (9.0, 2.5), None)
BY_NAME = {score.name: score for score in EVERY}
REPORT = Report("some", ABOUT, EVERY, slices(TRIAL))


@pytest.mark.parametrize(
    ("name", "count", "value"),
    [
        ("chat, by patterns", 7, 4 / 7),
        ("answerable: answered yes and right", 3, 1 / 3),
        ("a yes is right", 4, 0.25),
        ("not published: no yes", 4, 0.5),
        ("worth of an answer", 7, 0.0),
        ("answers that pass the lint", 7, 4 / 7),
        ("nDCG@5", 4, (2 + 1 / math.log2(3)) / 4),
        ("R@1, identifier", 2, 0.5),
        ("intent R@1", 5, 0.8),
        ("intent R@3", 5, 1.0),
        ("intent: a request is ready", 4, 0.75),
        ("intent: ready and exactly what was asked", 3, 2 / 3),
        ("lint: bad answers flagged", 2, 0.5),
        ("lint: good answers passed", 1, 1.0),
        ("search p50", 4, 2.0),
        ("search p99", 4, 6.0),
        ("answer from a field p50", 4, 4.0),
        ("chat first byte p95", 2, 30.0),
        ("start to first search, empty data folder", 1, 9.0),
        ("start to first search, vectors kept", 1, 2.5),
    ],
)
def test_a_score_is_what_the_answers_make_it(name: str, count: int, value: float) -> None:
    assert len(BY_NAME[name].values) == count
    assert BY_NAME[name].value == pytest.approx(value)


def test_no_score_stands_twice() -> None:
    assert len(BY_NAME) == len(EVERY)


def test_what_the_machine_does_not_tell_has_no_value() -> None:
    assert "value" not in BY_NAME["memory"].plain()


def test_slices_are_by_style_and_author() -> None:
    by_name = {part.name: part.scores for part in REPORT.slices}
    assert [*by_name["chat, first"]] == ["all", "ann", "bob"]
    assert {name: score.value for name, score in by_name["chat, first"].items()} == {
        "all": 0.5,
        "ann": 1.0,
        "bob": 0.0,
    }
    assert len(by_name["chat"]["all"].values) == 7
    assert by_name["nDCG@5, identifier"]["ann"].value == 1.0
    assert by_name["intent R@1"]["all"].value == 0.8


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
    first, empty, head, *lines = table([REPORT]).splitlines()
    assert first == "studio some, model some-model"
    assert empty == ""
    assert head.split()[:3] == ["measure", "n", "value"]
    shown = lines[: len(EVERY)]
    assert [line.startswith(score.name) for line, score in zip(shown, EVERY, strict=True)] == (
        [True] * len(EVERY)
    )
    assert len(lines) == len(EVERY) + 2 + len(REPORT.slices)


def test_a_line_shows_the_value_its_interval_and_whether_the_goal_is_met() -> None:
    score = Score("some measure", [1.0] * 4, Aim(0.86, 0.9))
    row = table([Report("some", ABOUT, [score], [])]).splitlines()[3]
    shown = [cell.strip() for cell in row.split("  ") if cell.strip()]
    assert shown == ["some measure", "4", "1.000", "1.000 to 1.000", ">= 0.860", ">= 0.900", "met"]


def test_the_markdown_has_a_row_for_each_score_and_slice_and_a_column_for_each_studio() -> None:
    rows = markdown([REPORT, REPORT]).splitlines()
    assert len(rows) == 2 + len(EVERY) + len(REPORT.slices)
    assert {row.count("|") for row in rows} == {5}
    row = next(row for row in rows if row.startswith("| chat, first"))
    cell = "0.500 (0.000 to 1.000, n 2)"
    assert row == f"| chat, first | {cell} | {cell} |  |"


def test_the_json_has_every_score_and_what_ran() -> None:
    told = json.loads(as_json([REPORT]))[0]
    assert {name: told[name] for name in ABOUT} == ABOUT
    assert [one["measure"] for one in told["scores"]] == [score.name for score in EVERY]
    assert all(one["low"] <= one["value"] <= one["high"] for one in told["scores"] if "low" in one)


def test_what_was_missed_is_listed_with_the_answer_and_nothing_else_is() -> None:
    listed = [*failures(TRIAL)]
    assert [item.partition(":")[0] for item in listed] == [
        "chat, first, bob",
        "chat, near-miss, ann",
        "chat, off-topic, ann",
        "search, identifier, bob",
        "search, paraphrase, ann",
        "intent, ann",
        "intent, ann",
    ]
    assert "missed: week" in listed[0]
    assert "900 a day, 4000 a week." in listed[0]
    assert "faq/a (2)" in listed[3]
    assert "ready: A /a" in listed[5]
