"""Signed envelopes: the response of a stored operation with the studio's signature over it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from resolvers.signing.canonical import JSON_LIMITS, canonical
from resolvers.signing.keys import (
    Key,
    b64url_decode,
    b64url_encode,
    thumbprint,
    verify_signature,
)
from schema.services.signatures import KeySet
from sdl.tools.canonical_json import digest_of
from sdl.types.scalar_types import Digest

FirstSignedAt = Callable[[Sequence[Digest]], Mapping[Digest, str]]
"""Returns when each payload was first signed; one that is new is recorded as signed now."""


@dataclass(frozen=True)
class EnvelopeSigner:
    """Signs the bodies of one revision with one key."""

    key: Key
    first_signed_at: FirstSignedAt
    revision: Digest
    log_head: Digest
    log_size: int
    key_set_path: str

    def __call__(self, bodies: Sequence[tuple[str | None, Any]]) -> list[dict[str, Any]]:
        """Return an envelope for each body; a section's body comes with the section's name.

        All signing times are recorded together. Raises: ProofError.
        Shape: signed envelope of the contract; a section's has `rollupHash` beside the payload too.
        """
        payloads = [self._payload(section, body) for section, body in bodies]
        texts = [canonical(payload) for payload in payloads]
        digests = [digest_of(text) for text in texts]
        signed_at = self.first_signed_at(digests)
        envelopes = []
        for (section, _), payload, text, digest in zip(
            bodies, payloads, texts, digests, strict=True
        ):
            envelope = self._envelope(payload, text, signed_at[digest])
            if section is not None:
                envelope["rollupHash"] = str(self.log_head)
            envelopes.append(envelope)
        return envelopes

    def _payload(self, section: str | None, body: Any) -> Any:
        """Return the payload: the body, with the log's head if it is a section or a list."""
        log = {"rollupHash": str(self.log_head), "treeSize": self.log_size}
        if section is not None:
            return {"section": section, "data": body, "revision": str(self.revision), **log}
        return {"entries": body, **log} if isinstance(body, list) else body

    def _envelope(self, payload: Any, text: bytes, signed_at: str) -> dict[str, Any]:
        return {
            "payload": payload,
            "signature": b64url_encode(self.key.sign(text)),
            "publicJwk": self.key.public.to_json(),
            "thumbprint": self.key.thumbprint,
            "canonicalizationProfile": JSON_LIMITS,
            "signedAt": signed_at,
            "verificationHint": (
                "Serialize payload as RFC 8785 canonical JSON: keys sorted by UTF-16 code units, no"
                " whitespace, UTF-8. Decode signature from base64url and verify it with Ed25519"
                f" over these bytes, using the key in {self.key_set_path} whose kid is the one in"
                " publicJwk."
            ),
        }


def fault_of(envelope: Mapping[str, Any], key_set: KeySet) -> str | None:
    """Return why an envelope that this service made does not verify now; None if it does."""
    jwk, payload = envelope["publicJwk"], envelope["payload"]
    if jwk not in [key.to_json() for key in key_set.keys]:
        return f"the key {jwk['kid']} is not published"
    if envelope["thumbprint"] != thumbprint(jwk["x"]):
        return "thumbprint is not that of the key in publicJwk"
    if "rollupHash" in envelope and envelope["rollupHash"] != payload["rollupHash"]:
        return "rollupHash differs from the one in the signed payload"
    x, signature = b64url_decode(jwk["x"], 32), b64url_decode(envelope["signature"], 64)
    is_signed = verify_signature(x, signature, canonical(payload))
    return None if is_signed else "the signature does not verify"
