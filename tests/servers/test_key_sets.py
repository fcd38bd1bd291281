"""The key set and the database that remembers it: machines that share one have the same keys."""

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from shutil import copytree

import pytest
from child_process import read_line
from databases import KINDS, store
from key_files import file_of, kid_of, kids, short
from key_files import key_store as beside

from resolvers.signing.keys import ProofError
from resolvers.signing.keystore import KeyStore
from schema.site import Site
from studiograph.settings import Settings
from studiograph.wiring.proofs import Proofs, key_store

START = datetime(2026, 1, 15, 12, tzinfo=UTC)
FIRST = "quillmere-2026-01"
SECOND, THIRD = f"{FIRST}-2", f"{FIRST}-3"
MISSING = "this key was published from here and is missing"
IMPORT = "Fix: run `studiograph keys import FILE`"


class Machine:
    """A data folder of its own, and the database that it shares."""

    def __init__(self, data: Path, url: str, site: Site) -> None:
        self.settings = Settings(data=data, database_url=url)
        self.now = START
        self._site = site

    def starts(self) -> Proofs:
        """What a process has that starts now. Raises: ProofFault."""
        return Proofs(self.settings, self._site, lambda: self.now)

    @property
    def keys(self) -> KeyStore:
        """The folder of keys, as the command line uses it."""
        return key_store(self.settings, lambda: self.now)

    def refused(self) -> str:
        """What its start is refused with."""
        with pytest.raises(ProofError) as fault:
            self.starts()
        return str(fault.value)

    def published(self) -> list[str]:
        """The names of the keys that a start publishes."""
        return [short(key.kid) for key in self.starts().key_ring.key_set.keys]

    def sent(self, other: "Machine") -> list[str]:
        """The names of the keys that were new to another."""
        file = self.settings.data / f"export-{len(list(self.settings.data.iterdir()))}.json"
        self.keys.export(file)
        return kids(other.keys.import_keys(file))


def revoke_first(folder: KeyStore) -> object:
    """Revoke the first key of a folder."""
    return folder.revoke(kid_of(folder, FIRST))


Make = Callable[[str], Machine]


@pytest.fixture(params=KINDS)
def machine(request: pytest.FixtureRequest, tmp_path: Path, sample: Site) -> Iterator[Make]:
    """Machines that share one database, by name."""
    with store(request.param, tmp_path) as url:
        yield lambda name: Machine(tmp_path / name, url, sample)


@pytest.fixture
def here(machine: Make) -> Machine:
    """A machine that has begun."""
    made = machine("here")
    made.starts()
    return made


@pytest.fixture
def there(machine: Make, here: Machine) -> Machine:
    """A machine that shares the database and has all keys."""
    made = machine("there")
    here.sent(made)
    return made


def test_a_machine_without_the_keys_is_refused_until_it_takes_them_in(
    machine: Make, here: Machine
) -> None:
    there = machine("there")
    assert there.refused().startswith(f"{kid_of(here.keys, FIRST)}: {MISSING}")
    assert IMPORT in there.refused()
    assert there.keys.read() == ()
    assert here.sent(there) == [FIRST]
    assert there.published() == here.published() == [FIRST]


@pytest.mark.parametrize("action", [KeyStore.rotate, revoke_first])
def test_a_machine_that_has_not_heard_of_a_change_runs_on_but_does_not_start(
    here: Machine,
    there: Machine,
    action: Callable[[KeyStore], object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    process = there.starts()
    process.refresh()
    kid = kid_of(here.keys, FIRST)
    action(here.keys)
    with caplog.at_level(logging.ERROR):
        assert not process.refresh()
    assert caplog.records == []
    assert IMPORT in there.refused() or f"`studiograph keys revoke {kid}`" in there.refused()
    here.sent(there)
    assert process.refresh()
    there.now += timedelta(seconds=5)
    process.refresh()
    assert process.key_ring == there.starts().key_ring


def test_a_key_that_was_remembered_and_not_put_in_place_is_put_there_by_the_start(
    here: Machine,
) -> None:
    here.keys.rotate()
    file = file_of(here.keys, SECOND)
    made = file.read_bytes()
    file.rename(file.with_suffix(".new"))
    assert here.published() == [FIRST, SECOND]
    assert file.read_bytes() == made


def test_a_key_that_was_not_yet_remembered_is_removed_by_the_start(
    here: Machine, tmp_path: Path
) -> None:
    copytree(here.settings.data / "keys", tmp_path / "copy")
    copy = beside(tmp_path / "copy", lambda: START)
    copy.rotate()
    file = file_of(copy, SECOND)
    left = here.keys.path / f"{file.stem}.new"
    file.rename(left)
    assert here.published() == [FIRST]
    assert not left.exists()
    assert short(here.keys.rotate().kid) == SECOND


@pytest.mark.parametrize("is_remembered", [True, False])
def test_a_revocation_is_finished_if_it_was_remembered_and_undone_if_not(
    here: Machine,
    tmp_path: Path,
    is_remembered: bool,  # noqa: FBT001 - a case
) -> None:
    here.keys.rotate()
    file = file_of(here.keys, FIRST)
    whole = file.read_bytes()
    if is_remembered:
        here.keys.revoke(file.stem)
        file.rename(file.with_suffix(".new"))
    else:
        copytree(here.keys.path, tmp_path / "copy")
        beside(tmp_path / "copy", lambda: START).revoke(file.stem)
        (tmp_path / "copy" / file.name).rename(file.with_suffix(".new"))
    file.write_bytes(whole)
    file.chmod(0o600)
    assert (FIRST in here.published()) != is_remembered
    assert (file.read_bytes() == whole) != is_remembered


ROTATING = """
import sys
from pathlib import Path
from studiograph.wiring.proofs import key_store
from studiograph.settings import Settings
folder = key_store(Settings(data=Path(sys.argv[1]), database_url=sys.argv[2]))
print("begins", flush=True)
while True:
    for made in [folder.rotate() for _ in range(2)]:
        folder.revoke(made.kid)
"""


def test_whoever_is_killed_changing_keys_leaves_a_studio_that_starts(
    here: Machine,
) -> None:
    words = [sys.executable, "-c", ROTATING, str(here.settings.data), here.settings.database_url]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert read_line(process) == "begins\n"
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(Random(0).uniform(0.05, 0.3))  # noqa: S311 - a moment, no secret
        finally:
            process.kill()
    here.now = datetime.now(UTC)
    proofs = here.starts()
    assert proofs.signing_key in here.keys.read()
    assert {key.kid for key in here.keys.read()} == set(proofs.key_store.registry.known_keys())
