"""SQLite and PostgreSQL: how to connect, be the only writer, and what helps after an error."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from resolvers.files import locked

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
