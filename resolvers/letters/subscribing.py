"""The desk where subscriptions are taken and ended. Delivers nothing.

Nothing is stored before a host has proven that it wants what is sent to it, and nothing is ended
without the secret.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.letters.destinations import Destination, Destinations
from resolvers.letters.proving import Proving, Question
from resolvers.letters.sealing import Seals
from resolvers.letters.subscriptions import CHALLENGE_SECONDS, Subscription, Subscriptions
from resolvers.letters.webhooks import Random, WebhookKey, is_secret, make_secret
from resolvers.limits import Limits
from schema.caller import Caller, Spent
from schema.changelog import ChangeKind
from schema.errors import RateLimited, Unauthorized
from schema.subscribe import Subscribed, SubscribeInput, Unsubscribed, Unsubscription
from schema.words import Path, Url, instant_text

BUDGET, HOST_BUDGET = "subscribe", "subscribe-host"
HOST_LIMIT = "10/hour"
"""How often one host is challenged, whoever asks for it."""
_ID_BYTES = 16
_ID = re.compile(r"sub_[0-9a-f]{32}")
_NOBODY = f"sub_{'0' * 32}"
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([!-~]{1,200}) *")
_DOUBT = "There is no such subscription, or this is not its secret."


@dataclass(frozen=True)
class SubscriptionDesk:
    """The desk of one revision of the content."""

    subscriptions: Subscriptions
    destinations: Destinations
    proving: Proving
    limits: Limits
    seals: Seals
    key: WebhookKey
    random: Random
    clock: Callable[[], datetime]
    newest: str
    """The instant of the newest entry: what was published before is not delivered."""
    topic: str
    """The address of the changelog."""
    path: str
    """The path of one subscription, with `{id}` in it."""
    begun: Callable[[], None]
    """Called after one was stored."""
    ended: Callable[[str], None]
    """Called after one was removed."""

    async def subscribe(self, given: SubscribeInput, caller: Caller) -> Subscribed:
        """The subscription, once it is stored. Raises: StudioError."""
        destination = self.destinations.read(given.url)
        await self.limits.spend(BUDGET, caller)
        await self.limits.spend_of(HOST_BUDGET, destination.owner, caller)
        await self.subscriptions.refuse_many(destination.owner)
        kinds = tuple(dict.fromkeys(given.kinds or ()))
        await self._prove(destination, kinds)
        secret = make_secret(self.random)
        stored = self._subscription(destination, kinds, secret)
        receipt = self._receipt(stored, secret)
        await self.subscriptions.add(stored)
        self.begun()
        return receipt

    async def unsubscribe(self, subscription: str, authorization: str | None) -> Unsubscribed:
        """That it is no more. Raises: Unauthorized for every doubt, after the same work."""
        known = subscription if _ID.fullmatch(subscription) else _NOBODY
        found = await self.subscriptions.find(known)
        secret = self._opened(self.seals.dummy if found is None else found.secret)
        is_right = is_secret(_bearer(authorization), secret)
        if found is None or not is_right or not await self.subscriptions.remove(known):
            raise Unauthorized(_DOUBT)
        self.ended(known)
        return Unsubscribed(ok=True)

    async def _prove(self, destination: Destination, kinds: tuple[str, ...]) -> None:
        """Nothing, once the host is proven; nobody else asks it meanwhile.

        Raises: RateLimited, VerificationFailed, Unavailable.
        """
        host = f"{destination.host}:{destination.port}"
        if not await self.subscriptions.claim(host):
            spent = Spent(HOST_BUDGET, 1, CHALLENGE_SECONDS, 0, CHALLENGE_SECONDS)
            raise RateLimited("The host is being asked already; try again soon.", spent=spent)
        try:
            told = {"topic": self.topic, "kinds": [*kinds] or [kind.value for kind in ChangeKind]}
            question = Question(self.topic, instant_text(self.clock()), told)
            await self.proving.prove(destination, question)
        finally:
            await self.subscriptions.release(host)

    def _subscription(
        self, destination: Destination, kinds: tuple[str, ...], secret: str
    ) -> Subscription:
        return Subscription(
            id=f"sub_{self.random(_ID_BYTES).hex()}",
            url=destination.url,
            owner=destination.owner,
            kinds=kinds,
            secret=self.seals.seal(secret),
            created_at=self.clock().timestamp(),
            cursor=self.newest,
        )

    def _receipt(self, stored: Subscription, secret: str) -> Subscribed:
        path = self.path.replace("{id}", stored.id)
        header = "Authorization: Bearer {secret}"
        return Subscribed(
            ok=True,
            id=stored.id,
            url=Url(stored.url),
            kinds=[kind for kind in ChangeKind if stored.wants(kind.value)],
            secret=secret,
            public_key=self.key.public_text,
            created_at=datetime.fromtimestamp(stored.created_at, self.clock().tzinfo),
            unsubscribe=Unsubscription(method="DELETE", path=Path(path), header=header),
        )

    def _opened(self, sealed: bytes) -> str:
        try:
            return self.seals.open(sealed)
        except ValueError:  # the keys were lost: nobody can prove anything any more
            return self.seals.open(self.seals.dummy)


def _bearer(authorization: str | None) -> str:
    """The token, or what is no secret of anybody's."""
    found = _BEARER.fullmatch(authorization or "")
    return found[1] if found is not None else ""
