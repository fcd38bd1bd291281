"""Keys that come and go: rotation, revocation, and their way to another machine."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from key_files import (
    DAY,
    FIRST,
    HOUR,
    START,
    Clock,
    fault_of,
    file_of,
    key_store,
    kid_of,
    kids,
    mode,
    rewrite,
    short,
    where,
)

from resolvers.signing.keys import KeyState, ProofError, b64url_encode, key_ring_at
from resolvers.signing.keystore import KeyStore

SECOND, THIRD = f"{FIRST}-2", f"{FIRST}-3"
A, N, V, R = KeyState.ACTIVE, KeyState.NEXT, KeyState.VERIFY_ONLY, KeyState.REVOKED


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(tmp_path: Path, clock: Clock) -> KeyStore:
    """A folder with its first key, a day old."""
    folder = key_store(tmp_path / "here" / "keys", clock)
    folder.load_or_create("studio")
    clock.now += DAY
    return folder


@pytest.fixture
def there(tmp_path: Path, clock: Clock) -> KeyStore:
    """The folder of another machine, not yet made."""
    return key_store(tmp_path / "there" / "keys", clock)


def sent(source: KeyStore, target: KeyStore) -> list[str]:
    """The keys that were new to the target."""
    file = source.path.parent / f"export-{os.urandom(4).hex()}"
    source.export(file)
    return kids(target.import_keys(file))


def test_a_rotated_key_is_next_for_an_hour_and_then_signs(keys: KeyStore, clock: Clock) -> None:
    made = keys.rotate()
    assert (short(made.kid), made.active_from) == (SECOND, clock.now + HOUR)
    assert where(keys, clock.now) == {FIRST: A, SECOND: N}
    assert where(keys, clock.now + HOUR) == {SECOND: A, FIRST: V}


def test_a_key_rotated_at_once_signs_at_once(keys: KeyStore, clock: Clock) -> None:
    assert keys.rotate(at_once=True).active_from == clock.now
    assert where(keys, clock.now) == {SECOND: A, FIRST: V}


@pytest.mark.parametrize("action", [KeyStore.rotate, lambda folder: folder.revoke(FIRST)])
def test_nothing_is_done_to_keys_where_there_are_none(there: KeyStore, action: Any) -> None:
    assert "Fix: run `studiograph serve`" in fault_of(lambda: action(there))


def test_a_revoked_active_key_is_replaced_at_once(keys: KeyStore, clock: Clock) -> None:
    replacement = keys.revoke(kid_of(keys))
    assert replacement is not None
    assert (short(replacement.kid), replacement.active_from) == (SECOND, clock.now)
    assert where(keys, clock.now) == {SECOND: A, FIRST: R}
    assert key_ring_at(keys.read(), clock.now).active == replacement


def test_the_next_key_is_promoted_when_the_active_one_is_revoked(
    keys: KeyStore, clock: Clock
) -> None:
    upcoming = keys.rotate()
    replacement = keys.revoke(kid_of(keys))
    assert replacement is not None
    assert (short(replacement.kid), replacement.seed) == (SECOND, upcoming.seed)
    assert replacement.active_from == clock.now
    assert where(keys, clock.now) == {SECOND: A, FIRST: R}


def test_an_older_key_does_not_sign_again_when_the_active_one_is_revoked(
    keys: KeyStore, clock: Clock
) -> None:
    keys.rotate(at_once=True)
    clock.now += DAY
    replacement = keys.revoke(kid_of(keys, SECOND))
    assert replacement is not None
    assert where(keys, clock.now) == {short(replacement.kid): A, FIRST: V, SECOND: R}
    assert short(replacement.kid) == THIRD


def test_a_revoked_verify_only_key_needs_no_replacement(keys: KeyStore, clock: Clock) -> None:
    keys.rotate(at_once=True)
    clock.now += DAY
    assert keys.revoke(kid_of(keys)) is None
    assert where(keys, clock.now) == {SECOND: A, FIRST: R}


def test_a_next_key_revoked_before_it_signs_needs_no_replacement(
    keys: KeyStore, clock: Clock
) -> None:
    keys.rotate()
    assert keys.revoke(kid_of(keys, SECOND)) is None
    assert where(keys, clock.now + DAY) == {FIRST: A, SECOND: R}


def test_a_next_key_revoked_under_a_clock_that_stands_behind_leaves_the_active_one_as_it_was(
    keys: KeyStore, clock: Clock
) -> None:
    keys.rotate()
    (first,) = (key for key in keys.read() if short(key.kid) == FIRST)
    clock.now = START - DAY
    assert keys.revoke(kid_of(keys, SECOND)) is None
    assert first in keys.read()


@pytest.mark.parametrize("name", [FIRST, SECOND, THIRD])
def test_the_secret_of_a_revoked_key_is_gone_from_the_disk(
    keys: KeyStore, clock: Clock, name: str
) -> None:
    keys.rotate(at_once=True)
    clock.now += HOUR
    keys.rotate()
    kid = kid_of(keys, name)
    (key,) = (key for key in keys.read() if key.kid == kid)
    seed = key.seed or b""
    keys.revoke(kid)
    (revoked,) = (key for key in keys.read() if key.kid == kid)
    assert (revoked.seed, revoked.revoked_at, revoked.x) == (None, clock.now, key.x)
    with pytest.raises(ProofError, match="a revoked key cannot sign"):
        revoked.sign(b"data")
    written = b"".join(path.read_bytes() for path in keys.path.iterdir())
    assert len(seed) == 32
    assert not any(
        secret in written for secret in (b64url_encode(seed).encode(), seed, seed.hex().encode())
    )


def test_a_revoked_key_stays_revoked(keys: KeyStore, clock: Clock) -> None:
    keys.revoke(kid_of(keys))
    before = keys.read()
    clock.now += DAY
    fault = fault_of(lambda: keys.revoke(kid_of(keys)))
    assert fault == f"{kid_of(keys)}: the key is already revoked."
    assert keys.read() == before


def test_a_key_that_is_not_there_cannot_be_revoked_and_those_that_are_get_named(
    keys: KeyStore,
) -> None:
    keys.rotate()
    fault = fault_of(lambda: keys.revoke("studio-2025-12"))
    assert fault.startswith("studio-2025-12: ")
    assert fault.endswith(f"Fix: name one of: {kid_of(keys)}, {kid_of(keys, SECOND)}.")


@pytest.mark.parametrize("others", [0, 1])
def test_a_known_key_whose_file_is_lost_can_be_revoked(
    keys: KeyStore, clock: Clock, others: int
) -> None:
    for _ in range(others):
        keys.rotate(at_once=True)
    known = {key.kid: key.x for key in keys.read()}
    lost = kid_of(keys)
    file_of(keys).unlink()
    replacement = keys.revoke(lost)
    assert (replacement is None) == bool(others)
    assert where(keys, clock.now) == {SECOND: A, FIRST: R}
    assert known[lost] in {key.x for key in keys.read()}


def test_what_is_exported_and_taken_in_is_the_same(keys: KeyStore, there: KeyStore) -> None:
    keys.rotate(at_once=True)
    keys.revoke(kid_of(keys))
    assert sent(keys, there) == [FIRST, SECOND]
    assert there.read() == keys.read()
    assert mode(there.path) == 0o700
    assert {mode(path) for path in there.path.iterdir()} == {0o600}


def test_taking_in_twice_changes_nothing(keys: KeyStore, there: KeyStore) -> None:
    keys.rotate()
    sent(keys, there)
    mark = there.fingerprint()
    assert sent(keys, there) == []
    assert sent(there, keys) == []
    assert there.fingerprint() == mark


def test_further_keys_are_added_to_those_that_are_there(keys: KeyStore, there: KeyStore) -> None:
    sent(keys, there)
    keys.rotate()
    assert sent(keys, there) == [SECOND]
    assert there.read() == keys.read()


def test_a_revocation_travels_and_takes_the_secret_there_too(
    keys: KeyStore, there: KeyStore
) -> None:
    sent(keys, there)
    keys.revoke(kid_of(keys))
    assert sent(keys, there) == [FIRST, SECOND]
    assert there.read() == keys.read()
    assert "seed" not in json.loads(file_of(there).read_bytes())


def test_a_revocation_is_not_undone_by_an_older_export(keys: KeyStore, there: KeyStore) -> None:
    sent(keys, there)
    keys.revoke(kid_of(keys))
    assert sent(there, keys) == []
    assert kids(key for key in keys.read() if key.revoked_at) == [FIRST]


def test_a_promotion_travels_with_the_revocation(
    keys: KeyStore, there: KeyStore, clock: Clock
) -> None:
    keys.rotate(at_once=True)
    keys.rotate()
    sent(keys, there)
    keys.revoke(kid_of(keys, SECOND))
    sent(keys, there)
    assert where(keys, clock.now) == {THIRD: A, FIRST: V, SECOND: R}
    assert where(there, clock.now) == where(keys, clock.now)


def test_another_key_of_the_same_name_is_refused_and_nothing_is_taken_in(
    keys: KeyStore, there: KeyStore
) -> None:
    there.load_or_create("studio")
    for folder in (keys, there):
        file = file_of(folder)
        rewrite(file, lambda document: document.update(kid=FIRST))
        file.rename(folder.path / f"{FIRST}.json")
    keys.rotate()
    before = there.read()
    fault = fault_of(lambda: sent(keys, there))
    assert fault.startswith(f"{FIRST}: this data folder has another key of this name. Fix: ")
    assert str(file_of(there)) in fault
    assert there.read() == before


@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
def test_a_file_that_others_can_read_is_not_taken_in(
    keys: KeyStore, there: KeyStore, tmp_path: Path, bit: int
) -> None:
    keys.export(tmp_path / "export")
    (tmp_path / "export").chmod(0o600 | bit)
    fault = fault_of(lambda: there.import_keys(tmp_path / "export"))
    assert fault.endswith(f"Fix: chmod 600 {tmp_path / 'export'}")
    assert there.read() == ()


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document.clear(),
        lambda document: document.update(keys=None),
        lambda document: document.update(keys=[1]),
        lambda document: document.update(keys={"kid": FIRST}),
        lambda document: document["keys"][1].update(x=b64url_encode(bytes(32))),
        lambda document: document["keys"][1].update(kid="../key-2026-01"),
        lambda document: document["keys"][1].pop("seed"),
        lambda document: document["keys"].append(document["keys"][0] | {"activeFrom": ""}),
    ],
)
def test_a_file_that_holds_no_keys_is_refused_whole(
    keys: KeyStore, there: KeyStore, tmp_path: Path, edit: Any
) -> None:
    keys.rotate()
    keys.export(tmp_path / "export")
    rewrite(tmp_path / "export", edit)
    fault = fault_of(lambda: there.import_keys(tmp_path / "export"))
    assert fault == (
        f"{tmp_path / 'export'}: is not an exported key file."
        " Fix: make one with `studiograph keys export`."
    )
    assert there.read() == ()


def test_a_file_that_is_not_there_is_an_error_of_the_system(
    there: KeyStore, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        there.import_keys(tmp_path / "nothing")
