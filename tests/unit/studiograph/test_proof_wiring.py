"""The keys of one process under a clock that is told to go on: what is published, what signs."""

import logging
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import rmtree

import pytest
from key_files import file_of, kid_of, short

from resolvers.signing.keys import ProofError
from resolvers.signing.keystore import KeyStore
from schema.site import Site
from studiograph.settings import Settings
from studiograph.wiring.proofs import SETTLE_TIME, Proofs, key_store

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
START = datetime(2026, 1, 15, 12, tzinfo=UTC)
FIRST, NEXT = "quillmere-2026-01", "quillmere-2026-01-2"


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


Start = Callable[[], Proofs]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=tmp_path / "var")


@pytest.fixture
def start(settings: Settings, sample: Site, clock: Clock) -> Start:
    """What a process has that starts now."""
    return lambda: Proofs(settings, sample, clock)


@pytest.fixture
def folder(settings: Settings, clock: Clock) -> KeyStore:
    """The folder of keys, as the command line uses it."""
    return key_store(settings, clock)


def published(proofs: Proofs) -> list[str]:
    """The names in the key set, in their order."""
    return [short(key.kid) for key in proofs.key_ring.key_set.keys]


def after(clock: Clock, passed: timedelta, *processes: Proofs) -> list[bool]:
    """What each process says when it looks again, so much later."""
    clock.now += passed
    return [proofs.refresh() for proofs in processes]


def test_the_first_start_makes_the_key_that_signs(start: Start) -> None:
    proofs = start()
    assert (short(proofs.key_ring.active.kid), published(proofs)) == (FIRST, [FIRST])
    assert start().key_ring == proofs.key_ring
    assert not proofs.refresh()


def test_a_rotation_publishes_the_next_key_at_once_and_signs_with_it_after_an_hour(
    start: Start, folder: KeyStore, clock: Clock
) -> None:
    proofs = start()
    clock.now += 2 * HOUR
    folder.rotate()
    assert after(clock, SECOND, proofs) == [True]
    assert published(proofs) == [FIRST, NEXT]
    for passed in (SECOND, 1797 * SECOND, 1800 * SECOND):
        assert after(clock, passed, proofs) == [False]
        assert proofs.key_ring == start().key_ring
        assert short(proofs.key_ring.active.kid) == FIRST
    assert after(clock, SECOND, proofs) == [True]
    assert published(proofs) == published(start()) == [NEXT, FIRST]
    assert short(proofs.key_ring.active.kid) == NEXT


def test_the_old_key_stays_good_for_checking_for_30_days_and_is_not_called_revoked(
    start: Start, folder: KeyStore, clock: Clock
) -> None:
    proofs = start()
    folder.rotate()
    after(clock, SECOND, proofs)
    after(clock, HOUR - SECOND, proofs)
    assert after(clock, 30 * DAY - SECOND, proofs) == [False]
    assert published(proofs) == [NEXT, FIRST]
    assert after(clock, SECOND, proofs) == [True]
    for process in (proofs, start()):
        assert published(process) == [NEXT]
        assert process.key_ring.key_set.revoked == []
    assert {short(key.kid) for key in folder.read()} == {FIRST, NEXT}


def test_a_revoked_key_is_named_for_ever(start: Start, folder: KeyStore, clock: Clock) -> None:
    proofs = start()
    folder.rotate(at_once=True)
    folder.revoke(kid_of(folder, FIRST))
    assert after(clock, SECOND, proofs) == [True]
    after(clock, 400 * DAY, proofs)
    for process in (proofs, start()):
        assert FIRST not in published(process)
        (revoked,) = process.key_ring.key_set.revoked
        assert (short(revoked.kid), revoked.revoked_at) == (FIRST, START)


def test_a_key_that_comes_to_a_running_process_is_published_before_it_signs(
    start: Start, folder: KeyStore, clock: Clock
) -> None:
    proofs = start()
    clock.now += HOUR
    folder.rotate(at_once=True)
    assert after(clock, SECOND, proofs) == [True]
    assert (short(proofs.signing_key.kid), published(proofs)) == (FIRST, [NEXT, FIRST])
    assert after(clock, SETTLE_TIME - SECOND, proofs) == [False]
    assert after(clock, SECOND, proofs) == [True]
    assert (short(proofs.signing_key.kid), published(proofs)) == (NEXT, [NEXT, FIRST])


@pytest.mark.parametrize("seed", range(12))
def test_no_process_signs_with_a_key_that_another_does_not_publish(
    seed: int, start: Start, folder: KeyStore, clock: Clock
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a schedule, no secret
    processes = [start(), start()]
    for _ in range(40):
        if chance.random() < 0.2:
            folder.rotate(at_once=chance.random() < 0.7)
        for proofs in processes:
            clock.now += SECOND / 2
            proofs.refresh()
        for proofs in processes:
            for other in processes:
                assert short(proofs.signing_key.kid) in published(other)
    clock.now += 5 * SECOND
    for proofs in processes:
        proofs.refresh()
    assert {proofs.key_ring.active.kid for proofs in processes} == {start().key_ring.active.kid}


def test_a_key_that_was_retired_never_signs_again(
    start: Start, folder: KeyStore, clock: Clock
) -> None:
    proofs = start()
    folder.rotate()
    after(clock, HOUR, proofs)
    after(clock, 40 * DAY, proofs)
    assert published(proofs) == [NEXT]
    folder.revoke(kid_of(folder, NEXT))
    for _ in range(6):
        after(clock, SECOND, proofs)
        assert short(proofs.key_ring.active.kid) != FIRST
        assert FIRST not in published(proofs)


def test_an_imported_key_signs_only_if_it_would_after_a_restart(
    start: Start, folder: KeyStore, clock: Clock, tmp_path: Path, sample: Site
) -> None:
    elsewhere = Settings(data=tmp_path / "elsewhere")
    Proofs(elsewhere, sample, clock)
    key_store(elsewhere, clock).export(tmp_path / "keys.json")
    clock.now = datetime(2026, 2, 15, 12, tzinfo=UTC)
    proofs = start()
    clock.now += DAY
    (taken,) = folder.import_keys(tmp_path / "keys.json")
    assert short(taken.kid) == FIRST
    for _ in range(4):
        after(clock, SECOND, proofs)
        assert FIRST in published(proofs)
        assert (
            short(proofs.key_ring.active.kid)
            == short(start().key_ring.active.kid)
            == "quillmere-2026-02"
        )


def test_a_folder_that_cannot_be_read_changes_nothing_and_is_told_once(
    start: Start, folder: KeyStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    proofs = start()
    file = file_of(folder, FIRST)
    file.chmod(0o644)
    with caplog.at_level(logging.ERROR, "studiograph.keys"):
        assert after(clock, SECOND, proofs) == [False]
        assert after(clock, SECOND, proofs) == [False]
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.endswith(f"{file}: others can read it. Fix: chmod 600 {file}")
    assert published(proofs) == [FIRST]
    file.chmod(0o600)
    folder.rotate()
    assert after(clock, SECOND, proofs) == [True]
    assert published(proofs) == [FIRST, NEXT]


def test_a_folder_that_is_lost_changes_nothing_and_is_told(
    start: Start, folder: KeyStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    proofs = start()
    proofs.refresh()
    kid = kid_of(folder, FIRST)
    rmtree(folder.path)
    with caplog.at_level(logging.ERROR, "studiograph.keys"):
        assert after(clock, SECOND, proofs) == [False]
    assert f"{kid}: this key was published from here and is missing" in caplog.text
    assert published(proofs) == [FIRST]
    with pytest.raises(ProofError, match=rf"{kid}: .* `studiograph keys import FILE`"):
        start()


def test_a_revoked_key_whose_old_file_is_back_refuses_the_start_until_it_is_revoked_again(
    start: Start, folder: KeyStore
) -> None:
    start()
    file = file_of(folder, FIRST)
    old = file.read_bytes()
    folder.revoke(kid_of(folder, FIRST))
    start()
    file.write_bytes(old)
    with pytest.raises(
        ProofError, match=f"{file.stem}: this key was revoked.*keys revoke {file.stem}"
    ):
        start()
    folder.revoke(kid_of(folder, FIRST))
    assert FIRST not in published(start())


def test_an_odd_file_among_the_keys_ends_nothing(start: Start, folder: KeyStore) -> None:
    proofs = start()
    odd = folder.path / "quillmere-2026-01-9.json"
    odd.touch(mode=0o600)
    odd.write_text("[" * 100_000)
    assert not proofs.refresh()
    odd.unlink()
    folder.rotate()
    assert proofs.refresh()
