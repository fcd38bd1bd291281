"""The folder of keys: who can read it, what may stand in it, and what changes it."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
from concurrent_processes import Race, racers
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

from resolvers.signing.keys import KeyState, b64url_decode, b64url_encode, verify_signature
from resolvers.signing.keystore import KeyStore

Edit = Callable[[dict[str, Any]], object]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Four processes."""
    with racers(4) as made:
        yield made


@pytest.fixture
def keys(tmp_path: Path, clock: Clock) -> KeyStore:
    """A folder with its first key."""
    folder = key_store(tmp_path / "data" / "keys", clock)
    folder.load_or_create("studio")
    return folder


def test_a_folder_that_is_not_there_holds_nothing_and_is_not_made_by_reading(
    tmp_path: Path, clock: Clock
) -> None:
    folder = key_store(tmp_path / "keys", clock)
    assert (folder.read(), folder.fingerprint()) == ((), ())
    assert not folder.path.exists()


def test_the_first_key_signs_at_once_and_only_its_owner_can_read_it(keys: KeyStore) -> None:
    (key,) = keys.read()
    assert (short(key.kid), key.active_from) == (FIRST, START)
    assert verify_signature(key.x, key.sign(b"data"), b"data")
    assert mode(keys.path) == 0o700
    assert {mode(path) for path in keys.path.iterdir()} == {0o600}


def test_a_second_beginning_makes_no_second_key(keys: KeyStore) -> None:
    assert keys.load_or_create("another") == keys.read()
    assert kids(keys.read()) == [FIRST]


def test_no_key_is_made_where_one_is_known_to_be_lost(tmp_path: Path, clock: Clock) -> None:
    folder = key_store(tmp_path / "keys", clock, **{FIRST: bytes(32)})
    assert f"{FIRST}: this key was published" in fault_of(lambda: folder.load_or_create("studio"))
    assert folder.read() == ()


def test_keys_are_named_after_their_month_and_counted_within_it(
    keys: KeyStore, clock: Clock
) -> None:
    for _ in range(3):
        clock.now += HOUR
        keys.rotate()
    clock.now = datetime(2026, 2, 1, tzinfo=UTC)
    keys.rotate(at_once=True)
    assert kids(keys.read()) == [FIRST, f"{FIRST}-2", f"{FIRST}-3", f"{FIRST}-4", "studio-2026-02"]


def test_the_month_is_that_of_utc(tmp_path: Path) -> None:
    evening = datetime(2026, 1, 31, 23, tzinfo=timezone(timedelta(hours=-5)))
    (key,) = key_store(tmp_path / "keys", lambda: evening).load_or_create("studio")
    assert (short(key.kid), key.active_from) == (
        "studio-2026-02",
        datetime(2026, 2, 1, 4, tzinfo=UTC),
    )


def test_the_name_of_a_key_that_is_known_and_lost_is_not_given_again(
    keys: KeyStore, clock: Clock
) -> None:
    folder = key_store(keys.path, clock, **{f"{FIRST}-2": bytes(32)})
    assert short(folder.rotate().kid) == f"{FIRST}-3"


def test_a_studio_that_lost_its_keys_and_its_database_gives_no_name_again(
    keys: KeyStore, clock: Clock
) -> None:
    (lost,) = keys.read()
    rmtree(keys.path.parent)
    (begun,) = key_store(keys.path, clock).load_or_create("studio")
    assert (short(begun.kid), short(lost.kid)) == (FIRST, FIRST)
    assert begun.kid != lost.kid
    for key in (lost, begun):
        digits = b64url_decode(key.thumbprint, 32).hex()[:8]
        assert key.kid == f"studio-{digits}-2026-01"


def test_a_key_of_an_earlier_version_keeps_its_name_and_is_counted(
    keys: KeyStore, clock: Clock
) -> None:
    old_file = file_of(keys)
    rewrite(old_file, lambda document: document.update(kid=FIRST))
    old_file.rename(keys.path / f"{FIRST}.json")
    clock.now += DAY
    made = keys.rotate(at_once=True)
    assert made.kid == f"studio-{made.thumbprint_digits}-2026-01-2"
    assert where(keys, clock.now) == {f"{FIRST}-2": KeyState.ACTIVE, FIRST: KeyState.VERIFY_ONLY}
    assert {key.kid for key in keys.read()} == {FIRST, made.kid}
    assert keys.revoke(FIRST) is None


def test_instants_are_whole_seconds_and_read_back_as_they_were_made(
    keys: KeyStore, clock: Clock
) -> None:
    clock.now += timedelta(seconds=1, microseconds=999_999)
    made = keys.rotate()
    assert made.active_from == START + timedelta(seconds=1) + HOUR
    assert made in keys.read()


@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
def test_a_key_that_others_can_read_is_refused_and_the_fix_works(keys: KeyStore, bit: int) -> None:
    file_of(keys).chmod(0o600 | bit)
    assert fault_of(keys.read).endswith(f"Fix: chmod 600 {file_of(keys)}")
    assert str(file_of(keys)) in fault_of(keys.rotate)
    file_of(keys).chmod(0o600)
    assert kids(keys.read()) == [FIRST]


@pytest.mark.parametrize("bit", [0o040, 0o020, 0o010, 0o004, 0o002, 0o001])
def test_a_folder_that_others_can_enter_is_refused_and_the_fix_works(
    keys: KeyStore, bit: int
) -> None:
    keys.path.chmod(0o700 | bit)
    assert fault_of(keys.read).endswith(f"Fix: chmod 700 {keys.path}")
    assert str(keys.path) in fault_of(lambda: keys.load_or_create("studio"))
    keys.path.chmod(0o700)
    assert kids(keys.read()) == [FIRST]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
@pytest.mark.parametrize("part", ["file", "folder"])
def test_what_belongs_to_another_user_is_refused_with_the_fix(keys: KeyStore, part: str) -> None:
    path = file_of(keys) if part == "file" else keys.path
    os.chown(path, 12345, -1)
    assert fault_of(keys.read).startswith(f"{path}: belongs to another user. Fix: chown ")


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '"x"', "1", "\0", "{}", '{"kid": 1}'])
def test_a_file_that_is_no_key_is_named(keys: KeyStore, text: str) -> None:
    file_of(keys).write_text(text)
    assert str(file_of(keys)) in fault_of(keys.read)
    assert "Fix: " in fault_of(keys.read)


def test_a_file_that_ends_too_early_is_named_wherever_it_ends(keys: KeyStore) -> None:
    whole = file_of(keys).read_bytes()
    for size in range(len(whole)):
        file_of(keys).write_bytes(whole[:size])
        assert str(file_of(keys)) in fault_of(keys.read)


OTHER = b64url_encode(bytes(range(32)))


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document.update(x=OTHER),
        lambda document: document.update(seed=OTHER),
        lambda document: document.update(x=document["x"] + "="),
        lambda document: document.update(x=document["x"][:-1]),
        lambda document: document.update(seed=document["seed"] + "A"),
        lambda document: document.update(seed=None),
        lambda document: document.update(kid=None),
        lambda document: document.update(kid="../../key-2026-01"),
        lambda document: document.update(kid=f"{FIRST}\n"),
        lambda document: document.update(activeFrom="yesterday"),
        lambda document: document.update(activeFrom="2026-01-15T12:00:00"),
        lambda document: document.update(activeFrom=0),
        lambda document: document.update(revokedAt="yesterday"),
        lambda document: document.update(revokedAt=True),
        lambda document: document.pop("kid"),
        lambda document: document.pop("x"),
        lambda document: document.pop("seed"),
        lambda document: document.pop("activeFrom"),
    ],
)
def test_a_key_with_a_wrong_or_missing_member_is_named(keys: KeyStore, edit: Edit) -> None:
    seed = json.loads(file_of(keys).read_bytes())["seed"]
    rewrite(file_of(keys), edit)
    fault = fault_of(keys.read)
    assert str(file_of(keys)) in fault
    assert "Fix: " in fault
    assert seed not in fault


def test_a_key_under_another_s_name_is_named_with_the_right_one(keys: KeyStore) -> None:
    file = file_of(keys)
    other = file.rename(file.with_name("another-2026-01.json"))
    fault = fault_of(keys.read)
    assert str(other) in fault
    assert f"Fix: rename the file to {file.name}" in fault


@pytest.mark.parametrize("left", ["", '{"kid": "studio-2026', "{}"])
def test_what_an_interrupted_write_left_does_no_harm(
    keys: KeyStore, clock: Clock, left: str
) -> None:
    for kid in (FIRST, f"{FIRST}-2"):
        (keys.path / f"{kid}.new").write_text(left)
    before = keys.read()
    assert kids(before) == [FIRST]
    clock.now += DAY
    keys.rotate(at_once=True)
    assert kids(keys.read()) == [FIRST, f"{FIRST}-2"]
    keys.revoke(kid_of(keys))
    assert [path.name for path in keys.path.glob("*.new")] == []
    assert {mode(path) for path in keys.path.iterdir()} == {0o600}


def test_every_change_of_the_folder_changes_its_mark(keys: KeyStore, clock: Clock) -> None:
    clock.now += DAY
    changes: list[Callable[[], object]] = [
        keys.rotate,
        lambda: keys.revoke(kid_of(keys)),
        lambda: file_of(keys).chmod(0o640),
        lambda: file_of(keys).unlink(),
    ]
    marks = [keys.fingerprint(), *((change(), keys.fingerprint())[1] for change in changes)]
    assert len(set(marks)) == 5
    assert keys.fingerprint() == marks[-1]


def test_processes_that_rotate_at_the_same_moment_make_keys_of_different_names(
    keys: KeyStore, race: Race
) -> None:
    made = [race("rotate", [[str(keys.path), START.isoformat()]] * 4) for _ in range(10)]
    names = [f"{FIRST}-{number}" for number in range(2, 42)]
    assert kids(keys.read()) == sorted([FIRST, *names])
    assert sorted(short(kid) for each in made for kid in each) == sorted(names)
    assert len({key.x for key in keys.read()}) == 41


def test_a_key_that_processes_revoke_at_the_same_moment_is_replaced_once(
    keys: KeyStore, race: Race
) -> None:
    kid = kid_of(keys)
    answers = race("revoke", [[str(keys.path), kid, START.isoformat()]] * 4)
    late = {"fault": f"{kid}: the key is already revoked."}
    assert sorted(answers, key=str) == [kid_of(keys, f"{FIRST}-2"), late, late, late]
    assert where(keys, START) == {f"{FIRST}-2": KeyState.ACTIVE, FIRST: KeyState.REVOKED}


def test_an_exported_file_can_be_read_by_its_owner_alone(keys: KeyStore, tmp_path: Path) -> None:
    keys.rotate()
    before = os.umask(0)
    try:
        assert keys.export(tmp_path / "export") == 2
    finally:
        os.umask(before)
    assert mode(tmp_path / "export") == 0o600


def test_an_export_overwrites_nothing(keys: KeyStore, tmp_path: Path) -> None:
    (tmp_path / "export").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("export", "link"):
        with pytest.raises(FileExistsError):
            keys.export(tmp_path / name)
    assert (tmp_path / "export").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_holds_these_members_and_no_others(keys: KeyStore) -> None:
    (key,) = keys.read()
    assert json.loads(file_of(keys).read_bytes()) == {
        "kid": key.kid,
        "x": b64url_encode(key.x),
        "activeFrom": "2026-01-15T12:00:00Z",
        "seed": b64url_encode(key.seed or b""),
    }
