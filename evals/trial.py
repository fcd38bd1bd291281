"""One trial: every question and goal is put to the system, and what came back is kept.

The order is part of the measure: a text is searched for the first time, then again from the
cache, and only then put to the chat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evals.questions import Goal, Question
from evals.system import Answered, Recommended, System

WARM_UP = ("Tell me something.", "storm", "How do ledgers work?", "rust", "Who are you?")
OTHER_WORDS = "Thank you for telling me: "
"""What makes a question one that no cache knows."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Asked:
    """A question, what was found for it and what was answered."""

    question: Question
    found: tuple[str, ...]
    answered: Answered


@dataclass(frozen=True)
class Routed:
    """A goal and what was recommended for it, the best first."""

    goal: Goal
    recommended: tuple[Recommended, ...]

    @property
    def operations(self) -> list[str]:
        """The operations that were recommended."""
        return [each.operation for each in self.recommended]


@dataclass(frozen=True)
class Times:
    """How long calls took, as their caller sees it. Units: seconds."""

    empty: tuple[float, ...]
    search: tuple[float, ...]
    repeated: tuple[float, ...]
    first_byte: tuple[float, ...]


@dataclass(frozen=True)
class Trial:
    """All that was asked and how long it took."""

    asked: tuple[Asked, ...]
    routed: tuple[Routed, ...]
    times: Times


def trial(
    system: System, questions: Sequence[Question], goals: Sequence[Goal], progress: Progress
) -> Trial:
    """What the system gave. Raises: SystemFault."""
    for text in WARM_UP:
        system.search(text)
        system.chat(text)
        system.first_byte(text)
        system.route(text)
    total = len(questions) * 3 + len(goals)
    found, again, answered, begun, routed = [], [], [], [], []
    empty = tuple(system.nothing() for _ in questions)
    for done, question in enumerate(questions):
        found.append(system.search(question.text))
        again.append(system.search(question.text).seconds)
        progress(done, total)
    for done, question in enumerate(questions, len(questions)):
        answered.append(system.chat(question.text))
        progress(done, total)
    for done, question in enumerate(questions, len(questions) * 2):
        begun.append(system.first_byte(OTHER_WORDS + question.text))
        progress(done, total)
    for done, goal in enumerate(goals, len(questions) * 3):
        routed.append(Routed(goal, tuple(system.route(goal.text))))
        progress(done, total)
    asked = zip(questions, found, answered, strict=True)
    times = Times(empty, tuple(each.seconds for each in found), tuple(again), tuple(begun))
    return Trial(
        tuple(Asked(question, hits.entries, said) for question, hits, said in asked),
        tuple(routed),
        times,
    )
