"""Stores that a test can stop, pause and start again."""

import contextlib
import socket
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
    """A PostgreSQL whose connections can be cut."""
    with wired(folder) as (place, wire):
        yield Trouble(place, wire.cut, wire.listen)


@contextmanager
def wired(folder: Path) -> Iterator[tuple[Place, "Wire"]]:
    """A PostgreSQL behind a wire."""
    with store("postgresql", folder) as url:
        Database(url).ensure_schema()
        parts = urlsplit(url)
        wire = Wire((parts.hostname or "127.0.0.1", parts.port or 5432))
        near = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{wire.port}")
        try:
            yield Place(near), wire
        finally:
            wire.flows.set()
            wire.cut()


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Nothing, once it is true; a failure if it is not in time."""
    pace, deadline = threading.Event(), time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        pace.wait(0.01)


class Wire:
    """A port that leads to another, until it is cut or nothing flows."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.flows = threading.Event()
        self.flows.set()
        self.port = 0
        self._target = target
        self._ends: list[socket.socket] = []
        self.listen()

    def listen(self) -> None:
        """Nothing, once connections are taken."""
        door = socket.create_server(("127.0.0.1", self.port))
        self.port = door.getsockname()[1]
        self._ends = [door]
        threading.Thread(target=self._take, args=(door,), daemon=True).start()

    def cut(self) -> None:
        """Nothing, once no connection is left and none is taken."""
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _take(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._lead, args=(one, other), daemon=True).start()

    def _lead(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self.flows.wait()
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
