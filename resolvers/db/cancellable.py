"""A connection to PostgreSQL that waits for nobody once its caller does not. Holds no SQL."""

import asyncio
from typing import Any

from psycopg import AsyncConnection
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.waiting import wait_async


class CancellableConnection(AsyncConnection[TupleRow]):
    """Closed when it is given up; psycopg alone would ask a silent server for 10 s to stop."""

    async def wait(
        self,
        gen: PQGen[Any],
        interval: float = 0.1,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is psycopg's
    ) -> Any:
        """What the server says."""
        try:
            return await wait_async(gen, self.pgconn.socket, interval, timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise
