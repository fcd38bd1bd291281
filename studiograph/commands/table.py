"""How rows are printed on a terminal. Knows nothing of what stands in them."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from sdl.scalar_types import format_instant

Row = Sequence[str]


def print_table(heads: Row, rows: Sequence[Row]) -> None:
    """Print rows under their heads, in columns as wide as they must be; nothing without rows."""
    if not rows:
        return
    widths = [max(map(len, cells)) for cells in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print_text("  ".join(cells).rstrip())


def print_text(text: str) -> None:
    """Print a line in the letters that this terminal has, and no control among them."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    coding = sys.stdout.encoding or "utf-8"
    print(shown.encode(coding, "replace").decode(coding))


def format_time(seconds: float | None) -> str:
    """An instant as it is printed; empty where there is none. Units: seconds since 1970."""
    return "" if seconds is None else format_instant(datetime.fromtimestamp(seconds, UTC))
