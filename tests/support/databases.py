"""Empty state databases: a SQLite file or a schema of PostgreSQL.

`TEST_POSTGRES_URL` is the address of PostgreSQL; the default is on the loopback. Where PostgreSQL
does not answer, its tests are skipped, except in CI.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
import pytest

KINDS = ("sqlite", "postgresql")
POSTGRES = os.environ.get(
    "TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/test"
).replace("+psycopg", "")


@contextmanager
def store(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty store of a kind; what it needs of files stands in the folder."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'studio.db'}"
        return
    if why := _missing():
        pytest.skip(why)
    schema = f"studiograph_{secrets.token_hex(8)}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE SCHEMA {schema}".encode())
        try:
            mark = "&" if "?" in POSTGRES else "?"
            yield f"{POSTGRES}{mark}options=-csearch_path%3D{schema}"
        finally:
            server.execute("SET lock_timeout = '20s'")  # somebody may have left a transaction
            server.execute(f"DROP SCHEMA {schema} CASCADE".encode())


@cache
def _missing() -> str:
    """Why there is no PostgreSQL, if there is none."""
    try:
        psycopg.connect(POSTGRES, connect_timeout=5).close()
    except psycopg.OperationalError:
        if "CI" in os.environ:
            raise
        return f"no PostgreSQL answers at {POSTGRES.rpartition('@')[2]}"
    return ""
