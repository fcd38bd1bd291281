"""Encryption of the subscription secrets at rest; the key is not in the database.

Source: NaCl's `secretbox`.
"""

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from resolvers.webhooks.signing import RandomBytes, make_secret

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
