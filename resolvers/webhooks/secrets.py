"""Secrets as they are kept: sealed under a key that stands in no database. Stores nothing.

Source: NaCl's `secretbox`.
"""

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from resolvers.webhooks.signing import RandomBytes, make_secret

KEY_BYTES = SecretBox.KEY_SIZE


class SecretCipher:
    """Seals secrets, and opens what it sealed."""

    def __init__(self, key: bytes, random: RandomBytes) -> None:
        self._box = SecretBox(key)
        self._random = random
        self.dummy = self.encrypt(make_secret(random))
        """Nobody's secret, opened where there is no other: so that it takes as long."""

    def encrypt(self, secret: str) -> bytes:
        """The secret, sealed: never the same twice."""
        return bytes(self._box.encrypt(secret.encode(), self._random(SecretBox.NONCE_SIZE)))

    def decrypt(self, sealed: bytes) -> str:
        """The secret. Raises: ValueError when it was sealed under another key."""
        try:
            return self._box.decrypt(sealed).decode()
        except (CryptoError, ValueError):
            raise ValueError("is sealed under another key") from None
