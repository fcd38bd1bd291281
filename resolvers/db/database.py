"""The state database of a studio, by synchronous SQLAlchemy.

Commands, the start and threads use it as it is; `Database.run` is the way of requests.
"""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet, finalize

from sqlalchemy import Connection, Engine, insert, inspect, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resolvers.db import tables
from resolvers.db.stores import BEGIN, PostgresServer, SqliteFile
from resolvers.db.threads import in_thread
from sdl.errors import StudiographError

OLDER_VERSIONS = ("0002",)
"""The published versions of the tables that are migrated."""
MAX_CALLS = 1_000
"""How many calls of requests may run or wait at once: as many as there are connections."""

T = TypeVar("T")


class DatabaseError(StudiographError):
    """The state database cannot be used; the text says where it is and how to fix it."""


class Database:
    """A SQLite file or a PostgreSQL database, chosen by a URL.

    The first use creates the tables if there are none. Many processes may do so at once: one of
    them creates the tables, the others wait.
    """

    def __init__(self, url: str) -> None:
        self._store = _parse_store(url)
        self._engine = self._store.engine()
        self._is_schema_current = False
        self._calls: set[Future[Any]] = set()
        self.url = self._store.url
        self.is_sqlite = isinstance(self._store, SqliteFile)
        self.place = self._store.place
        _databases.add(self)
        finalize(self, self._engine.dispose)

    def is_initialised(self) -> bool:
        """Return whether there are tables. Raises: DatabaseError."""
        with self._translate_errors():
            return self._version() is not None

    def ensure_schema(self) -> None:
        """Create the tables, or migrate them to the last version. Raises: DatabaseError."""
        if self._is_schema_current:
            return
        with self._translate_errors():
            try:
                version = self._version()
                if version != tables.VERSION or not self._store.is_set_up(self._engine):
                    change = _step() if version in OLDER_VERSIONS else _create
                    with self._store.setting_up(self._engine), self._engine.begin() as connection:
                        self._store.lock(connection)
                        if self._version_of(connection) != tables.VERSION:  # nobody was faster
                            change(connection)
            except (OSError, sqlite3.Error) as error:  # a raw connection's are nobody's but its own
                raise self._error(error) from error
        self._is_schema_current = True

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run statements while no other such transaction runs, and commit them at the end.

        Blocks. Raises: DatabaseError.
        """
        with self.shared_transaction() as connection:
            self._store.lock(connection)
            yield connection

    @contextmanager
    def shared_transaction(self) -> Iterator[Connection]:
        """Run statements and commit them at the end; in PostgreSQL beside others that write.

        Blocks. Raises: DatabaseError.
        """
        self.ensure_schema()
        with self._translate_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Run statements that only read, and wait for no other process. Raises: DatabaseError."""
        self.ensure_schema()
        with self._translate_errors(), self._reader().begin() as connection:
            yield connection

    async def run(self, work: Callable[[], T], seconds: float | None = None) -> T:
        """Run a function that uses this database in a thread, and return its result.

        It is run to its end even if the caller leaves or the time is over.
        Raises: what it raises; DatabaseError if it takes longer than `seconds`, or too many wait.
        """
        if len(self._calls) >= MAX_CALLS:
            raise self._error(TimeoutError())
        call = in_thread(work)
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)
        result = asyncio.wrap_future(call)
        result.add_done_callback(_look_at)
        done, _ = await asyncio.wait([result], timeout=seconds or self._store.timeout_seconds)
        if not done:
            if not self.is_sqlite:
                # Its other connections are likely as silent, and each would cost one more call.
                pool = self._engine.pool
                self.disconnect()
                for each in tuple(self._calls):  # what they use comes back to the pool of before
                    each.add_done_callback(lambda _: pool.dispose())
            raise self._error(TimeoutError())
        return result.result()

    def disconnect(self) -> None:
        """Close the connections that nobody uses. SQLite then moves its log into the file."""
        self._engine.dispose()

    async def close(self) -> None:
        """Wait until what `run` has begun is done, and close the connections."""
        if calls := [asyncio.wrap_future(call) for call in tuple(self._calls)]:
            await asyncio.wait(calls, timeout=self._store.timeout_seconds)
        self.disconnect()

    def _reader(self) -> Engine:
        return self._engine.execution_options(**{BEGIN: "BEGIN"})

    def _version(self) -> str | None:
        """Return the version of the tables, or None without any. Raises: DatabaseError."""
        if not self._store.exists():
            return None
        with self._reader().begin() as connection:
            return self._version_of(connection)

    def _version_of(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table(tables.alembic_version.name):
            return None
        version = connection.scalar(select(tables.alembic_version.c.version_num))
        if version in (None, *OLDER_VERSIONS, tables.VERSION):
            return version
        raise DatabaseError(
            f"{self.place}: its tables are of a version that this studiograph does not know. Fix:"
            " start the studiograph that made them, or name another database in"
            " STUDIOGRAPH_DATABASE_URL."
        )

    def _error(self, error: BaseException) -> DatabaseError:
        cause = getattr(error, "orig", None) or error  # SQLAlchemy keeps the driver's error there
        return DatabaseError(f"{self.place}: cannot be used. Fix: {self._store.hint_for(cause)}.")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn errors of the driver into a DatabaseError."""
        try:
            yield
        except (IntegrityError, DataError):
            raise  # the statement is wrong, not the store
        except (DBAPIError, PoolTimeoutError) as error:
            raise self._error(error) from error


_databases: WeakSet[Database] = WeakSet()


def _disconnect_all() -> None:
    for database in _databases:
        database.disconnect()


os.register_at_fork(before=_disconnect_all)  # a child must not use its parent's connections


def _look_at(result: "asyncio.Future[Any]") -> None:
    if not result.cancelled():
        result.exception()  # or asyncio logs that nobody retrieved it


def _create(connection: Connection) -> None:
    tables.metadata.create_all(connection, checkfirst=False)
    connection.execute(insert(tables.alembic_version), {"version_num": tables.VERSION})


def _step() -> Callable[[Connection], None]:
    from resolvers.db.migration import upgrade  # noqa: PLC0415 - alembic takes 0.4 s

    return upgrade


def _parse_store(url: str) -> SqliteFile | PostgresServer:
    scheme, _, place = url.partition("://")
    kind = scheme.partition("+")[0]
    if kind == "sqlite" and len(place) > 1 and place.startswith("/") and ":memory:" not in place:
        return SqliteFile(Path(place[1:]))
    if kind == "postgresql" and place:
        return PostgresServer(f"postgresql://{place}")
    raise DatabaseError(
        "STUDIOGRAPH_DATABASE_URL: must be sqlite:////absolute/path or"
        " postgresql://user:password@host/database"
    )
