"""The journal that was a file of its own, before the state database: taken over once, whole."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from resolvers.db.database import Database, DatabaseError, Transaction

_TABLES = {"key": 2, "revoked": 1, "signing": 3, "log": 6, "entry": 4}
"""Each table and how many columns it has."""
_LASTING = {"log": 2}
"""How many columns of a row never change, where it is not all of them."""
_WAIT_SECONDS = 10

_Rows = Mapping[str, Sequence[tuple[Any, ...]]]


def take_over(database: Database, old: Path) -> None:
    """Nothing, once the database holds what the file held. Raises: StateFault.

    The file is renamed after that, so it does no harm to be killed in between.
    """
    if not old.exists():
        return
    with database.transaction() as new:
        rows = _read(old)
        if not any(_held(new, table) for table in _TABLES):
            _write(new, rows)
        elif not all(_lasting(table, rows[table]) <= _held(new, table) for table in rows):
            raise DatabaseError(
                f"{old}: what was published from here is not what {database.place} holds. Fix:"
                " name another database in STUDIOGRAPH_DATABASE_URL, or, if that one is right,"
                " move this file away."
            )
    with suppress(FileNotFoundError):  # another process was here
        old.rename(old.with_name(f"{old.name}.taken"))


def _read(old: Path) -> _Rows:
    """What the file holds; nothing, once another process has taken it over."""
    try:
        uri = f"file:{quote(str(old.absolute()))}?mode=rw"
        connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)
        with closing(connection) as file:
            file.execute("BEGIN IMMEDIATE")
            found = {name for (name,) in file.execute("SELECT name FROM sqlite_master")}
            return {
                table: file.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - our own names
                for table in _TABLES
                if table in found
            }
    except sqlite3.Error as error:
        if not old.exists():
            return {}
        raise DatabaseError(
            f"{old}: cannot be used. Fix: restore it from a copy, or, if nothing was published"
            " from here, remove it."
        ) from error


def _held(new: Transaction, table: str) -> set[tuple[Any, ...]]:
    return _lasting(table, list(new.execute(f"SELECT * FROM {table}")))  # noqa: S608 - our own names


def _lasting(table: str, rows: Sequence[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """What of the rows never changes."""
    return {row[: _LASTING.get(table)] for row in rows}


def _write(new: Transaction, rows: _Rows) -> None:
    for table, found in rows.items():
        marks = ", ".join("?" * _TABLES[table])
        new.executemany(f"INSERT INTO {table} VALUES ({marks})", found)  # noqa: S608 - our own names
