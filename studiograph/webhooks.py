"""Webhooks, put together: the stores, the keys, the way out, the desk. Sends nothing itself."""

import logging
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from resolvers.letters.attempts import Schedule
from resolvers.letters.deliveries import Deliveries, Parcel
from resolvers.letters.delivery import (
    DELIVERY,
    MOST_AT_A_HOST,
    MOST_PROBES,
    MOST_WAITING_AT_A_HOST,
    Courier,
)
from resolvers.letters.destinations import Destinations, Guarded
from resolvers.letters.fanout import Fanout
from resolvers.letters.proving import Proving
from resolvers.letters.sealing import Seals
from resolvers.letters.subscribing import SubscriptionDesk
from resolvers.letters.subscriptions import Subscriptions
from resolvers.letters.turns import Turns
from resolvers.limits import Limits
from resolvers.outbound import Outbound
from resolvers.state.database import Database
from schema.changelog import ChangelogEntry
from schema.identity import Claim, ClaimStatus, ClaimType, Identity
from schema.words import instant_text
from studiograph.proofs import system_clock
from studiograph.settings import Settings
from studiograph.webhook_keys import webhook_keys

if TYPE_CHECKING:
    from resolvers.jobs.engine import Jobs
    from schema.site import Site
    from studiograph.app import Assembly

CHANGELOG, BEGINNING, ENDING = "ListChangelog", "Subscribe", "Unsubscribe"
"""The operations whose paths are told."""

log = logging.getLogger("studiograph.webhooks")


def destinations_of(settings: Settings) -> Guarded:
    """The public hosts, without this service's own."""
    own = {urlsplit(settings.public_url).hostname or "", *settings.hosts}
    return Guarded(frozenset(own), settings.dns_resolver)


def agent_of(settings: Settings) -> str:
    """The User-Agent of everything that is sent."""
    return f"studiograph-webhooks/2 (+{settings.public_url})"


class Webhooks:
    """The webhooks of one process. Raises: ProofFault, StateFault."""

    def __init__(
        self, settings: Settings, database: Database, limits: Limits, destinations: Destinations
    ) -> None:
        keys = webhook_keys(settings.data / "keys", database)
        self.settings = settings
        self.key = keys.signing
        self.destinations = destinations
        self.agent = agent_of(settings)
        self.seals = Seals(keys.sealing, os.urandom)
        self.outbound = Outbound(destinations)
        self.subscriptions = Subscriptions(database, time.time)
        self.deliveries = Deliveries(database, time.time)
        self.proving = Proving(self.outbound, os.urandom, self.agent)
        self.fanout: Fanout | None = None
        """Who is told when subscriptions come and go, once somebody is there."""
        self._limits = limits

    def desk(self, site: "Site", changelog_path: str, path: str) -> SubscriptionDesk:
        """The desk of one revision of the content."""
        newest = max((entry.published_at for entry in site.changelog), default=None)
        return SubscriptionDesk(
            subscriptions=self.subscriptions,
            destinations=self.destinations,
            proving=self.proving,
            limits=self._limits,
            seals=self.seals,
            key=self.key,
            random=os.urandom,
            clock=system_clock,
            newest="" if newest is None else instant_text(newest),
            topic=f"{self.settings.public_url}{changelog_path}",
            path=path,
            begun=self._begun,
            ended=self._ended,
        )

    def claimed(self, identity: Identity, path: str) -> Identity:
        """The identity, with the key of deliveries as a claim of its own."""
        public = self.key.public_text
        claim = Claim(
            type=ClaimType.WEBHOOK_KEY,
            subject="deliveries",
            expected=public,
            observed=public,
            status=ClaimStatus.VERIFIED,
            detail="It signs every delivery; it is none of the keys that sign the content.",
            how=f"Read publicKey at {path}, and check the v1a signature of a delivery with it.",
        )
        return Identity(claims=[*identity.claims, claim])

    def courier(self, cancel: Callable[[str], Awaitable[list[Parcel]]]) -> Courier:
        """Who makes the attempts of this process."""
        return Courier(
            deliveries=self.deliveries,
            outbound=self.outbound,
            seals=self.seals,
            key=self.key,
            schedule=Schedule(random.uniform, self.settings.webhook_schedule),
            agent=self.agent,
            clock=system_clock,
            cancel=cancel,
            hosts=Turns(MOST_AT_A_HOST, MOST_WAITING_AT_A_HOST),
            probes=Turns(MOST_PROBES, 0),
        )

    def _begun(self) -> None:
        if self.fanout is not None:
            self.fanout.wake()

    def _ended(self, subscription: str) -> None:
        if self.fanout is not None:
            self.fanout.end(subscription)


def cancelling(jobs: "Callable[[], Jobs]") -> Callable[[str], Awaitable[list[Parcel]]]:
    """What takes the deliveries of a subscription out of the queue."""

    async def cancel(subscription: str) -> list[Parcel]:
        return [Parcel.read(about) for about in await jobs().cancel(DELIVERY, f"{subscription}:")]

    return cancel


def fanout_of(whole: "Assembly", jobs: "Jobs") -> Fanout:
    """Who puts deliveries in the queue of a process."""
    webhooks, settings = whole.services.webhooks, whole.settings

    async def launch() -> None:
        if settings.jobs_role != "web":
            await jobs.launch()

    async def enqueue(abouts: Sequence[str]) -> None:
        await jobs.enqueue_all(DELIVERY, abouts)

    async def nothing(_: str) -> list[Parcel]:
        return []

    def entries() -> Sequence[ChangelogEntry]:
        return cast("Site", whole.current().root).changelog

    return Fanout(
        webhooks.subscriptions,
        webhooks.deliveries,
        entries=entries,
        reads=lambda name, **variables: whole.current().read(name, **variables),
        changelog_url=f"{settings.public_url}{whole.operations.path(CHANGELOG)}",
        enqueue=enqueue,
        launch=launch,
        cancel=nothing if settings.jobs_role == "web" else cancelling(lambda: jobs),
    )
