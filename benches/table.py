"""Tables of results, as text, as markdown and as pictures."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

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


@dataclass(frozen=True)
class Bars:
    """A picture of what one answer costs on several servers, the shorter the better."""

    name: str
    title: str
    groups: Sequence[tuple[str, Sequence[tuple[str, float]]]]
    """For each question the servers with their microseconds, this one first."""

    def svg(self) -> str:
        """Return the picture; in each group the longest bar has the full width."""
        parts, y = [], 44
        for question, servers in self.groups:
            parts.append(f'<text x="8" y="{y}" font-weight="600">{escape(question)}</text>')
            y += 8
            longest = max(value for _, value in servers)
            for at, (server, value) in enumerate(servers):
                width = max(2, value / longest * WIDTH)
                parts.append(
                    f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(server)}</text>'
                    f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{BAR}" rx="2"'
                    f' fill="{COLOURS[min(at, 1)]}"/>'
                    f'<text x="{LEFT + width + 6:.0f}" y="{y + 11}">{value:,.0f} µs</text>'
                )
                y += BAR + GAP
            y += 26
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{y}"'
            f' font-family="sans-serif" font-size="12" fill="#6e7781" role="img"'
            f' aria-label="{escape(self.title)}">'
        )
        title = f'<text x="8" y="20" font-size="14">{escape(self.title)}</text>'
        return "\n".join([head, title, *parts, "</svg>", ""])
