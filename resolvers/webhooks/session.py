"""Transactions of webhooks in the state database."""

import logging
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, CursorResult, text

from resolvers.db.database import Database, DatabaseError
from sdl.errors import UnavailableError

Params = ParamSpec("Params")
Result = TypeVar("Result")

log = logging.getLogger("studiograph.webhooks")


class Session:
    """A transaction; in its statements `:name` stands for a value."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def run(self, sql: str, **values: Any) -> CursorResult[Any]:
        """Execute a statement and return its result."""
        return self._connection.execute(text(sql), values)


async def in_session(
    database: Database,
    work: Callable[Concatenate[Session, Params], Result],
    *args: Params.args,
    **kwargs: Params.kwargs,
) -> Result:
    """Run a function in a transaction, and return its result. Raises: UnavailableError."""

    def transact() -> Result:
        with database.shared_transaction() as connection:
            return work(Session(connection), *args, **kwargs)

    try:
        return await database.run(transact)
    except DatabaseError as error:
        log.error("subscriptions must wait: %s", error)  # noqa: TRY400 - the text says it all
        raise UnavailableError("Subscriptions cannot be stored now; try again soon.") from None
