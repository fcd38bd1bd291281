"""The real server as a process, with its log and raw requests to it."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from child_process import PATIENCE_SECONDS, killed_if_late, read_line
from repository import MODEL_CACHE


@dataclass
class Running:
    """A server process and what it has written so far."""

    address: str
    process: "subprocess.Popen[str]"
    output: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def place(self) -> tuple[str, int]:
        """Where it listens."""
        parts = urlsplit(self.address)
        return parts.hostname or "", parts.port or 0

    def send(self, data: bytes) -> "Raw":
        """What comes back for these bytes until the server closes the connection."""
        with socket.create_connection(self.place, timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(data)
            return Raw.read(connection.makefile("rb").read())

    def get(self, target: str | bytes, *headers: str, method: str = "GET") -> "Raw":
        """The answer to one request whose target is sent as it is."""
        target = target.encode("latin-1") if isinstance(target, str) else target
        lines = ("Host: localhost", "Connection: close", *headers)
        block = "".join(f"{line}\r\n" for line in lines).encode("latin-1")
        return self.send(b"%s %s HTTP/1.1\r\n%s\r\n" % (method.encode(), target, block))


@dataclass
class Raw:
    """An answer as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @classmethod
    def read(cls, data: bytes) -> "Raw":
        """The answer in these bytes."""
        head, _, body = data.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v for k, _, v in (line.partition(": ") for line in lines)}
        return cls(int(first.split()[1]), headers, body)

    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


def share_models(data: Path) -> None:
    """Let a data folder have the model's graph and vectors that an earlier server has made.

    They are the same for everybody and named by what they are made of; to make them takes each
    server eight seconds of CPU.
    """
    data.mkdir(mode=0o700, exist_ok=True)
    for name in ("models", "vectors"):
        (MODEL_CACHE / name).mkdir(parents=True, exist_ok=True)
        if not (data / name).exists():
            (data / name).symlink_to(MODEL_CACHE / name)


@contextmanager
def running(content: Path, *words: str, command: str = "serve") -> Iterator[Running]:
    """The real server on a free port, both its logs read as they come, stopped at the end."""
    share_models(content.parent / "var")
    process = subprocess.Popen(
        [sys.executable, "-m", "studiograph", command, *words],
        env={**os.environ, "STUDIOGRAPH_PORT": "0", "STUDIOGRAPH_CONTENT": str(content)},
        cwd=content.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server = Running("", process)
    errors = _draining(process.stderr, server.errors.append)
    first = read_line(process)
    server.address = first.partition(" listens on ")[2].partition(";")[0]
    output = _draining(process.stdout, server.output.append)
    try:
        assert server.address, (first, server.errors)
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        with killed_if_late(process):
            process.wait()
        for thread in (output, errors):
            thread.join(PATIENCE_SECONDS)
        assert process.returncode != -signal.SIGKILL, "the server did not stop"


def eventually(true: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Nothing, once it is true; a failure if it is not in time."""
    pace, deadline = threading.Event(), time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        pace.wait(0.01)


def _draining(pipe: IO[str] | None, keep: Callable[[str], None]) -> threading.Thread:
    thread = threading.Thread(target=_drain, args=(pipe, keep), daemon=True)
    thread.start()
    return thread


def _drain(pipe: IO[str] | None, keep: Callable[[str], None]) -> None:
    assert pipe is not None
    with pipe:
        for line in pipe:
            keep(line)
