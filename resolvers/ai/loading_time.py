"""How long loading still takes, estimated from the texts that are embedded so far."""

import math
from collections.abc import Callable

SETS = 4
"""How many sets of texts are embedded until chat answers: entries, questions, goals, sentences."""
MIN_SECONDS = 5
MAX_SECONDS = 60


class LoadingTime:
    """The time since loading began, and the share of the work that is done."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Note that loading begins."""
        self._began = self._clock()
        self._sets_done = 0
        self._done, self._total = 0, 0

    def note(self, done: int, total: int) -> None:
        """Note that so many of so many texts of a set are embedded."""
        if self._total and (total != self._total or done < self._done):
            self._sets_done = min(self._sets_done + 1, SETS - 1)
        self._done, self._total = done, total

    def seconds_left(self) -> int:
        """Return after how many seconds to try again, at most a minute."""
        share = (self._sets_done + (self._done / self._total if self._total else 0)) / SETS
        if share == 0:
            return MIN_SECONDS
        left = (self._clock() - self._began) * (1 - share) / share
        return min(max(math.ceil(left), 1), MAX_SECONDS)
