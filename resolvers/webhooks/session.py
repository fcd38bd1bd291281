"""Transactions of webhooks in the state database."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from resolvers.db.database import Database, DatabaseError
from sdl.errors import UnavailableError

if TYPE_CHECKING:
    from sqlalchemy import CursorResult
    from sqlalchemy.ext.asyncio import AsyncConnection

log = logging.getLogger("studiograph.webhooks")


class Session:
    """A transaction; in its statements `:name` stands for a value."""

    def __init__(self, connection: "AsyncConnection") -> None:
        self._connection = connection

    async def run(self, sql: str, **values: Any) -> "CursorResult[Any]":
        """Execute a statement and return its result."""
        from sqlalchemy import text  # noqa: PLC0415 - SQLAlchemy takes 0.3 s

        return await self._connection.execute(text(sql), values)


@asynccontextmanager
async def open_session(database: Database) -> AsyncIterator[Session]:
    """Open a transaction, which is committed at the end of the block. Raises: UnavailableError."""
    try:
        async with database.connect() as connection:
            yield Session(connection)
    except DatabaseError as error:
        log.error("subscriptions must wait: %s", error)  # noqa: TRY400 - the text says it all
        raise UnavailableError("Subscriptions cannot be stored now; try again soon.") from None
