"""The stores of rate limit counters, an empty one for each test."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from databases import store
from rate_limit_callers import Place

from resolvers.db.database import Database

REDIS = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/0")

SHARED = ["sqlite", "postgresql", "redis"]
STORES = [*SHARED, "memory"]


@contextmanager
def placed(kind: str, folder: Path) -> Iterator[Place]:
    """A place of this kind, gone afterwards."""
    with store("postgresql" if kind == "postgresql" else "sqlite", folder) as database:
        Database(database).ensure_schema()
        if kind != "redis":
            yield Place("memory://" if kind == "memory" else "", database)
            return
        place = Place(REDIS, database)
        with asked_redis() as client:
            yield place
            for key in client.scan_iter(f"studiograph:{place.name}*"):
                client.delete(key)


@contextmanager
def asked_redis() -> Iterator["redis.Redis"]:
    """A client of Redis that was answered."""
    with redis.Redis.from_url(REDIS) as client:
        try:
            client.ping()
        except redis.ConnectionError:
            if "CI" in os.environ:
                raise
            pytest.skip("no Redis answers")
        yield client
