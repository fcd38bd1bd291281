"""A service whose store is locked, stopped, cut off or silent: it reads, refuses, heals."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from contact_inbox import LETTER, marks_delivered
from tcp_relay import relay
from webhook_server import SCALE, Studio, studio, until
from webhook_sinks import Sink, sink

TIMES = 2 if SCALE > 1 else 1
READS = ("/", "/api/projects", "/api/manifest.sig", "/llms-full.txt", "/readyz", "/api/faq?limit=2")
HEAL_SECONDS = 5
BUSY = 6
"""How many times as long a busy machine may take."""


@dataclass(frozen=True)
class Trouble:
    """A studio, what takes its store away, and what brings it back."""

    made: Studio
    stop: Callable[[], object]
    start: Callable[[], object]


@contextmanager
def locked_sqlite(folder: Path) -> Iterator[Trouble]:
    """A studio whose file another process can hold."""
    with studio("sqlite", folder, **LIMITS) as made, closing(Lock(folder)) as lock:
        yield Trouble(made, lock.take, lock.release)


class Lock:
    """The lock of a studio's file, as another process takes it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "var" / "studio.db"
        self._held: sqlite3.Connection | None = None

    def take(self) -> None:
        """Let nobody else write."""
        self._held = sqlite3.connect(self._file, isolation_level=None, timeout=60)
        self._held.execute("BEGIN EXCLUSIVE")

    def release(self) -> None:
        """Let others write again."""
        if self._held is not None:
            self._held.execute("ROLLBACK")
            self.close()

    def close(self) -> None:
        """Let go."""
        if self._held is not None:
            self._held.close()
            self._held = None


@contextmanager
def postgres_of(folder: Path, *, is_cut: bool) -> Iterator[Trouble]:
    """A studio whose PostgreSQL can be cut off, or made to say nothing."""
    with studio("postgresql", folder, **LIMITS) as made:
        url = made.environment["STUDIOGRAPH_DATABASE_URL"]
        parts = urlsplit(url)
        host, port = parts.hostname or "127.0.0.1", parts.port or 5432
        with relay(host, port) as between:
            near = url.replace(f"{host}:{port}", f"127.0.0.1:{between.port}")
            assert near != url
            made.environment["STUDIOGRAPH_DATABASE_URL"] = near
            stop, start = (
                (between.cut, between.mend) if is_cut else (between.flows.clear, between.flows.set)
            )
            try:
                yield Trouble(made, stop, start)
            finally:
                between.flows.set()
                made.kill()


LIMITS = {
    **dict.fromkeys(("CONTACT_LIMIT", "SUBSCRIBE_LIMIT", "CHAT_LIMIT"), "100000/hour"),
    "AI_LLM": "extractive",
}
TROUBLES: dict[str, Callable[[Path], AbstractContextManager[Trouble]]] = {
    "a SQLite file that is locked": locked_sqlite,
    "a PostgreSQL that is cut off": lambda folder: postgres_of(folder, is_cut=True),
    "a PostgreSQL that is silent": lambda folder: postgres_of(folder, is_cut=False),
}


@dataclass
class Writer:
    """What a service has acknowledged."""

    made: Studio
    receivers: Sink
    letters: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    number: int = 0

    @property
    def address(self) -> str:
        """Where the service is."""
        return self.made.served[-1].address

    def codes(self) -> tuple[int, int, int]:
        """The codes of a message, a subscription and a question."""
        self.number += 1
        mark = f"letter-{self.number}-end"
        body = {**LETTER, "message": f"{LETTER['message']} {mark}"}
        letter = httpx.post(f"{self.address}/api/contact", json=body, timeout=60)
        if letter.is_success:
            self.letters.append(mark)
        url = self.receivers.url(f"h{self.number}", self.number % 16)
        held = self.made.served[-1].subscribe(url)
        if held.is_success:
            self.held.append(held.json()["id"])
        question = {"query": "What is Tidebook?"}
        asked = httpx.post(f"{self.address}/api/chat", json=question, timeout=60)
        return letter.status_code, held.status_code, asked.status_code

    def reads(self) -> list[int]:
        """The codes of reads."""
        with httpx.Client(base_url=self.address, timeout=60) as client:
            return [client.get(path).status_code for path in READS]

    def lost(self) -> list[str]:
        """What was acknowledged and is not there."""
        there = marks_delivered(self.made.folder)
        kept = {row[0] for row in self.made.rows("SELECT id FROM subscription")}
        letters = [mark for mark in self.letters if mark not in there]
        return letters + [each for each in self.held if each not in kept]


@pytest.mark.parametrize("trouble", TROUBLES)
def test_without_its_store_a_service_reads_refuses_what_it_cannot_count_and_heals(
    trouble: str, tmp_path: Path
) -> None:
    took = []
    with sink(16) as receivers, TROUBLES[trouble](tmp_path) as found:
        found.made.start(stops=True)
        writer = Writer(found.made, receivers)
        until(lambda: writer.codes() == (200, 201, 200))
        for _ in range(TIMES):
            found.stop()
            try:
                assert writer.codes() == (503, 503, 503)
                assert writer.reads() == [200] * len(READS)
            finally:
                found.start()
            began = time.monotonic()
            until(lambda: writer.codes() == (200, 201, 200))
            took.append(time.monotonic() - began)
        assert writer.lost() == []
        assert found.made.served[-1].stop() == 0
    print(f"{trouble}: healed after {max(took):.1f} s at most")  # noqa: T201 - for `pytest -s`
    assert max(took) < HEAL_SECONDS * BUSY
