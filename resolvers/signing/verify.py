"""The check of one envelope and of a key set, as an outsider makes it: on nobody's word."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from resolvers.signing.canonical import JSON_LIMITS, canonical
from resolvers.signing.errors import ProofError
from resolvers.signing.keys import KID, b64url_decode, thumbprint, verify_signature
from schema.signatures import KeySet
from sdl.errors import StudiographError
from sdl.scalar_types import format_instant

ENVELOPE_MEMBERS = {
    *("payload", "signature", "publicJwk", "thumbprint", "canonicalizationProfile"),
    *("signedAt", "verificationHint"),
}


class VerificationError(StudiographError):
    """What is wrong, and where."""

    def __init__(self, where: str, why: str) -> None:
        super().__init__(f"{where}: {why}")
        self.where, self.why = where, why


def check_envelope(where: str, envelope: Any, key_set: KeySet | None = None) -> Any:
    """The payload of an envelope that verifies, by a published key if they are given.

    Raises: Refused.
    """
    if not isinstance(envelope, dict) or set(envelope) - {"rollupHash"} != ENVELOPE_MEMBERS:
        raise VerificationError(where, f"has not the members {', '.join(sorted(ENVELOPE_MEMBERS))}")
    try:
        jwk = KeySet.model_validate({"keys": [envelope["publicJwk"]], "revoked": []}).keys[0]
        x = _public(jwk.to_json())
        signature = b64url_decode(envelope["signature"], 64)
        signed_at = datetime.fromisoformat(envelope["signedAt"])
        data = canonical(envelope["payload"])
        written = format_instant(signed_at)
    except (ValidationError, ValueError, TypeError, OverflowError, ProofError) as error:
        raise VerificationError(
            where, "is no envelope: its key, signature, date or payload"
        ) from error
    if written != envelope["signedAt"]:
        raise VerificationError(where, "signedAt is not an instant in UTC with whole seconds")
    if envelope["canonicalizationProfile"] != JSON_LIMITS:
        raise VerificationError(where, f"the canonicalization profile is not {JSON_LIMITS}")
    if key_set is not None and jwk not in key_set.keys:
        revoked = jwk.kid in {key.kid for key in key_set.revoked}
        raise VerificationError(
            where, f"the key {jwk.kid} is {'revoked' if revoked else 'not published'}"
        )
    if envelope["thumbprint"] != thumbprint(jwk.x):
        raise VerificationError(where, "the thumbprint is not the key's")
    if not verify_signature(x, signature, data):
        raise VerificationError(where, "the signature does not verify")
    if envelope.get("rollupHash", _of(envelope["payload"])) != _of(envelope["payload"]):
        raise VerificationError(
            where, "the rollupHash beside the payload is not the one that is signed"
        )
    return envelope["payload"]


def check_key_set(where: str, document: Any) -> KeySet:
    """The key set, each key of which is what it should be. Raises: Refused."""
    try:
        key_set = KeySet.model_validate(document)
        for key in key_set.keys:
            _public(key.to_json())
    except (ValidationError, ValueError) as error:
        raise VerificationError(where, "is no set of Ed25519 signing keys") from error
    kids = [*(key.kid for key in key_set.keys), *(key.kid for key in key_set.revoked)]
    if len(set(kids)) != len(kids) or not key_set.keys:
        raise VerificationError(where, "has no key, or two of one name")
    return key_set


def parse(where: str, text: bytes) -> Any:
    """JSON without duplicate keys. Raises: Refused."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("duplicate key")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise VerificationError(where, "is no JSON") from error


def _public(jwk: Mapping[str, Any]) -> bytes:
    """The public key's bytes. Raises: ValueError."""
    fixed = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA"}
    if not fixed.items() <= jwk.items() or not KID.fullmatch(jwk["kid"]):
        raise ValueError("not an Ed25519 signing key")
    return b64url_decode(jwk["x"], 32)


def _of(payload: Any) -> Any:
    return payload.get("rollupHash") if isinstance(payload, dict) else None
