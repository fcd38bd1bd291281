"""Webhooks on a store of their own: the stores, the service, the fan-out and the worker."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from loopback import Loopback

from resolvers.db.database import Database
from resolvers.http_client.client import OutboundClient
from resolvers.jobs.queue import JobQueue
from resolvers.rate_limits.limiter import RateLimiter, parse_limit
from resolvers.webhooks.delivery_store import DeliveryStore
from resolvers.webhooks.fanout import Fanout
from resolvers.webhooks.retry_policy import RetryPolicy
from resolvers.webhooks.sender import JOB_NAME, DeliveryWorker, PerHostLimiter
from resolvers.webhooks.service import HOST_LIMIT_NAME, LIMIT_NAME, SubscriptionService
from resolvers.webhooks.signing import SecretCipher, WebhookKey, make_secret
from resolvers.webhooks.subscription_store import Subscription, SubscriptionStore
from resolvers.webhooks.verification import EndpointVerifier
from schema.changelog import ChangelogEntry
from schema.services.subscribe import Subscribed, SubscribeInput
from sdl.caller import Caller, Channel

T = TypeVar("T")
NEWEST = "2026-03-01T09:30:00Z"
SEED, SEALING = bytes(range(32)), bytes(range(32, 64))


@dataclass
class Clock:
    """A clock that can be put ahead."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def seconds(self) -> float:
        """Return the time in seconds since 1970."""
        return self().timestamp()


def entry(name: str, kind: str = "added", at: str = "2026-03-02T00:00:00Z") -> ChangelogEntry:
    """Return an entry that was published at this time."""
    given = {"id": f"{at[:10]}-{name}", "publishedAt": at, "kind": kind, "title": name}
    return ChangelogEntry.model_validate({**given, "body": f"About {name}: it is so."})


@dataclass
class Hall:
    """The webhooks of one store."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    entries: list[ChangelogEntry] = field(default_factory=list)
    queued: list[str] = field(default_factory=list)
    caller_limit: str = "0"
    schedule: Sequence[float] = (0, 5, 300)

    def __post_init__(self) -> None:
        self.subscriptions = SubscriptionStore(self.database, self.clock.seconds)
        self.deliveries = DeliveryStore(self.database, self.clock.seconds)
        self.cipher = SecretCipher(SEALING, os.urandom)
        self.key = WebhookKey(SEED)
        self.outbound = OutboundClient(Loopback())
        limits = {LIMIT_NAME: self.caller_limit, HOST_LIMIT_NAME: "10/hour"}
        budgets = {name: parse_limit(name, text) for name, text in limits.items()}
        self.limits = RateLimiter(self.database, budgets)

    @property
    def service(self) -> SubscriptionService:
        """The subscription service."""
        return SubscriptionService(
            subscriptions=self.subscriptions,
            targets=self.outbound.destinations,
            verifier=EndpointVerifier(self.outbound, os.urandom, "studio-webhooks/2"),
            limits=self.limits,
            cipher=self.cipher,
            key=self.key,
            random=os.urandom,
            clock=self.clock,
            newest=NEWEST,
            topic="https://studio.example/api/changelog",
            path="/api/subscribe/{id}",
        )

    async def subscribe(self, url: str, *kinds: str, address: str = "192.0.2.1") -> Subscribed:
        """Subscribe through the service."""
        given = SubscribeInput.model_validate({"url": url, "kinds": [*kinds] or None})
        return await self.service.subscribe(given, Caller(address, Channel.HTTP))

    async def store(self, url: str, *kinds: str, owner: str = "a", **more: Any) -> Subscription:
        """Store a subscription without a challenge."""
        made = Subscription(
            id=f"sub_{os.urandom(16).hex()}",
            url=url,
            owner=owner,
            kinds=kinds,
            secret=self.cipher.encrypt(make_secret(os.urandom)),
            created_at=self.clock.seconds(),
            cursor=NEWEST,
        )
        made = replace(made, **more)
        await self.subscriptions.add(made)
        return made

    def fanout(self, enqueue: Callable[[Sequence[str]], Any] | None = None) -> Fanout:
        """Return a fan-out whose queue is a list."""
        return Fanout(
            self.subscriptions,
            self.deliveries,
            ListQueue(self, enqueue),
            entries=lambda: self.entries,
            read=lambda _, entry: self._body(entry),
            changelog_url="https://studio.example/api/changelog",
        )

    def worker(self, probes: int = 10) -> DeliveryWorker:
        """Return a worker that delivers."""
        return DeliveryWorker(
            store=self.deliveries,
            outbound=self.outbound,
            cipher=self.cipher,
            key=self.key,
            retry_policy=RetryPolicy(lambda least, _: max(least, 1), self.schedule),
            agent="studio-webhooks/2",
            clock=self.clock,
            hosts=PerHostLimiter(4, 2),
            probes=PerHostLimiter(probes, 0),
        )

    def _body(self, name: str) -> dict[str, Any]:
        found = next(each for each in self.entries if each.id == name)
        timestamp = found.to_json()["publishedAt"]
        return {
            "type": f"changelog.{found.kind.value}",
            "timestamp": timestamp,
            "data": found.to_json(),
        }


class ListQueue(JobQueue):
    """A queue that appends keys to a list, or calls a function with them."""

    def __init__(self, hall: Hall, enqueue: Callable[[Sequence[str]], Any] | None) -> None:
        super().__init__("", [])
        self._hall = hall
        self._enqueue = enqueue

    async def launch(self) -> None:
        """Do nothing: no job runs."""

    async def enqueue_all(self, name: str, keys: Sequence[str]) -> None:
        """Append the keys that are new."""
        assert name == JOB_NAME
        if self._enqueue is not None:
            await self._enqueue(keys)
        else:
            self._hall.queued += [key for key in keys if key not in self._hall.queued]


@asynccontextmanager
async def hall(url: str, **options: Any) -> AsyncIterator[Hall]:
    """Provide the webhooks of a store, and close them at the end."""
    made = Hall(Database(url), **options)
    try:
        yield made
    finally:
        await made.database.close()


def with_hall(url: str, work: Callable[[Hall], Coroutine[Any, Any, T]], **options: Any) -> T:
    """Run some work with the webhooks of a store and return its result."""

    async def worked() -> T:
        async with hall(url, **options) as made:
            return await work(made)

    return asyncio.run(worked())
