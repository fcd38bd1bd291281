"""Tables of results, as text, as markdown and as pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

BAR, GAP, LEFT, WIDTH, RIGHT = 14, 6, 230, 420, 90
COLOURS = ("#1f6feb", "#8b949e")
"""Of this server and of the others: both can be read on a light and on a dark ground."""


@dataclass(frozen=True)
class Table:
    """The results of one comparison."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    """What a reader must know to read it."""

    def text(self) -> str:
        """Return it for a terminal."""
        lines = [self.heads, *self.rows]
        widths = [max(len(line[at]) for line in lines) for at in range(len(self.heads))]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *shown, ""])

    def markdown(self) -> str:
        """Return it for a page."""
        rule = ["--", *("--:" for _ in self.heads[1:])]
        lines = [f"| {' | '.join(line)} |" for line in (self.heads, rule, *self.rows)]
        note = [self.note, ""] if self.note else []
        return "\n".join([f"### {self.title}", "", *note, *lines, ""])
