"""The real service over the sample studio, in a process of its own. Asks it nothing."""

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

from evals.system import PATIENCE_SECONDS, Service, SystemFault

ROOT = Path(__file__).parents[1]
NO_LIMITS = {"CHAT_LIMIT": "0", "EMBED_LIMIT": "0"}
_ADDRESS = re.compile(r"listens on (http://[^\s;]+)")


@dataclass(frozen=True)
class Started:
    """A service that runs, how long its start took, and its process."""

    service: Service
    seconds: float
    process: int

    def megabytes(self) -> float | None:
        """The memory it holds, where the machine tells."""
        try:
            told = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        except FileNotFoundError:  # only Linux has it
            return None
        return next(
            int(line.split()[1]) / 1024 for line in told.splitlines() if line.startswith("VmRSS")
        )


@contextmanager
def started(data: Path, environment: Mapping[str, str]) -> Iterator[Started]:
    """The service over the sample studio on a free port, stopped at the end. Raises: SystemFault.

    `data` is its data folder; `environment` is what its settings are read from besides.
    """
    settings = {"PORT": "0", "CONTENT": "content", "DATA": str(data), **NO_LIMITS}
    begun = time.monotonic()
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
        address = _listens(first)
        with httpx.Client(base_url=address, timeout=PATIENCE_SECONDS, trust_env=False) as client:
            service = Service(client, time.perf_counter)
            service.wait()
            yield Started(service, time.monotonic() - begun, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        reader.join(PATIENCE_SECONDS)


def _listens(first: str) -> str:
    """Where the service listens, by the first line that it writes."""
    found = _ADDRESS.search(first)
    if found is None:
        raise SystemFault("the service did not start; `make serve` says why")
    return found[1]


def _drain(output: IO[str] | None) -> None:
    """Nothing, once the service has closed its output; unread, it would wait for a reader."""
    if output is not None:
        with output:
            output.read()
