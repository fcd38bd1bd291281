"""The result of an attempt to deliver, and when the next attempt is due.

Source: Standard Webhooks 1.0.0, "Deliverability and reliability"; RFC 9110 section 10.2.3.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.errors import OutboundError

DELIVERED, RETRY, DEAD, ABORTED, DISABLED = "delivered", "retry", "dead", "aborted", "disabled"
"""Verdicts: accepted; to be tried again; no attempt left; the receiver wants no more of this
delivery; the receiver wants no more deliveries.
`DeliveryStore` counts them and disables; the next attempt is asked for by `DeliveryWorker.run`."""
SECONDS = 15
"""The time that a receiver has for its response."""
MAX_BYTES = 65_536
"""How much of the response is read."""
MAX_WAIT = timedelta(hours=24)
"""The longest wait that a receiver may ask for."""

_GONE = 410
_BUSY = frozenset({429, 502, 503, 504})
_MIN_JITTER, _MAX_JITTER = 0.9, 1.1
_MAX_LENGTHENED_SECONDS = 5
"""Jitter only lengthens waits up to this one."""
_MAX_DIGITS = 9
_MAX_DATE_LENGTH = 64

Jitter = Callable[[float, float], float]
"""Returns a random number between two others."""


@dataclass(frozen=True)
class RetryDecision:
    """What follows from an attempt."""

    verdict: str
    due_at: datetime | None = None
    """When the next attempt is made, if the verdict is RETRY."""


@dataclass(frozen=True)
class RetryPolicy:
    """The waits between attempts, and what each kind of response means."""

    uniform: Jitter
    seconds: Sequence[float]
    """Those before each attempt, counted from the one before it."""

    def decide(
        self, outcome: OutboundResponse | OutboundError, attempt: int, now: datetime
    ) -> RetryDecision:
        """Return what follows from an attempt, the first being number 0."""
        if isinstance(outcome, OutboundError):
            return self._next_attempt(attempt, now, timedelta())
        if 200 <= outcome.status <= 299:  # noqa: PLR2004 - the status codes of success
            return RetryDecision(DELIVERED)
        if outcome.status == _GONE:
            return RetryDecision(DISABLED)
        if outcome.headers.get("webhook-delivery", "").strip().lower() == "abort-message":
            return RetryDecision(ABORTED)
        return self._next_attempt(attempt, now, _requested_wait(outcome, now))

    def _next_attempt(self, attempt: int, now: datetime, requested: timedelta) -> RetryDecision:
        if attempt + 1 >= len(self.seconds):
            return RetryDecision(DEAD)
        seconds = self.seconds[attempt + 1]
        least = 1 if seconds <= _MAX_LENGTHENED_SECONDS else _MIN_JITTER
        wait = timedelta(seconds=seconds * self.uniform(least, _MAX_JITTER))
        return RetryDecision(RETRY, now + max(wait, requested))


def _requested_wait(response: OutboundResponse, now: datetime) -> timedelta:
    """Return the wait that a busy receiver asks for, within bounds."""
    text = response.headers.get("retry-after", "").strip()
    if response.status not in _BUSY or not text:
        return timedelta()
    return min(max(_parse_retry_after(text, now), timedelta()), MAX_WAIT)


def _parse_retry_after(text: str, now: datetime) -> timedelta:
    """Return the wait in a Retry-After value (seconds or a date), or zero if it is invalid."""
    if re.fullmatch(r"[0-9]+", text):
        return timedelta(seconds=int(text)) if len(text) <= _MAX_DIGITS else MAX_WAIT
    try:
        date = parsedate_to_datetime(text[:_MAX_DATE_LENGTH])
    except (ValueError, OverflowError):  # not a date, or not one of the calendar
        return timedelta()
    return (date if date.tzinfo else date.replace(tzinfo=UTC)) - now
