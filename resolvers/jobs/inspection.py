"""Where jobs are kept, looked at by plain DB-API: what the start may afford. No engine here."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sdl.errors import UnavailableError

ANSWER_SECONDS = 5
CONNECT_TIMEOUT: dict[str, Any] = {
    "connect_timeout": ANSWER_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20000,
}
"""How soon a PostgreSQL that vanished is noticed, as libpq is told. Source: libpq, 34.1.2."""

log = logging.getLogger("studiograph.jobs")

STATES = {
    "ENQUEUED": "pending",
    "PENDING": "running",
    "DELAYED": "delayed",
    "ERROR": "dead",
}
"""What is told of an unfinished or a failed job, by the engine's word for it."""

T = TypeVar("T")


@dataclass(frozen=True)
class UnfinishedJob:
    """A job that waits, runs or was given up."""

    id: str
    kind: str
    job_key: str
    attempt: int
    status: str
    due_at: float | None
    """When it runs, if it must wait. Units: seconds since 1970."""


_LISTED = (
    "SELECT workflow_uuid, name, status, delay_until_epoch_ms FROM {}workflow_status"
    " WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING', 'ERROR') ORDER BY created_at"
)
_OPEN_IN_FILE = (
    "SELECT 1 FROM workflow_status WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING') LIMIT 1"
)
_OPEN_IN_SCHEMA = (
    "SELECT 1 FROM dbos.workflow_status WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING') LIMIT 1"
)
_TABLE_IN_FILE = "SELECT 1 FROM sqlite_master WHERE name = 'workflow_status'"
_TABLE_IN_SCHEMA = "SELECT to_regclass('dbos.workflow_status')"


def is_sqlite(url: str) -> bool:
    """Whether the store is a file."""
    return url.startswith("sqlite:///")


def database_file(url: str) -> Path:
    """The file of a store that is one."""
    return Path(url.removeprefix("sqlite:///"))


def conninfo(url: str) -> str:
    """The address of a PostgreSQL as its own client library reads it."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def has_unfinished(url: str) -> bool:
    """Whether something is unfinished. Raises: Unavailable."""
    return _asked(url, lambda at: _found(at, _open_in(url))) or False


def list_unfinished(url: str) -> list[UnfinishedJob]:
    """Every job that waits, runs or was given up, the oldest first. Raises: Unavailable."""
    question = _LISTED.format("" if is_sqlite(url) else "dbos.")
    return _asked(url, lambda at: [_row(*each) for each in at.execute(question)]) or []


def _open_in(url: str) -> str:
    return _OPEN_IN_FILE if is_sqlite(url) else _OPEN_IN_SCHEMA


def _row(job: str, kind: str, status: str, delay: int | None) -> UnfinishedJob:
    about, _, attempt = job.removeprefix(f"{kind}:").rpartition(":")
    due_at = delay / 1000 if delay is not None and status == "DELAYED" else None
    return UnfinishedJob(job, kind, about, int(attempt), STATES[status], due_at)


def _asked(url: str, ask: Callable[[Any], T]) -> T | None:
    """What is asked of the tables; nothing where there are none. Raises: Unavailable."""
    return _file_asked(database_file(url), ask) if is_sqlite(url) else _schema_asked(url, ask)


def _file_asked(file: Path, ask: Callable[[Any], T]) -> T | None:
    if not file.exists():
        return None
    place = f"{file.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(place, uri=True, timeout=ANSWER_SECONDS)) as connection:
            return ask(connection) if _found(connection, _TABLE_IN_FILE) else None
    except sqlite3.Error as error:
        raise unavailable_on_error(error) from error


def _schema_asked(url: str, ask: Callable[[Any], T]) -> T | None:
    import psycopg  # noqa: PLC0415 - only where there is a PostgreSQL

    try:
        with psycopg.connect(conninfo(url), **CONNECT_TIMEOUT) as connection:
            return ask(connection) if _found(connection, _TABLE_IN_SCHEMA) else None
    except psycopg.Error as error:
        raise unavailable_on_error(error) from error


def _found(connection: Any, question: str) -> bool:
    row = connection.execute(question).fetchone()
    return row is not None and row[0] is not None


def unavailable_on_error(error: Exception) -> UnavailableError:
    """What a caller is told of a store that does not answer; the log is told why."""
    log.warning("The store of jobs does not answer: %s", str(error).partition("\n")[0] or "late")
    return UnavailableError("The queue does not answer")
