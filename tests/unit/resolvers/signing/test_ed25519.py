"""Signatures: known ones, ones at the edges, and every one-bit change of a real envelope."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey
from offenders import offenders
from tiers import step
from vectors import cases, named

from resolvers.signing.canonical import canonical
from resolvers.signing.envelopes import EnvelopeSigner
from resolvers.signing.keys import Key, verify_signature
from schema.site import Site
from sdl.types.scalar_types import Digest

RFC = cases("ed25519/rfc8032")
EDGES = cases("ed25519/edge-cases")
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
SIGNER, MESSAGE = SigningKey(bytes(32)), b"studiograph"
KEY, SIGNATURE = bytes(SIGNER.verify_key), SIGNER.sign(MESSAGE).signature

Check = Callable[[bytes, bytes, bytes], bool]


def theirs(x: bytes, signature: bytes, data: bytes) -> bool:
    """What OpenSSL says, by way of cryptography."""
    try:
        Ed25519PublicKey.from_public_bytes(x).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def key_of(seed: bytes) -> Key:
    return Key("studio-2026-01", bytes(SigningKey(seed).verify_key), NOW, seed)


def parts(case: dict[str, Any]) -> tuple[bytes, bytes, bytes]:
    key, signature, message = (bytes.fromhex(case[n]) for n in ("key", "signature", "message"))
    return key, signature, message


@pytest.mark.parametrize("case", RFC, ids=named)
def test_the_vectors_of_the_rfc_are_signed_and_verified(case: dict[str, Any]) -> None:
    key, signature, message = parts(case)
    ours = key_of(bytes.fromhex(case["seed"]))
    assert ours.x == key
    assert ours.sign(message) == signature
    assert verify_signature(key, signature, message)
    assert theirs(key, signature, message)


def test_at_the_edges_only_what_is_beyond_doubt_is_accepted() -> None:
    def check(case: dict[str, Any]) -> None:
        assert verify_signature(*parts(case)) == case["accepted"]

    assert offenders(check, EDGES) == []


def test_the_edge_cases_tell_the_two_equations_apart() -> None:
    apart = [case for case in EDGES if case["cofactored"] != case["cofactorless"]]
    assert len(apart) > 15
    assert all(case["cofactored"] and not case["accepted"] for case in apart)
    assert not any(theirs(*parts(case)) for case in apart)


@given(seed=st.binary(min_size=32, max_size=32), data=st.binary(max_size=200))
def test_two_libraries_sign_and_verify_alike(seed: bytes, data: bytes) -> None:
    key = key_of(seed)
    signature = key.sign(data)
    assert signature == Ed25519PrivateKey.from_private_bytes(seed).sign(data)
    assert theirs(key.x, signature, data)
    assert verify_signature(key.x, signature, data)


@given(
    key=st.binary(max_size=40) | st.just(KEY),
    signature=st.binary(max_size=70) | st.just(SIGNATURE),
    data=st.binary(max_size=20) | st.just(MESSAGE),
)
def test_any_bytes_are_answered_with_yes_or_no(key: bytes, signature: bytes, data: bytes) -> None:
    true = (key, signature, data) == (KEY, SIGNATURE, MESSAGE)
    assert verify_signature(key, signature, data) is true


@dataclass(frozen=True)
class Sealed:
    """What an envelope says, in bytes."""

    x: bytes
    signature: bytes
    data: bytes


def unpadded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@pytest.fixture(scope="module")
def sealing() -> EnvelopeSigner:
    """What signs the sample studio's bodies."""
    key = key_of(bytes(range(32)))
    return EnvelopeSigner(
        key=key,
        first_signed_at=lambda payloads: dict.fromkeys(payloads, "2026-01-15T12:00:00Z"),
        revision=Digest(f"sha256:{'ab' * 32}"),
        log_head=Digest(f"sha256:{'cd' * 32}"),
        log_size=40,
        key_set_path="/.well-known/jwks.json",
    )


@pytest.fixture(scope="module")
def sealed(sealing: EnvelopeSigner, sample: Site) -> Sealed:
    """A real envelope of the section that changes most, as a reader takes it apart."""
    body = [entry.to_json() for entry in sample.changelog]
    envelope = json.loads(json.dumps(sealing([("changelog", body)])[0]))
    assert envelope["payload"]["data"] == body
    return Sealed(
        unpadded(envelope["publicJwk"]["x"]),
        unpadded(envelope["signature"]),
        canonical(envelope["payload"]),
    )


def test_an_envelope_verifies_with_what_it_says_alone(sealed: Sealed) -> None:
    assert verify_signature(sealed.x, sealed.signature, sealed.data)
    assert theirs(sealed.x, sealed.signature, sealed.data)


def test_an_envelope_has_the_members_of_the_specification(sealing: EnvelopeSigner) -> None:
    (envelope,) = sealing([(None, {"answer": 42})])
    assert list(envelope) == [
        *("payload", "signature", "publicJwk", "thumbprint"),
        *("canonicalizationProfile", "signedAt", "verificationHint"),
    ]
    assert envelope["payload"] == {"answer": 42}
    assert envelope["publicJwk"] == sealing.key.public.to_json()
    assert envelope["thumbprint"] == sealing.key.thumbprint
    assert envelope["canonicalizationProfile"] == "jcs-rfc8785-subset"
    assert envelope["signedAt"] == "2026-01-15T12:00:00Z"
    assert "/.well-known/jwks.json" in envelope["verificationHint"]
    assert len(unpadded(envelope["signature"])) == 64


def test_a_section_is_signed_with_its_name_its_revision_and_the_log(
    sealing: EnvelopeSigner,
) -> None:
    (envelope,) = sealing([("thesis", "A thesis.")])
    assert envelope["payload"] == {
        "section": "thesis",
        "data": "A thesis.",
        "revision": sealing.revision,
        "rollupHash": sealing.log_head,
        "treeSize": sealing.log_size,
    }
    assert envelope["rollupHash"] == sealing.log_head


def test_a_list_is_signed_as_entries_with_the_log(sealing: EnvelopeSigner) -> None:
    (envelope,) = sealing([(None, [{"id": "a"}])])
    assert envelope["payload"] == {
        "entries": [{"id": "a"}],
        "rollupHash": sealing.log_head,
        "treeSize": sealing.log_size,
    }


def test_the_order_in_which_members_come_changes_nothing(
    sealing: EnvelopeSigner, sample: Site
) -> None:
    body = sample.studio.to_json()
    first, second = sealing([("thesis", body), ("thesis", dict(reversed(body.items())))])
    assert first == second


FLIPS = 10_000


def flips(sealed: Sealed) -> Iterator[Sealed]:
    """10,000 envelopes one bit away: every bit of signature and key, the rest over the payload."""
    for bit in range(len(sealed.x) * 8):
        yield Sealed(flipped(sealed.x, bit), sealed.signature, sealed.data)
    for bit in range(len(sealed.signature) * 8):
        yield Sealed(sealed.x, flipped(sealed.signature, bit), sealed.data)
    rest = FLIPS - len(sealed.x + sealed.signature) * 8
    for number in range(rest):
        bit = number * len(sealed.data) * 8 // rest
        yield Sealed(sealed.x, sealed.signature, flipped(sealed.data, bit))


def flipped(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


@pytest.mark.parametrize(
    ("check", "every"), [(verify_signature, step(3)), (theirs, 7)], ids=["ours", "another"]
)
def test_a_changed_bit_of_any_byte_of_payload_signature_or_key_is_refused(
    sealed: Sealed, check: Check, every: int
) -> None:
    changed = list(flips(sealed))[::every]
    assert len(changed) == len(set(changed)) == -(-FLIPS // every)
    assert [one for one in changed if check(one.x, one.signature, one.data)] == []
