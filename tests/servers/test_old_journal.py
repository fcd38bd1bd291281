"""The journal that was a file: it is taken over once, whole, and by one process of many."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from concurrent_processes import Race, racers
from databases import KINDS, store
from key_files import fault_of

from resolvers.db.database import Database
from resolvers.signing.keys import Key
from resolvers.transparency.store import Leaf, ProofStore
from sdl.scalar_types import Digest

DDL = """
CREATE TABLE IF NOT EXISTS key (kid TEXT PRIMARY KEY, x BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS revoked (kid TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS signing (
    payload TEXT, kid TEXT, signed_at TEXT NOT NULL, PRIMARY KEY (payload, kid)
);
CREATE TABLE IF NOT EXISTS log (
    number INTEGER PRIMARY KEY, origin TEXT NOT NULL UNIQUE,
    tree_size INTEGER, rollup_hash TEXT, checkpoint TEXT, ended_at TEXT
);
CREATE TABLE IF NOT EXISTS entry (
    log INTEGER, place INTEGER, id TEXT NOT NULL, leaf BLOB NOT NULL, PRIMARY KEY (log, place)
);
"""
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "key": [("a-2026-01", bytes(32)), ("a-2026-01-2", bytes([1]) * 32)],
    "revoked": [("a-2026-01",)],
    "signing": [("sha256:1", "a-2026-01", "2026-01-15T12:00:00Z")],
    "log": [
        (1, "o", 1, f"sha256:{2:064x}", "o\n1\n", "2026-01-15T12:00:00Z"),
        (2, "o/2", None, None, None, None),
    ],
    "entry": [(1, 0, "x", bytes(32)), *((2, n, f"{n}", bytes([n]) * 32) for n in range(40))],
}
NOW = datetime(2026, 2, 1, tzinfo=UTC)
LEAVES = [Leaf(f"{n}", bytes([n]) * 32) for n in range(40)]


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    with store(request.param, tmp_path) as url:
        yield Database(url)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file with something of everything."""
    path = tmp_path / "proofs.sqlite"
    fill(path, ROWS)
    return path


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Eight processes."""
    with racers(8) as made:
        yield made


def fill(path: Path, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    """Make the file as it was made before there was a database."""
    with closing(sqlite3.connect(path)) as file:
        file.executescript(DDL)
        for table, found in rows.items():
            marks = ", ".join("?" * len(found[0]))
            file.executemany(f"INSERT INTO {table} VALUES ({marks})", found)  # noqa: S608 - ours
        file.commit()


def held(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """What the database holds of a journal."""
    with database.transaction() as books:
        return {table: sorted(books.execute(f"SELECT * FROM {table}")) for table in ROWS}  # noqa: S608 - ours


def taken(old: Path) -> Path:
    """The file's name afterwards."""
    return old.with_name("proofs.sqlite.taken")


def test_everything_is_taken_over_and_the_file_is_renamed(database: Database, old: Path) -> None:
    before = old.read_bytes()
    journal = ProofStore(database, old)
    assert journal.is_initialised()
    assert journal.known_keys() == dict(ROWS["key"])
    assert held(database) == ROWS
    assert (old.exists(), taken(old).read_bytes()) == (False, before)
    assert journal.revoked_keys() == {"a-2026-01"}
    assert journal.first_signed_at(Digest("sha256:1"), "a-2026-01", NOW) == "2026-01-15T12:00:00Z"
    assert journal.current_log() == ("o/2", LEAVES)
    assert [head.origin for head in journal.previous_heads()] == ["o"]
    assert "has been dropped" in fault_of(lambda: journal.append("o", LEAVES[1:]))


def test_of_eight_processes_that_start_at_the_same_moment_one_takes_it_over(
    database: Database, old: Path, race: Race
) -> None:
    known = {kid: x.hex() for kid, x in ROWS["key"]}
    assert race("known", [[database.url, str(old)]] * 8) == [known] * 8
    assert held(database) == ROWS
    assert (old.exists(), taken(old).exists()) == (False, True)


def test_whoever_is_killed_before_the_renaming_has_done_no_harm(
    database: Database, old: Path
) -> None:
    ProofStore(database, old).known_keys()
    taken(old).rename(old)
    journal = ProofStore(database, old)
    assert journal.append("o", [*LEAVES, Leaf("more", bytes(32))]) == "o/2"
    assert (old.exists(), taken(old).exists()) == (False, True)
    more = [*ROWS["entry"], (2, 40, "more", bytes(32))]
    assert held(database) == {**ROWS, "entry": more}


KILLED = """
import sys
from pathlib import Path
from resolvers.transparency.store import ProofStore
from resolvers.db.database import Database
database = Database(sys.argv[1])
database.ensure_schema()
print("begins", flush=True)
ProofStore(database, Path(sys.argv[2])).known_keys()
"""


def test_whoever_is_killed_while_it_waits_or_writes_leaves_all_or_nothing(
    database: Database, old: Path
) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")  # so that it is killed within its transaction
        words = [sys.executable, "-c", KILLED, database.url, str(old)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "begins\n"
            os.kill(process.pid, signal.SIGKILL)
    assert old.exists()
    assert held(database) == {table: [] for table in ROWS}
    assert ProofStore(database, old).current_log() == ("o/2", LEAVES)
    assert held(database) == ROWS


def test_a_file_of_another_studio_is_refused_with_the_fix_and_stays(
    database: Database, old: Path
) -> None:
    ProofStore(database).require_known_keys([Key("b-2026-01", bytes(32), NOW)])
    journal = ProofStore(database, old)
    for use in (journal.known_keys, journal.current_log):
        fault = fault_of(use)
        assert fault.startswith(f"{old}: what was published from here is not what {database.place}")
        assert "Fix: name another database in STUDIOGRAPH_DATABASE_URL" in fault
    assert old.exists()
    assert ProofStore(database).known_keys() == {"b-2026-01": bytes(32)}


def noise(path: Path) -> None:
    path.write_bytes(b"no database" * 999)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [noise, cut, folder])
def test_a_file_that_cannot_be_read_is_named_with_the_fix_and_nothing_is_begun(
    database: Database, old: Path, damage: Callable[[Path], None]
) -> None:
    damage(old)
    fault = fault_of(ProofStore(database, old).known_keys)
    assert fault.startswith(f"{old}: cannot be used. Fix: restore it from a copy")
    assert held(database) == {table: [] for table in ROWS}
    assert old.exists()


def test_a_file_in_which_nothing_was_ever_written_is_put_aside(
    database: Database, tmp_path: Path
) -> None:
    old = tmp_path / "proofs.sqlite"
    old.touch()
    assert ProofStore(database, old).known_keys() == {}
    assert not old.exists()
