"""Tables and other text on a terminal."""

import sys
from collections.abc import Sequence

Row = Sequence[str]


def print_table(rows: Sequence[Row], headings: Row | None = None) -> None:
    """Print rows in aligned columns, under headings if there are any; an empty column has no room.

    Without rows nothing is printed.
    """
    lines = [headings, *rows] if rows and headings else rows
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for row in lines:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width)
        print_text("  ".join(cells).rstrip())


def print_text(text: str) -> None:
    """Print a line without control characters, in an encoding that the terminal can show."""
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    encoding = sys.stdout.encoding or "utf-8"
    print(printable.encode(encoding, "replace").decode(encoding))
