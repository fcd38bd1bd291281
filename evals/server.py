"""Starts the real service with a studio in its own process."""

import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import httpx

from evals.material import ROOT
from evals.system import PATIENCE_SECONDS, MeasuredSystemError, Service

NO_LIMITS = {"CHAT_LIMIT": "0", "EMBED_LIMIT": "0"}
_ADDRESS = re.compile(r"listens on (http://[^\s;]+)")


@dataclass(frozen=True)
class Started:
    """A running service, the time that its start took, and its process id."""

    service: Service
    seconds: float
    process: int

    def megabytes(self) -> float | None:
        """Return the memory that it uses; `None` on systems without `/proc`."""
        try:
            status = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        except FileNotFoundError:  # only Linux has it
            return None
        return next(
            int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")
        )


@contextmanager
def started(content: Path, data: Path, environment: Mapping[str, str]) -> Iterator[Started]:
    """Run the service on a free port and stop it at the end. Raises: MeasuredSystemError.

    `content` and `data` are its folders; `environment` contains its other settings.
    """
    settings = {"PORT": "0", "CONTENT": str(content), "DATA": str(data), **NO_LIMITS}
    started_at = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "studiograph", "serve"],
        env={**environment, **{f"STUDIOGRAPH_{name}": value for name, value in settings.items()}},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    reader = threading.Thread(target=_drain, args=(process.stdout,))
    try:
        first = process.stdout.readline() if process.stdout else ""
        reader.start()
        address = _address_in(first)
        with httpx.Client(base_url=address, timeout=PATIENCE_SECONDS, trust_env=False) as client:
            service = Service(client, time.perf_counter)
            service.wait()
            seconds = time.monotonic() - started_at
            service.wait_for_answers()
            yield Started(service, seconds, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        reader.join(PATIENCE_SECONDS)


def _address_in(first_line: str) -> str:
    """Return the address in the first line that the service prints."""
    match = _ADDRESS.search(first_line)
    if match is None:
        raise MeasuredSystemError("the service did not start; run `make serve` to see why")
    return match[1]


def _drain(output: IO[str] | None) -> None:
    """Read the output to its end, because the service blocks once the pipe is full."""
    if output is not None:
        with output:
            output.read()
