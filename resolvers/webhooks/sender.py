"""One attempt to deliver an entry: send it, judge the response, record it, ask for the next one.

A job whose attempt is recorded already does not send again: after a crash it only asks for what
follows from the recorded attempt.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import BlockedTargetError, OutboundError
from resolvers.http_client.targets import TargetUrl
from resolvers.jobs.job_type import JobType, PermanentFailureError, RetryLaterError
from resolvers.webhooks.delivery_store import Attempt, DeliveryJob, DeliveryStore, PendingDelivery
from resolvers.webhooks.retry_policy import DEAD, MAX_BYTES, RETRY, SECONDS, RetryPolicy
from resolvers.webhooks.signing import SecretCipher, WebhookKey, delivery_headers
from sdl.errors import InvalidInputError, StudiographError

JOB_NAME = "dlv"
"""The name of the job type."""
CONCURRENCY = 50
MAX_PER_HOST, MAX_WAITING_PER_HOST = 4, 12
MAX_PROBES = 10
"""How many attempts of a process go to addresses that have failed several times in a row."""
_POLL_SECONDS = 0.2
_QUEUE_FULL_SECONDS = (1, 3)
_MAX_DOUBLINGS = 6
"""How often the wait for a busy host doubles: each wait is a row, and many of them a flood."""
_EARLY_SECONDS = 1
"""How long before its time an attempt leaves the queue, which is polled too seldom to be exact."""
_WRONG_KEY = "its secret is encrypted with another key"

log = logging.getLogger("studiograph.webhooks")


def job_type(run: Callable[[str, int], Coroutine[Any, Any, None]]) -> JobType:
    """Return the job type of deliveries: one at a time for each subscription."""
    return JobType(
        JOB_NAME,
        run,
        attempts=1_000,  # of our own failures; those of the receiver are counted by the policy
        longest_wait_seconds=300,
        concurrency=CONCURRENCY,
        partition_key=lambda key: DeliveryJob.parse(key).subscription,
        poll_seconds=_POLL_SECONDS,
    )


class QueueFullError(StudiographError):
    """Too many requests wait for this host already."""


class PerHostLimiter:
    """Limits how many requests of this process go to one host at a time."""

    def __init__(self, max_active: int, max_waiting: int) -> None:
        self._max_active, self._max_waiting = max_active, max_waiting
        self._slots: dict[Hashable, asyncio.Semaphore] = {}
        self._requests: Counter[Hashable] = Counter()
        """How many hold or await a slot of a host."""

    @asynccontextmanager
    async def slot(self, host: Hashable) -> AsyncIterator[None]:
        """Hold one of the slots of a host. Raises: QueueFullError."""
        if self._requests[host] >= self._max_active + self._max_waiting:
            raise QueueFullError
        self._requests[host] += 1
        try:
            async with self._slots.setdefault(host, asyncio.Semaphore(self._max_active)):
                yield
        finally:
            self._requests[host] -= 1
            if not self._requests[host]:
                del self._requests[host], self._slots[host]


@dataclass(frozen=True)
class DeliveryWorker:
    """Makes the attempts of one process."""

    store: DeliveryStore
    outbound: OutboundClient
    cipher: SecretCipher
    key: WebhookKey
    retry_policy: RetryPolicy
    agent: str
    """The User-Agent."""
    clock: Callable[[], datetime]
    hosts: PerHostLimiter = field(
        default_factory=lambda: PerHostLimiter(MAX_PER_HOST, MAX_WAITING_PER_HOST)
    )
    probes: PerHostLimiter = field(default_factory=lambda: PerHostLimiter(MAX_PROBES, 0))

    async def run(self, key: str, number: int) -> None:
        """Make the attempt of a job, unless the subscription is gone or disabled.

        Raises: RetryLaterError, PermanentFailureError, UnavailableError.
        """
        job = DeliveryJob.parse(key)
        delivery = await self.store.load(job, number)
        if delivery is None:
            return
        if isinstance(delivery, Attempt):
            attempt, is_disabled = delivery, False
        else:
            attempt = await self._attempt(job, number, delivery)
            is_disabled = await self.store.record(attempt)
        if is_disabled:
            log.warning("%s is disabled; it was tried with %s", job.subscription, job.entry)
        elif attempt.verdict == RETRY:
            left = (attempt.due_at or 0.0) - self.clock().timestamp()
            raise RetryLaterError(max(0.0, left - _EARLY_SECONDS))
        elif attempt.verdict == DEAD:
            raise PermanentFailureError("No attempt is left")

    async def _attempt(self, job: DeliveryJob, number: int, pending: PendingDelivery) -> Attempt:
        """Send when it is time. Raises: RetryLaterError if too many requests wait for the host."""
        try:
            async with AsyncExitStack() as slots:
                if pending.is_probing:
                    await slots.enter_async_context(self.probes.slot(None))
                left = (pending.due_at or 0.0) - self.clock().timestamp()
                if 0 < left < 2 * _EARLY_SECONDS:
                    await asyncio.sleep(left)
                return await self._send(job, number, pending, slots)
        except QueueFullError:
            doublings = min(max(number - 1 - pending.attempts_made, 0), _MAX_DOUBLINGS)
            wait = self.retry_policy.uniform(*_QUEUE_FULL_SECONDS)
            raise RetryLaterError(wait * 2**doublings) from None

    async def _send(
        self, job: DeliveryJob, number: int, pending: PendingDelivery, slots: AsyncExitStack
    ) -> Attempt:
        outcome: OutboundResponse | OutboundError
        timer = asyncio.get_running_loop().time
        started, at = timer(), self.clock()
        try:
            target = self.outbound.destinations.parse(pending.subscription.url)
            address = (await self.outbound.destinations.addresses(target))[0]
            await slots.enter_async_context(self.hosts.slot((address, target.port)))
            started, at = timer(), self.clock()
            outcome = await self._post(job, pending, target, at)
        except InvalidInputError:  # the policy has changed since the URL was accepted
            outcome = BlockedTargetError()
        except OutboundError as error:
            outcome = error
        seconds = timer() - started
        decision = self.retry_policy.decide(outcome, pending.attempts_made, self.clock())
        return Attempt(
            delivery=job.delivery,
            round=job.round,
            n=number,
            subscription=job.subscription,
            entry=job.entry,
            at=at.timestamp(),
            status=outcome.status if isinstance(outcome, OutboundResponse) else None,
            ms=round(seconds * 1000),
            error=outcome.reason if isinstance(outcome, OutboundError) else None,
            verdict=decision.verdict,
            due_at=None if decision.due_at is None else decision.due_at.timestamp(),
        )

    async def _post(
        self, job: DeliveryJob, pending: PendingDelivery, target: TargetUrl, at: datetime
    ) -> OutboundResponse:
        """Send a signed request. Raises: OutboundError, PermanentFailureError."""
        try:
            secret = self.cipher.decrypt(pending.subscription.secret)
        except ValueError:
            log.error("%s: %s; restore the keys", job.subscription, _WRONG_KEY)  # noqa: TRY400 - the text says it all
            raise PermanentFailureError(_WRONG_KEY) from None
        timestamp = int(at.timestamp())
        headers = delivery_headers(secret, self.key, job.delivery, timestamp, pending.body)
        return await self.outbound.post(
            target,
            pending.body,
            {**headers, "user-agent": self.agent},
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )
