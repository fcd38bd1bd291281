"""The asynchronous way into the state database. Imported when it is first used: it is heavy."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import URL, Connection, event
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as NoneFree
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

import resolvers.db.dialects  # noqa: F401 - before any engine is made
from resolvers.db.stores import CONNECTING, WAIT_SECONDS, PostgresServer, SqliteFile
from sdl.errors import StudiographError

CONNECTIONS = 5

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")


class DatabaseUnavailableError(StudiographError):
    """The store did not do what it was asked for."""


def engine_of(store: SqliteFile | PostgresServer) -> AsyncEngine:
    """The connections to a store, none of them made yet."""
    return _sqlite(store) if isinstance(store, SqliteFile) else _postgres(store)


@asynccontextmanager
async def transaction(
    engine: AsyncEngine, patience_seconds: float
) -> AsyncIterator[AsyncConnection]:
    """A connection in a transaction; a store that stands still is away as well. Raises: Away."""
    limit = asyncio.timeout(patience_seconds)
    try:
        async with limit, engine.begin() as connection:
            yield connection
    except (IntegrityError, DataError):
        raise  # the statement is wrong, not the store
    except (DBAPIError, NoneFree) as error:
        raise DatabaseUnavailableError from error
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise DatabaseUnavailableError from error


def _sqlite(file: SqliteFile) -> AsyncEngine:
    """One connection: SQLite has one writer, and who waits for it in line waits the least."""
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=file.name, query={"uri": "true", **file.options}),
        connect_args={"timeout": WAIT_SECONDS, "isolation_level": None},
        pool_size=1,
        max_overflow=0,
        pool_timeout=WAIT_SECONDS,
        hide_parameters=True,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def connect(connection: Any, _: object) -> None:
        cursor = connection.cursor()
        for pragma in _PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @event.listens_for(engine.sync_engine, "invalidate")
    def invalidate(connection: Any, *_: object) -> None:
        connection.rollback()  # what is only closed, amid a cancelled task, stays locked

    return engine


def _postgres(server: PostgresServer) -> AsyncEngine:
    """Some connections, each asked whether it lives before it is used."""
    from resolvers.db.cancellable import CancellableConnection  # noqa: PLC0415 - only with PostgreSQL

    def connect(**_: Any) -> Any:
        return CancellableConnection.connect(server.conninfo, **CONNECTING)

    return create_async_engine(
        "postgresql+psycopg://",
        async_creator=connect,
        pool_size=CONNECTIONS,
        max_overflow=CONNECTIONS,
        pool_timeout=server.patience_seconds,
        pool_pre_ping=True,
        hide_parameters=True,
    )
