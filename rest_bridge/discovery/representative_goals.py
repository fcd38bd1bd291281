"""A few goals out of many: as different as can be, each typical of its operation."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

MIN_QUERIES, MAX_QUERIES = 2, 5
"""How many examples an entry should have. Source: ARD v0.91, section 4.2."""
MIN_WORDS = 5
"""Shorter goals, such as the name of a file, are keywords and not what somebody would ask."""

_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True)
class _Goal:
    """A goal of an operation, with its words and the length of their vector."""

    text: str
    operation: int
    words: frozenset[str]
    length: float


def representative_goals(goals: Sequence[Sequence[str]]) -> list[str]:
    """Return up to `MAX_QUERIES` goals, of the goals of each operation.

    The first is the most typical of all. Each further one is the least like those already chosen,
    of an operation that none was chosen of while there is one; of several, the most typical of its
    own operation.
    """
    weights = _weights(goals)
    left = list(_readable(goals, weights))
    own = {
        goal: _typical(goal, (o for o in left if o.operation == goal.operation), weights)
        for goal in left
    }
    chosen: list[_Goal] = []
    while left and len(chosen) < MAX_QUERIES:
        used = {goal.operation for goal in chosen}
        fresh = [goal for goal in left if goal.operation not in used] or left
        if chosen:
            best = max(fresh, key=lambda g: (-_nearest(g, chosen, weights), own[g]))
        else:
            best = max(fresh, key=lambda goal: _typical(goal, left, weights))
        chosen.append(best)
        left = [goal for goal in left if goal.text != best.text]
    return [goal.text for goal in chosen]


def _readable(goals: Sequence[Sequence[str]], weights: Mapping[str, float]) -> Iterable[_Goal]:
    for number, group in enumerate(goals):
        for text in group:
            if len(text.split()) >= MIN_WORDS:
                words = _words(text)
                length = math.sqrt(sum(weights[word] ** 2 for word in words))
                yield _Goal(text, number, words, length)


def _weights(goals: Iterable[Sequence[str]]) -> dict[str, float]:
    """Return the weight of each word: the rarer, the higher."""
    all_words = [_words(goal) for group in goals for goal in group]
    counts = Counter(word for words in all_words for word in words)
    return {word: math.log(1 + len(all_words) / count) for word, count in counts.items()}


def _typical(goal: _Goal, others: Iterable[_Goal], weights: Mapping[str, float]) -> float:
    return sum(_likeness(goal, other, weights) for other in others if other is not goal)


def _nearest(goal: _Goal, others: Iterable[_Goal], weights: Mapping[str, float]) -> float:
    return max(_likeness(goal, other, weights) for other in others)


def _likeness(a: _Goal, b: _Goal, weights: Mapping[str, float]) -> float:
    """Return the cosine of the two vectors of words, 0 to 1."""
    shared = a.words & b.words
    return sum(weights[word] ** 2 for word in shared) / (a.length * b.length) if shared else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
