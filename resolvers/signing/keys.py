"""Signing keys and where each of them stands at an instant. Reads and writes no file."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from hashlib import sha256

import rfc8785
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from resolvers.signing.errors import ProofError
from schema.signatures import KeySet, PublicKey, RevokedKey

ROTATION = timedelta(hours=1)
"""How long a key is published before it signs."""
VERIFY_ONLY = timedelta(days=30)
"""How long a key is published after it signed."""


KID = re.compile(r"([a-z0-9-]{1,64})-([0-9]{4}-[0-9]{2})(?:-([1-9][0-9]*))?")
"""A key's identifier: the studio's name, the month, and a number from the second key on."""


class KeyState(Enum):
    """Where a key stands."""

    ACTIVE = "active"
    NEXT = "next"
    VERIFY_ONLY = "verify-only"
    RETIRED = "retired"
    REVOKED = "revoked"


@dataclass(frozen=True)
class Key:
    """One key; a revoked one has lost its seed."""

    kid: str
    x: bytes
    active_from: datetime
    seed: bytes | None = field(default=None, repr=False)
    revoked_at: datetime | None = None

    @property
    def thumbprint(self) -> str:
        """The SHA-256 thumbprint in base64url. Source: RFC 7638, RFC 8037 appendix A.3."""
        return thumbprint(b64url_encode(self.x))

    @property
    def public(self) -> PublicKey:
        """The key as anybody may see it."""
        return PublicKey(
            kty="OKP", crv="Ed25519", x=b64url_encode(self.x), use="sig", alg="EdDSA", kid=self.kid
        )

    def sign(self, data: bytes) -> bytes:
        """The Ed25519 signature: 64 bytes. Raises: ProofFault for a revoked key."""
        if self.seed is None or self.revoked_at is not None:
            raise ProofError(f"{self.kid}: a revoked key signs nothing")
        return SigningKey(self.seed).sign(data).signature


@dataclass(frozen=True)
class KeyRing:
    """The keys at an instant."""

    active: Key
    changed_at: datetime
    """When a key last came to stand where it stands."""
    states: tuple[tuple[Key, KeyState], ...]
    """Every key: the active one first, then the next, the verify-only, the retired, the revoked."""

    @property
    def trusted(self) -> tuple[Key, ...]:
        """The keys that a verifier may trust."""
        return self.state_of(KeyState.ACTIVE, KeyState.NEXT, KeyState.VERIFY_ONLY)

    @property
    def key_set(self) -> KeySet:
        """What is published."""
        return KeySet(
            keys=[key.public for key in self.trusted],
            revoked=[
                RevokedKey(kid=key.kid, thumbprint=key.thumbprint, revoked_at=key.revoked_at)
                for key in self.state_of(KeyState.REVOKED)
                if key.revoked_at is not None
            ],
        )

    def state_of(self, *states: KeyState) -> tuple[Key, ...]:
        """The keys in these states."""
        return tuple(key for key, state in self.states if state in states)


def key_ring_at(keys: Iterable[Key], now: datetime) -> KeyRing:
    """Where each key stands. Raises: ProofFault when none can sign."""
    ordered = sorted(keys, key=retire_expired)
    able = [key for key in ordered if key.revoked_at is None]
    if not able:
        raise ProofError(
            "there is no key to sign with. Fix: `studiograph serve` makes the first one, and"
            " `studiograph keys import` takes others in."
        )
    active = next((key for key in reversed(able) if key.active_from <= now), able[0])
    states = [(key, _state(key, active, ordered, now)) for key in reversed(ordered)]
    order = list(KeyState)
    changes = [moment for key in ordered for moment in _changes(key, ordered) if moment <= now]
    return KeyRing(
        active=active,
        changed_at=max(changes, default=datetime.min.replace(tzinfo=UTC)),
        states=tuple(sorted(states, key=lambda pair: order.index(pair[1]))),
    )


def retire_expired(key: Key) -> tuple[datetime, str, int]:
    """What keys are ordered by, the oldest first."""
    found = KID.fullmatch(key.kid)
    return key.active_from, found[2] if found else "", int(found[3] or 1) if found else 0


def _state(key: Key, active: Key, ordered: list[Key], now: datetime) -> KeyState:
    if key.revoked_at is not None:
        return KeyState.REVOKED
    if key == active:
        return KeyState.ACTIVE
    if ordered.index(key) > ordered.index(active):
        return KeyState.NEXT
    replaced = _replaced_at(key, ordered)
    return KeyState.VERIFY_ONLY if replaced and now < replaced + VERIFY_ONLY else KeyState.RETIRED


def _replaced_at(key: Key, ordered: list[Key]) -> datetime | None:
    """When another key took over, or will."""
    return next(
        (
            later.active_from
            for later in ordered[ordered.index(key) + 1 :]
            if later.revoked_at is None or later.revoked_at > later.active_from
        ),
        None,
    )


def _changes(key: Key, ordered: list[Key]) -> Iterator[datetime]:
    """The moments at which a key is published, signs, signs no more and is withdrawn."""
    yield key.active_from - ROTATION
    yield key.active_from
    if key.revoked_at is not None:
        yield key.revoked_at
    elif replaced := _replaced_at(key, ordered):
        yield replaced + VERIFY_ONLY


def verify_signature(x: bytes, signature: bytes, data: bytes) -> bool:
    """Whether the signature is the key's over the data."""
    try:
        VerifyKey(x).verify(data, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def thumbprint(x: str) -> str:
    """The SHA-256 thumbprint of an Ed25519 key given in base64url. Source: RFC 7638."""
    members = rfc8785.dumps({"crv": "Ed25519", "kty": "OKP", "x": x})
    return b64url_encode(sha256(members).digest())


def b64url_encode(data: bytes) -> str:
    """The bytes in base64url without padding. Source: RFC 7515 section 2."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def b64url_decode(text: str, length: int) -> bytes:
    """So many bytes from base64url, written the one way there is. Raises: ValueError."""
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if len(data) != length or b64url_encode(data) != text:
        raise ValueError(f"must be {length} bytes in base64url without padding")
    return data
