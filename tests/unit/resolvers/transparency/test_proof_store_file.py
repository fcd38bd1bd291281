"""The journal in a SQLite file that is damaged, in the way, or on a full disk."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import pytest
from key_files import fault_of

from resolvers.db.database import Database
from resolvers.signing.keys import Key
from resolvers.signing.keystore import KeyRegistry
from resolvers.transparency.log import Leaf
from resolvers.transparency.store import ProofStore
from schema.services.signatures import LogHead
from sdl.types.scalar_types import Digest

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
ORIGIN = "studio.example/changelog"
KID = "studio-2026-01"
KEY = Key(KID, bytes(32), NOW)
DIGEST = Digest(f"sha256:{1:064x}")
HEAD = LogHead(origin=ORIGIN, tree_size=3, rollup_hash=DIGEST, checkpoint="", ended_at=NOW)

Damage = Callable[[Path], object]
Use = Callable[[ProofStore], object]


def log(letters: str) -> list[Leaf]:
    return [Leaf(letter, letter.encode() * 32) for letter in letters]


def registry(journal: ProofStore) -> KeyRegistry:
    return KeyRegistry(journal.database)


USES: list[Use] = [
    lambda journal: registry(journal).known_keys(),
    lambda journal: registry(journal).revoked_keys(),
    ProofStore.current_log,
    ProofStore.previous_heads,
    lambda journal: registry(journal).require_known_keys([KEY]),
    lambda journal: registry(journal).merge_keys([KEY]),
    lambda journal: registry(journal).first_signed_at([Digest(f"sha256:{9:064x}")], KID, NOW),
    lambda journal: journal.append(ORIGIN, log("abcd")),
    lambda journal: journal.restart_log(HEAD),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "studio.db"


@pytest.fixture
def filled(path: Path) -> ProofStore:
    """A journal with something of everything."""
    journal = opened(path)
    registry(journal).require_known_keys([KEY])
    registry(journal).first_signed_at([DIGEST], KID, NOW)
    journal.append(ORIGIN, log("abc"))
    return journal


def opened(path: Path) -> ProofStore:
    return ProofStore(Database(f"sqlite:///{path}"))


def noise(path: Path) -> None:
    path.write_bytes(b"nothing of SQLite's " * 500)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def scratched(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * 4000 + data[4100:])


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as file:
        for table in ("key", "signing", "log", "entry"):
            file.execute(f"CREATE TABLE {table} (something TEXT)")


def blocked(path: Path) -> None:
    rmtree(path.parent)
    path.parent.write_text("a file where the folder was")


DAMAGES: list[Damage] = [noise, cut, scratched, folder, foreign, blocked]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_cannot_be_used_is_named_with_the_fix(
    filled: ProofStore, path: Path, damage: Damage, use: Use
) -> None:
    filled.database.disconnect()  # what is open still has the whole log in front of the file
    damage(path)
    for journal in (filled, opened(path)):
        fault = fault_of(lambda: use(journal))  # noqa: B023 - called at once
        assert fault.startswith(f"{path}: cannot be used. Fix: ")


def test_a_file_that_is_lost_under_a_running_process_is_not_begun_again_by_it(
    filled: ProofStore, path: Path
) -> None:
    path.unlink()
    assert fault_of(registry(filled).known_keys).startswith(f"{path}: cannot be used. Fix: ")
    assert not path.exists()


FULL = """
import resource, sys
from pathlib import Path
from resolvers.transparency.log import Leaf
from resolvers.transparency.store import ProofStore
from resolvers.db.database import Database
path = Path(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, path.stat().st_size))
abc = [Leaf(letter, letter.encode() * 32) for letter in "abc"]
more = [Leaf(f"{number}", bytes(32)) for number in range(5000)]
ProofStore(Database(f"sqlite:///{path}")).append("o", [*abc, *more])
"""


def test_a_full_disk_is_a_fault_with_a_fix_and_loses_nothing(
    filled: ProofStore, path: Path
) -> None:
    words = [sys.executable, "-c", FULL, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert f"{path}: cannot be used. Fix: " in done.stderr
    assert filled.current_log() == (ORIGIN, log("abc"))
