"""The questions that are put to the service, and what a right answer is. Asks nothing itself.

`dev.toml` may be tuned on, `test.toml` may not; `intent.toml` holds goals of both halves.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Half = Literal["dev", "test"]
Style = Literal["keyword", "paraphrase", "goal", "near-miss", "off-topic"]

FOLDER = Path(__file__).parent
HALVES: tuple[Half, ...] = ("dev", "test")
ANSWERABLE: tuple[Style, ...] = ("keyword", "paraphrase", "goal")
UNANSWERABLE: tuple[Style, ...] = ("near-miss", "off-topic")
ANSWERS = 2
"""The grade of an entry that answers the question; a smaller one is only related to it."""


@dataclass(frozen=True)
class Question:
    """What a caller asks, and the entries that answer it.

    Shape: `relevant` has `<kind>/<slug>` as keys and grades as values; empty for what the content
    does not answer.
    """

    id: str
    style: Style
    half: Half
    text: str
    relevant: Mapping[str, int] = field(default_factory=dict)

    @property
    def right(self) -> frozenset[str]:
        """The entries that answer it."""
        return frozenset(name for name, grade in self.relevant.items() if grade >= ANSWERS)


@dataclass(frozen=True)
class Goal:
    """What a caller wants done, and the operations that do it, the best first.

    `path` is that of the request which the best operation needs, where it can be known.
    """

    text: str
    operations: tuple[str, ...]
    half: Half
    path: str | None = None


def questions(*halves: Half) -> list[Question]:
    """The questions of these halves, of both without one."""
    asked = halves or HALVES
    return [Question(**table) for half in asked for table in _tables(half, "question")]


def goals(*halves: Half) -> list[Goal]:
    """The goals of these halves, of both without one."""
    asked = halves or HALVES
    every = [
        Goal(
            table["text"],
            tuple(table["operations"]),
            table["half"],
            table.get("request", {}).get("path"),
        )
        for table in _tables("intent", "goal")
    ]
    return [goal for goal in every if goal.half in asked]


def _tables(name: str, key: str) -> list[dict[str, Any]]:
    read = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    tables: list[dict[str, Any]] = read[key]
    return tables
