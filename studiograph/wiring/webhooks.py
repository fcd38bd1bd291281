"""Webhooks, put together: the stores, the keys, the way out, the desk. Sends nothing itself."""

import logging
import os
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from resolvers.db.database import Database
from resolvers.http_client.client import OutboundClient
from resolvers.http_client.targets import PublicHostsOnly, TargetPolicy
from resolvers.rate_limits.limiter import RateLimiter
from resolvers.webhooks.concurrency import PerHostLimiter
from resolvers.webhooks.delivery_store import DeliveryJob, DeliveryStore
from resolvers.webhooks.fanout import Fanout
from resolvers.webhooks.keys import load_keys
from resolvers.webhooks.retry_policy import RetryPolicy
from resolvers.webhooks.secrets import SecretCipher
from resolvers.webhooks.sender import (
    JOB_NAME,
    MAX_PER_HOST,
    MAX_PROBES,
    MAX_WAITING_PER_HOST,
    DeliveryWorker,
)
from resolvers.webhooks.service import SubscriptionService
from resolvers.webhooks.subscription_store import SubscriptionStore
from resolvers.webhooks.verification import EndpointVerifier
from schema.changelog import ChangelogEntry
from schema.identity import Claim, ClaimStatus, ClaimType, Identity
from sdl.scalar_types import format_instant
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

if TYPE_CHECKING:
    from resolvers.jobs.queue import JobQueue
    from schema.site import Site
    from studiograph.app import Application

CHANGELOG, BEGINNING, ENDING = "ListChangelog", "Subscribe", "Unsubscribe"
"""The operations whose paths are told."""

log = logging.getLogger("studiograph.webhooks")


def destinations_of(settings: Settings) -> PublicHostsOnly:
    """The public hosts, without this service's own."""
    own = {urlsplit(settings.public_url).hostname or "", *settings.hosts}
    return PublicHostsOnly(frozenset(own), settings.dns_resolver)


def agent_of(settings: Settings) -> str:
    """The User-Agent of everything that is sent."""
    return f"studiograph-webhooks/2 (+{settings.public_url})"


class Webhooks:
    """The webhooks of one process. Raises: ProofFault, StateFault."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        limits: RateLimiter,
        destinations: TargetPolicy,
    ) -> None:
        keys = load_keys(settings.data / "keys", database)
        self.settings = settings
        self.key = keys.signing
        self.destinations = destinations
        self.agent = agent_of(settings)
        self.seals = SecretCipher(keys.sealing, os.urandom)
        self.outbound = OutboundClient(destinations)
        self.subscriptions = SubscriptionStore(database, time.time)
        self.deliveries = DeliveryStore(database, time.time)
        self.proving = EndpointVerifier(self.outbound, os.urandom, self.agent)
        self.fanout: Fanout | None = None
        """Who is told when subscriptions come and go, once somebody is there."""
        self._limits = limits

    def desk(self, site: "Site", changelog_path: str, path: str) -> SubscriptionService:
        """The desk of one revision of the content."""
        newest = max((entry.published_at for entry in site.changelog), default=None)
        return SubscriptionService(
            subscriptions=self.subscriptions,
            targets=self.destinations,
            verifier=self.proving,
            limits=self._limits,
            cipher=self.seals,
            key=self.key,
            random=os.urandom,
            clock=system_clock,
            newest="" if newest is None else format_instant(newest),
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

    def courier(self, cancel: Callable[[str], Awaitable[list[DeliveryJob]]]) -> DeliveryWorker:
        """Who makes the attempts of this process."""
        return DeliveryWorker(
            store=self.deliveries,
            outbound=self.outbound,
            cipher=self.seals,
            key=self.key,
            retry_policy=RetryPolicy(random.uniform, self.settings.webhook_schedule),
            agent=self.agent,
            clock=system_clock,
            cancel=cancel,
            hosts=PerHostLimiter(MAX_PER_HOST, MAX_WAITING_PER_HOST),
            probes=PerHostLimiter(MAX_PROBES, 0),
        )

    def _begun(self) -> None:
        if self.fanout is not None:
            self.fanout.notify()

    def _ended(self, subscription: str) -> None:
        if self.fanout is not None:
            self.fanout.end(subscription)


def canceller(jobs: "Callable[[], JobQueue]") -> Callable[[str], Awaitable[list[DeliveryJob]]]:
    """What takes the deliveries of a subscription out of the queue."""

    async def cancel(subscription: str) -> list[DeliveryJob]:
        return [
            DeliveryJob.parse(about) for about in await jobs().cancel(JOB_NAME, f"{subscription}:")
        ]

    return cancel


def make_fanout(whole: "Application", jobs: "JobQueue") -> Fanout:
    """Who puts deliveries in the queue of a process."""
    webhooks, settings = whole.services.webhooks, whole.settings

    async def launch() -> None:
        if settings.jobs_role != "web":
            await jobs.launch()

    async def enqueue(abouts: Sequence[str]) -> None:
        await jobs.enqueue_all(JOB_NAME, abouts)

    async def nothing(_: str) -> list[DeliveryJob]:
        return []

    def entries() -> Sequence[ChangelogEntry]:
        return whole.current().data.changelog

    return Fanout(
        webhooks.subscriptions,
        webhooks.deliveries,
        entries=entries,
        reads=lambda name, **variables: whole.current().read(name, **variables),
        changelog_url=f"{settings.public_url}{whole.operations.path(CHANGELOG)}",
        enqueue=enqueue,
        launch=launch,
        cancel=nothing if settings.jobs_role == "web" else canceller(lambda: jobs),
    )
