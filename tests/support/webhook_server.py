"""The real service with webhook receivers on the loopback: start, kill and subscribe.

`receiver_app.py` starts every process; the processes write to `log` in the studio's folder.
"""

import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import httpx
import psycopg
import pytest
import receiver_app
from child_process import killed_if_late, read_line
from coverage_environment import unmeasured
from databases import POSTGRES
from repository import SAMPLE
from running_server import eventually
from webhook_sinks import Sink

SCALE = int(os.environ.get("FAULTS_SCALE", "1"))
"""How many times as much is done as in the default run."""
PER_HOST = 10
"""How many subscriptions one port, which is one host, may have and try in an hour."""
PATIENCE_SECONDS = 120
_DAY = "2026-11-03"


@dataclass
class Subscribed:
    """A subscription, and what its receiver knows."""

    id: str
    secret: str
    hook: str
    public_key: str


@dataclass
class Studio:
    """A folder with content and a store, and the processes that serve it."""

    folder: Path
    environment: dict[str, str]
    jobs_url: str
    served: list["Served"] = field(default_factory=list)
    published: int = 0

    def start(
        self, workers: int = 1, *, plain: bool = False, stops: bool = False, **settings: str
    ) -> "Served":
        """Start one more service on a free port; the product itself, if it is to be plain.

        Its coverage is measured only if the test stops it, and does not kill it.
        """
        program = ["-m", "studiograph"] if plain else [receiver_app.__file__]
        words = [sys.executable, *program, "serve", "--workers", str(workers)]
        extra = {f"STUDIOGRAPH_{name}": value for name, value in settings.items()}
        with (self.folder / "log").open("a") as log:
            process = subprocess.Popen(
                words,
                cwd=self.folder,
                env={**(os.environ if stops else unmeasured()), **self.environment, **extra},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self.served.append(made := Served(process))
        eventually(made.is_ready, PATIENCE_SECONDS)
        return made

    def publish(self, count: int = 1, kind: str = "added") -> None:
        """Write so many new entries, and have the processes read them."""
        file = self.folder / "content" / "changelog.toml"
        entries = []
        for _ in range(count):
            self.published += 1
            moment = f"{self.published // 60:02}:{self.published % 60:02}"
            entries.append(
                f'[[changelog]]\nid = "{_DAY}-trial-{self.published}"\n'
                f'publishedAt = {_DAY}T00:{moment}Z\nkind = "{kind}"\n'
                f'title = "Trial {self.published}"\nbody = "Something to be told."\n\n'
            )
        beside = file.with_suffix(".new")
        beside.write_text("".join(reversed(entries)) + file.read_text())
        beside.replace(file)
        for served in self.served:
            served.process.send_signal(signal.SIGHUP)

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """What the database says; `JOBS.` stands for where the tables of jobs are."""
        if self.jobs_url.startswith("sqlite"):
            name = "jobs.db" if "JOBS." in question else "studio.db"
            place = self.folder / "var" / name
            with closing(sqlite3.connect(place, timeout=30, isolation_level=None)) as connection:
                return connection.execute(question.replace("JOBS.", "")).fetchall()
        with psycopg.connect(self.jobs_url.replace("+psycopg", ""), autocommit=True) as session:
            done = session.execute(question.replace("JOBS.", "dbos.").encode())
            return done.fetchall() if done.description else []

    def states(self) -> dict[str, int]:
        """How many jobs are in which state."""
        found = self.rows("SELECT status, count(*) FROM JOBS.workflow_status GROUP BY status")
        return {state: count for state, count in found}  # noqa: C416 - rows are no pairs to mypy

    def kill(self) -> None:
        """Every process of every service is dead."""
        for served in self.served:
            served.kill()
        self.served.clear()

    def command(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """What a command of the product did, from outside."""
        return subprocess.run(
            [sys.executable, receiver_app.__file__, *words],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )


class Served:
    """A service: its first process, and the address."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        assert process.stdout is not None
        first = read_line(process)
        self.address = first.partition(" listens on ")[2].partition(";")[0]
        if not self.address:  # it has said why, and ended
            process.communicate(timeout=PATIENCE_SECONDS)
        assert self.address, first
        self._drain = threading.Thread(target=process.stdout.read, daemon=True)
        self._drain.start()  # or the service waits for somebody to read its log

    def is_ready(self) -> bool:
        """Whether it answers."""
        try:
            return httpx.get(f"{self.address}/readyz", timeout=5).is_success
        except httpx.TransportError:
            return False

    def workers(self) -> list[int]:
        """The processes that answer, where there are several."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(child) for child in children.split()]

    def kill(self) -> None:
        """Every process is dead, by signal 9."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self._end()

    def stop(self) -> int:
        """How it ended, told by SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        with killed_if_late(self.process, PATIENCE_SECONDS):
            code = self.process.wait()
        self._drain.join(PATIENCE_SECONDS)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def subscribe(self, url: str, **fields: Any) -> httpx.Response:
        """The answer to a subscription."""
        body = {"url": url, **fields}
        return httpx.post(f"{self.address}/api/subscribe", json=body, timeout=PATIENCE_SECONDS)

    def unsubscribe(self, name: str, secret: str | None) -> httpx.Response:
        """The answer to the end of a subscription."""
        headers = {} if secret is None else {"authorization": f"Bearer {secret}"}
        address = f"{self.address}/api/subscribe/{name}"
        return httpx.delete(address, headers=headers, timeout=PATIENCE_SECONDS)

    def follow(self, sink: Sink, hooks: list[str], **fields: Any) -> list[Subscribed]:
        """Subscriptions of hooks, on ports of the sink that nobody has taken."""
        groups = [hooks[at : at + PER_HOST] for at in range(0, len(hooks), PER_HOST)]

        def one_port(numbered: tuple[int, list[str]]) -> list[Subscribed]:
            port, group = numbered
            return [self._followed(sink.url(hook, port), hook, fields) for hook in group]

        with ThreadPoolExecutor(4) as pool:
            numbered = zip(sink.take(len(groups)), groups, strict=True)
            return [made for each in pool.map(one_port, numbered) for made in each]

    def _followed(self, url: str, hook: str, fields: dict[str, Any]) -> Subscribed:
        answer = self.subscribe(url, **fields)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        return Subscribed(told["id"], told["secret"], hook, told["publicKey"])


@contextmanager
def studio(kind: str, folder: Path, **settings: str) -> Iterator[Studio]:
    """A studio on an empty store; every process that it started is dead at the end."""
    copytree(SAMPLE, folder / "content", ignore=ignore_patterns("*.py", "__pycache__"))
    given = {"SUBSCRIBE_LIMIT": "0", "PORT": "0", "CONTENT": "content", "DATA": "var"}
    given |= {"AI_EMBEDDER": "hash", "AI_LLM": "none", **settings}  # which load at once
    with _database(kind) as url:
        given["DATABASE_URL"] = url
        environment = {f"STUDIOGRAPH_{name}": value for name, value in given.items()}
        made = Studio(folder, environment, url or f"sqlite:///{folder / 'var' / 'jobs.db'}")
        try:
            yield made
        except BaseException:
            sys.stderr.write((folder / "log").read_text()[-8000:])  # shown with what failed
            raise
        finally:
            made.kill()


@contextmanager
def _database(kind: str) -> Iterator[str]:
    """The address of a database of its own, or none for the files of the data folder."""
    if kind == "sqlite":
        yield ""
        return
    try:
        server = psycopg.connect(POSTGRES, autocommit=True, connect_timeout=5)
    except psycopg.OperationalError:
        if "CI" in os.environ:
            raise
        pytest.skip("no PostgreSQL answers")
    name = f"hooks_{secrets.token_hex(6)}"
    with server:
        server.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield f"{POSTGRES.rpartition('/')[0]}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def until(true: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Nothing, once it is true; a failure if it is not in time."""
    eventually(true, seconds)
