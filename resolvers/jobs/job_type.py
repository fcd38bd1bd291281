"""A kind of job and how its attempts are spaced. Knows no engine and no store."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sdl.errors import StudiographError


class PermanentFailureError(StudiographError):
    """No further attempt would help. Its text is stored: our own words, about nobody."""


class RetryLaterError(StudiographError):
    """The job wants another attempt at a time of its own choice. Units: seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(frozen=True)
class JobType:
    """A kind of job, declared before the engine starts. Units: seconds.

    A job runs at least once, so running it twice must do no harm.
    """

    name: str
    """The name of its queue and of its rows."""
    run: Callable[[str, int], Awaitable[None]]
    """What is done. It takes the id of what it is about, so that no row holds a caller's words, and
    which attempt this is, the first being 1."""
    attempts: int = 10
    first_wait_seconds: float = 5
    factor: float = 4
    longest_wait_seconds: float = 6 * 3600
    concurrency: int = 8
    """How many run at a time in one process."""
    partition_key: Callable[[str], str] | None = None
    """From an id to what it belongs to, of which one job runs at a time in all processes."""
    poll_seconds: float | None = None
    """How often its queue is looked at; else as often as every other."""

    def wait_seconds(self, attempt: int) -> float:
        """The pause after this attempt, the first being 1, has failed."""
        wait = self.first_wait_seconds * self.factor ** (attempt - 1)
        return min(wait, self.longest_wait_seconds)
