"""Runs one trial: asks the system all questions and goals and records the results.

The order matters for the times: a text is searched for the first time, then again from the cache,
and only then asked in chat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.questions import Goal, Question
from evals.system import Answered, Recommended, System

WARM_UP = ("Tell me something.", "storm", "How do ledgers work?", "rust", "Who are you?")
OTHER_WORDS = "Thank you for telling me: "
"""Put before a question, so that no cache contains it."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """A question, its search results and its chat answer."""

    question: Question
    found: tuple[str, ...]
    answered: Answered


@dataclass(frozen=True)
class Routed:
    """A goal and its recommendations, the best first."""

    goal: Goal
    recommended: tuple[Recommended, ...]

    @property
    def operations(self) -> list[str]:
        """The recommended operations."""
        return [item.operation for item in self.recommended]


@dataclass(frozen=True)
class Times:
    """The times of calls as the caller sees them. Units: seconds."""

    empty: tuple[float, ...]
    search: tuple[float, ...]
    repeated: tuple[float, ...]
    first_byte: tuple[float, ...]


@dataclass(frozen=True)
class Trial:
    """The results and times of a trial."""

    asked: tuple[Asked, ...]
    routed: tuple[Routed, ...]
    times: Times


def trial(
    system: System, questions: Sequence[Question], goals: Sequence[Goal], progress: Progress
) -> Trial:
    """Run a trial. Raises: MeasuredSystemError."""
    for text in WARM_UP:
        system.search(text)
        system.chat(text)
        system.first_byte(text)
        system.route(text)
    total = len(questions) * 3 + len(goals)
    results, repeated, answers, first_bytes, routed = [], [], [], [], []
    empty = tuple(system.nothing() for _ in questions)
    for done, question in enumerate(questions):
        results.append(system.search(question.text))
        repeated.append(system.search(question.text).seconds)
        progress(done, total)
    for done, question in enumerate(questions, len(questions)):
        answers.append(system.chat(question.text))
        progress(done, total)
    for done, question in enumerate(questions, len(questions) * 2):
        first_bytes.append(system.first_byte(OTHER_WORDS + question.text))
        progress(done, total)
    for done, goal in enumerate(goals, len(questions) * 3):
        routed.append(Routed(goal, tuple(system.route(goal.text))))
        progress(done, total)
    times = Times(
        empty, tuple(item.seconds for item in results), tuple(repeated), tuple(first_bytes)
    )
    return Trial(
        tuple(
            Asked(question, result.entries, answer)
            for question, result, answer in zip(questions, results, answers, strict=True)
        ),
        tuple(routed),
        times,
    )
