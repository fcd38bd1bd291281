"""The stores of rate limit counters, an empty one for each test."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from databases import store
from rate_limit_callers import Place

from resolvers.db.database import Database

STORES = ["sqlite", "postgresql"]


@contextmanager
def placed(kind: str, folder: Path) -> Iterator[Place]:
    """A place of this kind, gone afterwards."""
    with store(kind, folder) as database:
        Database(database).ensure_schema()
        yield Place(database)
