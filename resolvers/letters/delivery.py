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

from resolvers.jobs.kind import Again, GiveUp, Kind
from resolvers.letters.attempts import (
    MOST_BYTES,
    SECONDS,
    Abort,
    Dead,
    Delivered,
    Disable,
    Retry,
    Schedule,
    Verdict,
)
from resolvers.letters.deliveries import (
    ABORTED,
    DEAD,
    DELIVERED,
    DISABLED,
    RETRY,
    Attempt,
    Deliveries,
    Errand,
    Parcel,
)
from resolvers.letters.destinations import Destination
from resolvers.letters.faults import Blocked, OutboundFault
from resolvers.letters.sealing import Seals
from resolvers.letters.tally import Finished
from resolvers.letters.turns import Crowded, Turns
from resolvers.letters.webhooks import WebhookKey, headers, signature
from resolvers.outbound import Answer, Outbound
from schema.errors import InvalidInput

DELIVERY = "dlv"
"""The name of the jobs."""
CONCURRENCY = 50
MOST_AT_A_HOST, MOST_WAITING_AT_A_HOST = 4, 12
MOST_PROBES = 10
"""How many of a process's attempts go to addresses that are taken for dead."""
_POLL_SECONDS = 0.2
_CROWDED_SECONDS = (1, 3)
_MOST_DOUBLINGS = 6
"""How often a wait for a turn doubles: each one is a row, and a crowd of them a flood."""
_EARLY_SECONDS = 1
"""How long before its time an attempt leaves the queue, which looks once a second."""
_LOST = "its secret is sealed under another key"

_WORDS: dict[type[Verdict], str] = {
    Delivered: DELIVERED,
    Retry: RETRY,
    Dead: DEAD,
    Abort: ABORTED,
    Disable: DISABLED,
}

log = logging.getLogger("studiograph.webhooks")


def kind_of(run: Callable[[str, int], Awaitable[None]]) -> Kind:
    """The jobs of deliveries: one at a time for each subscription."""
    return Kind(
        DELIVERY,
        run,
        attempts=1_000,  # of what goes wrong here: those at the receiver are counted by themselves
        longest_wait_seconds=300,
        concurrency=CONCURRENCY,
        alone_by=lambda about: Parcel.read(about).subscription,
        poll_seconds=_POLL_SECONDS,
    )


def signed(
    secret: str, key: WebhookKey, message: str, moment: datetime, body: bytes
) -> dict[str, str]:
    """The headers of a delivery that is made at this moment."""
    timestamp = int(moment.timestamp())
    return headers(message, timestamp, signature(secret, key, message, timestamp, body))


@dataclass(frozen=True)
class Courier:
    """Makes attempts."""

    deliveries: Deliveries
    outbound: Outbound
    seals: Seals
    key: WebhookKey
    schedule: Schedule
    agent: str
    """The User-Agent."""
    clock: Callable[[], datetime]
    cancel: Callable[[str], Awaitable[list[Parcel]]]
    """Takes what still waits for a subscription out of the queue, and says what it was."""
    hosts: Turns
    probes: Turns

    async def run(self, about: str, number: int) -> None:
        """Nothing, once a parcel is done with. Raises: Again, GiveUp, Unavailable."""
        parcel = Parcel.read(about)
        found = await self.deliveries.errand(parcel, number)
        if found is None:  # the subscription is gone, or receives nothing any more
            tell(*await self.deliveries.drop([parcel]))
        elif isinstance(found, Attempt):
            self._follow(found)
        else:
            attempt = await self._attempt(parcel, number, found)
            if not await self._recorded(attempt):
                self._follow(attempt)

    async def _attempt(self, parcel: Parcel, number: int, errand: Errand) -> Attempt:
        """What came of sending it. Raises: Again when too many others are sent there now."""
        try:
            async with AsyncExitStack() as turns:
                if errand.is_half_open:
                    await turns.enter_async_context(self.probes.at(None))
                await self._due(errand)
                return await self._sent(parcel, number, errand, turns)
        except Crowded:
            doublings = min(max(number - 1 - errand.before, 0), _MOST_DOUBLINGS)
            raise Again(self.schedule.uniform(*_CROWDED_SECONDS) * 2**doublings) from None

    async def _due(self, errand: Errand) -> None:
        """Nothing, once it is time: the queue is looked at too seldom to be exact."""
        left = (errand.due_at or 0.0) - self.clock().timestamp()
        if 0 < left < 2 * _EARLY_SECONDS:
            await asyncio.sleep(left)

    async def _sent(
        self, parcel: Parcel, number: int, errand: Errand, turns: AsyncExitStack
    ) -> Attempt:
        outcome: Answer | OutboundFault
        begun, at = asyncio.get_running_loop().time(), self.clock()
        try:
            destination = self._destination(errand)
            address = (await self.outbound.destinations.addresses(destination))[0]
            await turns.enter_async_context(self.hosts.at((address, destination.port)))
            begun, at = asyncio.get_running_loop().time(), self.clock()
            outcome = await self._post(parcel, errand, destination, at)
        except OutboundFault as fault:
            outcome = fault
        seconds = asyncio.get_running_loop().time() - begun
        verdict = self.schedule.verdict(outcome, errand.before, self.clock())
        return Attempt(
            delivery=parcel.delivery,
            round=parcel.round,
            n=number,
            subscription=parcel.subscription,
            entry=parcel.entry,
            at=at.timestamp(),
            status=outcome.status if isinstance(outcome, Answer) else None,
            ms=round(seconds * 1000),
            error=outcome.reason if isinstance(outcome, OutboundFault) else None,
            verdict=_WORDS[type(verdict)],
            due_at=verdict.at.timestamp() if isinstance(verdict, Retry) else None,
        )

    def _destination(self, errand: Errand) -> Destination:
        """Where it goes, read anew: what was allowed once may not be. Raises: Blocked."""
        try:
            return self.outbound.destinations.read(errand.subscription.url)
        except InvalidInput:
            raise Blocked from None

    async def _post(self, parcel: Parcel, errand: Errand, to: Destination, at: datetime) -> Answer:
        """What the receiver answered. Raises: OutboundFault, GiveUp."""
        try:
            secret = self.seals.open(errand.subscription.secret)
        except ValueError:
            log.error("%s: %s; restore the keys", parcel.subscription, _LOST)  # noqa: TRY400 - it says it all
            raise GiveUp(_LOST) from None
        told = signed(secret, self.key, parcel.delivery, at, errand.body)
        return await self.outbound.post(
            to,
            errand.body,
            {**told, "user-agent": self.agent},
            seconds=SECONDS,
            most_bytes=MOST_BYTES,
        )

    async def _recorded(self, attempt: Attempt) -> bool:
        """Whether the attempt, now written down, was the last of its subscription."""
        recorded = await self.deliveries.record(attempt)
        if recorded.finished is not None:
            tell(recorded.finished)
        if recorded.is_disabled:
            log.warning("%s is disabled; it was tried with %s", attempt.subscription, attempt.entry)
            tell(*await self.deliveries.drop(await self.cancel(attempt.subscription)))
        return recorded.is_disabled

    def _follow(self, attempt: Attempt) -> None:
        """Nothing, where nothing follows. Raises: Again, GiveUp."""
        if attempt.verdict == RETRY:
            left = (attempt.due_at or 0.0) - self.clock().timestamp()
            raise Again(max(0.0, left - _EARLY_SECONDS))
        if attempt.verdict == DEAD:
            raise GiveUp("No attempt is left")


def tell(*finished: Finished) -> None:
    """Log every entry of which the last delivery is done."""
    for each in finished:
        log.info(
            "entry %s: all %d deliveries are done, %d of them delivered",
            *(each.entry, each.deliveries, each.delivered),
        )
