"""The two stores by plain DB-API: how each is reached, locked and asked for its version.

Nothing heavy is imported before a store is used. Translates no error.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote, urlencode, urlsplit

from resolvers.files import locked

WAIT_SECONDS = 10
"""How long one writer waits for another."""
CONNECTING: dict[str, Any] = {
    "connect_timeout": 5,
    "tcp_user_timeout": 10_000,  # a server whose machine is gone says nothing, for hours
    "keepalives_idle": 10,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}
"""How long PostgreSQL is waited for.

Units: seconds; milliseconds for `tcp_user_timeout`.
"""

KINDS = ("sqlite", "postgresql")
_LOCK = 0x7374_7564_696F
"""The advisory lock in PostgreSQL under which one process writes, and one migrates."""


def load_script(kind: str) -> Path:
    """The file with the statements that make every table."""
    return Path(__file__).with_name(f"{kind}.sql")


class SqliteFile:
    """A SQLite file."""

    kind = "sqlite"
    options: ClassVar[dict[str, str]] = {"mode": "rw"}  # a file that is lost is not made again
    patience_seconds = 15  # more than one writer waits for another
    mark = "?"
    fix = (
        "see that its folder can be written and has space, or name another one in STUDIOGRAPH_DATA"
    )
    errors = (sqlite3.Error, OSError)

    def hint_for(self, error: BaseException | None) -> str:
        """What the owner can do about an error of the driver's."""
        is_damaged = getattr(error, "sqlite_errorname", "") in ("SQLITE_NOTADB", "SQLITE_CORRUPT")
        return "the file is damaged: restore it from a backup" if is_damaged else self.fix

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.place = str(path)

    @property
    def url(self) -> str:
        """The address as SQLAlchemy reads it."""
        return f"sqlite+aiosqlite:///{self.path}"

    @property
    def name(self) -> str:
        """The path as SQLite reads it."""
        return f"file:{quote(str(self.path))}"

    def connect(self) -> sqlite3.Connection:
        """A connection; every statement is its own transaction until one is begun."""
        connection = sqlite3.connect(
            f"{self.name}?{urlencode(self.options)}",
            uri=True,
            timeout=WAIT_SECONDS,
            isolation_level=None,
        )
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA secure_delete=ON")  # mails are forgotten once they are forwarded
        return connection

    def begin(self, connection: sqlite3.Connection) -> None:
        """Nothing, once this connection is the only one that writes."""
        connection.execute("BEGIN IMMEDIATE")

    def version(self) -> str | None:
        """The version of the tables; nothing where there are none."""
        if not self.path.exists():
            return None
        named = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        with closing(self.connect()) as connection:
            if connection.execute(named).fetchone() is None:
                return None
            return _version(connection)

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """A connection of the only process that makes tables; the file is its owner's alone."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(f"{self.path.name}.lock")):
            self.path.touch(mode=0o600)
            with closing(self.connect()) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
                yield connection


class PostgresServer:
    """A database of a PostgreSQL server."""

    kind = "postgresql"
    patience_seconds = 5
    mark = "%s"
    fix = (
        "see that PostgreSQL runs there and lets this user in, or name another database in"
        " STUDIOGRAPH_DATABASE_URL"
    )

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.conninfo = url
        self.place = f"{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def url(self) -> str:
        """The address as SQLAlchemy reads it."""
        return self.conninfo.replace("postgresql", "postgresql+psycopg", 1)

    def hint_for(self, _: BaseException | None) -> str:
        """What the owner can do about an error of the driver's."""
        return self.fix

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What the driver raises."""
        import psycopg  # noqa: PLC0415 - only with PostgreSQL

        return psycopg.Error, OSError

    def connect(self) -> Any:
        """A connection; a transaction begins with its first statement."""
        import psycopg  # noqa: PLC0415 - only with PostgreSQL

        return psycopg.connect(self.conninfo, **CONNECTING)

    def begin(self, connection: Any) -> None:
        """Nothing, once this connection is the only one that writes."""
        connection.execute(f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s'")
        connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")

    def version(self) -> str | None:
        """The version of the tables; nothing where there are none."""
        with closing(self.connect()) as connection:
            (table,) = connection.execute("SELECT to_regclass('alembic_version')").fetchone()
            return None if table is None else _version(connection)

    @contextmanager
    def exclusive(self) -> Iterator[Any]:
        """A connection of the only process that makes tables."""
        with closing(self.connect()) as connection:
            connection.execute(f"SELECT pg_advisory_lock({_LOCK})")
            connection.commit()
            yield connection


def _version(connection: Any) -> str | None:
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])
