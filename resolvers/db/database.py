"""The state database of a studio, by synchronous SQLAlchemy.

Commands, the start and threads use it as it is; `Database.run` is the way of requests.
"""

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit
from weakref import WeakSet, finalize

from sqlalchemy import URL, Connection, Engine, create_engine, event, insert, inspect, select, text
from sqlalchemy.exc import DataError, DBAPIError, DisconnectionError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resolvers.db import tables
from resolvers.files import locked
from sdl.errors import StudiographError

Params = ParamSpec("Params")
Result = TypeVar("Result")


def in_thread(
    run: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
) -> "Future[Result]":
    """Run a function in a daemon thread and return its result to come.

    The end of the process would wait for the threads of a pool, and a store that says nothing would
    keep them for ever.
    """
    future: Future[Result] = Future()

    def work() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(run(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - raised again by the await
                future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


WAIT_SECONDS = 10
"""How long one writer waits for another."""
POSTGRES_SECONDS = 4
"""How long a call waits for PostgreSQL, and PostgreSQL amid a transaction for us."""
MAX_IDLE_CONNECTIONS = 5
"""How many connections to PostgreSQL stay open; twice as many may be in use at once."""
CONNECT_OPTIONS: dict[str, Any] = {
    "connect_timeout": POSTGRES_SECONDS,
    "tcp_user_timeout": 10_000,  # without it, a machine that is gone goes unnoticed for hours
    "keepalives_idle": 10,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}
"""How long to wait for PostgreSQL.

Units: seconds; milliseconds for `tcp_user_timeout`.
"""

BEGIN = "sqlite_begin"
"""The execution option that says how a transaction of SQLite begins."""
_PRAGMAS = (
    "synchronous=FULL",
    "foreign_keys=ON",
    "secure_delete=ON",  # forwarded mails must leave no trace
)
_LOCK = 0x7374_7564_696F
"""The advisory lock of PostgreSQL that a process holds while it writes or migrates."""


class SqliteFile:
    """A SQLite file."""

    timeout_seconds = 15  # longer than one writer waits for another

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self.place = str(path)
        self.url = f"sqlite:///{self._path}"

    def engine(self) -> Engine:
        """Return a pool of one connection: SQLite has one writer, and a pool waits with less delay.

        A file that was deleted, moved or replaced is noticed, and never created anew.
        """
        engine = create_engine(
            URL.create(
                "sqlite",
                database=f"file:{quote(str(self._path))}",
                query={"uri": "true", "mode": "rw"},
            ),
            connect_args={"timeout": WAIT_SECONDS, "isolation_level": None},
            pool_size=1,
            max_overflow=0,
            pool_timeout=WAIT_SECONDS,
            hide_parameters=True,
        )

        @event.listens_for(engine, "connect")
        def connect(connection: sqlite3.Connection, record: Any) -> None:
            record.info["file"] = self._identity()
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "checkout")
        def checkout(_connection: sqlite3.Connection, record: Any, _proxy: object) -> None:
            if record.info["file"] != self._identity():
                raise DisconnectionError

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            options = connection.get_execution_options()
            connection.exec_driver_sql(options.get(BEGIN, "BEGIN IMMEDIATE"))

        return engine

    def exists(self) -> bool:
        """Return whether there is a file."""
        return self._path.exists()

    def is_set_up(self, engine: Engine) -> bool:
        """Return whether the file has its log: readers and a writer then wait for nobody."""
        with closing(engine.raw_connection()) as connection:
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode")
            return cursor.fetchone() == ("wal",)

    @contextmanager
    def setting_up(self, engine: Engine) -> Iterator[None]:
        """Make the file, which only its owner can read, and hold off others within the block."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self._path.with_name(f"{self._path.name}.lock")):
            self._path.touch(mode=0o600)
            with closing(engine.raw_connection()) as connection:
                connection.cursor().execute("PRAGMA journal_mode=WAL")
            yield

    def lock(self, connection: Connection) -> None:
        """Do nothing: a transaction begins as the only writer."""

    def hint_for(self, error: BaseException) -> str:
        """Return what the owner can do about an error."""
        name = getattr(error, "sqlite_errorname", "")
        if name in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
            return "the file is damaged: restore it from a backup"
        if name.startswith("SQLITE_READONLY"):
            return "it is read-only: make the file and its folder writable for this user"
        if name.startswith("SQLITE_BUSY") or isinstance(error, TimeoutError | PoolTimeoutError):
            return "another process keeps it, and others wait: end that one"
        return (
            "see that its folder can be written and has space, or name another one in"
            " STUDIOGRAPH_DATA"
        )

    def _identity(self) -> tuple[int, int] | None:
        """Return which file is there now."""
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino


class PostgresServer:
    """A database of a PostgreSQL server."""

    timeout_seconds = POSTGRES_SECONDS

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.conninfo = url
        # A connection that breaks amid a transaction leaves its locks in PostgreSQL, where nothing
        # would notice it for two hours: calls that need the same rows would wait that long.
        ours = f"-c idle_in_transaction_session_timeout={POSTGRES_SECONDS}s"
        theirs = dict(parse_qsl(parts.query)).get("options", "")
        self.connect_options = {**CONNECT_OPTIONS, "options": f"{ours} {theirs}".rstrip()}
        self.place = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        self.url = url.replace("postgresql", "postgresql+psycopg", 1)

    def engine(self) -> Engine:
        """Return a pool that checks each connection before it is used."""
        import psycopg  # noqa: PLC0415 - 0.2 s, only with PostgreSQL

        return create_engine(
            "postgresql+psycopg://",
            creator=lambda: psycopg.connect(self.conninfo, **self.connect_options),
            pool_size=MAX_IDLE_CONNECTIONS,
            max_overflow=MAX_IDLE_CONNECTIONS,
            pool_timeout=POSTGRES_SECONDS,
            pool_pre_ping=True,
            hide_parameters=True,
        )

    def exists(self) -> bool:
        """Return True: whether it does, only a connection can tell."""
        return True

    def is_set_up(self, _: Engine) -> bool:
        """Return True: there is nothing to set up."""
        return True

    @contextmanager
    def setting_up(self, _: Engine) -> Iterator[None]:
        """Do nothing: the database is there."""
        yield

    def lock(self, connection: Connection) -> None:
        """Make this transaction the only one that writes, of those that ask for it."""
        connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})

    def hint_for(self, _: BaseException) -> str:
        """Return what the owner can do about an error."""
        return (
            "see that PostgreSQL runs there and lets this user in, or name another database in"
            " STUDIOGRAPH_DATABASE_URL"
        )


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
