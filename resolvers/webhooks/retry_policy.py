"""What an attempt to deliver came to, and when the next one is due. Sends and stores nothing.

Source: Standard Webhooks 1.0.0, "Deliverability and reliability"; RFC 9110 section 10.2.3.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import OutboundError

SECONDS = 15
"""How long a host has for its answer."""
MAX_BYTES = 65_536
"""How much of it is read."""
BACKOFF = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""The seconds before each attempt, counted from the one before it."""
MAX_WAIT = timedelta(hours=24)
"""How long a host may ask us to wait."""

_GONE = 410
_BUSY = frozenset({429, 502, 503, 504})
_JITTER = (0.9, 1.1)
_SHORTEST = 5
"""Up to so many seconds, a wait is only made longer."""
_MOST_DIGITS = 9
_LONGEST_DATE = 64

Jitter = Callable[[float, float], float]
"""A number between two others, by chance."""


@dataclass(frozen=True)
class Delivered:
    """The host has taken it."""


@dataclass(frozen=True)
class Retry:
    """It is to be tried again at an instant."""

    at: datetime


@dataclass(frozen=True)
class Exhausted:
    """No attempt is left."""


@dataclass(frozen=True)
class Abort:
    """The host wants no more of this one delivery."""


@dataclass(frozen=True)
class Disable:
    """The host wants no more deliveries."""


Decision = Delivered | Retry | Exhausted | Abort | Disable


@dataclass(frozen=True)
class RetryPolicy:
    """When attempts are made."""

    uniform: Jitter
    seconds: Sequence[float] = BACKOFF

    def decide(
        self, outcome: OutboundResponse | OutboundError, attempt: int, now: datetime
    ) -> Decision:
        """What the attempt came to, the first being number 0."""
        if isinstance(outcome, OutboundError):
            return self._again(attempt, now, timedelta())
        if 200 <= outcome.status <= 299:  # noqa: PLR2004 - the codes of success
            return Delivered()
        if outcome.status == _GONE:
            return Disable()
        if outcome.headers.get("webhook-delivery", "").strip().lower() == "abort-message":
            return Abort()
        return self._again(attempt, now, _asked(outcome, now))

    def _again(self, attempt: int, now: datetime, asked: timedelta) -> Decision:
        if attempt + 1 >= len(self.seconds):
            return Exhausted()
        seconds = self.seconds[attempt + 1]
        least, most = _JITTER
        slot = seconds * self.uniform(1 if seconds <= _SHORTEST else least, most)
        return Retry(now + max(timedelta(seconds=slot), asked))


def _asked(answer: OutboundResponse, now: datetime) -> timedelta:
    """How long the host asks us to wait, within bounds."""
    text = answer.headers.get("retry-after", "").strip()
    if answer.status not in _BUSY or not text:
        return timedelta()
    return min(max(_wait(text, now), timedelta()), MAX_WAIT)


def _wait(text: str, now: datetime) -> timedelta:
    """The wait that a value says: seconds or a date; none where it says neither."""
    if re.fullmatch(r"[0-9]+", text):
        return timedelta(seconds=int(text)) if len(text) <= _MOST_DIGITS else MAX_WAIT
    try:
        date = parsedate_to_datetime(text[:_LONGEST_DATE])
    except (ValueError, OverflowError):  # no date, or none of the calendar
        return timedelta()
    return (date if date.tzinfo else date.replace(tzinfo=UTC)) - now
