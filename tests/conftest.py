"""What all tests share: the sample studio, the service in this process, and one real server."""

import faulthandler
import gc
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import hypothesis
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from coverage_environment import measure_started_processes
from databases import KINDS, store
from local_service import Ask, asking, bound, stored_operations, until_it_answers
from repository import ROOT, SAMPLE
from running_server import Running, running
from tiers import THOROUGH_EXAMPLES
from wire import Wire, wire
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from content.reading.reader import load
from rest_bridge.http.middleware import RequestGuard
from rest_bridge.http.ready_answers import ReadyAnswers
from schema.site import Site
from sdl.running.runner import Operations, Snapshot
from studiograph.__main__ import LIBRARIES
from studiograph.asgi import build
from studiograph.settings import Settings

gc.set_threshold(20_000)  # garbage is looked for after so many new objects, instead of 700
os.environ.update(LIBRARIES)  # as the command line sets them

# `make test-all` asks for the thorough one by --hypothesis-profile.
hypothesis.settings.register_profile("quick", max_examples=30, deadline=None)
hypothesis.settings.register_profile("thorough", max_examples=THOROUGH_EXAMPLES, deadline=None)
hypothesis.settings.load_profile("quick")

SECONDS = {"unit": 60, "surfaces": 60, "house": 60, "servers": 180, "long": 900}
"""How long a test of each folder may take before it is stopped: several times what it needs."""
SECONDS["long"] *= max(1, int(os.environ.get("FAULTS_SCALE", "1")) // 10)  # of `make faults`

MORE_SECONDS = 400
"""How much longer a test that was stopped may take to end; hypothesis shrinks for 300 s."""

SAME_SECONDS = 30
"""How long one end of the process serves: each waits for a thread, as long as most tests run."""


@dataclass
class Clock:
    """When a process of tests is ended."""

    seconds: int = 0
    set_at: float = 0


CLOCK = pytest.StashKey[Clock]()
LATEST_FILE = pytest.StashKey[Path | None]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the time limit of its folder."""
    for item in items:
        item.add_marker(pytest.mark.timeout(SECONDS[_folder(item)], func_only=True))


def pytest_collection_finish() -> None:
    """Keep what is loaded out of collections of garbage."""
    # Looking for garbage among all that is loaded took about a sixth of the CPU of `make test`.
    gc.collect()
    gc.freeze()


class OneProcessForSurfaces(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """All of `surfaces` in one process.

    Each process that has some of these files starts a real server, models and the application.
    """

    def _split_scope(self, nodeid: str) -> str:
        is_surface = nodeid.startswith("tests/surfaces/")
        return "tests/surfaces" if is_surface else super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """With `--dist loadfile`, keep all of `surfaces` together as well as the tests of each file."""
    return OneProcessForSurfaces(config, log) if config.getoption("dist") == "loadfile" else None


# An event loop, a thread that is waited for or hypothesis may swallow that limit, and fixtures are
# not under it. What still goes on is ended with the process, and every thread's stack is printed.
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Set the process's end, and whether coverage measures the processes that the test starts.

    It does for the first test of each file in `servers`. The others of a file start what runs
    mostly the same lines, and so do those in `long`, only more often.
    """
    stash, folder = item.config.stash, _folder(item)
    is_first, stash[LATEST_FILE] = stash[LATEST_FILE] != item.path, item.path
    measure_started_processes(is_wanted=is_first and folder == "servers")
    clock, now = stash[CLOCK], time.monotonic()
    seconds = SECONDS[folder] + MORE_SECONDS
    if clock.seconds != seconds or now - clock.set_at > SAME_SECONDS:
        clock.seconds, clock.set_at = seconds, now
        stderr = stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(seconds + SAME_SECONDS, exit=True, file=stderr)


def pytest_configure(config: pytest.Config) -> None:
    """Begin without an end of the process, before any file."""
    config.stash[CLOCK] = Clock()
    config.stash[LATEST_FILE] = None


def pytest_sessionfinish() -> None:
    """Let a process that has run its tests end by itself."""
    gc.unfreeze()  # what is frozen is freed last, and warns then of files that are open
    faulthandler.cancel_dump_traceback_later()


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(ROOT / "tests").parts[0]


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


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of an empty state database: a SQLite file, then a PostgreSQL schema."""
    with store(request.param, tmp_path) as address:
        yield address


@pytest.fixture(scope="session")
def operations() -> Operations:
    """The stored operations."""
    return stored_operations()


@pytest.fixture(scope="session")
def reading(operations: Operations) -> Snapshot:
    """The stored operations asked of the sample studio."""
    return bound(operations)


@pytest.fixture(scope="session")
def service(operations: Operations, tmp_path_factory: pytest.TempPathFactory) -> RequestGuard:
    """The whole service on the sample studio, without a socket."""
    data = tmp_path_factory.mktemp("data")
    settings = Settings(
        content=SAMPLE,
        data=data,
        chat_limit="0",
        embed_limit="0",
        subscribe_limit="0",
        ai_embedder="hash",  # the real server has the model
    )
    made = build(settings, operations=operations)
    until_it_answers(asking(made))
    return made


@pytest.fixture
def line(service: RequestGuard) -> Iterator[Wire]:
    """A connection to the service, which has kept no answer yet."""
    assert service.ready is not None
    with wire(replace(service, ready=ReadyAnswers(service.ready.current))) as made:
        yield made


@pytest.fixture(scope="session")
def ask(service: RequestGuard) -> Ask:
    """A request to the service in this process: `ask(path, method="GET", headers=...)`."""
    return asking(service)


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The real server on the sample studio, which nothing that is asked of it may shake."""
    copy = tmp_path_factory.mktemp("studio") / "content"
    shutil.copytree(SAMPLE, copy, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    with running(copy) as started:
        yield started
        assert started.process.poll() is None
        assert not any("Traceback" in line for line in started.errors)


@pytest.fixture(scope="session")
def server(web: Running) -> str:
    """The address of the real server."""
    return web.address


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[httpx.Client]:
    """A client of the real server."""
    with httpx.Client(base_url=server, timeout=60) as made:
        yield made
