"""Empty stores of jobs: a SQLite file or a PostgreSQL database."""

import os
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

SERVER = os.environ.get("TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/test")
STORES = ("sqlite", "postgresql")


@contextmanager
def a_store(name: str, folder: Path) -> Iterator[str]:
    """The address of an empty store, gone at the end."""
    if name == "sqlite":
        yield f"sqlite:///{folder / 'jobs.db'}"
        return
    try:
        server = _server()
    except psycopg.OperationalError:
        if "CI" in os.environ:
            raise
        pytest.skip("no PostgreSQL answers")
    database = f"jobs_{secrets.token_hex(6)}"
    with server:
        server.execute(f"CREATE DATABASE {database}".encode())
        try:
            yield f"{SERVER.rpartition('/')[0]}/{database}"
        finally:
            server.execute(f"DROP DATABASE {database} WITH (FORCE)".encode())


def shut(url: str) -> None:
    """End every session of a PostgreSQL store and let no new one in."""
    with _server() as server:
        server.execute(f"ALTER DATABASE {_name(url)} ALLOW_CONNECTIONS false".encode())
    end_sessions(url)


def reopen(url: str) -> None:
    """Let sessions in again."""
    with _server() as server:
        server.execute(f"ALTER DATABASE {_name(url)} ALLOW_CONNECTIONS true".encode())


def end_sessions(url: str, application: str = "%") -> None:
    """End the sessions of a PostgreSQL store whose application is named like this."""
    with _server() as server:
        server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND application_name LIKE %s",
            (_name(url), application),
        )


def _server() -> psycopg.Connection:
    return psycopg.connect(SERVER.replace("+psycopg", ""), autocommit=True, connect_timeout=5)


def _name(url: str) -> str:
    return url.rpartition("/")[2]


def rows(url: str, question: str) -> list[tuple[Any, ...]]:
    """What the store says; `TABLE.` in the question stands for where the tables are."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30)) as connection:
            return connection.execute(question.replace("TABLE.", "")).fetchall()
    with psycopg.connect(url.replace("+psycopg", "")) as session:
        return session.execute(question.replace("TABLE.", "dbos.").encode()).fetchall()


def age(url: str, job: str) -> None:
    """Have a job finished long ago."""
    row = f"workflow_uuid = '{job}'"
    order = f"UPDATE TABLE.workflow_status SET completed_at = 1 WHERE {row}"  # noqa: S608 - ours
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), timeout=30)) as connection:
            connection.execute(order.replace("TABLE.", ""))
            connection.commit()
        return
    with psycopg.connect(url.replace("+psycopg", "")) as session:
        session.execute(order.replace("TABLE.", "dbos.").encode())


def states(url: str, kind: str = "note") -> dict[str, int]:
    """How many rows of a kind are in which state."""
    found = rows(url, "SELECT status, name FROM TABLE.workflow_status")
    return Counter(state for state, name in found if name == kind)
