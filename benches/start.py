"""What a start costs until the first good read, and how much memory it takes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import httpx
import uvloop

from benches.http_load import (
    CONNECTIONS,
    ROOT,
    SERVE,
    Pace,
    free_port,
    load,
    serving,
    settings_of,
    studio,
)
from benches.queries import PATH as GRAPHQL
from benches.queries import Endpoint
from benches.reads import LIST
from benches.table import Table

IMPORTS = "import strawberry, starlette, uvicorn, pydantic"
_numbers = count()


@dataclass(frozen=True)
class FirstRead:
    """What it took until the first good read."""

    seconds: float
    """The CPU time."""
    mib: float
    """The resident memory."""

    @property
    def cells(self) -> tuple[str, str]:
        """Both, as they stand in a table."""
        return f"{self.seconds:.2f}", f"{self.mib:.0f}"


def first_read(content: Path = ROOT / "content", **more: str) -> FirstRead:
    """Start the real server, with more settings if given, and read as soon as it answers."""
    with TemporaryDirectory() as data:
        port = free_port()
        named = settings_of(port, content, data, **more)
        with serving(SERVE, port, LIST, settings=named) as server:
            return FirstRead(server.cpu(), server.memory())


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the costs of a start, beside those of importing what everything stands on."""
    begun = [first_read() for _ in range(pace.rounds)]
    imports = [_import_seconds() for _ in range(pace.rounds)]
    seconds, base = median(each.seconds for each in begun), median(imports)
    with studio() as server:
        ready = server.memory()
        documents = 500 if pace.is_quick else 100_000
        endpoint = Endpoint(server, GRAPHQL)
        asked = 0
        while asked < documents:
            question = endpoint.question("{ thesis }", "never seen")
            asked += sum(map(len, uvloop.run(load(server, [question] * CONNECTIONS, 1))))
        after = server.memory()
    with TemporaryDirectory() as data:
        port = free_port()
        named = settings_of(port, ROOT / "content", data, AI_EMBEDDER="minilm")
        with serving(SERVE, port, "/api/search", {"query": "ledger"}, settings=named) as server:
            words = server.cpu()
            while httpx.get(f"{server.url}/readyz").json()["answers"] == "loading":
                time.sleep(0.05)
            meanings, answering = server.cpu(), server.memory()
    yield Table(
        "Start and memory",
        ("", "figure"),
        [
            ("CPU until the first good read, s", f"{seconds:.2f}"),
            (f"`{IMPORTS}`, s", f"{base:.2f}"),
            ("ratio", f"{seconds / base:.2f}"),
            ("memory at the first good read, MiB", f"{median(e.mib for e in begun):.0f}"),
            ("CPU until a question is answered by words, no data kept, s", f"{words:.1f}"),
            ("CPU until questions are answered by meaning, no data kept, s", f"{meanings:.1f}"),
            ("memory when they are, MiB", f"{answering:.0f}"),
            ("memory when it answers questions by words alone, MiB", f"{ready:.0f}"),
            (f"memory after {asked:,} different documents of GraphQL, MiB", f"{after:.0f}"),
        ],
    )


def _import_seconds() -> float:
    process = subprocess.Popen([sys.executable, "-c", IMPORTS])  # noqa: S603 - our own words
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime
