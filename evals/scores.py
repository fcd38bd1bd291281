"""The scores of a trial: each measure with its values and its goal, and its slices."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from evals.lints import Lints
from evals.material import ChatStyle, SearchStyle
from evals.measures import Statistic, hit, interval, mean, ndcg, percentile
from evals.trial import Chatted, Routed, Searched, Trial

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


@dataclass(frozen=True)
class Slice:
    """One style of a measure: its scores over all authors (`all`), then by author."""

    name: str
    scores: dict[str, Score]


def slices(trial: Trial) -> list[Slice]:
    """Return the measures of answers, results and goals by style and author."""
    chats = [(c.asked.style, c.author, _is_right(c)) for c in trial.chatted]
    searches = [(s.asked.style, s.author, ndcg_of(s)) for s in trial.searched]
    goals = [("", r.author, is_routed(r)) for r in trial.routed]
    said = [
        (c.asked.style, c.author, float(not is_wrong_yes(c)))
        for c in trial.chatted
        if c.answer.answered == "yes"
    ]
    return [
        *_slices("chat", chats, get_args(ChatStyle)),
        *_slices("yes", said, get_args(ChatStyle)),
        *_slices("nDCG@5", searches, get_args(SearchStyle)),
        *_slices("intent R@1", goals, ()),
    ]


def _slices(
    name: str, items: Sequence[tuple[str, str, float]], styles: Sequence[str]
) -> Iterator[Slice]:
    authors = sorted({author for _, author, _ in items})
    for style in ("", *styles):
        own = [item for item in items if style in {"", item[0]}]
        label = f"{name}, {style}" if style else name
        yield Slice(
            label,
            {
                "all": Score(label, [value for _, _, value in own]),
                **{
                    author: Score(label, [value for _, by, value in own if by == author])
                    for author in authors
                },
            },
        )


def scores(
    trial: Trial, lints: Lints, starts: tuple[float, float], megabytes: float | None
) -> list[Score]:
    """Return all scores in the order of the report.

    `starts` has the times to the first search: with an empty data folder, and with its vectors.
    """
    memory = [] if megabytes is None else [megabytes]
    first, later = starts
    return [
        *_chat_scores(trial.chatted),
        *_search_scores(trial.searched),
        *_intent_scores(trial.routed),
        Score("lint: bad answers flagged", lints.flagged, Aim(16 / 18, 1)),
        Score("lint: good answers passed", lints.passed, Aim(13 / 14, 1)),
        *_time_scores(trial),
        Score("start to first search, empty data folder", [first], Aim(3, 2.3, AT_MOST), unit="s"),
        Score("start to first search, vectors kept", [later], unit="s"),
        Score("memory", memory, Aim(380, 300, AT_MOST), unit="MB"),
    ]


def _chat_scores(chatted: Sequence[Chatted]) -> Iterator[Score]:
    said = [c for c in chatted if c.answer.answered == "yes"]
    answerable = [c for c in chatted if c.asked.answered == "yes"]
    others = [c for c in chatted if c.asked.answered != "yes"]
    due = [c for c in chatted if c.asked.style == "due"]
    right = [float(c in said and not c.missed) for c in answerable]
    yield Score("chat, by patterns", [_is_right(c) for c in chatted], Aim(0.80, 0.90))
    yield Score("a yes is right", [float(not is_wrong_yes(c)) for c in said], Aim(0.92, 0.97))
    yield Score("answerable: answered yes and right", right, Aim(0.72, 0.85))
    yield Score("not published: no yes", [float(c not in said) for c in others], Aim(0.90, 0.97))
    yield Score(
        "due diligence: wrong yes", [float(is_wrong_yes(c)) for c in due], Aim(0.05, 0, AT_MOST)
    )
    yield Score("worth of an answer", [worth(c) for c in chatted])
    yield Score("answers that pass the lint", [float(c.answer.passes_lint) for c in chatted])


def is_wrong_yes(chatted: Chatted) -> bool:
    """Return whether an answer claims to be one and is none, or not the right one."""
    claims = chatted.answer.answered == "yes"
    return claims and (chatted.asked.answered != "yes" or bool(chatted.missed))


def worth(chatted: Chatted) -> float:
    """Return what an answer is worth to an agent that acts on it.

    1 for a right `yes`, and where nothing is published for saying so; 0 for coming near, where an
    answer is published; -1 for a wrong `yes`, which misleads and is therefore worse than none.
    """
    if is_wrong_yes(chatted):
        return -1.0
    return float(chatted.answer.answered == "yes" or chatted.asked.answered != "yes")


def _search_scores(searched: Sequence[Searched]) -> Iterator[Score]:
    identifiers = [
        hit(s.found.entries, s.asked.right, 1) for s in searched if s.asked.style == "identifier"
    ]
    yield Score("nDCG@5", [ndcg_of(s) for s in searched], Aim(0.80, 0.84))
    yield Score("R@1, identifier", identifiers, Aim(1, 1))


def _intent_scores(routed: Sequence[Routed]) -> Iterator[Score]:
    with_request = [r for r in routed if r.asked.tells_request]
    ready = [float(r.is_exact) for r in with_request if r.ready is not None]
    yield Score("intent R@1", [is_routed(r) for r in routed], Aim(0.75, 0.88))
    yield Score("intent R@3", [hit(r.operations, r.asked.operations, 3) for r in routed])
    yield Score("intent: a request is ready", [float(r.ready is not None) for r in with_request])
    yield Score("intent: ready and exactly what was asked", ready, Aim(0.95, 1))


def _time_scores(trial: Trial) -> Iterator[Score]:
    def score(name: str, seconds: Sequence[float], statistic: Statistic, aim: Aim) -> Score:
        return Score(name, [value * 1000 for value in seconds], aim, statistic, "ms")

    searches = [s.found.seconds for s in trial.searched]
    fields = [c.answer.seconds for c in trial.chatted if c.answer.basis == "field"]
    yield score("search p50", searches, MEDIAN, Aim(7, 5, AT_MOST))
    yield score("search p99", searches, P99, Aim(15, 10, AT_MOST))
    yield score("answer from a field p50", fields, MEDIAN, Aim(4, 2, AT_MOST))
    yield score("chat first byte p95", trial.first_bytes, P95, Aim(25, 12, AT_MOST))


def _is_right(chatted: Chatted) -> float:
    return float(not chatted.missed)


def ndcg_of(searched: Searched) -> float:
    """Return the nDCG@5 of a query's results."""
    return ndcg(searched.found.entries, searched.asked.relevant, DEPTH)


def is_routed(routed: Routed) -> float:
    """Return 1 if the first recommendation achieves the goal, else 0."""
    return hit(routed.operations, routed.asked.operations, 1)
