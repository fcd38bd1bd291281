"""How far long work is, as a line that changes, for somebody who watches. Nobody else sees it."""

from types import TracebackType
from typing import Self, TextIO

_WIDTH = 30


class Bar:
    """A progress bar on a terminal; on anything else, and when it is hidden, nothing at all."""

    def __init__(self, title: str, stream: TextIO, *, hidden: bool = False) -> None:
        self._title = title
        self._stream = stream
        self._shown = stream.isatty() and not hidden
        self._line = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._print(" " * len(self._line))
        if self._line:
            self._stream.write("\r")
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done of how much there is."""
        share = min(done / total, 1) if total else 1
        filled = round(share * _WIDTH)
        self._print(f"{self._title} [{'#' * filled:{_WIDTH}}] {share:4.0%}")

    def _print(self, line: str) -> None:
        if self._shown and line != self._line:
            self._stream.write(f"\r{line}")
            self._stream.flush()
            self._line = line
