"""Renders what was measured on each studio as tables, Markdown or JSON."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.scores import Aim, Score, Slice

HEAD = ("measure", "n", "value", "95 % interval", "goal", "stretch", "")
NOTHING = "-"

Row = Sequence[str]


@dataclass(frozen=True)
class Report:
    """The scores of one studio, with the versions and models that were evaluated."""

    studio: str
    about: Mapping[str, Any]
    scores: Sequence[Score]
    slices: Sequence[Slice]


def table(reports: Sequence[Report]) -> str:
    """Return the reports for a terminal."""
    return "\n\n".join(
        "\n\n".join([_about(report), *map(_aligned, _tables(report))]) for report in reports
    )


def markdown(reports: Sequence[Report]) -> str:
    """Return one table of the studios side by side, for the documentation."""
    scores = {score.name: score for report in reports for score in report.scores}
    kinds = dict.fromkeys(part.name for report in reports for part in report.slices)
    rows: list[Row] = [("measure", *(report.studio for report in reports), "goal")]
    for name, score in scores.items():
        own = (next((s for s in report.scores if s.name == name), None) for report in reports)
        rows.append((name, *map(_cell, own), _goal(score)))
    for kind in kinds:
        parts = (
            next((part.scores["all"] for part in report.slices if part.name == kind), None)
            for report in reports
        )
        rows.append((kind, *map(_cell, parts), ""))
    return _piped(rows)


def as_json(reports: Sequence[Report]) -> str:
    """Return the reports as JSON."""
    return json.dumps(
        [
            {
                "studio": report.studio,
                **report.about,
                "scores": [score.plain() for score in report.scores],
                "slices": [
                    {name: score.plain() for name, score in part.scores.items()}
                    for part in report.slices
                ],
            }
            for report in reports
        ],
        indent=2,
    )


def _about(report: Report) -> str:
    return ", ".join(f"{name} {value}" for name, value in report.about.items())


def _tables(report: Report) -> tuple[list[Row], list[Row]]:
    """Return the table of all measures and that by style and author."""
    names = dict.fromkeys(name for part in report.slices for name in part.scores)
    return (
        [HEAD, *(tuple(_row(score)) for score in report.scores)],
        [
            ("by style and author", *names),
            *(
                (part.name, *(_cell(part.scores.get(name)) for name in names))
                for part in report.slices
            ),
        ],
    )


def _aligned(rows: Sequence[Row]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _piped(rows: Sequence[Row]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * len(rows[0])}", *lines[1:]])


def _row(score: Score) -> Iterator[str]:
    values, aim = score.plain(), score.aim
    yield score.name
    yield str(len(score.values))
    yield _number(values.get("value"), score.unit)
    yield _range(values)
    yield _goal(score)
    yield f"{_sign(aim)} {_number(aim.stretch)}" if aim is not None else ""
    yield {True: "met", False: "missed"}.get(values.get("met", ""), "")


def _goal(score: Score) -> str:
    return f"{_sign(score.aim)} {_number(score.aim.goal)}" if score.aim is not None else ""


def _sign(aim: Aim) -> str:
    return "<=" if aim.is_ceiling else ">="


def _cell(score: Score | None) -> str:
    if score is None or not score.values:
        return NOTHING
    values = score.plain()
    value = _number(values["value"], score.unit)
    return value if len(score.values) == 1 else f"{value} ({_range(values)}, n {values['n']})"


def _range(values: Mapping[str, Any]) -> str:
    return f"{_number(values['low'])} to {_number(values['high'])}" if "low" in values else NOTHING


def _number(value: float | None, unit: str = "") -> str:
    if value is None or math.isnan(value):
        return NOTHING
    digits = 3 if abs(value) < 2 else 1  # noqa: PLR2004 - shares below, milliseconds above
    return f"{value:.{digits}f} {unit}".rstrip()
