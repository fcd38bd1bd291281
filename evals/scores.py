"""The scores of a trial: each measure with its values and its goal."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evals.lints import Lints
from evals.measures import (
    Statistic,
    hit,
    interval,
    mean,
    ndcg,
    percentile,
    precision,
    reciprocal_rank,
)
from evals.questions import ANSWERABLE, UNANSWERABLE, Style
from evals.trial import Asked, Times, Trial

DEPTH = 5
AT_MOST = True
MEDIAN, P95, P99 = percentile(0.5), percentile(0.95), percentile(0.99)


@dataclass(frozen=True)
class Aim:
    """The goal of a value: a minimum, or a maximum if `is_ceiling`."""

    goal: float
    stretch: float
    is_ceiling: bool = False

    def met(self, value: float) -> bool:
        """Return whether the value reaches the goal."""
        return value <= self.goal if self.is_ceiling else value >= self.goal


@dataclass(frozen=True)
class Score:
    """A measure and its values: shares without a unit, or `ms`, `s`, `MB`."""

    name: str
    values: Sequence[float]
    aim: Aim | None = None
    statistic: Statistic = mean
    unit: str = ""

    @property
    def value(self) -> float:
        """The statistic of the values; NaN if there are none."""
        return self.statistic(self.values)

    def plain(self) -> dict[str, Any]:
        """Return the score as JSON."""
        low, high = interval(self.values, self.statistic)
        members: dict[str, Any] = {"measure": self.name, "unit": self.unit, "n": len(self.values)}
        if not math.isnan(self.value):
            members |= {"value": round(self.value, 4), "low": round(low, 4), "high": round(high, 4)}
            if self.aim is not None:
                members |= {"met": self.aim.met(self.value)}
        if self.aim is not None:
            members |= {"goal": self.aim.goal, "stretch": self.aim.stretch}
        return members


def scores(trial: Trial, lints: Lints, ready: float, megabytes: float | None) -> list[Score]:
    """Return all scores in the order of the report."""
    memory = [] if megabytes is None else [megabytes]
    return [
        *_search_scores(trial.asked),
        *_refusal_scores(trial.asked),
        *_citation_scores(trial.asked),
        Score("lint: bad answers flagged", lints.flagged, Aim(16 / 18, 1)),
        Score("lint: good answers passed", lints.passed, Aim(13 / 14, 1)),
        *_intent_scores(trial),
        *_time_scores(trial.times),
        Score("start to first search", [ready], Aim(3, 2.3, AT_MOST), unit="s"),
        Score("memory", memory, Aim(380, 300, AT_MOST), unit="MB"),
    ]


def _with_style(asked: Iterable[Asked], *styles: Style) -> list[Asked]:
    return [item for item in asked if item.question.style in styles]


def _search_scores(asked: Sequence[Asked]) -> Iterator[Score]:
    def quality(*styles: Style) -> list[float]:
        return [ndcg(a.found, a.question.relevant, DEPTH) for a in _with_style(asked, *styles)]

    def hits(depth: int, *styles: Style) -> list[float]:
        return [hit(a.found, a.question.right, depth) for a in _with_style(asked, *styles)]

    yield Score("nDCG@5", quality(*ANSWERABLE), Aim(0.86, 0.90))
    yield Score("nDCG@5 keyword", quality("keyword"))
    yield Score("nDCG@5 paraphrase", quality("paraphrase"), Aim(0.80, 0.86))
    yield Score("nDCG@5 agent goal", quality("goal"), Aim(0.70, 0.78))
    yield Score("R@5", hits(DEPTH, *ANSWERABLE), Aim(0.97, 1))
    yield Score("R@1 keyword", hits(1, "keyword"), Aim(1, 1))
    yield Score("R@1", hits(1, *ANSWERABLE))


def _refusal_scores(asked: Sequence[Asked]) -> Iterator[Score]:
    def share(band: str, *styles: Style) -> list[float]:
        return [float(a.answered.band == band) for a in _with_style(asked, *styles)]

    yield Score("false answers off-topic", share("answer", "off-topic"), Aim(0.02, 0, AT_MOST))
    yield Score("false answers near-miss", share("answer", "near-miss"), Aim(0.10, 0.05, AT_MOST))
    yield Score("answerable and answered", share("answer", *ANSWERABLE), Aim(0.60, 0.75))
    for style in ANSWERABLE:
        yield Score(f"answerable and answered {style}", share("answer", style))
    yield Score("answerable and refused", share("refuse", *ANSWERABLE))
    yield Score("unanswerable and refused", share("refuse", *UNANSWERABLE))


def _citation_scores(asked: Sequence[Asked]) -> Iterator[Score]:
    answered = [a for a in _with_style(asked, *ANSWERABLE) if a.answered.band == "answer"]
    precise = [precision(a.answered.cited, a.question.relevant) for a in answered]
    first = [hit(a.answered.cited, a.question.right, 1) for a in answered]
    yield Score("citation precision", precise, Aim(0.88, 0.95))
    yield Score("first citation right", first, Aim(0.92, 0.97))
    yield Score("answers that pass the lint", [float(a.answered.passes) for a in asked])


def _intent_scores(trial: Trial) -> Iterator[Score]:
    def hits(depth: int) -> list[float]:
        return [hit(r.operations, r.goal.operations, depth) for r in trial.routed]

    ranks = [reciprocal_rank(r.operations, r.goal.operations) for r in trial.routed]
    paths = [
        float(item.path == r.goal.path)
        for r in trial.routed
        for item in r.recommended
        if r.goal.path is not None and item.operation == r.goal.operations[0]
    ]
    yield Score("intent R@1", hits(1), Aim(0.80, 0.90))
    yield Score("intent R@3", hits(3), Aim(0.92, 0.98))
    yield Score("intent MRR", ranks)
    yield Score("intent path filled in", paths)


def _time_scores(times: Times) -> Iterator[Score]:
    def milliseconds(seconds: Sequence[float]) -> list[float]:
        return [value * 1000 for value in seconds]

    def score(name: str, seconds: Sequence[float], statistic: Statistic, aim: Aim | None) -> Score:
        return Score(name, milliseconds(seconds), aim, statistic, "ms")

    yield score("request that does nothing, p50", times.empty, MEDIAN, None)
    yield score("search p50", times.search, MEDIAN, Aim(7, 7, AT_MOST))
    yield score("search p99", times.search, P99, Aim(15, 15, AT_MOST))
    cached = [max(0.0, value - MEDIAN(times.empty)) for value in times.repeated]
    yield score("search repeated p50, less HTTP", cached, MEDIAN, Aim(0.5, 0.5, AT_MOST))
    yield score("chat first byte p95", times.first_byte, P95, Aim(25, 12, AT_MOST))
