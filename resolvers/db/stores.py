"""SQLite and PostgreSQL by plain DB-API: how to connect, lock, and read the schema version."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from resolvers.files import locked

WAIT_SECONDS = 10
"""How long one writer waits for another."""
MIGRATION_SECONDS = 60
"""How long a start waits for another process that creates tables."""
POSTGRES_SECONDS = 4
"""How long a call waits for PostgreSQL, and PostgreSQL amid a transaction for us."""
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

KINDS = ("sqlite", "postgresql")
_LOCK = 0x7374_7564_696F
"""The advisory lock of PostgreSQL that a process holds while it writes or migrates."""


def script_path(kind: str) -> Path:
    """Return the file with the statements that create every table."""
    return Path(__file__).with_name(f"{kind}.sql")


class SqliteFile:
    """A SQLite file."""

    kind = "sqlite"
    options: ClassVar[dict[str, str]] = {"mode": "rw"}  # never create a lost file anew
    timeout_seconds = 15  # longer than one writer waits for another
    placeholder = "?"
    errors = (sqlite3.Error, OSError)

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.place = str(path)

    @property
    def url(self) -> str:
        """The URL for SQLAlchemy."""
        return f"sqlite+aiosqlite:///{self.path}"

    @property
    def uri(self) -> str:
        """The path as a URI for SQLite."""
        return f"file:{quote(str(self.path))}"

    def hint_for(self, error: BaseException) -> str:
        """Return what the owner can do about an error of the driver."""
        cause = getattr(error, "orig", error)  # SQLAlchemy keeps the driver's error there
        name = getattr(cause, "sqlite_errorname", "")
        if name in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
            return "the file is damaged: restore it from a backup"
        if name.startswith("SQLITE_BUSY"):
            return f"another process keeps it for more than {WAIT_SECONDS} seconds: end that one"
        return (
            "see that its folder can be written and has space, or name another one in"
            " STUDIOGRAPH_DATA"
        )

    def connect(self) -> sqlite3.Connection:
        """Return a connection on which each statement commits unless a transaction was begun."""
        connection = sqlite3.connect(
            f"{self.uri}?{urlencode(self.options)}",
            uri=True,
            timeout=WAIT_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # one thread after the other
        )
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")  # forwarded mails must leave no trace
        return connection

    def begin(self, connection: sqlite3.Connection) -> None:
        """Begin a transaction as the only writer."""
        connection.execute("BEGIN IMMEDIATE")

    def version(self) -> str | None:
        """Return the schema version, or None without tables."""
        if not self.path.exists():
            return None
        query = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        with closing(self.connect()) as connection:
            if connection.execute(query).fetchone() is None:
                return None
            return _read_version(connection)

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection while no other process creates tables; only the owner can read."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f"{self.path.name}.lock")):
            self.path.touch(mode=0o600)
            with closing(self.connect()) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                yield connection


class PostgresServer:
    """A database of a PostgreSQL server."""

    kind = "postgresql"
    timeout_seconds = POSTGRES_SECONDS
    placeholder = "%s"

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.conninfo = url
        # A connection that breaks amid a transaction leaves its locks in PostgreSQL, where nothing
        # would notice it for two hours: calls that need the same rows would wait that long.
        ours = f"-c idle_in_transaction_session_timeout={POSTGRES_SECONDS}s"
        theirs = dict(parse_qsl(parts.query)).get("options", "")
        self.connect_options = {**CONNECT_OPTIONS, "options": f"{ours} {theirs}".rstrip()}
        self.place = f"{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def url(self) -> str:
        """The URL for SQLAlchemy."""
        return self.conninfo.replace("postgresql", "postgresql+psycopg", 1)

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The errors that the driver raises."""
        import psycopg  # noqa: PLC0415 - 0.07 s, only with PostgreSQL

        return psycopg.Error, OSError

    def hint_for(self, _: BaseException) -> str:
        """Return what the owner can do about an error of the driver."""
        return (
            "see that PostgreSQL runs there and lets this user in, or name another database in"
            " STUDIOGRAPH_DATABASE_URL"
        )

    def connect(self) -> Any:
        """Return a connection on which the first statement begins a transaction."""
        import psycopg  # noqa: PLC0415 - 0.07 s, only with PostgreSQL

        return psycopg.connect(self.conninfo, **self.connect_options)

    def begin(self, connection: Any) -> None:
        """Begin a transaction as the only writer."""
        connection.execute(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'")
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")

    def version(self) -> str | None:
        """Return the schema version, or None without tables."""
        with closing(self.connect()) as connection:
            (table,) = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
            return None if table is None else _read_version(connection)

    @contextmanager
    def exclusive(self) -> Iterator[Any]:
        """Yield a connection while no other process creates tables."""
        with closing(self.connect()) as connection:
            for limit in ("lock_timeout", "idle_in_transaction_session_timeout"):
                connection.execute(f"SET {limit} = '{MIGRATION_SECONDS}s'")
            connection.execute(f"SELECT pg_advisory_lock({_LOCK})")
            connection.commit()
            yield connection


def _read_version(connection: Any) -> str | None:
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])
