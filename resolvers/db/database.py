"""The state database of a studio, and the two ways into it. Holds no statement of its users.

What a start needs goes by plain DB-API: importing SQLAlchemy costs more than a whole start may.
What requests need goes through SQLAlchemy, asynchronously.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from resolvers.db.importing import import_locked
from resolvers.db.stores import PostgresServer, SqliteFile, load_script
from sdl.errors import StudiographError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

VERSIONS = ("0001", "0002")
"""The versions of the tables; the last one is what this code reads and writes."""


class DatabaseError(StudiographError):
    """The state database cannot be used; the text says where it is and names the fix."""


class Cursor(Protocol):
    """What a statement found."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""
        ...

    def fetchone(self) -> Any:
        """The next row, if there is one."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


class Transaction:
    """Statements that are all done or none of them; in each `?` stands for a value."""

    def __init__(self, connection: Any, mark: str) -> None:
        self._connection = connection
        self._mark = mark

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        """What a statement found."""
        found: Cursor = self._connection.execute(sql.replace("?", self._mark), values)
        return found

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Nothing, once the statement is done for each row."""
        with closing(self._connection.cursor()) as cursor:
            cursor.executemany(sql.replace("?", self._mark), rows)


class Database:
    """A SQLite file or PostgreSQL, as one address says.

    The first use makes the tables, if they are not there; of many processes one does it.
    """

    def __init__(self, url: str) -> None:
        self._store = _store(url)
        self._engines: dict[asyncio.AbstractEventLoop, AsyncEngine] = {}
        self._is_prepared = False
        self.url = self._store.url
        self.is_sqlite = isinstance(self._store, SqliteFile)
        self.place = self._store.place

    def is_initialised(self) -> bool:
        """Whether there are tables. Raises: StateFault."""
        with self._told():
            return self._store.version() is not None

    def ensure_schema(self) -> None:
        """Nothing, once the tables are what this code needs. Raises: StateFault."""
        if self._is_prepared:
            return
        with self._told():
            if self._version() != VERSIONS[-1]:
                with self._store.exclusive() as connection:
                    self._migrate(connection, self._version())
        self._is_prepared = True

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Statements, alone: no other process writes meanwhile. Raises: StateFault."""
        self.ensure_schema()
        with self._told(), closing(self._store.connect()) as connection:
            self._store.begin(connection)
            yield Transaction(connection, self._store.mark)
            connection.commit()

    @contextmanager
    def snapshot(self) -> Iterator[Transaction]:
        """Open a connection that only reads, and waits for no writer. Raises: DatabaseError."""
        self.ensure_schema()
        with self._told(), closing(self._store.connect()) as connection:
            yield Transaction(connection, self._store.mark)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["AsyncConnection"]:
        """A connection in a transaction, which ends with the block. Raises: StateFault."""
        if not self._is_prepared:
            await asyncio.to_thread(self.ensure_schema)
        engine = await self._engine()
        from resolvers.db.engine import DatabaseUnavailableError, transaction  # noqa: PLC0415 - heavy; imported by now

        try:
            async with transaction(engine, self._store.patience_seconds) as connection:
                yield connection
        except DatabaseUnavailableError as error:
            raise self._fault(error.__cause__) from error.__cause__

    async def close(self) -> None:
        """Nothing, once no connection of this event loop is open."""
        engine = self._engines.pop(asyncio.get_running_loop(), None)
        if engine is not None:
            await engine.dispose()

    def _version(self) -> str | None:
        """The version of the tables, if there are any. Raises: StateFault."""
        version = self._store.version()
        if version is None or version in VERSIONS:
            return version
        raise DatabaseError(
            f"{self.place}: its tables are of a version that is not known here. Fix: start the"
            " newer studiograph that made them, or name another database in"
            " STUDIOGRAPH_DATABASE_URL."
        )

    def _migrate(self, connection: Any, version: str | None) -> None:
        """Nothing, once the tables are of the last version."""
        if version is None:
            self._store.begin(connection)
            for statement in load_script(self._store.kind).read_text().split(";")[:-1]:
                connection.execute(statement)
            connection.commit()
        elif version != VERSIONS[-1]:
            from resolvers.db.migration import migrate  # noqa: PLC0415 - heavy

            migrate(connection, self._store.kind)

    async def _engine(self) -> "AsyncEngine":
        """The connections of this event loop, and so of this process."""
        loop = asyncio.get_running_loop()
        if loop not in self._engines:
            made = await asyncio.to_thread(self._make_engine)
            self._engines.setdefault(loop, made)
        return self._engines[loop]

    def _make_engine(self) -> "AsyncEngine":
        with import_locked():
            from resolvers.db.engine import engine_of  # noqa: PLC0415 - heavy

            return engine_of(self._store)

    def _fault(self, error: BaseException | None) -> DatabaseError:
        return DatabaseError(f"{self.place}: cannot be used. Fix: {self._store.hint_for(error)}.")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """While inside, what the driver raises is a StateFault."""
        try:
            yield
        except self._store.errors as error:
            raise self._fault(error) from error


def _store(url: str) -> SqliteFile | PostgresServer:
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
