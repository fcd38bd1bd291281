"""A circuit breaker: after several failures in a row, calls fail at once for a while."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from resolvers.embeddings.errors import ModelError

MAX_FAILURES = 5
"""How many failures in a row open the breaker."""
PAUSE_SECONDS = 15
"""How long it stays open before one call may try again."""

log = logging.getLogger("studiograph.answers")


@dataclass(frozen=True)
class Permit:
    """The permission to make one call."""

    is_probe: bool
    """Whether this is the one call that tries again after a pause."""


class CircuitBreaker:
    """Lets calls through while they succeed; after a pause it lets one probe through."""

    def __init__(
        self,
        clock: Callable[[], float],
        max_failures: int = MAX_FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        self._clock = clock
        self._max_failures = max_failures
        self._pause = pause_seconds
        self._failures = 0
        self._opened_at = 0.0
        self._is_probing = False

    def acquire(self) -> Permit:
        """Return the permit of a call, to be handed to `release`. Raises: ModelError."""
        if self._failures < self._max_failures:
            return Permit(is_probe=False)
        wait = self._opened_at + self._pause - self._clock()
        if self._is_probing or wait > 0:
            seconds = max(1, round(wait))
            raise ModelError(
                "The model provider failed several times in a row; it will be tried again in"
                f" {seconds} seconds."
            )
        self._is_probing = True
        return Permit(is_probe=True)

    def release(self, permit: Permit, *, succeeded: bool | None) -> None:
        """Record how a call ended; `None` if that says nothing about the provider.

        A call that began before the pause and fails during it does not make the pause longer.
        """
        was_open = self._failures >= self._max_failures
        if permit.is_probe:
            self._is_probing = False
        if succeeded:
            self._failures = 0
        elif succeeded is False:
            self._failures = min(self._failures + 1, self._max_failures)
            if self._failures == self._max_failures and (permit.is_probe or not was_open):
                self._open()

    def _open(self) -> None:
        self._opened_at = self._clock()
        log.error(
            "the language model failed %d times in a row; it is tried again in %d seconds",
            self._max_failures,
            self._pause,
        )
