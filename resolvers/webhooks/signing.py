"""Identifiers, secrets and signatures of webhooks.

Source: Standard Webhooks 1.0.0.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.signing import SigningKey

SECRET, PUBLIC_KEY, SECRET_KEY = "whsec_", "whpk_", "whsk_"
SECRET_BYTES = 32
_SEED_BYTES = 32
_ID_DIGITS = 32

RandomBytes = Callable[[int], bytes]
"""Returns so many cryptographically random bytes."""


@dataclass(frozen=True)
class WebhookKey:
    """The Ed25519 key that signs every delivery."""

    seed: bytes = field(repr=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a key in its `whsk_` form: the seed, then the public key. Raises: ValueError."""
        data = _decode(text, SECRET_KEY)
        key = cls(data[:_SEED_BYTES])
        if len(data) != 2 * _SEED_BYTES or not hmac.compare_digest(key.text, text):
            raise ValueError("is not a webhook key")
        return key

    @property
    def text(self) -> str:
        """The key in its `whsk_` form."""
        return _encode(SECRET_KEY, self.seed + self._public)

    @property
    def public_text(self) -> str:
        """The public key in its `whpk_` form."""
        return _encode(PUBLIC_KEY, self._public)

    def sign(self, data: bytes) -> bytes:
        """Return the signature: 64 bytes. Source: RFC 8032."""
        return SigningKey(self.seed).sign(data).signature

    @property
    def _public(self) -> bytes:
        return bytes(SigningKey(self.seed).verify_key)


def make_secret(random: RandomBytes) -> str:
    """Return a new secret for one subscription, in its `whsec_` form."""
    return _encode(SECRET, random(SECRET_BYTES))


def is_valid_secret(candidate: str, secret: str) -> bool:
    """Compare a text with the secret, in constant time."""
    return hmac.compare_digest(candidate.encode(), secret.encode())


def message_id(subscription: str, entry: str) -> str:
    """Return the identifier of a delivery, the same for every attempt and in every process."""
    return f"msg_{sha256(f'{subscription}|{entry}'.encode()).hexdigest()[:_ID_DIGITS]}"


def signature(secret: str, key: WebhookKey, message: str, timestamp: int, body: bytes) -> str:
    """Return the signatures of a body as it is sent, with the secret and with the key.

    Units: `timestamp` is in seconds since 1970. Raises: ValueError if the secret is invalid.
    """
    signed = b"%b.%d.%b" % (message.encode("ascii"), timestamp, body)
    mac = hmac.digest(_decode(secret, SECRET), signed, "sha256")
    return f"{_encode('v1,', mac)} {_encode('v1a,', key.sign(signed))}"


def delivery_headers(
    secret: str, key: WebhookKey, message: str, timestamp: int, body: bytes
) -> dict[str, str]:
    """Return the headers of a delivery. Units: `timestamp` is in seconds since 1970."""
    return {
        "content-type": "application/json",
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(secret, key, message, timestamp, body),
    }


def _encode(prefix: str, data: bytes) -> str:
    return prefix + b64encode(data).decode("ascii")


def _decode(text: str, prefix: str) -> bytes:
    if not text.startswith(prefix):
        raise ValueError(f"does not begin with {prefix}")
    return b64decode(text.removeprefix(prefix), validate=True)


KEY_BYTES = SecretBox.KEY_SIZE


class SecretCipher:
    """Encrypts and decrypts secrets."""

    def __init__(self, key: bytes, random: RandomBytes) -> None:
        self._box = SecretBox(key)
        self._random = random
        self.decoy = self.encrypt(make_secret(random))
        """Decrypted when the subscription does not exist, so that both cases take equally long."""

    def encrypt(self, secret: str) -> bytes:
        """Return the encrypted secret, different at every call."""
        return bytes(self._box.encrypt(secret.encode(), self._random(SecretBox.NONCE_SIZE)))

    def decrypt(self, encrypted: bytes) -> str:
        """Return the secret. Raises: ValueError if it was encrypted with another key."""
        try:
            return self._box.decrypt(encrypted).decode()
        except (CryptoError, ValueError):
            raise ValueError("is encrypted with another key") from None
