"""What makes a webhook one of the standard: its identifiers, its secrets and its signatures.

Keys and secrets are handed in and kept by nobody here.

Source: Standard Webhooks 1.0.0.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self

from nacl.signing import SigningKey

SECRET, PUBLIC_KEY, SECRET_KEY = "whsec_", "whpk_", "whsk_"
SECRET_BYTES = 32
_SEED_BYTES = 32
_ID_DIGITS = 32

RandomBytes = Callable[[int], bytes]
"""So many bytes that nobody can guess."""


@dataclass(frozen=True)
class WebhookKey:
    """The Ed25519 key that every delivery is signed with."""

    seed: bytes = field(repr=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """The key in its `whsk_` form: the seed, then the public key. Raises: ValueError."""
        pair = _decoded(text, SECRET_KEY)
        key = cls(pair[:_SEED_BYTES])
        if len(pair) != 2 * _SEED_BYTES or not hmac.compare_digest(key.text, text):
            raise ValueError("is no webhook key")
        return key

    @property
    def text(self) -> str:
        """The key in its `whsk_` form."""
        return _encoded(SECRET_KEY, self.seed + self._public)

    @property
    def public_text(self) -> str:
        """The public key in its `whpk_` form."""
        return _encoded(PUBLIC_KEY, self._public)

    def sign(self, data: bytes) -> bytes:
        """The signature: 64 bytes. Source: RFC 8032."""
        return SigningKey(self.seed).sign(data).signature

    @property
    def _public(self) -> bytes:
        return bytes(SigningKey(self.seed).verify_key)


def make_secret(random: RandomBytes) -> str:
    """A new secret of one subscription, in its `whsec_` form."""
    return _encoded(SECRET, random(SECRET_BYTES))


def is_valid_secret(given: str, secret: str) -> bool:
    """Whether what was given is the secret; it takes the same time either way."""
    return hmac.compare_digest(given.encode(), secret.encode())


def message_id(subscription: str, entry: str) -> str:
    """The identifier of a delivery: the same at every attempt, and in every process."""
    return f"msg_{sha256(f'{subscription}|{entry}'.encode()).hexdigest()[:_ID_DIGITS]}"


def signature(secret: str, key: WebhookKey, message: str, timestamp: int, body: bytes) -> str:
    """The signatures of a body as it is sent, by the secret and by the key.

    Units: `timestamp` is in seconds since 1970. Raises: ValueError when the secret is none.
    """
    signed = b"%b.%d.%b" % (message.encode("ascii"), timestamp, body)
    mac = hmac.digest(_decoded(secret, SECRET), signed, "sha256")
    return f"{_encoded('v1,', mac)} {_encoded('v1a,', key.sign(signed))}"


def delivery_headers(message: str, timestamp: int, signatures: str) -> dict[str, str]:
    """The headers of a delivery. Units: `timestamp` is in seconds since 1970."""
    return {
        "content-type": "application/json",
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures,
    }


def _encoded(prefix: str, data: bytes) -> str:
    return prefix + b64encode(data).decode("ascii")


def _decoded(text: str, prefix: str) -> bytes:
    if not text.startswith(prefix):
        raise ValueError(f"does not begin with {prefix}")
    return b64decode(text.removeprefix(prefix), validate=True)
