"""The store of jobs: how to connect to it, whether it answers, and its unfinished jobs.

DBOS could list them, but importing it would cost each start, `status` and the metrics of each
process 0.7 s of CPU and 25 MiB more. So its table is read as its documentation describes it.
"""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event, inspect
from sqlalchemy.exc import SQLAlchemyError

from resolvers.db.database import PostgresServer
from sdl.errors import UnavailableError

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
_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
_BUSY_SECONDS = 30
"""How long one writer of SQLite waits for another; DBOS's own engine waits as long."""

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


def make_engine(url: str) -> Engine:
    """Return the engine of a job store; its first connection creates the file of SQLite."""
    if not url.startswith("sqlite"):
        return PostgresServer(url.replace("+psycopg", "", 1)).engine()
    engine = create_engine(
        url,
        # Two transactions that read and then write would deadlock, were they not IMMEDIATE.
        connect_args={"timeout": _BUSY_SECONDS, "isolation_level": "IMMEDIATE"},
        max_overflow=0,
        hide_parameters=True,
    )

    @event.listens_for(engine, "do_connect")
    def make_file(*_: object) -> None:
        file = _file(engine)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o600)

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _: object) -> None:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    return engine


def has_tables(engine: Engine) -> bool:
    """Return whether DBOS has made its tables. Raises: SQLAlchemyError, OSError."""
    return inspect(engine).has_table("workflow_status", _schema(engine))


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


@contextmanager
def raise_unavailable() -> Iterator[None]:
    """Turn errors of the store into UnavailableError; without one, it has answered."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        raise unavailable_on_error(error) from error
    STORE.answered()


def unavailable_on_error(error: Exception) -> UnavailableError:
    """Log why the store of jobs does not answer; return the error for the caller."""
    cause = getattr(error, "orig", None) or error  # SQLAlchemy keeps the driver's error there
    reason = str(cause).partition("\n")[0] or "timeout"
    # SQLite has this class itself for a file that is damaged, and others for what may pass.
    STORE.failed(reason, DAMAGED if type(cause) is sqlite3.DatabaseError else "")
    return UnavailableError("The job queue does not answer.")


def _unfinished_job(job_id: str, kind: str, status: str, delay_ms: int | None) -> UnfinishedJob:
    job_key, _, attempt = job_id.removeprefix(f"{kind}:").rpartition(":")
    due_at = delay_ms / 1000 if delay_ms is not None and status == "DELAYED" else None
    return UnfinishedJob(job_id, kind, job_key, int(attempt), STATES[status], due_at)


def _rows(url: str, query: str) -> list[Any]:
    """Return the rows of a query, none where the tables do not exist yet."""
    engine = make_engine(url)
    if engine.dialect.name == "sqlite" and not _file(engine).exists():
        return []  # to look must not make the file
    schema = _schema(engine)
    try:
        with raise_unavailable():
            if not has_tables(engine):
                return []
            with engine.connect() as connection:
                query = query.format(f"{schema}." if schema else "")
                return [*connection.exec_driver_sql(query)]
    finally:
        engine.dispose()


def _file(engine: Engine) -> Path:
    return Path(str(engine.url.database))


def _schema(engine: Engine) -> str | None:
    return "dbos" if engine.dialect.name == "postgresql" else None
