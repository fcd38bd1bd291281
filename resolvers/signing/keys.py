"""Signing keys and the state of each at an instant."""

import hmac
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import cached_property
from hashlib import sha256

import rfc8785
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from schema.services.signatures import KeySet, PublicKey, RevokedKey
from sdl.errors import StudiographError

PUBLISHED_BEFORE_SIGNING = timedelta(hours=1)
"""How long a new key is published before it signs, unless the owner says `--now`."""
VERIFY_ONLY = timedelta(days=30)
"""How long a key stays published after another has replaced it."""


KID = re.compile(r"([a-z0-9-]{1,80})-([0-9]{4}-[0-9]{2})(?:-([1-9][0-9]*))?")
"""A key's identifier: the studio's name, the first digits of the thumbprint, the month, and a
number from the second key of the month on. Keys of earlier versions have no thumbprint in it."""


class ProofError(StudiographError):
    """Something cannot be signed or proven.

    The text says what is wrong and how to fix it, and never contains a secret.
    """


class KeyState(Enum):
    """The state of a key."""

    ACTIVE = "active"
    NEXT = "next"
    VERIFY_ONLY = "verify-only"
    RETIRED = "retired"
    REVOKED = "revoked"


@dataclass(frozen=True)
class Key:
    """An Ed25519 key. A revoked key has no seed."""

    kid: str
    x: bytes
    active_from: datetime
    seed: bytes | None = field(default=None, repr=False)
    revoked_at: datetime | None = None

    @cached_property
    def thumbprint(self) -> str:
        """The SHA-256 thumbprint in base64url. Source: RFC 7638, RFC 8037 appendix A.3."""
        return thumbprint(b64url_encode(self.x))

    @property
    def thumbprint_digits(self) -> str:
        """The first eight hexadecimal digits of the thumbprint, which its identifier contains."""
        return b64url_decode(self.thumbprint, 32).hex()[:8]

    @cached_property
    def public(self) -> PublicKey:
        """The public half, as the key set lists it."""
        return PublicKey(
            kty="OKP", crv="Ed25519", x=b64url_encode(self.x), use="sig", alg="EdDSA", kid=self.kid
        )

    def sign(self, data: bytes) -> bytes:
        """Return the Ed25519 signature, 64 bytes; raise `ProofError` if the key is revoked."""
        if self._signing_key is None or self.revoked_at is not None:
            raise ProofError(f"{self.kid}: a revoked key cannot sign")
        return self._signing_key.sign(data).signature

    @cached_property
    def _signing_key(self) -> SigningKey | None:
        """The key as the library signs with it, derived from the seed once."""
        return SigningKey(self.seed) if self.seed is not None else None


def new_key(kid: str, active_from: datetime) -> Key:
    """Return a new random key, which is written nowhere."""
    signing = SigningKey.generate()
    return Key(kid, bytes(signing.verify_key), active_from, bytes(signing))


@dataclass(frozen=True)
class KeyRing:
    """The keys and their states at an instant."""

    active: Key
    changed_at: datetime
    """When the state of a key last changed."""
    states: tuple[tuple[Key, KeyState], ...]
    """Every key: the active one first, then the next, the verify-only, the retired, the revoked."""

    @property
    def trusted(self) -> tuple[Key, ...]:
        """The keys that a verifier may trust."""
        return self.in_state(KeyState.ACTIVE, KeyState.NEXT, KeyState.VERIFY_ONLY)

    @property
    def key_set(self) -> KeySet:
        """The key set to publish."""
        return KeySet(
            keys=[key.public for key in self.trusted],
            revoked=[
                RevokedKey(kid=key.kid, thumbprint=key.thumbprint, revoked_at=key.revoked_at)
                for key in self.in_state(KeyState.REVOKED)
                if key.revoked_at is not None
            ],
        )

    def in_state(self, *states: KeyState) -> tuple[Key, ...]:
        """Return the keys in any of these states."""
        return tuple(key for key, state in self.states if state in states)


def key_ring_at(keys: Iterable[Key], now: datetime) -> KeyRing:
    """Return the state of every key at an instant; raise `ProofError` if no key can sign."""
    ordered = sorted(keys, key=by_age)
    usable = [key for key in ordered if key.revoked_at is None]
    if not usable:
        raise ProofError(
            "there is no key to sign with. Fix: run `studiograph serve`, which makes the first"
            " key, or `studiograph keys import`."
        )
    active = next((key for key in reversed(usable) if key.active_from <= now), usable[0])
    states = [(key, _state(key, active, ordered, now)) for key in reversed(ordered)]
    order = list(KeyState)
    changes = [moment for key in ordered for moment in _changes(key, ordered) if moment <= now]
    return KeyRing(
        active=active,
        changed_at=max(changes, default=datetime.min.replace(tzinfo=UTC)),
        states=tuple(sorted(states, key=lambda pair: order.index(pair[1]))),
    )


def by_age(key: Key) -> tuple[datetime, str, int]:
    """Return a sort key that puts the oldest signing key first."""
    match = KID.fullmatch(key.kid)
    return key.active_from, match[2] if match else "", int(match[3] or 1) if match else 0


def derived_secret(key_ring: KeyRing, label: bytes) -> bytes:
    """Return an HMAC key for one purpose, the same on every machine with these keys.

    It is derived from the oldest key that is not revoked, so that new keys do not change it.
    """
    states = sorted(key_ring.states, key=lambda pair: by_age(pair[0]))
    seeds = [key.seed for key, _ in states]
    return hmac.digest(next(seed for seed in seeds if seed is not None), label, "sha256")


def _state(key: Key, active: Key, ordered: list[Key], now: datetime) -> KeyState:
    if key.revoked_at is not None:
        return KeyState.REVOKED
    if key == active:
        return KeyState.ACTIVE
    if ordered.index(key) > ordered.index(active):
        return KeyState.NEXT
    replaced_at = _replaced_at(key, ordered)
    if replaced_at is not None and now < replaced_at + VERIFY_ONLY:
        return KeyState.VERIFY_ONLY
    return KeyState.RETIRED


def _replaced_at(key: Key, ordered: list[Key]) -> datetime | None:
    """Return when a later key replaces this one, in the past or the future."""
    return next(
        (
            later.active_from
            for later in ordered[ordered.index(key) + 1 :]
            if later.revoked_at is None or later.revoked_at > later.active_from
        ),
        None,
    )


def _changes(key: Key, ordered: list[Key]) -> Iterator[datetime]:
    """Yield when the key is published, starts to sign, and is revoked or withdrawn."""
    yield key.active_from - PUBLISHED_BEFORE_SIGNING
    yield key.active_from
    if key.revoked_at is not None:
        yield key.revoked_at
    elif replaced_at := _replaced_at(key, ordered):
        yield replaced_at + VERIFY_ONLY


def verify_signature(x: bytes, signature: bytes, data: bytes) -> bool:
    """Return whether this is the signature of the public key `x` over the data."""
    try:
        VerifyKey(x).verify(data, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def thumbprint(x: str) -> str:
    """Return the SHA-256 thumbprint of an Ed25519 public key in base64url. Source: RFC 7638."""
    members = rfc8785.dumps({"crv": "Ed25519", "kty": "OKP", "x": x})
    return b64url_encode(sha256(members).digest())


def b64url_encode(data: bytes) -> str:
    """Return the bytes in base64url without padding. Source: RFC 7515 section 2."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def b64url_decode(text: str, length: int) -> bytes:
    """Decode exactly `length` bytes; raise `ValueError` for any spelling but the canonical one."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(data) != length or b64url_encode(data) != text:
        raise ValueError(f"must be {length} bytes in base64url without padding")
    return data
