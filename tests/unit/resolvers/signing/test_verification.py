"""Key sets and envelopes as a reader checks them: what is refused, and why."""

from typing import Any

import pytest
from nacl.signing import SigningKey

from resolvers.signing.canonical import JSON_LIMITS, canonical
from resolvers.signing.keys import b64url_encode, thumbprint
from resolvers.signing.verify import VerificationError, check_envelope, check_key_set


def jwk(kid: str, key: SigningKey | None = None) -> dict[str, Any]:
    """A signing key as a key set lists it."""
    x = b64url_encode(bytes((key or SigningKey.generate()).verify_key))
    return {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": x}


def revoked(key: dict[str, Any]) -> dict[str, Any]:
    """A revoked key as a key set lists it."""
    return {
        "kid": key["kid"],
        "thumbprint": thumbprint(key["x"]),
        "revokedAt": "2026-02-01T00:00:00Z",
    }


def test_a_key_set_of_two_keys_and_a_revoked_one_is_read() -> None:
    one, other, gone = jwk("tide-2026-01"), jwk("tide-2026-02"), jwk("tide-2025-12")
    keys = check_key_set("jwks", {"keys": [one, other], "revoked": [revoked(gone)]})
    assert [key.kid for key in keys.keys] == ["tide-2026-01", "tide-2026-02"]


@pytest.mark.parametrize("again", ["keys", "revoked"])
def test_no_key_is_listed_twice_or_after_it_was_revoked(again: str) -> None:
    one = jwk("tide-2026-01")
    document: dict[str, Any] = {"keys": [one], "revoked": []}
    document[again].append(jwk("tide-2026-01") if again == "keys" else revoked(one))
    with pytest.raises(VerificationError, match="two keys with the same kid"):
        check_key_set("jwks", document)


def test_an_empty_key_set_is_refused() -> None:
    with pytest.raises(VerificationError, match="has no key"):
        check_key_set("jwks", {"keys": [], "revoked": []})


def test_another_key_with_the_kid_of_a_published_one_is_refused() -> None:
    own, forger, payload = SigningKey.generate(), SigningKey.generate(), {"price": 0}
    key_set = check_key_set("jwks", {"keys": [jwk("tide-2026-01", own)], "revoked": []})

    def envelope(key: SigningKey) -> dict[str, Any]:
        public = jwk("tide-2026-01", key)
        return {
            "payload": payload,
            "signature": b64url_encode(key.sign(canonical(payload)).signature),
            "publicJwk": public,
            "thumbprint": thumbprint(public["x"]),
            "canonicalizationProfile": JSON_LIMITS,
            "signedAt": "2026-11-02T10:17:32Z",
            "verificationHint": "See /.well-known/agent-verification.",
        }

    assert check_envelope("status.sig", envelope(own), key_set) == payload
    assert check_envelope("status.sig", envelope(forger)) == payload
    with pytest.raises(VerificationError, match="not published"):
        check_envelope("status.sig", envelope(forger), key_set)
