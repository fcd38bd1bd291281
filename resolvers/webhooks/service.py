"""Subscribing and unsubscribing.

A subscription is stored only after the receiver has passed a challenge, and removed only with its
secret. The errors that callers can get are declared in `resolvers/mutation.py`, as `fails`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from resolvers.http_client.targets import TargetPolicy, TargetUrl
from resolvers.rate_limits.limiter import RateLimiter
from resolvers.webhooks.signing import (
    RandomBytes,
    SecretCipher,
    WebhookKey,
    is_valid_secret,
    make_secret,
)
from resolvers.webhooks.subscription_store import CHALLENGE_SECONDS, Subscription, SubscriptionStore
from resolvers.webhooks.verification import ChallengeRequest, EndpointVerifier
from schema.changelog import ChangeKind
from schema.services.subscribe import Subscribed, SubscribeInput, Unsubscribed, Unsubscription
from sdl.caller import Caller, RateLimitStatus
from sdl.errors import RateLimitedError, UnauthorizedError
from sdl.types.scalar_types import Path, Url, format_instant

LIMIT_NAME, HOST_LIMIT_NAME = "subscribe", "subscribe-host"
HOST_LIMIT = "10/hour"
"""How often one host is challenged, for all callers together."""
_ID_BYTES = 16
_ID = re.compile(r"sub_[0-9a-f]{32}")
_UNKNOWN_ID = f"sub_{'0' * 32}"
_BEARER = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([!-~]{1,200}) *")


@dataclass(frozen=True)
class SubscriptionService:
    """The subscriptions, for one revision of the content."""

    subscriptions: SubscriptionStore
    targets: TargetPolicy
    verifier: EndpointVerifier
    limits: RateLimiter
    cipher: SecretCipher
    key: WebhookKey
    random: RandomBytes
    clock: Callable[[], datetime]
    newest: str
    """When the newest entry was published; new subscriptions begin after it."""
    topic: str
    """The URL of the changelog."""
    path: str
    """The path of one subscription, with `{id}` in it."""

    async def subscribe(self, request: SubscribeInput, caller: Caller) -> Subscribed:
        """Challenge the receiver and store the subscription. Raises: ApiError."""
        target = self.targets.parse(request.url)
        await self.limits.consume(LIMIT_NAME, caller)
        await self.limits.consume_for(HOST_LIMIT_NAME, target.owner, caller)
        await self.subscriptions.check_capacity(target.owner)
        kinds = tuple(dict.fromkeys(request.kinds or ()))
        await self._verify(target, kinds)
        secret = make_secret(self.random)
        subscription = Subscription(
            id=f"sub_{self.random(_ID_BYTES).hex()}",
            url=target.url,
            owner=target.owner,
            kinds=kinds,
            secret=self.cipher.encrypt(secret),
            created_at=self.clock().timestamp(),
            cursor=self.newest,
        )
        response = self._response(subscription, secret)
        await self.subscriptions.add(subscription)
        return response

    async def unsubscribe(self, subscription_id: str, authorization: str | None) -> Unsubscribed:
        """Remove a subscription.

        Raises: UnauthorizedError, the same after the same work for a wrong id and a wrong secret.
        """
        lookup_id = subscription_id if _ID.fullmatch(subscription_id) else _UNKNOWN_ID
        subscription = await self.subscriptions.find(lookup_id)
        secret = self._decrypt(None if subscription is None else subscription.secret)
        is_valid = is_valid_secret(_bearer_token(authorization), secret)
        if subscription is None or not is_valid or not await self.subscriptions.remove(lookup_id):
            raise UnauthorizedError(
                "There is no such subscription, or this is not its secret, sent as"
                " `Authorization: Bearer {secret}`."
            )
        return Unsubscribed(ok=True)

    async def _verify(self, target: TargetUrl, kinds: tuple[str, ...]) -> None:
        """Challenge the receiver, with no other challenge to its host at the same time.

        Raises: RateLimitedError, VerificationFailedError, UnavailableError.
        """
        host = f"{target.host}:{target.port}"
        if not await self.subscriptions.claim_host(host):
            status = RateLimitStatus(HOST_LIMIT_NAME, 1, CHALLENGE_SECONDS, 0, CHALLENGE_SECONDS)
            raise RateLimitedError(
                "Another subscription to this host is being verified. Try again in"
                f" {CHALLENGE_SECONDS} seconds.",
                spent=status,
            )
        try:
            data = {"topic": self.topic, "kinds": [*kinds] or [kind.value for kind in ChangeKind]}
            challenge = ChallengeRequest(self.topic, format_instant(self.clock()), data)
            await self.verifier.verify(target, challenge)
        finally:
            await self.subscriptions.release(host)

    def _response(self, subscription: Subscription, secret: str) -> Subscribed:
        path = self.path.replace("{id}", subscription.id)
        header = "Authorization: Bearer {secret}"
        return Subscribed(
            ok=True,
            id=subscription.id,
            url=Url(subscription.url),
            kinds=[kind for kind in ChangeKind if subscription.matches(kind.value)],
            secret=secret,
            public_key=self.key.public_text,
            created_at=datetime.fromtimestamp(subscription.created_at, self.clock().tzinfo),
            unsubscribe=Unsubscription(method="DELETE", path=Path(path), header=header),
        )

    def _decrypt(self, secret: bytes | None) -> str:
        """Decrypt a secret, or the decoy if there is none or the key was lost."""
        try:
            return self.cipher.decrypt(self.cipher.decoy if secret is None else secret)
        except ValueError:
            return self.cipher.decrypt(self.cipher.decoy)


def _bearer_token(authorization: str | None) -> str:
    """Return the token of an Authorization header; an empty text, which is no secret, if none."""
    match = _BEARER.fullmatch(authorization or "")
    return match[1] if match is not None else ""
