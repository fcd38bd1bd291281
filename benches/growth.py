"""What more content costs: start, memory, reads and reloads at several times the sample studio."""

import asyncio
import re
import signal
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from os import kill
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import httpx
import orjson
import uvloop

from benches.http_load import CONNECTIONS, ROOT, Pace, Question, Server, cost, load, studio
from benches.reads import LIST, SINGLE, Request, asking
from benches.start import first_read
from benches.table import Table

SIZES, QUICK_SIZES = (1, 10, 100), (1,)
"""How many times the sample."""
LARGE_FILES = {"CONTENT_FILE_MIB": "64"}
"""By default a file has at most 1 MiB, which 26 times the sample would exceed."""
RELOADS = 3
PATIENCE_SECONDS = 120
NAMING = ("slug", "id", "q", "term", "headline", "title", "name", "label")
"""The keys by which an entry must differ from all others."""
MANY = {
    "projects": "projects",
    "faq": "faq",
    "glossary": "glossary",
    "changelog": "changelog",
    "headlineNumbers": "headlineNumbers",
    "studio.certifications": "certifications",
    "studio.convictions": "convictions",
    "studio.lookingFor": "lookingFor",
}
"""The files that grow, and the list of each."""


def measure(pace: Pace) -> Iterator[Table]:
    """Yield what each size costs."""
    rows = []
    for times in QUICK_SIZES if pace.is_quick else SIZES:
        with TemporaryDirectory() as folder:
            content = Path(folder) / "content"
            copytree(ROOT / "content", content, ignore=lambda _, names: _no_data(names))
            grow(content, times)
            begun = first_read(content, **LARGE_FILES)
            with studio(content, **LARGE_FILES) as server:
                rows.append((f"{times}x", *begun.cells, *_served(server, content, pace)))
    yield Table(
        "More content",
        (
            "content",
            "start CPU s",
            "RSS MiB",
            "with answers MiB",
            "single µs",
            "`?limit=5` ms",
            "first GraphQL ms",
            "reload ms",
            "p99 quiet ms",
            "p99 while reloading ms",
        ),
        rows,
        "Start: CPU until the first good read, and the memory then. Reload: from the signal until"
        " the new revision is served, with one entry of one file changed.",
    )


def _served(server: Server, content: Path, pace: Pace) -> Iterator[str]:
    """Yield what a running server costs."""
    yield f"{server.memory():.0f}"
    question = asking(server, Request("single", SINGLE))
    cost(server, question, CONNECTIONS, pace.seconds)
    yield f"{cost(server, question, CONNECTIONS, pace.seconds)[0]:.0f}"
    with httpx.Client(base_url=server.url) as client:
        client.get("/healthz")  # to make a client and its connection costs more than an answer
        firsts = [_elapsed(client, f"{LIST}?limit=5&offset={at}") for at in range(3)]
        yield f"{statistics.median(firsts) * 1000:.1f}"
        query = "query First { projects { slug name } }"
        yield f"{_elapsed(client, '/api/graphql', query) * 1000:.1f}"
    listed = asking(server, Request("list", LIST))
    quiet = _p99(uvloop.run(load(server, [listed], pace.all_seconds)))
    taken, during = uvloop.run(_reloading(server, content, listed))
    yield f"{statistics.median(taken) * 1000:.0f}"
    yield f"{quiet:.2f}"
    yield f"{_p99(during):.2f}"


def _elapsed(client: httpx.Client, path: str, query: str | None = None) -> float:
    began = time.perf_counter()
    answer = client.post(path, json={"query": query}) if query else client.get(path)
    answer.raise_for_status()
    return time.perf_counter() - began


def _p99(times: list[list[float]]) -> float:
    own = sorted(t * 1000 for each in times for t in each)
    return own[int(len(own) * 0.99)]


async def _reloading(
    server: Server, content: Path, read: Question
) -> tuple[list[float], list[list[float]]]:
    """Return how long each reload took, and the times of the reads meanwhile."""
    taken: list[float] = []
    stopped = asyncio.Event()

    async def reload(client: RevisionClient) -> None:
        for turn in range(RELOADS):
            before = await client.revision()
            file = content / "faq.toml"
            file.write_text(file.read_text() + ENTRY.format(turn=turn))
            began = time.perf_counter()
            kill(server.pid, signal.SIGHUP)
            while await client.revision() == before:
                if time.perf_counter() - began > PATIENCE_SECONDS:
                    raise TimeoutError
                await asyncio.sleep(0.001)
            taken.append(time.perf_counter() - began)
        stopped.set()

    client = RevisionClient(server.port, *await asyncio.open_connection("127.0.0.1", server.port))
    task = asyncio.create_task(reload(client))
    times: list[list[float]] = []
    while not stopped.is_set() and not task.done():
        times += await load(server, [read], 0.2)
    await task
    client.writer.close()
    return taken, times


@dataclass(frozen=True)
class RevisionClient:
    """A connection on which a server is asked for its revision.

    It is plain, because the reads are timed in the same loop: a client's own work of a
    millisecond each time would be a part of what they wait.
    """

    port: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def revision(self) -> str:
        """Return the revision that is served."""
        self.writer.write(f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r", 1)[0])
        revision: str = orjson.loads(await self.reader.readexactly(length))["revision"]
        return revision


ENTRY = """
[[faq]]
q = "Is this entry number {turn} of the benches?"
a = "It is, and nothing else is in it."
tags = ["benches"]
"""


def grow(content: Path, times: int) -> None:
    """Repeat every list of a content folder, with other names in each repetition."""
    for file, key in MANY.items():
        path = content / f"{file}.toml"
        text = path.read_text()
        entries = text[text.index(f"[[{key}]]") :].split(f"[[{key}]]\n")[1:]
        more = [
            f"[[{key}]]\n{_renamed(entry, turn)}" for turn in range(1, times) for entry in entries
        ]
        path.write_text(text.rstrip() + "\n\n" + "\n".join(more))


def _renamed(entry: str, turn: int) -> str:
    """Return an entry under another name; what other entries refer to stays with the first."""

    def rename(found: re.Match[str]) -> str:
        key, value, end = found.groups()
        if key.startswith("q "):  # its slug is its beginning
            return f"{key}{turn}: {value}{end}"
        return f"{key}{value}{'-' if key.startswith(('slug', 'id')) else ' '}{turn}{end}"

    def later(found: re.Match[str]) -> str:
        time = datetime.fromisoformat(found[1]) + timedelta(seconds=turn)
        return f"publishedAt = {time:%FT%TZ}"

    keys = "|".join(NAMING)
    named = re.sub(rf'^((?:{keys}) = ")(.*?)(\??")$', rename, entry, flags=re.MULTILINE)
    return re.sub(r"^publishedAt = (\S+)$", later, named, flags=re.MULTILINE)


def _no_data(names: list[str]) -> set[str]:
    return {name for name in names if not name.endswith(".toml")}
