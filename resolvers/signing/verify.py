"""Verification of one envelope and of a key set from outside, trusting no other input."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from resolvers.signing.canonical import JSON_LIMITS, canonical
from resolvers.signing.keys import KID, ProofError, b64url_decode, thumbprint, verify_signature
from schema.signatures import KeySet
from sdl.errors import StudiographError
from sdl.scalar_types import format_instant

ENVELOPE_MEMBERS = {
    *("payload", "signature", "publicJwk", "thumbprint", "canonicalizationProfile"),
    *("signedAt", "verificationHint"),
}


class VerificationError(StudiographError):
    """A failed verification: `where` (a path or a file) and `why`."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where, self.why = where, why


def check_envelope(where: str, envelope: Any, key_set: KeySet | None = None) -> Any:
    """Verify an envelope and return its payload; with a key set, its key must be published there.

    Raises: VerificationError.
    """
    if not isinstance(envelope, dict) or set(envelope) - {"rollupHash"} != ENVELOPE_MEMBERS:
        names = ", ".join(sorted(ENVELOPE_MEMBERS))
        raise VerificationError(where, f"an envelope must have exactly the members {names}")
    try:
        jwk = KeySet.model_validate({"keys": [envelope["publicJwk"]], "revoked": []}).keys[0]
        x = _public_bytes(jwk.to_json())
        signature = b64url_decode(envelope["signature"], 64)
        signed_at = datetime.fromisoformat(envelope["signedAt"])
        data = canonical(envelope["payload"])
        normalised = format_instant(signed_at)
    except (ValidationError, ValueError, TypeError, OverflowError, ProofError) as error:
        raise VerificationError(
            where, "is not a valid envelope: check its publicJwk, signature, signedAt and payload"
        ) from error
    if normalised != envelope["signedAt"]:
        raise VerificationError(where, "signedAt is not an instant in UTC with whole seconds")
    if envelope["canonicalizationProfile"] != JSON_LIMITS:
        raise VerificationError(where, f"canonicalizationProfile is not {JSON_LIMITS}")
    if key_set is not None and jwk not in key_set.keys:
        revoked = jwk.kid in {key.kid for key in key_set.revoked}
        raise VerificationError(
            where, f"the key {jwk.kid} is {'revoked' if revoked else 'not published'}"
        )
    if envelope["thumbprint"] != thumbprint(jwk.x):
        raise VerificationError(where, "thumbprint is not that of the key in publicJwk")
    if not verify_signature(x, signature, data):
        raise VerificationError(where, "the signature does not verify")
    signed_hash = _rollup_hash(envelope["payload"])
    if envelope.get("rollupHash", signed_hash) != signed_hash:
        raise VerificationError(where, "rollupHash differs from the one in the signed payload")
    return envelope["payload"]


def check_key_set(where: str, document: Any) -> KeySet:
    """Return a key set in which every key is a valid signing key. Raises: VerificationError."""
    try:
        key_set = KeySet.model_validate(document)
        for key in key_set.keys:
            _public_bytes(key.to_json())
    except (ValidationError, ValueError) as error:
        raise VerificationError(where, "is not a set of Ed25519 signing keys") from error
    if not key_set.keys:
        raise VerificationError(where, "has no key")
    kids = [*(key.kid for key in key_set.keys), *(key.kid for key in key_set.revoked)]
    if len(set(kids)) != len(kids):
        raise VerificationError(where, "has two keys with the same kid")
    return key_set


def parse(where: str, text: bytes) -> Any:
    """Parse JSON; raise `VerificationError` if it is invalid or an object repeats a key."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("duplicate key")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise VerificationError(where, "is not valid JSON, or an object repeats a key") from error


def _public_bytes(jwk: Mapping[str, Any]) -> bytes:
    """Return the bytes of a public key. Raises: ValueError."""
    required = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA"}
    if not required.items() <= jwk.items() or not KID.fullmatch(jwk["kid"]):
        raise ValueError("not an Ed25519 signing key")
    return b64url_decode(jwk["x"], 32)


def _rollup_hash(payload: Any) -> Any:
    return payload.get("rollupHash") if isinstance(payload, dict) else None
