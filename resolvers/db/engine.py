"""The asynchronous connections to the state database, by SQLAlchemy; imported at first use."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

# SQLAlchemy loads a dialect when an engine is made. A second thread that makes one meanwhile finds
# the dialect half loaded and fails, so all three are loaded here.
import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite.aiosqlite
import sqlalchemy.dialects.sqlite.pysqlite  # noqa: F401 - the jobs connect with it
from psycopg import AsyncConnection as PsycopgConnection
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.waiting import wait_async
from sqlalchemy import URL, Connection, event
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from resolvers.db.stores import WAIT_SECONDS, PostgresServer, SqliteFile

MAX_IDLE_CONNECTIONS = 5
"""How many connections to PostgreSQL stay open; twice as many may be in use at once."""

_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")


def make_engine(store: SqliteFile | PostgresServer) -> AsyncEngine:
    """Return the connection pool of a store. No connection is opened yet."""
    return _sqlite_engine(store) if isinstance(store, SqliteFile) else _postgres_engine(store)


@asynccontextmanager
async def transaction(
    engine: AsyncEngine, seconds: float, unavailable: Callable[[BaseException], Exception]
) -> AsyncIterator[AsyncConnection]:
    """Open a connection and a transaction on it, and commit it at the end of the block.

    If the store fails, or the block takes longer than `seconds`, raise what `unavailable` makes of
    the driver's error.
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit, engine.begin() as connection:
            yield connection
    except (IntegrityError, DataError):
        raise  # the statement is wrong, not the store
    except (DBAPIError, PoolTimeoutError) as error:
        raise unavailable(error) from error
    except TimeoutError as error:
        if not limit.expired():
            raise
        if engine.dialect.name == "postgresql":
            # Its other connections are likely as silent, and each would cost one more call.
            await engine.dispose()
        raise unavailable(error) from error


def _sqlite_engine(file: SqliteFile) -> AsyncEngine:
    """Return a pool of one connection: SQLite has one writer, and a pool waits with less delay."""
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=file.uri, query={"uri": "true", **file.options}),
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
        connection.rollback()  # after a cancelled task, closing alone leaves the file locked

    return engine


def _postgres_engine(server: PostgresServer) -> AsyncEngine:
    """Return a pool that checks each connection before it is used."""

    def connect(**_: Any) -> Any:
        return _CancellableConnection.connect(server.conninfo, **server.connect_options)

    return create_async_engine(
        "postgresql+psycopg://",
        async_creator=connect,
        pool_size=MAX_IDLE_CONNECTIONS,
        max_overflow=MAX_IDLE_CONNECTIONS,
        pool_timeout=server.timeout_seconds,
        pool_pre_ping=True,
        hide_parameters=True,
    )


class _CancellableConnection(PsycopgConnection[TupleRow]):
    """A connection that is closed when its task is cancelled.

    psycopg would ask the server to cancel the statement and wait 10 s for a silent one.
    """

    async def wait(
        self,
        gen: PQGen[Any],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is psycopg's
    ) -> Any:
        """Return the server's response."""
        try:
            return await wait_async(gen, self.pgconn.socket, interval, timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise
