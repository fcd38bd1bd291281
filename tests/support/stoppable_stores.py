"""Stores that a test can stop, pause and start again."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from databases import store
from rate_limit_callers import Place
from tcp_relay import relay

from resolvers.db.database import Database


@dataclass(frozen=True)
class Trouble:
    """A place, what takes its store away, and what brings it back."""

    place: Place
    stop: Callable[[], object]
    start: Callable[[], object]


@contextmanager
def locked_file(folder: Path) -> Iterator[Trouble]:
    """A SQLite file that another process can hold."""
    file = folder / "studio.db"
    Database(f"sqlite:///{file}").ensure_schema()
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        yield Trouble(
            Place(f"sqlite:///{file}"),
            lambda: other.execute("BEGIN EXCLUSIVE"),
            lambda: other.execute("ROLLBACK"),
        )


@contextmanager
def cut_off(folder: Path) -> Iterator[Trouble]:
    """A PostgreSQL behind a relay that can be cut."""
    with store("postgresql", folder) as url:
        Database(url).ensure_schema()
        parts = urlsplit(url)
        with relay(parts.hostname or "127.0.0.1", parts.port or 5432) as wire:
            near = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{wire.port}")
            yield Trouble(Place(near), wire.cut, wire.mend)


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Nothing, once it is true; a failure if it is not in time."""
    pace, deadline = threading.Event(), time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        pace.wait(0.01)
