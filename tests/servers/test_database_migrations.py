"""The tables: what the versions make, the scripts make, and what the code says they are."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from database_tables import metadata
from databases import KINDS, store
from sqlalchemy import MetaData, StaticPool, create_engine

from resolvers.db.database import VERSIONS, Database, DatabaseError
from resolvers.db.migration import configuration, migrate, script
from resolvers.db.stores import PostgresServer, SqliteFile, script_path

JOURNAL = {
    "key": ["kid", "x"],
    "revoked": ["kid"],
    "signing": ["payload", "kid", "signed_at"],
    "log": ["number", "origin", "tree_size", "rollup_hash", "checkpoint", "ended_at", "reason"],
    "entry": ["log", "place", "id", "leaf"],
    "words": ["place", "origin", "leaf", "leaf_hash"],
    "statement": ["name", "place", "hash"],
    "published_text": ["name", "text"],
}


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with store(request.param, tmp_path) as made:
        yield made


def connected(url: str) -> Any:
    """A DB-API connection to a store, which is made if it is a file."""
    if url.startswith("postgresql"):
        return PostgresServer(url).connect()
    path = Path(url.removeprefix("sqlite:///"))
    path.touch()
    return SqliteFile(path).connect()


def kind(url: str) -> str:
    """Which kind of store it is."""
    return url.partition(":")[0]


def made(url: str, way: str) -> None:
    """Make the tables, in one way or the other."""
    if way == "script":
        Database(url).ensure_schema()
        return
    with closing(connected(url)) as connection:
        migrate(connection, kind(url))


def reflected(url: str) -> tuple[Any, list[Any]]:
    """The tables of a store, and how they differ from those of the code."""
    address = "sqlite://" if kind(url) == "sqlite" else "postgresql+psycopg://"
    engine = create_engine(address, creator=lambda: connected(url), poolclass=StaticPool)
    found = MetaData()
    with engine.connect() as connection:
        found.reflect(connection)
        options = {"include_name": lambda name, kind, _: kind != "table" or name in metadata.tables}
        context = MigrationContext.configure(connection, opts=options)
        differing = compare_metadata(context, metadata)
    engine.dispose()
    tables = {
        table.name: (
            [(column.name, str(column.type), column.nullable) for column in table.columns],
            [column.name for column in table.primary_key],
            sorted(str(index.name) for index in table.indexes),
        )
        for table in found.sorted_tables
    }
    return tables, differing


def test_the_last_version_is_the_one_that_the_code_needs() -> None:
    versions = ScriptDirectory.from_config(configuration()).walk_revisions()
    assert tuple(version.revision for version in versions)[::-1] == VERSIONS


@pytest.mark.parametrize("kind", KINDS)
def test_the_scripts_are_what_the_versions_say(kind: str) -> None:
    assert script_path(kind).read_text() == script(kind), "python -m resolvers.db.migration"


@pytest.mark.parametrize("way", ["script", "versions"])
def test_the_tables_are_those_of_the_code(url: str, way: str) -> None:
    made(url, way)
    tables, differing = reflected(url)
    assert differing == []
    assert {name: [column[0] for column in tables[name][0]] for name in JOURNAL} == JOURNAL
    assert set(tables) == {*JOURNAL, *metadata.tables, "alembic_version"}


def test_the_scripts_make_what_the_versions_make(tmp_path: Path) -> None:
    for kind in KINDS:
        found = []
        for way in ("script", "versions"):
            folder = tmp_path / way
            folder.mkdir(exist_ok=True)
            with store(kind, folder) as url:
                made(url, way)
                found.append(reflected(url))
        assert found[0] == found[1]


@pytest.mark.parametrize("way", ["script", "versions"])
def test_tables_are_made_all_or_none_and_then_once_the_way_is_free(url: str, way: str) -> None:
    with closing(connected(url)) as connection:
        connection.execute("CREATE TABLE answered (something TEXT)")
        connection.commit()
    with (
        pytest.raises(DatabaseError)
        if way == "script"
        else pytest.raises(Exception, match="answer")
    ):
        made(url, way)
    assert set(reflected(url)[0]) <= {"answered", "alembic_version"}
    with closing(connected(url)) as connection:
        connection.execute("DROP TABLE answered")
        connection.commit()
    made(url, way)
    assert reflected(url)[1] == []


def test_tables_of_the_first_version_get_those_of_webhooks_and_keep_what_they_hold(
    url: str,
) -> None:
    made(url, "script")
    later = (
        *("subscription", "challenge", "webhook_key", "publication", "delivery_attempt"),
        *("words", "statement", "published_text"),
        *("request_count", "missing_path", "asked_question"),
    )
    with Database(url).transaction() as books:
        for table in later:
            books.execute(f"DROP TABLE {table}")
        books.execute("ALTER TABLE log DROP COLUMN reason")
        books.execute("UPDATE alembic_version SET version_num = '0001'")
        books.execute("INSERT INTO revoked VALUES ('a')")
    Database(url).ensure_schema()
    assert reflected(url)[1] == []
    with closing(connected(url)) as connection:
        assert connection.execute("SELECT kid FROM revoked").fetchall() == [("a",)]


def test_versions_that_are_there_are_not_run_again(url: str) -> None:
    made(url, "script")
    made(url, "versions")
    assert reflected(url)[1] == []


@pytest.mark.parametrize("version", ["0006", "9999", "1975ea83b712"])
def test_a_database_of_a_version_that_is_not_known_is_refused_with_the_fix(
    url: str, version: str
) -> None:
    with Database(url).transaction() as books:
        books.execute("UPDATE alembic_version SET version_num = ?", (version,))
        books.execute("INSERT INTO revoked VALUES ('a')")
    with pytest.raises(DatabaseError, match="Fix: start the newer studiograph that made them"):
        Database(url).ensure_schema()
    with closing(connected(url)) as connection:
        assert connection.execute("SELECT kid FROM revoked").fetchall() == [("a",)]
