"""What a job type declares: the function to run, its attempts, their spacing, its concurrency."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from sdl.errors import StudiographError


class PermanentFailureError(StudiographError):
    """No further attempt would help. Its text is stored, so it must hold no personal data."""


class RetryLaterError(StudiographError):
    """The job asks for another attempt after a time that it chooses. Units: seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True)
class JobType:
    """A type of job, declared before the queue is launched. Units: seconds.

    A job runs at least once, so running it twice must do no harm.
    """

    name: str
    """The name of its queue, and the first part of the ids of its rows."""
    run: Callable[[str, int], Coroutine[Any, Any, None]]
    """The function to run. It takes the job key (an id, so that no row holds a caller's words) and
    the number of the attempt, the first being 1."""
    attempts: int = 10
    first_wait_seconds: float = 5
    factor: float = 4
    longest_wait_seconds: float = 6 * 3600
    concurrency: int = 8
    """How many jobs of this type one process runs at a time."""
    partition_key: Callable[[str], str] | None = None
    """Maps a job key to its partition. One job of a partition runs at a time in all processes."""
    poll_seconds: float | None = None
    """The polling interval of its queue, if it is not the default."""

    def wait_seconds(self, attempt: int) -> float:
        """Return the wait after a failed attempt, the first being number 1."""
        wait = self.first_wait_seconds * self.factor ** (attempt - 1)
        return min(wait, self.longest_wait_seconds)
