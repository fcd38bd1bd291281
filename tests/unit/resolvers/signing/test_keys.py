"""Signing keys: where each stands at each instant, what is published, and what can still sign."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from joserfc.jwk import KeySet as JoseKeySet
from joserfc.jwk import OKPKey
from nacl.signing import SigningKey
from vectors import vectors

from resolvers.signing.keys import (
    PUBLISHED_BEFORE_SIGNING,
    VERIFY_ONLY,
    Key,
    KeyState,
    ProofError,
    b64url_decode,
    b64url_encode,
    key_ring_at,
    thumbprint,
    verify_signature,
)

Jwk = dict[str, str | list[str]]

T0 = datetime(2026, 1, 15, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MONTH = timedelta(days=30)
NEVER = timedelta(days=36_500)

A, N, V, X, R = (
    KeyState.ACTIVE,
    KeyState.NEXT,
    KeyState.VERIFY_ONLY,
    KeyState.RETIRED,
    KeyState.REVOKED,
)


def key(name: str, active_from: timedelta, revoked: timedelta | None = None) -> Key:
    """A key of this name; a revoked one has lost its seed."""
    signing = SigningKey(name.encode().ljust(32))
    return Key(
        kid=f"studio-2026-01-{name}",
        x=bytes(signing.verify_key),
        active_from=T0 + active_from,
        seed=bytes(signing) if revoked is None else None,
        revoked_at=None if revoked is None else T0 + revoked,
    )


def states(keys: list[Key], after: timedelta) -> dict[str, KeyState]:
    """Where each key stands so long after the first instant."""
    return {
        key.kid.rpartition("-")[2]: state for key, state in key_ring_at(keys, T0 + after).states
    }


FIRST = [key("1", 0 * HOUR)]
ROTATED = [*FIRST, key("2", DAY + HOUR)]
AT_ONCE = [*FIRST, key("2", DAY)]
THRICE = [*ROTATED, key("3", 10 * DAY), key("4", 10 * DAY + HOUR)]
NEVER_ACTIVE = [*FIRST, key("2", DAY + HOUR, revoked=DAY + 59 * SECOND), key("3", 5 * DAY)]
ON_THE_INSTANT = [*FIRST, key("2", DAY, revoked=DAY), key("3", 5 * DAY)]
WHEN_ACTIVE = [*FIRST, key("2", DAY, revoked=2 * DAY), key("3", 2 * DAY)]
PROMOTED = [key("1", 0 * HOUR, revoked=DAY), key("2", DAY)]
OLD_REVOKED = [key("1", 0 * HOUR, revoked=3 * DAY), key("2", DAY)]

SCENARIOS = {
    "first": FIRST,
    "rotated": ROTATED,
    "at once": AT_ONCE,
    "thrice": THRICE,
    "revoked before it was active": NEVER_ACTIVE,
    "revoked on the instant": ON_THE_INSTANT,
    "revoked when active": WHEN_ACTIVE,
    "promoted": PROMOTED,
    "revoked when verify-only": OLD_REVOKED,
}


@pytest.mark.parametrize(
    ("scenario", "after", "expected"),
    [
        ("first", 0 * DAY, {"1": A}),
        ("first", NEVER, {"1": A}),
        ("rotated", DAY, {"1": A, "2": N}),
        ("rotated", DAY + HOUR - SECOND, {"1": A, "2": N}),
        ("rotated", DAY + HOUR - timedelta(microseconds=1), {"1": A, "2": N}),
        ("rotated", DAY + HOUR, {"2": A, "1": V}),
        ("rotated", DAY + HOUR + MONTH - SECOND, {"2": A, "1": V}),
        ("rotated", DAY + HOUR + MONTH, {"2": A, "1": X}),
        ("rotated", NEVER, {"2": A, "1": X}),
        ("at once", DAY - SECOND, {"1": A, "2": N}),
        ("at once", DAY, {"2": A, "1": V}),
        ("at once", DAY + MONTH, {"2": A, "1": X}),
        ("thrice", 10 * DAY, {"3": A, "4": N, "2": V, "1": V}),
        ("thrice", 10 * DAY + HOUR, {"4": A, "3": V, "2": V, "1": V}),
        ("thrice", DAY + HOUR + MONTH, {"4": A, "3": V, "2": V, "1": X}),
        ("thrice", 10 * DAY + MONTH, {"4": A, "3": V, "2": X, "1": X}),
        ("thrice", 10 * DAY + HOUR + MONTH, {"4": A, "3": X, "2": X, "1": X}),
        ("revoked before it was active", DAY + HOUR, {"1": A, "3": N, "2": R}),
        ("revoked before it was active", 5 * DAY, {"3": A, "1": V, "2": R}),
        ("revoked before it was active", 5 * DAY + MONTH - SECOND, {"3": A, "1": V, "2": R}),
        ("revoked before it was active", 5 * DAY + MONTH, {"3": A, "1": X, "2": R}),
        ("revoked on the instant", 5 * DAY + MONTH - SECOND, {"3": A, "1": V, "2": R}),
        ("revoked on the instant", 5 * DAY + MONTH, {"3": A, "1": X, "2": R}),
        ("revoked when active", 2 * DAY, {"3": A, "1": V, "2": R}),
        ("revoked when active", DAY + MONTH - SECOND, {"3": A, "1": V, "2": R}),
        ("revoked when active", DAY + MONTH, {"3": A, "1": X, "2": R}),
        ("promoted", DAY, {"2": A, "1": R}),
        ("revoked when verify-only", 3 * DAY, {"2": A, "1": R}),
    ],
)
def test_each_key_stands_where_it_should(
    scenario: str, after: timedelta, expected: dict[str, KeyState]
) -> None:
    assert states(SCENARIOS[scenario], after) == expected


@pytest.mark.parametrize("behind", [SECOND, HOUR, NEVER])
def test_behind_a_clock_that_stands_before_all_keys_the_oldest_signs(behind: timedelta) -> None:
    assert states(THRICE, -behind) == {"1": A, "2": N, "3": N, "4": N}
    assert states([*PROMOTED, key("3", 2 * DAY)], DAY - behind) == {"2": A, "3": N, "1": R}


@pytest.mark.parametrize("after", [-DAY, 0 * DAY, NEVER])
@pytest.mark.parametrize("keys", [[], [key("1", 0 * DAY, revoked=DAY)], [*PROMOTED[:1]]])
def test_where_no_key_can_sign_the_fix_is_named(keys: list[Key], after: timedelta) -> None:
    with pytest.raises(ProofError, match=r"Fix: .*`studiograph "):
        key_ring_at(keys, T0 + after)


def test_of_two_keys_of_one_instant_the_later_signs() -> None:
    assert states([key("1", DAY), key("2", DAY)], DAY) == {"2": A, "1": V}
    assert states([key("2", DAY), key("1", DAY)], DAY) == {"2": A, "1": V}


@pytest.mark.parametrize("keys", SCENARIOS.values(), ids=SCENARIOS)
def test_keys_in_any_order_stand_the_same(keys: list[Key]) -> None:
    for after in (0 * DAY, DAY, DAY + HOUR, 10 * DAY, 40 * DAY):
        assert key_ring_at(keys[::-1], T0 + after) == key_ring_at(keys, T0 + after)


@pytest.mark.parametrize("keys", SCENARIOS.values(), ids=SCENARIOS)
def test_one_key_is_active_and_the_others_come_in_the_order_of_their_states(
    keys: list[Key],
) -> None:
    for hours in range(-2, 24 * 50, 7):
        now = key_ring_at(keys, T0 + hours * HOUR)
        order = [state for _, state in now.states]
        assert now.states[0] == (now.active, A)
        assert order == sorted(order, key=list(KeyState).index)
        assert order.count(A) == 1
        assert now.trusted == now.in_state(A, N, V)


@pytest.mark.parametrize("keys", SCENARIOS.values(), ids=SCENARIOS)
def test_a_change_is_dated_when_a_state_changes_and_never_else(keys: list[Key]) -> None:
    start = max(max(key.active_from - HOUR, key.revoked_at or T0) for key in keys)
    before = key_ring_at(keys, start)
    for hours in range(1, 24 * 45):
        moment = start + hours * HOUR
        now = key_ring_at(keys, moment)
        if now.states == before.states:
            assert now.changed_at == before.changed_at
        else:
            assert moment - HOUR < now.changed_at <= moment
        before = now


def test_behind_a_clock_that_stands_before_all_keys_nothing_changes_either() -> None:
    assert key_ring_at(THRICE, T0 - 3 * DAY) == key_ring_at(THRICE, T0 - 3 * DAY + SECOND)


def test_the_key_set_has_the_active_key_first_then_the_next_then_the_verify_only() -> None:
    published = key_ring_at([*THRICE, key("5", 3 * DAY, revoked=4 * DAY)], T0 + 10 * DAY).key_set
    assert [jwk.kid[-1] for jwk in published.keys] == ["3", "4", "2", "1"]
    assert [revoked.kid[-1] for revoked in published.revoked] == ["5"]


def test_a_retired_key_is_published_no_more() -> None:
    assert [jwk.kid[-1] for jwk in key_ring_at(ROTATED, T0 + 40 * DAY).key_set.keys] == ["2"]


def test_a_revoked_key_leaves_the_keys_and_says_when() -> None:
    published = key_ring_at(WHEN_ACTIVE, T0 + 2 * DAY).key_set.to_json()
    assert [jwk["kid"][-1] for jwk in published["keys"]] == ["3", "1"]
    assert published["revoked"] == [
        {
            "kid": "studio-2026-01-2",
            "thumbprint": WHEN_ACTIVE[1].thumbprint,
            "revokedAt": "2026-01-17T12:00:00Z",
        }
    ]


def test_another_library_reads_the_key_set_and_sees_the_same_thumbprints() -> None:
    now = key_ring_at([*THRICE, key("5", 3 * DAY, revoked=4 * DAY)], T0 + 10 * DAY)
    read = JoseKeySet.import_key_set(now.key_set.to_json())  # type: ignore[arg-type]
    assert [(jwk.kid, jwk.thumbprint()) for jwk in read.keys] == [
        (each.kid, each.thumbprint) for each in now.trusted
    ]
    assert [jwk.key_type for jwk in read.keys] == ["OKP"] * 4
    assert not any(jwk.is_private for jwk in read.keys)


def test_a_public_key_has_these_members_and_no_others() -> None:
    (first,) = FIRST
    assert first.public.to_json() == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": b64url_encode(first.x),
        "use": "sig",
        "alg": "EdDSA",
        "kid": first.kid,
    }


def test_the_thumbprint_of_the_rfc_s_key_is_the_rfc_s() -> None:
    example = vectors("ed25519/rfc8037")
    assert thumbprint(example["key"]["x"]) == example["thumbprint"]


def test_thumbprints_of_any_keys_are_those_another_library_computes() -> None:
    chance = random.Random(20260115)  # noqa: S311 - the same keys on every run
    for number in range(200):
        x = bytes(SigningKey(chance.randbytes(32)).verify_key)
        jwk: Jwk = {"kty": "OKP", "crv": "Ed25519", "x": b64url_encode(x)}
        ours = Key(f"a-2026-01-{number + 1}", x, T0).thumbprint
        assert OKPKey.import_key(jwk).thumbprint() == ours == thumbprint(b64url_encode(x))


@pytest.mark.parametrize("keep_seed", [True, False])
def test_a_revoked_key_signs_nothing(keep_seed: bool) -> None:  # noqa: FBT001 - a case
    (first,) = FIRST
    assert verify_signature(first.x, first.sign(b"data"), b"data")
    revoked = replace(first, revoked_at=T0, seed=first.seed if keep_seed else None)
    with pytest.raises(ProofError, match="a revoked key cannot sign"):
        revoked.sign(b"data")


def test_a_key_shown_in_a_log_does_not_show_its_seed() -> None:
    (first,) = FIRST
    assert first.seed is not None
    for shown in (repr(first), str(first), repr(key_ring_at(FIRST, T0)), str(first.public)):
        for secret in (repr(first.seed), first.seed.hex(), b64url_encode(first.seed)):
            assert secret not in shown


def test_a_key_is_published_for_an_hour_before_and_for_thirty_days_after() -> None:
    assert (PUBLISHED_BEFORE_SIGNING, VERIFY_ONLY) == (HOUR, MONTH)


@pytest.mark.parametrize(
    "text",
    ["", "AA", "AQIDBAUG", "AQIDBA==", "AQIDBA=", "AQIDBB", " AQIDBA", "AQIDBA\n", "AQI*DBA", "é"],
)
def test_what_is_not_written_in_base64url_the_one_way_is_refused(text: str) -> None:
    assert b64url_decode("AQIDBA", 4) == b"\1\2\3\4"
    with pytest.raises(ValueError, match=r"."):
        b64url_decode(text, 4)


def test_the_letters_of_plain_base64_are_refused() -> None:
    for text in ("+//+", "+__-", "-/_-"):
        with pytest.raises(ValueError, match=r"."):
            b64url_decode(text, 3)


@pytest.mark.parametrize(("data", "text"), [(b"\xfb\xff\xfe", "-__-"), (b"", ""), (b"f", "Zg")])
def test_base64url_has_its_own_letters_and_no_padding(data: bytes, text: str) -> None:
    assert b64url_encode(data) == text
    assert b64url_decode(text, len(data)) == data
