"""The tables: what a new database has, and what becomes of those that older versions have made."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from databases import store
from repository import VECTORS
from sqlalchemy import Connection, Engine, MetaData, create_engine, select

from resolvers.db import tables
from resolvers.db.database import OLDER_VERSIONS, Database, DatabaseError
from resolvers.db.migration import configuration

VERSIONS = ("0.2.0", "353633c")
Rows = dict[str, list[tuple[Any, ...]]]


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    """A connection of its own to a store, which is made if it is a file."""
    engine: Engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def make_old(url: str, version: str) -> None:
    """Make the database of an older version, as its own code once did."""
    dump = VECTORS / "databases" / f"{version}.{url.partition(':')[0]}.sql"
    with connected(url) as connection:
        for statement in dump.read_text().splitlines():
            connection.exec_driver_sql(statement.replace("%", "%%"))


def rows_of(url: str) -> Rows:
    """What stands in a database, by table."""
    found = MetaData()
    with connected(url) as connection:
        found.reflect(connection)
        return {
            name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for name, table in found.tables.items()
        }


def reflected(url: str) -> tuple[Any, list[Any]]:
    """The tables of a store, and how they differ from those of the code."""
    found = MetaData()
    with connected(url) as connection:
        found.reflect(connection)
        differing = compare_metadata(MigrationContext.configure(connection), tables.metadata)
    made = {
        table.name: (
            [(column.name, str(column.type), column.nullable) for column in table.columns],
            [column.name for column in table.primary_key],
            sorted(str(index.name) for index in table.indexes),
        )
        for table in found.sorted_tables
    }
    return made, differing


def test_the_last_step_leads_to_the_tables_of_the_code() -> None:
    found = ScriptDirectory.from_config(configuration()).walk_revisions()
    assert [step.revision for step in found][::-1] == [*OLDER_VERSIONS, tables.VERSION]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_database_of_an_older_version_keeps_every_row_and_gets_the_tables_of_a_new_one(
    url: str, version: str, tmp_path: Path
) -> None:
    make_old(url, version)
    before = rows_of(url)
    assert sum(len(rows) for rows in before.values()) > 20
    Database(url).ensure_schema()
    after = rows_of(url)
    assert after.pop("alembic_version") == [(tables.VERSION,)]
    del before["alembic_version"]
    if version == "0.2.0":
        before["log"] = [(*row, None) for row in before["log"]]
        assert {name for name in after if name not in before} == {
            *("words", "statement", "published_text"),
            *("request_count", "missing_path", "asked_question"),
        }
    assert {name: after[name] for name in before} == before
    made, differing = reflected(url)
    assert differing == []
    (tmp_path / "new").mkdir()
    with store(url.partition(":")[0], tmp_path / "new") as new:
        Database(new).ensure_schema()
        assert made == reflected(new)[0]


KILLED = """
import os, signal, sys
from sqlalchemy import Engine, event
from resolvers.db import migration
from resolvers.db.database import Database
def attempt(last):
    done = 0
    def step(*_):
        nonlocal done
        if done == last:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
    event.listen(Engine, "before_cursor_execute", step)
    event.listen(Engine, "commit", step)
    Database(sys.argv[1]).ensure_schema()
    os._exit(0)
last, status = 0, signal.SIGKILL
while status == signal.SIGKILL:
    if not (child := os.fork()):
        attempt(last)
    status = os.waitpid(child, 0)[1]
    last += 1
    print(status, flush=True)
"""


def test_tables_are_whole_however_often_the_process_is_killed_while_it_makes_them(
    url: str,
) -> None:
    make_old(url, "0.2.0")
    before = rows_of(url)
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        statuses = [int(line) for line in process.stdout]
    assert statuses[-1] == 0
    assert set(statuses[:-1]) == {signal.SIGKILL}
    assert len(statuses) > 15
    after = rows_of(url)
    assert after.pop("alembic_version") == [(tables.VERSION,)]
    assert after.keys() == tables.metadata.tables.keys() - {"alembic_version"}
    for name in before.keys() - {"alembic_version", "log"}:
        assert after[name] == before[name]
    assert reflected(url)[1] == []


def test_tables_are_made_all_or_none_and_then_once_the_way_is_free(url: str) -> None:
    with connected(url) as connection:
        connection.exec_driver_sql("CREATE TABLE answered (something TEXT)")
    with pytest.raises(DatabaseError):
        Database(url).ensure_schema()
    assert set(reflected(url)[0]) == {"answered"}
    with connected(url) as connection:
        connection.exec_driver_sql("DROP TABLE answered")
    Database(url).ensure_schema()
    assert reflected(url)[1] == []


@pytest.mark.parametrize("version", ["0006", "1975ea83b712"])
def test_a_database_of_a_version_that_is_not_known_is_refused_with_the_fix(
    url: str, version: str
) -> None:
    with Database(url).transaction() as books:
        books.execute(tables.alembic_version.update().values(version_num=version))
        books.execute(tables.revoked.insert(), {"kid": "a"})
    with pytest.raises(DatabaseError, match="Fix: start the studiograph that made them"):
        Database(url).ensure_schema()
    assert rows_of(url)["revoked"] == [("a",)]
