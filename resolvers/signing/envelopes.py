"""Signed envelopes: what a stored operation said, and the studio's signature over it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from resolvers.signing.canonical import JSON_LIMITS, canonical, digest_of
from resolvers.signing.keys import Key, b64url_encode
from resolvers.transparency.log import Log
from resolvers.transparency.store import ProofStore
from sdl.scalar_types import Digest


@dataclass(frozen=True)
class EnvelopeSigner:
    """Signs the bodies of one revision with one key."""

    key: Key
    journal: ProofStore
    clock: Callable[[], datetime]
    revision: Digest
    log: Log
    key_set_path: str

    def __call__(self, section: str | None, body: Any) -> dict[str, Any]:
        """The envelope of a body, or of a section's body. Raises: ProofFault.

        Shape: SPEC's signed envelope; a section's has `rollupHash` beside the payload too.
        """
        bound = {"rollupHash": str(self.log.rollup_hash), "treeSize": self.log.size}
        if section is not None:
            payload = {
                "section": section,
                "data": body,
                "revision": str(self.revision),
                **bound,
            }
            return {**self._envelope(payload), "rollupHash": bound["rollupHash"]}
        return self._envelope({"entries": body, **bound} if isinstance(body, list) else body)

    def _envelope(self, payload: Any) -> dict[str, Any]:
        data = canonical(payload)
        return {
            "payload": payload,
            "signature": b64url_encode(self.key.sign(data)),
            "publicJwk": self.key.public.to_json(),
            "thumbprint": self.key.thumbprint,
            "canonicalizationProfile": JSON_LIMITS,
            "signedAt": self.journal.first_signed_at(digest_of(data), self.key.kid, self.clock()),
            "verificationHint": (
                "Write payload as RFC 8785 does: keys sorted by UTF-16 code units, no whitespace,"
                " UTF-8. Decode signature from base64url and check it with Ed25519 over these"
                f" bytes, with the key of {self.key_set_path} whose kid is that of publicJwk."
            ),
        }
