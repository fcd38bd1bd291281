"""The state database of a studio, and two ways to use it: blocking DB-API and async SQLAlchemy.

What a start needs uses plain DB-API, because importing SQLAlchemy takes longer than the rest of the
start. What requests need uses SQLAlchemy, asynchronously.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from resolvers.db.stores import PostgresServer, SqliteFile, script_path
from sdl.errors import StudiographError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

VERSIONS = ("0001", "0002", "0003", "0004", "0005")
"""The schema versions; the last one is what this code reads and writes."""

IMPORT_LOCK = threading.RLock()
"""Held while a thread imports SQLAlchemy, or a library that imports it.

Python locks each module by itself and lets go where two threads would wait for each other. Two
threads that import SQLAlchemy from different sides then find its parts half loaded (ImportError).
"""


class DatabaseError(StudiographError):
    """The state database cannot be used; the text says where it is and how to fix it."""


class Cursor(Protocol):
    """The result of a statement, as sqlite3 and psycopg both have it."""

    @property
    def rowcount(self) -> int:
        """The number of changed rows."""
        ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Transaction:
    """Statements of which all take effect or none; in each, `?` stands for a value."""

    def __init__(self, connection: Any, placeholder: str) -> None:
        self._connection = connection
        self._placeholder = placeholder

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        """Run a statement and return its result."""
        cursor: Cursor = self._connection.execute(sql.replace("?", self._placeholder), values)
        return cursor

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with closing(self._connection.cursor()) as cursor:
            cursor.executemany(sql.replace("?", self._placeholder), rows)


class Database:
    """A SQLite file or a PostgreSQL database, chosen by a URL.

    The first use creates the tables if there are none. Many processes may do so at once: one of
    them creates the tables, the others wait.
    """

    def __init__(self, url: str) -> None:
        self._store = _parse_store(url)
        self._engines: dict[asyncio.AbstractEventLoop, AsyncEngine] = {}
        self._is_schema_current = False
        self._held: Any = None
        self.url = self._store.url
        self.is_sqlite = isinstance(self._store, SqliteFile)
        self.place = self._store.place

    def is_initialised(self) -> bool:
        """Return whether there are tables. Raises: DatabaseError."""
        with self._translate_errors():
            return self._store.version() is not None

    def ensure_schema(self) -> None:
        """Create the tables, or migrate them to the last version. Raises: DatabaseError."""
        if self._is_schema_current:
            return
        with self._translate_errors():
            if self._read_version() != VERSIONS[-1]:
                with self._store.exclusive() as connection:
                    self._migrate(connection, self._read_version())
        self._is_schema_current = True

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Run statements while no other process writes, and commit them at the end of the block.

        Blocks. Raises: DatabaseError.
        """
        self.ensure_schema()
        with self._translate_errors(), closing(self._store.connect()) as connection:
            self._store.begin(connection)
            yield Transaction(connection, self._store.placeholder)
            connection.commit()

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Open a connection that only reads, and waits for no writer. Raises: DatabaseError."""
        self.ensure_schema()
        with self._translate_errors(), closing(self._store.connect()) as connection:
            yield Transaction(connection, self._store.placeholder)

    def hold_open(self) -> None:
        """Keep one more connection open until `let_go`. Blocks. Raises: DatabaseError.

        SQLite moves its log into the file when the last connection closes, which waits for the
        disk; so it does that once for all transactions until then.
        """
        if self.is_sqlite and self._held is None:
            self.ensure_schema()
            with self._translate_errors():
                self._held = self._store.connect()
                self._held.execute("SELECT 1 FROM alembic_version").fetchone()

    def let_go(self) -> None:
        """Close the connection that `hold_open` has opened, if any. Blocks."""
        held, self._held = self._held, None
        if held is not None:
            held.close()

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["AsyncConnection"]:
        """Open a connection in a transaction, and commit it at the end of the block.

        Raises: DatabaseError.
        """
        if not self._is_schema_current:
            await asyncio.to_thread(self.ensure_schema)
        engine = await self._engine()
        from resolvers.db.engine import transaction  # noqa: PLC0415 - SQLAlchemy takes 0.3 s

        async with transaction(engine, self._store.timeout_seconds, self._error) as connection:
            yield connection

    def load_driver(self) -> None:
        """Import SQLAlchemy and the driver now, so that no call's time limit includes this."""
        self._make_engine()

    async def close(self) -> None:
        """Close the connections of this event loop."""
        engine = self._engines.pop(asyncio.get_running_loop(), None)
        if engine is not None:
            await engine.dispose()

    def _read_version(self) -> str | None:
        """Return the schema version, or None without tables. Raises: DatabaseError."""
        version = self._store.version()
        if version is None or version in VERSIONS:
            return version
        raise DatabaseError(
            f"{self.place}: its tables are of a version that this studiograph does not know. Fix:"
            " start the newer studiograph that made them, or name another database in"
            " STUDIOGRAPH_DATABASE_URL."
        )

    def _migrate(self, connection: Any, version: str | None) -> None:
        """Create the tables by a script, or run the missing migrations."""
        if version is None:
            self._store.begin(connection)
            for statement in script_path(self._store.kind).read_text().split(";")[:-1]:
                connection.execute(statement)
            connection.commit()
        elif version != VERSIONS[-1]:
            from resolvers.db.migration import migrate  # noqa: PLC0415 - alembic takes 0.4 s

            migrate(connection, self._store.kind)

    async def _engine(self) -> "AsyncEngine":
        """Return the connection pool of this event loop, and so of this process."""
        loop = asyncio.get_running_loop()
        if loop not in self._engines:
            engine = await asyncio.to_thread(self._make_engine)
            self._engines.setdefault(loop, engine)
        return self._engines[loop]

    def _make_engine(self) -> "AsyncEngine":
        with IMPORT_LOCK:
            from resolvers.db.engine import make_engine  # noqa: PLC0415 - SQLAlchemy takes 0.3 s

            return make_engine(self._store)

    def _error(self, error: BaseException) -> DatabaseError:
        return DatabaseError(f"{self.place}: cannot be used. Fix: {self._store.hint_for(error)}.")

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn errors of the driver into a DatabaseError."""
        try:
            yield
        except self._store.errors as error:
            raise self._error(error) from error


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
