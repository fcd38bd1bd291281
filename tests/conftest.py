"""What tests share: the sample studio, the service in this process, and the real one on a port."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest

from content.reader import load
from content.revision import read_revision
from rest_bridge.guard import Guard
from schema.site import Site
from sdl.runner import Operations, Reading
from studiograph.__main__ import LIBRARIES
from studiograph.app import bind, build, load_operations
from studiograph.services import Services
from studiograph.settings import Settings

os.environ.update(LIBRARIES)  # as the command line sets them

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "content"

Ask = Callable[..., httpx.Response]


@pytest.fixture(scope="session")
def sample() -> Site:
    """The sample studio, read and checked."""
    return load(SAMPLE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the sample studio's files, to be broken."""
    copy = tmp_path / "content"
    copy.mkdir()
    for file in SAMPLE.glob("*.toml"):
        shutil.copy(file, copy)
    return copy


@pytest.fixture(scope="session")
def operations() -> Operations:
    """The stored operations."""
    return load_operations()


@pytest.fixture(scope="session")
def reading(operations: Operations) -> Reading:
    """The stored operations asked of the sample studio."""
    return bound(operations)


def bound(
    operations: Operations, content: Path = SAMPLE, base_url: str = Settings().public_url
) -> Reading:
    """The stored operations asked of a folder's content, with keys that are made for it."""
    with TemporaryDirectory() as data:
        settings = Settings(content=content, data=Path(data), base_url=base_url)
        revision = read_revision(content)
        return bind(operations, revision, settings, Services(settings, revision.site))


@pytest.fixture(scope="session")
def service(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> Guard:
    """The whole service on the sample studio, without a socket."""
    data = tmp_path_factory.mktemp("data")
    settings = Settings(
        content=SAMPLE, data=data, chat_limit="0", embed_limit="0", subscribe_limit="0"
    )
    made = build(settings, operations=operations)
    until_it_answers(asking(made))
    return made


@pytest.fixture(scope="session")
def ask(service: Guard) -> Ask:
    """A request to the service in this process: `ask(path, method="GET", headers=...)`."""
    return asking(service)


def asking(service: Guard) -> Ask:
    """Requests to a service, answered in this process."""

    async def once(path: str, method: str, **options: object) -> httpx.Response:
        transport = httpx.ASGITransport(service, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"accept": "*/*"}
        ) as client:
            return await client.request(method, path, **options)  # type: ignore[arg-type]

    def request(path: str, method: str = "GET", **options: object) -> httpx.Response:
        return asyncio.run(once(path, method, **options))

    return request


def until_it_answers(ask: Ask, seconds: float = 120) -> None:
    """Nothing, once models are loaded, which a busy machine takes its time for."""
    deadline = time.monotonic() + seconds
    while ask("/api/search", "POST", json={"query": "tides"}).status_code != 200:
        assert time.monotonic() < deadline, "the models are not loaded in time"


@contextmanager
def serving(content: Path, *words: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """The real server on a free port: its address and its process, stopped at the end."""
    environment = {
        **os.environ,
        "STUDIOGRAPH_PORT": "0",
        "STUDIOGRAPH_CONTENT": str(content),
        "PYTHONUNBUFFERED": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "studiograph", "serve", *words],
        env=environment,
        cwd=content.parent,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = line.split("listens on ")[1].split(";")[0] if "listens on" in line else ""
        drain = threading.Thread(target=process.stdout.read, daemon=True)
        drain.start()  # or the server waits for somebody to read its log
        yield address, process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        process.stdout.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the real server on the sample studio."""
    copy = tmp_path_factory.mktemp("studio") / "content"
    shutil.copytree(SAMPLE, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with serving(copy) as (address, _):
        yield address


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[httpx.Client]:
    """A client of the real server."""
    with httpx.Client(base_url=server, timeout=60) as made:
        yield made
