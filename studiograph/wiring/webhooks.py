"""The webhooks of a process: stores, keys, HTTP client, subscription service and fan-out."""

import os
import random
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from resolvers.db.database import Database
from resolvers.http_client.client import OutboundClient
from resolvers.http_client.targets import PublicHostsOnly, TargetPolicy
from resolvers.rate_limits.limiter import RateLimiter
from resolvers.webhooks.delivery_store import DeliveryStore
from resolvers.webhooks.fanout import Fanout
from resolvers.webhooks.keys import load_keys
from resolvers.webhooks.retry_policy import RetryPolicy
from resolvers.webhooks.secrets import SecretCipher
from resolvers.webhooks.sender import DeliveryWorker
from resolvers.webhooks.service import SubscriptionService
from resolvers.webhooks.subscription_store import SubscriptionStore
from resolvers.webhooks.verification import EndpointVerifier
from schema.identity import Claim, ClaimStatus, ClaimType, Identity
from sdl.types.scalar_types import format_instant
from studiograph.settings import Settings
from studiograph.wiring.proofs import system_clock

if TYPE_CHECKING:
    from schema.site import Site

CHANGELOG_OPERATION = "ListChangelog"
SUBSCRIBE_OPERATION, UNSUBSCRIBE_OPERATION = "Subscribe", "Unsubscribe"
"""The operations whose paths subscribers need."""


def public_targets(settings: Settings) -> PublicHostsOnly:
    """Return the policy that allows public hosts, without this service's own."""
    own_hosts = {urlsplit(settings.public_url).hostname or "", *settings.hosts}
    return PublicHostsOnly(frozenset(own_hosts), settings.dns_resolver)


def user_agent(settings: Settings) -> str:
    """Return the User-Agent of every request to a receiver."""
    return f"studiograph-webhooks/2 (+{settings.public_url})"


class Webhooks:
    """The webhooks of one process. Raises: ProofError, DatabaseError."""

    def __init__(
        self, settings: Settings, database: Database, limits: RateLimiter, targets: TargetPolicy
    ) -> None:
        keys = load_keys(settings.data / "keys", database)
        self.settings = settings
        self.key = keys.signing
        self.cipher = SecretCipher(keys.encryption, os.urandom)
        self.outbound = OutboundClient(targets)
        self.subscriptions = SubscriptionStore(database, time.time)
        self.deliveries = DeliveryStore(database, time.time)
        self.verifier = EndpointVerifier(self.outbound, os.urandom, user_agent(settings))
        self.fanout: Fanout | None = None
        """The fan-out to notify when a subscription begins or ends, while it runs."""
        self._limits = limits

    def service(self, site: "Site", changelog_path: str, path: str) -> SubscriptionService:
        """Return the subscription service for one revision of the content."""
        newest = max((entry.published_at for entry in site.changelog), default=None)
        return SubscriptionService(
            subscriptions=self.subscriptions,
            targets=self.outbound.destinations,
            verifier=self.verifier,
            limits=self._limits,
            cipher=self.cipher,
            key=self.key,
            random=os.urandom,
            clock=system_clock,
            newest="" if newest is None else format_instant(newest),
            topic=f"{self.settings.public_url}{changelog_path}",
            path=path,
            on_subscribe=self._notify,
            on_unsubscribe=self._end,
        )

    def with_webhook_key(self, identity: Identity, path: str) -> Identity:
        """Return the identity with one more claim: the key that signs deliveries."""
        public_key = self.key.public_text
        claim = Claim(
            type=ClaimType.WEBHOOK_KEY,
            subject="deliveries",
            expected=public_key,
            observed=public_key,
            status=ClaimStatus.VERIFIED,
            detail="Signs every webhook delivery. The content is signed with other keys.",
            how=f"Read publicKey at {path}, and check the v1a signature of a delivery with it.",
        )
        return Identity(claims=[*identity.claims, claim])

    def worker(self, cancel: Callable[[str], Awaitable[object]]) -> DeliveryWorker:
        """Return the worker that makes the attempts of this process."""
        return DeliveryWorker(
            store=self.deliveries,
            outbound=self.outbound,
            cipher=self.cipher,
            key=self.key,
            retry_policy=RetryPolicy(random.uniform, self.settings.webhook_schedule),
            agent=user_agent(self.settings),
            clock=system_clock,
            cancel=cancel,
        )

    def _notify(self) -> None:
        if self.fanout is not None:
            self.fanout.notify()

    def _end(self, subscription: str) -> None:
        if self.fanout is not None:
            self.fanout.end(subscription)
