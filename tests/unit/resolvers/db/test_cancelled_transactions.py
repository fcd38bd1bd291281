"""A task that is cancelled amid a transaction leaves the database to the others."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import text

from resolvers.db.database import Database

HIT = text(
    "INSERT INTO rate_limit VALUES ('a', 1, 1)"
    " ON CONFLICT (key) DO UPDATE SET hits = rate_limit.hits + 1"
)
CANCELLED = 80


async def hit(database: Database) -> None:
    """One transaction."""
    async with database.connect() as connection:
        await connection.execute(HIT)


async def cancelled_again_and_again(database: Database) -> None:
    """Transactions that are cancelled ever later, each followed by one that is not."""
    await hit(database)
    for turn in range(CANCELLED):
        task = asyncio.ensure_future(hit(database))
        await asyncio.wait([task], timeout=turn * 0.00005)
        task.cancel()
        await asyncio.wait([task])
        await hit(database)
    await database.close()


def test_a_cancelled_task_leaves_no_lock(tmp_path: Path) -> None:
    file = tmp_path / "studio.db"
    asyncio.run(cancelled_again_and_again(Database(f"sqlite:///{file}")))
    with closing(sqlite3.connect(file, timeout=0.5)) as other:
        assert other.execute("SELECT hits FROM rate_limit").fetchone()[0] > CANCELLED
        other.execute("DELETE FROM rate_limit")
        other.commit()
