"""A store that is away, in the way, full or standing still: a fault with the fix, and it heals."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from databases import store
from sqlalchemy import text
from tcp_relay import Relay, relay

from resolvers.db.database import Database, DatabaseError

HITS = text("SELECT hits FROM rate_limit")
AWAY = "cannot be used. Fix: see that PostgreSQL runs there and lets this user in"

Use = Callable[[Database], None]


def plainly(database: Database) -> None:
    with database.transaction() as books:
        books.execute(HITS)


def asked(database: Database) -> None:
    async def once() -> None:
        try:
            await select(database)
        finally:
            await database.close()

    asyncio.run(once())


async def select(database: Database) -> None:
    """One statement of a request."""

    def run() -> None:
        with database.shared_transaction() as connection:
            connection.execute(HITS)

    await database.run(run)


async def faults(database: Database) -> str:
    """The text of the error that a statement ends with."""
    with pytest.raises(DatabaseError) as fault:
        await select(database)
    return str(fault.value)


@pytest.fixture
def between(tmp_path: Path) -> Iterator[tuple[Database, Relay]]:
    """A PostgreSQL with tables, and what stands between it and its user."""
    with store("postgresql", tmp_path) as url:
        Database(url).ensure_schema()
        host, _, port = Database(url).place.partition("/")[0].rpartition(":")
        with relay(host, int(port)) as made:
            yield Database(url.replace(f":{port}/", f":{made.port}/")), made


@pytest.mark.parametrize("silent", [False, True])
def test_a_server_that_is_not_there_or_says_nothing_is_a_fault(
    silent: bool,  # noqa: FBT001 - a case
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        if not silent:
            listening.close()
        database = Database(f"postgresql://me:secret@127.0.0.1:{port}/studio")
        with ThreadPoolExecutor(2) as pool:
            faults = [
                met.exception() for met in [pool.submit(use, database) for use in (plainly, asked)]
            ]
    for fault in faults:
        assert isinstance(fault, DatabaseError)
        assert str(fault).startswith(f"127.0.0.1:{port}/studio: {AWAY}")
        assert "secret" not in str(fault)


def test_a_server_that_is_cut_off_is_a_fault_and_heals_by_itself(
    between: tuple[Database, Relay],
) -> None:
    database, made = between

    async def use() -> None:
        for _ in range(2):
            await select(database)
            made.cut()
            assert AWAY in await faults(database)
            assert AWAY in await faults(database)
            made.mend()
        await select(database)
        await database.close()

    asyncio.run(use())
    plainly(database)
    made.cut()
    with pytest.raises(DatabaseError, match=AWAY):
        plainly(database)
    made.mend()
    plainly(database)


def test_a_server_that_stands_still_is_a_fault_and_heals_by_itself(
    between: tuple[Database, Relay],
) -> None:
    database, made = between

    async def use() -> None:
        await select(database)
        made.flows.clear()
        assert AWAY in await faults(database)
        made.flows.set()
        await select(database)
        await database.close()

    asyncio.run(use())


def test_a_connection_that_breaks_amid_a_transaction_keeps_its_locks_for_seconds_only(
    between: tuple[Database, Relay],
) -> None:
    database, made = between
    count = text(
        "INSERT INTO rate_limit VALUES ('me', 1, 9) ON CONFLICT (key) DO UPDATE SET hits = 2"
    )

    def count_once(*, breaks: bool) -> None:
        with database.shared_transaction() as connection:
            connection.execute(count)
            if breaks:
                made.forget()

    async def hit(*, breaks: bool = False) -> None:
        await database.run(partial(count_once, breaks=breaks))

    async def is_counted() -> bool:
        with suppress(DatabaseError):
            await hit()
            return True
        return False

    async def use() -> None:
        with pytest.raises(DatabaseError, match=AWAY):
            await hit(breaks=True)
        while not await is_counted():  # PostgreSQL itself would notice after two hours
            pass
        await database.close()

    asyncio.run(use())


def below_a_file(path: Path) -> Path:
    path.write_text("in the way")
    return path / "studio.db"


def another_s(path: Path) -> Path:
    path.write_bytes(b"no database" * 999)
    return path


@pytest.mark.parametrize(("use", "way"), [(plainly, below_a_file), (asked, another_s)])
def test_a_file_that_cannot_be_made_or_read_is_a_fault_with_the_fix(
    use: Use, way: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = way(tmp_path / "place")
    with pytest.raises(DatabaseError) as fault:
        use(Database(f"sqlite:///{path}"))
    fix = "the file is damaged: restore" if way is another_s else "see that its folder can be"
    assert str(fault.value).startswith(f"{path}: cannot be used. Fix: {fix}")


FULL = """
import resource, sys
from sqlalchemy import text
from resolvers.db.database import Database, DatabaseError
INSERT = text("INSERT INTO mail VALUES (:id, :id, '', '[]', :data, 0, '', NULL, NULL)")
database = Database(sys.argv[1])
with database.transaction() as connection:
    connection.execute(INSERT, {"id": "a", "data": b""})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
try:
    with database.transaction() as connection:
        connection.execute(INSERT, {"id": "b", "data": bytes(2_000_000)})
except DatabaseError as fault:
    print(fault)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
with database.transaction() as connection:
    connection.execute(INSERT, {"id": "c", "data": bytes(2_000_000)})
"""


def test_a_full_disk_is_a_fault_with_the_fix_until_there_is_space(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")
    words = [sys.executable, "-c", FULL, database.url]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith(f"{database.place}: cannot be used. Fix: see that its folder can")
    with database.transaction() as books:
        assert books.scalars(text("SELECT id FROM mail ORDER BY id")).all() == ["a", "c"]


def test_a_writer_waits_for_another(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'studio.db'}")

    async def use() -> None:
        with database.transaction() as books:
            waiting = asyncio.create_task(select(database))
            await asyncio.wait([waiting], timeout=0.5)
            assert not waiting.done()
            books.execute(HITS)
        await waiting
        await database.close()

    asyncio.run(use())
