"""The way of webhooks into the state database. Holds no statement of its users."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from resolvers.db.database import Database, DatabaseError
from sdl.errors import UnavailableError

if TYPE_CHECKING:
    from sqlalchemy import CursorResult
    from sqlalchemy.ext.asyncio import AsyncConnection

_LOCK = 0x7375_6273_6372

log = logging.getLogger("studiograph.webhooks")


class Session:
    """Statements of one transaction; in each `:name` stands for a value."""

    def __init__(self, connection: "AsyncConnection") -> None:
        self._connection = connection

    async def run(self, sql: str, **values: Any) -> "CursorResult[Any]":
        """What a statement found."""
        from sqlalchemy import text  # noqa: PLC0415 - heavy; imported by now

        return await self._connection.execute(text(sql), values)

    async def run_counted(self, sql: str, **values: Any) -> int:
        """How many rows a statement changed."""
        return (await self.run(sql, **values)).rowcount

    async def lock(self) -> None:
        """Nothing, once no other caller of this is before its end.

        SQLite has one writer anyway.
        """
        if self._connection.dialect.name == "postgresql":
            await self.run("SELECT pg_advisory_xact_lock(:lock)", lock=_LOCK)


@asynccontextmanager
async def open_session(database: Database) -> AsyncIterator[Session]:
    """A transaction, which ends with the block. Raises: Unavailable."""
    try:
        async with database.connect() as connection:
            yield Session(connection)
    except DatabaseError as fault:
        log.error("subscriptions must wait: %s", fault)  # noqa: TRY400 - the fault says it all
        raise UnavailableError("Subscriptions cannot be kept now; try again soon.") from None
