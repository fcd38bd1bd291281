"""What the owner is told of a database that cannot be used."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from resolvers.db.database import POSTGRES_SECONDS, Database, DatabaseError, PostgresServer


def test_a_file_that_another_process_keeps_is_not_said_to_be_without_space(tmp_path: Path) -> None:
    file = tmp_path / "studio.db"
    database = Database(f"sqlite:///{file}")

    with database.snapshot() as books:
        books.exec_driver_sql("PRAGMA busy_timeout=1")  # which the one connection keeps
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseError, match="another process"), database.transaction():
            pass


@pytest.mark.parametrize(
    ("query", "options"),
    [("", ""), ("?options=-csearch_path%3Dmine&sslmode=disable", " -csearch_path=mine")],
)
def test_the_options_of_an_address_are_kept(query: str, options: str) -> None:

    store = PostgresServer(f"postgresql://me@db.example/studio{query}")
    parts = conninfo_to_dict(store.conninfo, **store.connect_options)
    ours = f"-c idle_in_transaction_session_timeout={POSTGRES_SECONDS}s"
    assert parts["options"] == f"{ours}{options}"
    assert parts.get("sslmode") == ("disable" if query else None)
    assert store.place == "db.example/studio"
