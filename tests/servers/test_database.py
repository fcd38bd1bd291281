"""The state database on both stores: all or nothing, and one writer at a time."""

import asyncio
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvloop
from concurrent_processes import Race, racers
from sqlalchemy import Insert, delete, insert, select, text

from resolvers.db import tables
from resolvers.db.database import MAX_CALLS, Database, DatabaseError

READ = select(tables.idempotency).order_by(tables.idempotency.c.key)
COUNT = (
    "INSERT INTO rate_limit (key, hits, expires_at) VALUES ('a', 1, 2.5)"
    " ON CONFLICT (key) DO UPDATE SET hits = rate_limit.hits + 1"
)


@pytest.fixture
def database(url: str) -> Database:
    return Database(url)


@pytest.fixture(scope="module")
def race() -> Iterator[Race]:
    """Four processes."""
    with racers(4) as made:
        yield made


def rows(database: Database) -> list[Any]:
    """The calls that are written down."""
    with database.transaction() as books:
        return list(books.execute(READ))


def call(key: str, request: str = "", response: str | None = None, at: float = 1.0) -> Insert:
    """Write a call down."""
    values = {"key": key, "request": request, "response": response, "claimed_at": at}
    return insert(tables.idempotency).values(values)


@contextmanager
def stopped() -> Iterator[None]:
    """A block that ends with a fault of its own."""
    with pytest.raises(ZeroDivisionError):
        yield


def test_what_is_written_is_read_as_it_was(database: Database) -> None:
    written = [("a", "é\n'?%", None, 1.25), ("b", "", "{}", 1e9 + 0.5)]
    with database.transaction() as books:
        for each in written:
            books.execute(call(*each))
        books.execute(insert(tables.key), {"kid": "k", "x": bytes(range(256))})
    assert rows(database) == written
    with database.transaction() as books:
        assert books.scalars(select(tables.key.c.x)).all() == [bytes(range(256))]
        assert books.scalar(select(tables.key.c.x).where(tables.key.c.kid == "x")) is None
        assert books.execute(delete(tables.idempotency)).rowcount == 2


def test_a_transaction_that_does_not_end_well_leaves_nothing(database: Database) -> None:
    with stopped(), database.transaction() as books:
        books.execute(call("a"))
        raise ZeroDivisionError
    assert rows(database) == []


def test_what_runs_in_a_thread_does_all_or_nothing(database: Database) -> None:
    def write(key: str, *, fails: bool = False) -> str:
        with database.shared_transaction() as books:
            books.execute(call(key))
            if fails:
                raise ZeroDivisionError
        return key

    async def use() -> None:
        assert await database.run(partial(write, "b")) == "b"
        with pytest.raises(ZeroDivisionError):
            await database.run(partial(write, "c", fails=True))
        await database.close()

    write("a")
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(use())
    assert [row[0] for row in rows(database)] == ["a", "b"]


def test_closing_waits_for_what_callers_have_left(database: Database) -> None:
    async def leave() -> None:
        for _ in range(20):
            asyncio.ensure_future(database.run(partial(count, database))).cancel()
            call = asyncio.ensure_future(database.run(partial(count, database)))
            await asyncio.sleep(0)
            call.cancel()
        await database.close()

    asyncio.run(leave())
    assert hits(database) == 20


def test_more_calls_than_there_are_connections_are_refused(tmp_path: Path) -> None:
    database, release = Database(f"sqlite:///{tmp_path / 'studio.db'}"), threading.Event()

    async def crowd() -> list[bool]:
        calls = [asyncio.ensure_future(database.run(release.wait)) for _ in range(MAX_CALLS)]
        await asyncio.sleep(0)
        with pytest.raises(DatabaseError, match="others wait"):
            await database.run(partial(count, database))
        release.set()
        return await asyncio.gather(*calls)

    assert asyncio.run(crowd()) == [True] * MAX_CALLS


def count(database: Database) -> None:
    with database.shared_transaction() as books:
        books.execute(text(COUNT))


def hits(database: Database) -> Any:
    """How often it was counted."""
    with database.snapshot() as books:
        return books.scalar(select(tables.rate_limit.c.hits))


def test_four_processes_that_begin_an_empty_store_at_the_same_moment_all_come_up(
    url: str, race: Race
) -> None:
    assert race("prepare", [[url]] * 4) == [True] * 4
    with Database(url).snapshot() as books:
        assert books.scalars(select(tables.alembic_version)).all() == [tables.VERSION]


def test_of_four_processes_that_count_at_the_same_moment_none_is_forgotten(
    url: str, race: Race
) -> None:
    for _ in range(5):
        assert race("count", [[url, COUNT]] * 4) == [True] * 4
    assert hits(Database(url)) == 20


FORKED = f"""
import asyncio, os, sys
from sqlalchemy import text
from resolvers.db.database import Database
database = Database(sys.argv[1])
def write():
    with database.shared_transaction() as connection:
        connection.execute(text({COUNT!r}))
async def count():
    await database.run(write)
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
    assert hits(database) == 8


def test_a_file_that_was_deleted_moved_or_replaced_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "studio.db"
    database = Database(f"sqlite:///{file}")
    with database.transaction() as books:
        books.execute(call("a"))
    database.disconnect()
    shutil.copyfile(file, tmp_path / "copy")
    assert len(rows(database)) == 1
    file.rename(tmp_path / "moved")
    with pytest.raises(DatabaseError, match="cannot be used"):
        rows(database)
    assert not file.exists()
    (tmp_path / "copy").rename(file)
    with database.transaction() as books:
        books.execute(call("b"))
    assert len(rows(Database(f"sqlite:///{file}"))) == 2
    assert len(rows(Database(f"sqlite:///{tmp_path / 'moved'}"))) == 1


def test_the_file_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'data' / 'a%20b?c#d.db'}")
    assert not database.is_initialised()
    assert not (tmp_path / "data").exists()
    with database.transaction() as books:
        books.execute(call("a"))
        modes = {file.stat().st_mode & 0o777 for file in (tmp_path / "data").iterdir()}
    assert modes == {0o600}
    assert database.is_initialised()
    assert (tmp_path / "data" / "a%20b?c#d.db").is_file()


ODD = ["", "studio.db", "sqlite://", "sqlite:///", "sqlite:///:memory:", "mysql://a/b", "sqlite:a"]


@pytest.mark.parametrize("address", ODD)
def test_an_address_that_is_none_is_refused_with_what_is_one(address: str) -> None:
    with pytest.raises(DatabaseError, match=r"^STUDIOGRAPH_DATABASE_URL: must be sqlite:////"):
        Database(address)
