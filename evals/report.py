"""Renders the scores and their goals as a table, Markdown or JSON."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evals.scores import Score

HEAD = ("measure", "n", "value", "95 % interval", "goal", "stretch", "")
NOTHING = "-"


def table(about: Mapping[str, Any], scores: Sequence[Score]) -> str:
    """Return the report for a terminal: what ran, then a line for each score."""
    rows = [HEAD, *(_cells(score) for score in scores)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join([_about(about), "", *(line.rstrip() for line in lines)])


def markdown(about: Mapping[str, Any], scores: Sequence[Score]) -> str:
    """Return the report for the documentation."""
    rows = [HEAD, ("---",) * len(HEAD), *(_cells(score) for score in scores)]
    return "\n".join([_about(about), "", *(f"| {' | '.join(row)} |" for row in rows)])


def as_json(about: Mapping[str, Any], scores: Iterable[Score]) -> str:
    """Return the report as JSON."""
    return json.dumps({**about, "scores": [score.plain() for score in scores]}, indent=2)


def _about(about: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items())


def _cells(score: Score) -> tuple[str, ...]:
    return tuple(_row(score))


def _row(score: Score) -> Iterator[str]:
    values, aim = score.plain(), score.aim
    yield score.name
    yield str(len(score.values))
    yield _number(values.get("value"), score.unit)
    yield (
        f"{_number(values.get('low'))} to {_number(values.get('high'))}"
        if "low" in values
        else NOTHING
    )
    sign = "<=" if aim is not None and aim.is_ceiling else ">="
    yield f"{sign} {_number(aim.goal)}" if aim is not None else ""
    yield f"{sign} {_number(aim.stretch)}" if aim is not None else ""
    yield {True: "met", False: "missed"}.get(values.get("met", ""), "")


def _number(value: float | None, unit: str = "") -> str:
    if value is None or math.isnan(value):
        return NOTHING
    digits = 3 if abs(value) < 2 else 1  # noqa: PLR2004 - shares below, milliseconds above
    return f"{value:.{digits}f} {unit}".rstrip()
