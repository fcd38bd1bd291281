"""Superlatives over figures: the same figure of several entries, in the order asked for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from resolvers.embeddings.tokenizer import terms
from resolvers.facts.fields import FactTable
from resolvers.facts.router import ParsedQuestion
from resolvers.facts.statements import Statement, items_of, statements_of
from sdl.marks import Heading
from sdl.shape import ScalarShape

MAX_RANKED = 3
"""How many entries are said, the first of which is the one that is asked for."""
MIN_COMPARED = 2
"""How many entries must have a figure to be compared by it."""
_LEAST = re.compile(
    r"\b(?:least|less|(?:few|short|quick|fast|small|low|light|cheap|narrow)e(?:st|r))\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:most|more|(?:long|larg|bigg|high|heavi|slow|great|wid|deep|tall|dear)e(?:st|r))\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"\b(?:quick|fast|slow|short|long)e(?:st|r)\b", re.IGNORECASE)
_OF_DATES = re.compile(r"\blongest[ -](?:running|standing|serving)\b", re.IGNORECASE)
_TIME_UNITS = re.compile(r"\b(?:second|minute|hour|day|week|month|year)s?\b", re.IGNORECASE)
_FIGURE = re.compile(r"^\D{0,12}(\d[\d,]*(?:\.\d+)?)\s*(.*)$")


@dataclass(frozen=True)
class _Figure:
    """A figure of an entry: its label, its number and what is said of it."""

    label: str
    number: float
    unit: str
    statement: Statement


class Figures:
    """The figures that at least two entries of a type have. Immutable, so threads may share it."""

    def __init__(self, table: FactTable) -> None:
        groups: dict[tuple[str, str], list[_Figure]] = {}
        for figure in _figures(table):
            kind = figure.statement.field.owner.type_name
            groups.setdefault((kind, figure.label.casefold()), []).append(figure)
        self._groups = [group for group in groups.values() if len(group) >= MIN_COMPARED]

    def ranked(self, parsed: ParsedQuestion) -> list[Statement]:
        """Return the figure that a superlative asks for, of the entry that has most or least of it.

        Nothing, if no word of the question tells which figure is meant, or one entry is named.
        """
        is_least = _LEAST.search(parsed.text) is not None
        if not (is_least or _MOST.search(parsed.text)) or _OF_DATES.search(parsed.text):
            return []
        words = {word for word in terms(parsed.text) if word not in parsed.name_words}
        is_time = _TIME.search(parsed.text) is not None
        best = max(self._groups, key=lambda g: _fit(g, words, is_time=is_time), default=[])
        if not best or _fit(best, words, is_time=is_time) < 1:
            return []
        named = {item.entry.name for item in parsed.named}
        chosen = [f for f in best if f.statement.entry and f.statement.entry.name in named]
        if named and len(chosen) < MIN_COMPARED:
            return []
        order = sorted(chosen or best, key=lambda f: f.number if is_least else -f.number)
        return [figure.statement for figure in order[:MAX_RANKED]]


def _fit(group: Sequence[_Figure], words: set[str], *, is_time: bool) -> float:
    """Return how well a question's words fit a figure: 1 and more if it is asked for."""
    label = terms(group[0].label)
    units = {word for figure in group for word in terms(figure.unit)}
    of_time = is_time and all(_TIME_UNITS.search(figure.unit) for figure in group)
    return len(words.intersection(label)) / max(1, len(label)) + len(words & units) / 2 + of_time


def _figures(table: FactTable) -> Iterator[_Figure]:
    for field in table.fields:
        item = field.item
        heading = item.field_marked(Heading) if item is not None else None
        if item is None or heading is None or field.is_single:
            continue
        keys = [m.key for m in item.fields if m is not heading and isinstance(m.shape, ScalarShape)]
        for listed in statements_of(table, field):
            for statement, value in zip(items_of(listed), listed.value, strict=False):
                match = _FIGURE.match(str(value.get(keys[0]) or "")) if keys else None
                if match is None or listed.entry is None:
                    continue
                label = str(value[heading.key])
                text = f"{listed.entry.name}, {label}: {value[keys[0]]}."
                number = float(match[1].replace(",", ""))
                yield _Figure(label, number, match[2], replace(statement, text=text))
