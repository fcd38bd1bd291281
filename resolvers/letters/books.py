"""The way of webhooks into the state database. Holds no statement of its users."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from resolvers.state.database import Database, StateFault
from schema.errors import Unavailable

if TYPE_CHECKING:
    from sqlalchemy import CursorResult
    from sqlalchemy.ext.asyncio import AsyncConnection

_LOCK = 0x7375_6273_6372

log = logging.getLogger("studiograph.webhooks")


class Books:
    """Statements of one transaction; in each `:name` stands for a value."""

    def __init__(self, connection: "AsyncConnection") -> None:
        self._connection = connection

    async def run(self, sql: str, **values: Any) -> "CursorResult[Any]":
        """What a statement found."""
        from sqlalchemy import text  # noqa: PLC0415 - heavy; imported by now

        return await self._connection.execute(text(sql), values)

    async def changed(self, sql: str, **values: Any) -> int:
        """How many rows a statement changed."""
        return (await self.run(sql, **values)).rowcount

    async def alone(self) -> None:
        """Nothing, once no other caller of this is before its end.

        SQLite has one writer anyway.
        """
        if self._connection.dialect.name == "postgresql":
            await self.run("SELECT pg_advisory_xact_lock(:lock)", lock=_LOCK)


@asynccontextmanager
async def books_of(database: Database) -> AsyncIterator[Books]:
    """A transaction, which ends with the block. Raises: Unavailable."""
    try:
        async with database.begin() as connection:
            yield Books(connection)
    except StateFault as fault:
        log.error("subscriptions must wait: %s", fault)  # noqa: TRY400 - the fault says it all
        raise Unavailable("Subscriptions cannot be kept now; try again soon.") from None
