"""The questions and goals of the evaluation with their right answers.

`dev.toml` may be used for tuning, `test.toml` must not; `intent.toml` has goals of both halves.
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
"""The grade of an entry that answers the question; with a lower one it is only related."""


@dataclass(frozen=True)
class Question:
    """A question and the entries that answer it.

    Shape: `relevant` maps `<kind>/<slug>` to grades; it is empty if the content has no answer.
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
    """A goal and the operations that achieve it, the best first.

    `path` is that of the request for the best operation, if it is known.
    """

    text: str
    operations: tuple[str, ...]
    half: Half
    path: str | None = None


def questions(*halves: Half) -> list[Question]:
    """Return the questions of these halves, by default of both."""
    return [Question(**table) for half in halves or HALVES for table in _tables(half, "question")]


def goals(*halves: Half) -> list[Goal]:
    """Return the goals of these halves, by default of both."""
    items = [
        Goal(
            table["text"],
            tuple(table["operations"]),
            table["half"],
            table.get("request", {}).get("path"),
        )
        for table in _tables("intent", "goal")
    ]
    return [goal for goal in items if goal.half in (halves or HALVES)]


def _tables(name: str, key: str) -> list[dict[str, Any]]:
    document = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    tables: list[dict[str, Any]] = document[key]
    return tables
