"""The state database on both stores: all or nothing, one writer, and every way in sees the same."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop
from concurrent_processes import Race, racers
from databases import KINDS, POSTGRES, store

from resolvers.db.database import VERSIONS, Database, DatabaseError

INSERT = "INSERT INTO idempotency (key, request, response, claimed_at) VALUES (?, ?, ?, ?)"
READ = "SELECT key, request, response, claimed_at FROM idempotency ORDER BY key"
COUNT = (
    "INSERT INTO rate_limit (key, hits, expires_at) VALUES ('a', 1, 2.5)"
    " ON CONFLICT (key) DO UPDATE SET hits = rate_limit.hits + 1"
)
LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with store(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def database(url: str) -> Database:
    return Database(url)


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Eight processes."""
    with racers(8) as made:
        yield made


def rows(database: Database) -> list[Any]:
    """The calls that are written down."""
    with database.transaction() as books:
        return list(books.execute(READ))


@contextmanager
def stopped() -> Iterator[None]:
    """A block that ends with a fault of its own."""
    with pytest.raises(ZeroDivisionError):
        yield


def test_what_is_written_is_read_as_it_was(database: Database) -> None:
    written = [("a", "é\n'?%", None, 1.25), ("b", "", "{}", 1e9 + 0.5)]
    with database.transaction() as books:
        books.executemany(INSERT, written)
        books.execute("INSERT INTO key VALUES (?, ?)", ("k", bytes(range(256))))
    assert rows(database) == written
    with database.transaction() as books:
        assert list(books.execute("SELECT x FROM key")) == [(bytes(range(256)),)]
        assert books.execute("SELECT x FROM key WHERE kid = ?", ("x",)).fetchone() is None
        assert books.execute("DELETE FROM idempotency").rowcount == 2


def test_a_transaction_that_does_not_end_well_leaves_nothing(database: Database) -> None:
    with stopped(), database.transaction() as books:
        books.execute(INSERT, ("a", "", None, 1.0))
        raise ZeroDivisionError
    assert rows(database) == []


@pytest.mark.parametrize("loop", LOOPS)
def test_both_ways_in_see_the_same_and_both_do_all_or_nothing(
    database: Database, loop: str
) -> None:
    from sqlalchemy import text  # noqa: PLC0415 - heavy

    insert = text("INSERT INTO idempotency (key, request, claimed_at) VALUES (:key, '', 2.5)")

    async def use() -> list[Any]:
        async with database.connect() as connection:
            await connection.execute(insert, {"key": "b"})
        with stopped():
            async with database.connect() as connection:
                await connection.execute(insert, {"key": "c"})
                raise ZeroDivisionError
        async with database.connect() as connection:
            found = [tuple(row) for row in await connection.execute(text(READ))]
        await database.close()
        return found

    with database.transaction() as books:
        books.execute(INSERT, ("a", "", None, 1.0))
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        found = runner.run(use())
    assert found == rows(database) == [("a", "", None, 1.0), ("b", "", None, 2.5)]


def test_one_database_serves_one_event_loop_after_another(database: Database) -> None:
    from sqlalchemy import text  # noqa: PLC0415 - heavy

    async def many() -> None:
        async def one() -> None:
            async with database.connect() as connection:
                await connection.execute(text(COUNT))

        await asyncio.gather(*(one() for _ in range(20)))
        await database.close()

    for _ in range(3):
        asyncio.run(many())
    with database.transaction() as books:
        assert books.execute("SELECT hits FROM rate_limit").fetchone() == (60,)


def test_eight_processes_that_begin_an_empty_store_at_the_same_moment_all_come_up(
    url: str, race: Race
) -> None:
    assert race("prepare", [[url]] * 8) == [True] * 8
    with Database(url).transaction() as books:
        assert list(books.execute("SELECT version_num FROM alembic_version")) == [(VERSIONS[-1],)]


def test_of_eight_processes_that_count_at_the_same_moment_none_is_forgotten(
    url: str, race: Race
) -> None:
    for _ in range(5):
        assert race("count", [[url, COUNT]] * 8) == [True] * 8
    with Database(url).transaction() as books:
        assert books.execute("SELECT hits FROM rate_limit").fetchone() == (40,)


FORKED = f"""
import asyncio, os, sys
from sqlalchemy import text
from resolvers.db.database import Database
database = Database(sys.argv[1])
async def count():
    async with database.connect() as connection:
        await connection.execute(text({COUNT!r}))
    if sys.argv[2] == "closed":
        await database.close()
asyncio.run(count())
children = []
for _ in range(3):
    if not (child := os.fork()):
        asyncio.run(count())
        asyncio.run(count())
        os._exit(0)
    children.append(child)
asyncio.run(count())
assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
os._exit(0)
"""


@pytest.mark.parametrize("before", ["open", "closed"])
def test_processes_that_fork_have_connections_of_their_own(database: Database, before: str) -> None:
    words = [sys.executable, "-c", FORKED, database.url, before]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    with database.transaction() as books:
        assert books.execute("SELECT hits FROM rate_limit").fetchone() == (8,)


STARTED = """
import sys
from resolvers.db.database import Database
with Database(sys.argv[1]).transaction() as books:
    books.execute("SELECT kid FROM key")
print(*sorted(sys.modules))
"""


@pytest.mark.parametrize("is_begun", [True, False])
def test_a_start_imports_neither_sqlalchemy_nor_alembic(
    database: Database,
    is_begun: bool,  # noqa: FBT001 - a case
) -> None:
    if is_begun:
        database.ensure_schema()
    words = [sys.executable, "-c", STARTED, database.url]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    imported = {module.partition(".")[0] for module in done.stdout.split()}
    assert imported & {"sqlalchemy", "alembic", "aiosqlite", "limits"} == set()
    assert ("psycopg" in imported) != database.is_sqlite


def test_the_file_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'data' / 'a%20b?c#d.db'}")
    assert not database.is_initialised()
    assert not (tmp_path / "data").exists()
    with database.transaction() as books:
        books.execute(INSERT, ("a", "", None, 1.0))
        modes = {file.stat().st_mode & 0o777 for file in (tmp_path / "data").iterdir()}
    assert modes == {0o600}
    assert database.is_initialised()
    assert (tmp_path / "data" / "a%20b?c#d.db").is_file()


ODD = ["", "studio.db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://a/b", "sqlite:a"]


@pytest.mark.parametrize("address", ODD)
def test_an_address_that_is_none_is_refused_with_what_is_one(address: str) -> None:
    with pytest.raises(DatabaseError, match=r"^STUDIOGRAPH_DATABASE_URL: must be sqlite:////"):
        Database(address)


def test_addresses_are_written_in_one_way() -> None:
    for scheme in ("sqlite", "sqlite+aiosqlite"):
        assert Database(f"{scheme}:////a/b.db").url == "sqlite+aiosqlite:////a/b.db"
    for scheme in ("postgresql", "postgresql+psycopg"):
        database = Database(f"{scheme}://me:secret@host:5/db?sslmode=require")
        assert database.url == "postgresql+psycopg://me:secret@host:5/db?sslmode=require"
        assert (database.place, database.is_sqlite) == ("host:5/db", False)
    assert "secret" not in Database("postgresql://me:secret@host/db").place
    assert POSTGRES.startswith("postgresql://")
