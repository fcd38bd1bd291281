"""Signed envelopes: what a stored operation said, and the studio's signature over it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from resolvers.proofs.canonical import PROFILE, canonical, digest_of
from resolvers.proofs.journal import Journal
from resolvers.proofs.keys import Key, encoded
from resolvers.proofs.log import Log
from schema.words import Digest


@dataclass(frozen=True)
class Sealing:
    """Signs the bodies of one revision with one key."""

    key: Key
    journal: Journal
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
            "signature": encoded(self.key.sign(data)),
            "publicJwk": self.key.public.plain(),
            "thumbprint": self.key.thumbprint,
            "canonicalizationProfile": PROFILE,
            "signedAt": self.journal.signed_at(digest_of(data), self.key.kid, self.clock()),
            "verificationHint": (
                "Write payload as RFC 8785 does: keys sorted by UTF-16 code units, no whitespace,"
                " UTF-8. Decode signature from base64url and check it with Ed25519 over these"
                f" bytes, with the key of {self.key_set_path} whose kid is that of publicJwk."
            ),
        }
