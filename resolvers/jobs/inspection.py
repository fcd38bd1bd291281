"""Unfinished jobs, read with plain DB-API.

DBOS's client could list them, but importing DBOS would cost each start, `status` and the metrics of
each process 0.7 s of CPU and 25 MiB more.
"""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdl.errors import UnavailableError

TIMEOUT_SECONDS = 5
CONNECT_OPTIONS: dict[str, Any] = {
    "connect_timeout": TIMEOUT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20000,
}
"""Options by which libpq soon notices a PostgreSQL that vanished. Source: libpq, 34.1.2."""

STATES = {
    "ENQUEUED": "pending",
    "PENDING": "running",
    "DELAYED": "delayed",
    "ERROR": "dead",
}
"""DBOS's states of unfinished and failed jobs, and our names for them."""

_LIST = (
    "SELECT workflow_uuid, name, status, delay_until_epoch_ms FROM {}workflow_status"
    " WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING', 'ERROR') ORDER BY created_at"
)
_COUNT = (
    "SELECT name, count(*) FROM {}workflow_status"
    " WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING', 'ERROR') GROUP BY name"
)
_ANY = "SELECT 1 FROM {}workflow_status WHERE status IN ('ENQUEUED', 'DELAYED', 'PENDING') LIMIT 1"
_SQLITE_TABLE = "SELECT 1 FROM sqlite_master WHERE name = 'workflow_status'"
_POSTGRES_TABLE = (
    "SELECT 1 FROM pg_tables WHERE schemaname = 'dbos' AND tablename = 'workflow_status'"
)

DAMAGED = (
    ". Fix: stop the service, move the file jobs.db (that of STUDIOGRAPH_JOBS_URL, if it is set)"
    " away, and start it again; only deliveries and mails that waited in it are lost."
)

log = logging.getLogger("studiograph.jobs")


@dataclass(frozen=True)
class UnfinishedJob:
    """A job that waits, runs or has failed for good."""

    id: str
    kind: str
    job_key: str
    attempt: int
    status: str
    due_at: float | None
    """When a delayed job runs. Units: seconds since 1970."""


def is_sqlite(url: str) -> bool:
    """Return whether the store is a SQLite file."""
    return url.startswith("sqlite:///")


def database_file(url: str) -> Path:
    """Return the file of a SQLite store."""
    return Path(url.removeprefix("sqlite:///"))


def conninfo(url: str) -> str:
    """Return the address of a PostgreSQL store in the form that libpq reads."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


def has_unfinished(url: str) -> bool:
    """Return whether a job waits or runs. Raises: UnavailableError."""
    return bool(_rows(url, _ANY))


def list_unfinished(url: str) -> list[UnfinishedJob]:
    """Return the jobs that wait, run or have failed, oldest first. Raises: UnavailableError."""
    return [_unfinished_job(*row) for row in _rows(url, _LIST)]


def count_unfinished(url: str) -> dict[str, int]:
    """Return how many of those jobs each kind has. Raises: UnavailableError."""
    return dict(_rows(url, _COUNT))


class _Store:
    """The store of jobs of this process: why it does not answer, as far as is known."""

    def __init__(self) -> None:
        self.fault = ""

    def failed(self, reason: str, fix: str) -> None:
        """Log a reason once, however often it is met, until the store answers."""
        if reason != self.fault:
            self.fault = reason
            log.warning("The store of jobs does not answer: %s%s", reason, fix)

    def answered(self) -> None:
        """Note that it answers."""
        if self.fault:
            self.fault = ""
            log.info("The store of jobs answers again")


STORE = _Store()


def unavailable_on_error(error: Exception) -> UnavailableError:
    """Log why the store of jobs does not answer; return the error for the caller."""
    reason = str(error).partition("\n")[0] or "timeout"
    # SQLite has this class itself for a file that is damaged, and others for what may pass.
    is_damaged = type(getattr(error, "orig", error)) is sqlite3.DatabaseError
    STORE.failed(reason, DAMAGED if is_damaged else "")
    return UnavailableError("The job queue does not answer.")


def _unfinished_job(job_id: str, kind: str, status: str, delay_ms: int | None) -> UnfinishedJob:
    job_key, _, attempt = job_id.removeprefix(f"{kind}:").rpartition(":")
    due_at = delay_ms / 1000 if delay_ms is not None and status == "DELAYED" else None
    return UnfinishedJob(job_id, kind, job_key, int(attempt), STATES[status], due_at)


def _rows(url: str, query: str) -> list[Any]:
    """Return the rows of a query, none where the tables do not exist yet."""
    if is_sqlite(url):
        file = database_file(url)
        if not file.exists():
            return []
        uri = f"{file.absolute().as_uri()}?mode=rw"  # does not create the file
        return _select(
            lambda: sqlite3.connect(uri, uri=True, timeout=TIMEOUT_SECONDS),
            sqlite3.Error,
            _SQLITE_TABLE,
            query.format(""),
        )
    import psycopg  # noqa: PLC0415 - 0.07 s, only with PostgreSQL

    return _select(
        lambda: psycopg.connect(conninfo(url), **CONNECT_OPTIONS),
        psycopg.Error,
        _POSTGRES_TABLE,
        query.format("dbos."),
    )


def _select(
    connect: Callable[[], Any], errors: type[Exception], table: str, query: str
) -> list[Any]:
    try:
        with closing(connect()) as connection:
            has_table = connection.execute(table).fetchone() is not None
            rows: list[Any] = connection.execute(query).fetchall() if has_table else []
    except errors as error:
        raise unavailable_on_error(error) from error
    STORE.answered()
    return rows
