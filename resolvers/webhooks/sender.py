"""One attempt to deliver: sent, judged, written down, and what follows. Knows no queue.

A job whose attempt stands written already sends nothing again: what was killed after that goes on
from there.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import BlockedTargetError, OutboundError
from resolvers.http_client.targets import TargetUrl
from resolvers.jobs.job_type import JobType, PermanentFailureError, RetryLaterError
from resolvers.webhooks.concurrency import PerHostLimiter, QueueFullError
from resolvers.webhooks.delivery_store import (
    ABORTED,
    DEAD,
    DELIVERED,
    DISABLED,
    RETRY,
    Attempt,
    DeliveryJob,
    DeliveryStore,
    PendingDelivery,
)
from resolvers.webhooks.progress import Finished
from resolvers.webhooks.retry_policy import (
    MAX_BYTES,
    SECONDS,
    Abort,
    Decision,
    Delivered,
    Disable,
    Exhausted,
    Retry,
    RetryPolicy,
)
from resolvers.webhooks.secrets import SecretCipher
from resolvers.webhooks.signing import WebhookKey, delivery_headers, signature
from sdl.errors import InvalidInputError

JOB_NAME = "dlv"
"""The name of the jobs."""
CONCURRENCY = 50
MAX_PER_HOST, MAX_WAITING_PER_HOST = 4, 12
MAX_PROBES = 10
"""How many of a process's attempts go to addresses that are taken for dead."""
_POLL_SECONDS = 0.2
_CROWDED_SECONDS = (1, 3)
_MOST_DOUBLINGS = 6
"""How often a wait for a turn doubles: each one is a row, and a crowd of them a flood."""
_EARLY_SECONDS = 1
"""How long before its time an attempt leaves the queue, which looks once a second."""
_LOST = "its secret is sealed under another key"

_WORDS: dict[type[Decision], str] = {
    Delivered: DELIVERED,
    Retry: RETRY,
    Exhausted: DEAD,
    Abort: ABORTED,
    Disable: DISABLED,
}

log = logging.getLogger("studiograph.webhooks")


def job_type(run: Callable[[str, int], Awaitable[None]]) -> JobType:
    """The jobs of deliveries: one at a time for each subscription."""
    return JobType(
        JOB_NAME,
        run,
        attempts=1_000,  # of what goes wrong here: those at the receiver are counted by themselves
        longest_wait_seconds=300,
        concurrency=CONCURRENCY,
        partition_key=lambda about: DeliveryJob.parse(about).subscription,
        poll_seconds=_POLL_SECONDS,
    )


def signed_headers(
    secret: str, key: WebhookKey, message: str, moment: datetime, body: bytes
) -> dict[str, str]:
    """The headers of a delivery that is made at this moment."""
    timestamp = int(moment.timestamp())
    return delivery_headers(message, timestamp, signature(secret, key, message, timestamp, body))


@dataclass(frozen=True)
class DeliveryWorker:
    """Makes attempts."""

    store: DeliveryStore
    outbound: OutboundClient
    cipher: SecretCipher
    key: WebhookKey
    retry_policy: RetryPolicy
    agent: str
    """The User-Agent."""
    clock: Callable[[], datetime]
    cancel: Callable[[str], Awaitable[list[DeliveryJob]]]
    """Takes what still waits for a subscription out of the queue, and says what it was."""
    hosts: PerHostLimiter
    probes: PerHostLimiter

    async def run(self, about: str, number: int) -> None:
        """Nothing, once a parcel is done with. Raises: Again, GiveUp, Unavailable."""
        parcel = DeliveryJob.parse(about)
        found = await self.store.load(parcel, number)
        if found is None:  # the subscription is gone, or receives nothing any more
            tell(*await self.store.discard([parcel]))
        elif isinstance(found, Attempt):
            self._follow(found)
        else:
            attempt = await self._attempt(parcel, number, found)
            if not await self._recorded(attempt):
                self._follow(attempt)

    async def _attempt(self, parcel: DeliveryJob, number: int, errand: PendingDelivery) -> Attempt:
        """What came of sending it. Raises: Again when too many others are sent there now."""
        try:
            async with AsyncExitStack() as turns:
                if errand.is_probing:
                    await turns.enter_async_context(self.probes.slot(None))
                await self._due(errand)
                return await self._sent(parcel, number, errand, turns)
        except QueueFullError:
            doublings = min(max(number - 1 - errand.attempts_made, 0), _MOST_DOUBLINGS)
            raise RetryLaterError(
                self.retry_policy.uniform(*_CROWDED_SECONDS) * 2**doublings
            ) from None

    async def _due(self, errand: PendingDelivery) -> None:
        """Nothing, once it is time: the queue is looked at too seldom to be exact."""
        left = (errand.due_at or 0.0) - self.clock().timestamp()
        if 0 < left < 2 * _EARLY_SECONDS:
            await asyncio.sleep(left)

    async def _sent(
        self, parcel: DeliveryJob, number: int, errand: PendingDelivery, turns: AsyncExitStack
    ) -> Attempt:
        outcome: OutboundResponse | OutboundError
        begun, at = asyncio.get_running_loop().time(), self.clock()
        try:
            destination = self._destination(errand)
            address = (await self.outbound.destinations.addresses(destination))[0]
            await turns.enter_async_context(self.hosts.slot((address, destination.port)))
            begun, at = asyncio.get_running_loop().time(), self.clock()
            outcome = await self._post(parcel, errand, destination, at)
        except OutboundError as fault:
            outcome = fault
        seconds = asyncio.get_running_loop().time() - begun
        verdict = self.retry_policy.decide(outcome, errand.attempts_made, self.clock())
        return Attempt(
            delivery=parcel.delivery,
            round=parcel.round,
            n=number,
            subscription=parcel.subscription,
            entry=parcel.entry,
            at=at.timestamp(),
            status=outcome.status if isinstance(outcome, OutboundResponse) else None,
            ms=round(seconds * 1000),
            error=outcome.reason if isinstance(outcome, OutboundError) else None,
            verdict=_WORDS[type(verdict)],
            due_at=verdict.at.timestamp() if isinstance(verdict, Retry) else None,
        )

    def _destination(self, errand: PendingDelivery) -> TargetUrl:
        """Where it goes, read anew: what was allowed once may not be. Raises: Blocked."""
        try:
            return self.outbound.destinations.parse(errand.subscription.url)
        except InvalidInputError:
            raise BlockedTargetError from None

    async def _post(
        self, parcel: DeliveryJob, errand: PendingDelivery, to: TargetUrl, at: datetime
    ) -> OutboundResponse:
        """What the receiver answered. Raises: OutboundFault, GiveUp."""
        try:
            secret = self.cipher.decrypt(errand.subscription.secret)
        except ValueError:
            log.error("%s: %s; restore the keys", parcel.subscription, _LOST)  # noqa: TRY400 - it says it all
            raise PermanentFailureError(_LOST) from None
        told = signed_headers(secret, self.key, parcel.delivery, at, errand.body)
        return await self.outbound.post(
            to,
            errand.body,
            {**told, "user-agent": self.agent},
            seconds=SECONDS,
            max_bytes=MAX_BYTES,
        )

    async def _recorded(self, attempt: Attempt) -> bool:
        """Whether the attempt, now written down, was the last of its subscription."""
        recorded = await self.store.record(attempt)
        if recorded.finished is not None:
            tell(recorded.finished)
        if recorded.is_disabled:
            log.warning("%s is disabled; it was tried with %s", attempt.subscription, attempt.entry)
            tell(*await self.store.discard(await self.cancel(attempt.subscription)))
        return recorded.is_disabled

    def _follow(self, attempt: Attempt) -> None:
        """Nothing, where nothing follows. Raises: Again, GiveUp."""
        if attempt.verdict == RETRY:
            left = (attempt.due_at or 0.0) - self.clock().timestamp()
            raise RetryLaterError(max(0.0, left - _EARLY_SECONDS))
        if attempt.verdict == DEAD:
            raise PermanentFailureError("No attempt is left")


def tell(*finished: Finished) -> None:
    """Log every entry of which the last delivery is done."""
    for each in finished:
        log.info(
            "entry %s: all %d deliveries are done, %d of them delivered",
            *(each.entry, each.deliveries, each.delivered),
        )
