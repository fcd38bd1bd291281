"""The desk where subscriptions are taken and ended. Delivers nothing.

Nothing is stored before a host has proven that it wants what is sent to it, and nothing is ended
without the secret.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.http_client.targets import TargetPolicy, TargetUrl
from resolvers.rate_limits.limiter import RateLimiter
from resolvers.webhooks.secrets import SecretCipher
from resolvers.webhooks.signing import RandomBytes, WebhookKey, is_valid_secret, make_secret
from resolvers.webhooks.subscription_store import CHALLENGE_SECONDS, Subscription, SubscriptionStore
from resolvers.webhooks.verification import ChallengeRequest, EndpointVerifier
from schema.changelog import ChangeKind
from schema.subscribe import Subscribed, SubscribeInput, Unsubscribed, Unsubscription
from sdl.caller import Caller, RateLimitStatus
from sdl.errors import RateLimitedError, UnauthorizedError
from sdl.scalar_types import Path, Url, format_instant

LIMIT_NAME, HOST_LIMIT_NAME = "subscribe", "subscribe-host"
HOST_LIMIT = "10/hour"
"""How often one host is challenged, whoever asks for it."""
_ID_BYTES = 16
_ID = re.compile(r"sub_[0-9a-f]{32}")
_NOBODY = f"sub_{'0' * 32}"
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([!-~]{1,200}) *")
_DOUBT = "There is no such subscription, or this is not its secret."


@dataclass(frozen=True)
class SubscriptionService:
    """The desk of one revision of the content."""

    subscriptions: SubscriptionStore
    targets: TargetPolicy
    verifier: EndpointVerifier
    limits: RateLimiter
    cipher: SecretCipher
    key: WebhookKey
    random: RandomBytes
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
        destination = self.targets.parse(given.url)
        await self.limits.consume(LIMIT_NAME, caller)
        await self.limits.consume_for(HOST_LIMIT_NAME, destination.owner, caller)
        await self.subscriptions.check_capacity(destination.owner)
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
        secret = self._opened(self.cipher.dummy if found is None else found.secret)
        is_right = is_valid_secret(_bearer(authorization), secret)
        if found is None or not is_right or not await self.subscriptions.remove(known):
            raise UnauthorizedError(_DOUBT)
        self.ended(known)
        return Unsubscribed(ok=True)

    async def _prove(self, destination: TargetUrl, kinds: tuple[str, ...]) -> None:
        """Nothing, once the host is proven; nobody else asks it meanwhile.

        Raises: RateLimited, VerificationFailed, Unavailable.
        """
        host = f"{destination.host}:{destination.port}"
        if not await self.subscriptions.claim_host(host):
            spent = RateLimitStatus(HOST_LIMIT_NAME, 1, CHALLENGE_SECONDS, 0, CHALLENGE_SECONDS)
            raise RateLimitedError("The host is being asked already; try again soon.", spent=spent)
        try:
            told = {"topic": self.topic, "kinds": [*kinds] or [kind.value for kind in ChangeKind]}
            question = ChallengeRequest(self.topic, format_instant(self.clock()), told)
            await self.verifier.verify(destination, question)
        finally:
            await self.subscriptions.release(host)

    def _subscription(
        self, destination: TargetUrl, kinds: tuple[str, ...], secret: str
    ) -> Subscription:
        return Subscription(
            id=f"sub_{self.random(_ID_BYTES).hex()}",
            url=destination.url,
            owner=destination.owner,
            kinds=kinds,
            secret=self.cipher.encrypt(secret),
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
            kinds=[kind for kind in ChangeKind if stored.matches(kind.value)],
            secret=secret,
            public_key=self.key.public_text,
            created_at=datetime.fromtimestamp(stored.created_at, self.clock().tzinfo),
            unsubscribe=Unsubscription(method="DELETE", path=Path(path), header=header),
        )

    def _opened(self, sealed: bytes) -> str:
        try:
            return self.cipher.decrypt(sealed)
        except ValueError:  # the keys were lost: nobody can prove anything any more
            return self.cipher.decrypt(self.cipher.dummy)


def _bearer(authorization: str | None) -> str:
    """The token, or what is no secret of anybody's."""
    found = _BEARER.fullmatch(authorization or "")
    return found[1] if found is not None else ""
