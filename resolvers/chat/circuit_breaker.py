"""When a provider is left alone: after failures in a row nobody waits for the next one.

Counts what it is told and keeps the time; it asks nobody and sends nothing.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from resolvers.embeddings.errors import ModelError

MAX_FAILURES = 5
PAUSE_SECONDS = 15

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class Permit:
    """That a call may begin; whether it is the one that tries again after a pause."""

    is_probe: bool


class CircuitBreaker:
    """Closed while calls succeed; open for a pause after too many failures, then one probe."""

    def __init__(
        self,
        clock: Callable[[], float],
        most_failures: int = MAX_FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._clock = clock
        self._most = most_failures
        self._pause = pause_seconds
        self._failures = 0
        self._opened_at = 0.0
        self._is_probing = False

    def acquire(self) -> Permit:
        """The admission of a call, to be ended with `end`. Raises: ModelFault."""
        if self._failures < self._most:
            return Permit(is_probe=False)
        if self._is_probing or self._clock() < self._opened_at + self._pause:
            raise ModelError("The model's provider failed several times in a row; it is resting.")
        self._is_probing = True
        return Permit(is_probe=True)

    def release(self, admission: Permit, *, succeeded: bool | None) -> None:
        """Nothing, once the call's end is noted; `None` is a call that showed nothing.

        A call that began before the pause and fails in it does not make it longer.
        """
        was_open = self._failures >= self._most
        if admission.is_probe:
            self._is_probing = False
        if succeeded:
            self._failures = 0
        elif succeeded is False:
            self._failures = min(self._failures + 1, self._most)
            if self._failures == self._most and (admission.is_probe or not was_open):
                self._open()

    def _open(self) -> None:
        self._opened_at = self._clock()
        log.error(
            "the language model failed %d times in a row; it is asked again in %d seconds",
            self._most,
            self._pause,
        )
