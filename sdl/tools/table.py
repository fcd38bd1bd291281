"""Tables and other text on a terminal."""

import sys
from collections.abc import Sequence

Row = Sequence[str]


def print_table(headings: Row, rows: Sequence[Row]) -> None:
    """Print rows in aligned columns under their headings; print nothing if there are no rows."""
    if not rows:
        return
    widths = [max(map(len, cells)) for cells in zip(headings, *rows, strict=True)]
    for row in (headings, *rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print_text("  ".join(cells).rstrip())


def print_text(text: str) -> None:
    """Print a line without control characters, in an encoding that the terminal can show."""
    printable = "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
    encoding = sys.stdout.encoding or "utf-8"
    print(printable.encode(encoding, "replace").decode(encoding))
