"""Processes with a job queue, which tests start, command and kill.

Run as a program, it is such a process: it reads orders line by line and answers each with a line.
The effect of a job is a line appended to the ledger.
"""

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from child_process import PATIENCE_SECONDS, killed_if_late, read_line
from coverage_environment import unmeasured

from resolvers.jobs.job_type import JobType, PermanentFailureError, RetryLaterError
from resolvers.jobs.queue import JobQueue
from sdl.errors import UnavailableError

CONCURRENCY = 5
SWEEP_SECONDS = 1.0
WORK_SECONDS = 0.05


def until(true: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until a condition is true; fail if it is not in time."""
    pace, deadline = threading.Event(), time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        pace.wait(0.05)


@dataclass
class Crew:
    """The processes of one store and one ledger."""

    url: str
    ledger: Path
    members: list["Member"] = field(default_factory=list)

    def hire(self, *, stops: bool = False, **options: Any) -> "Member":
        """Start one more process, which has loaded nothing yet.

        Its coverage is measured only if the test stops it, and does not kill it.
        """
        environment = dict(os.environ) if stops else unmeasured()
        member = Member(self.url, self.ledger, environment, options)
        self.members.append(member)
        return member

    def effects(self, kind: str = "note") -> Counter[str]:
        """Return how often each job of a type has had its effect."""
        return Counter(words[2] for words in self._entries() if words[1] == kind)

    def doers(self) -> set[int]:
        """Return the ids of the processes that have run a job."""
        return {int(words[0]) for words in self._entries()}

    def _entries(self) -> list[list[str]]:
        text = self.ledger.read_text() if self.ledger.exists() else ""
        return [line.split() for line in text.splitlines()]


class Member:
    """One process."""

    def __init__(
        self, url: str, ledger: Path, environment: dict[str, str], options: dict[str, Any]
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, url, str(ledger), json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, "PYTHONPATH": str(Path(__file__).parents[2])},
            text=True,
        )
        self.errors: list[str] = []
        self._drain = threading.Thread(target=self._read_errors, daemon=True)
        self._drain.start()

    def tell(self, *order: str) -> None:
        """Send an order without waiting for its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        """Return the answer to the oldest order that has none yet."""
        line = read_line(self.process)
        assert line, "".join(self.errors)
        return json.loads(line)

    def ask(self, *order: str) -> Any:
        """Send an order and return its answer."""
        self.tell(*order)
        return self.answer()

    def end(self, number: int = signal.SIGKILL) -> int:
        """Send a signal, wait for the end of the process and return its exit code."""
        self.process.send_signal(number)
        with killed_if_late(self.process):
            code = self.process.wait()
        self._drain.join(PATIENCE_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        return code

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as pipe:
            self.errors.extend(pipe)


@contextmanager
def hiring(url: str, ledger: Path) -> Iterator[Crew]:
    """Provide a crew, whose processes are killed at the end."""
    crew = Crew(url, ledger)
    try:
        yield crew
    finally:
        for member in crew.members:
            member.end()


class Work:
    """The functions that the jobs run."""

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger

    async def note(self, about: str, _: int) -> None:
        """Take some time, then leave the effect."""
        await asyncio.sleep(WORK_SECONDS)
        self._enter("note", about)

    async def stay(self, about: str, _: int) -> None:
        """Leave the effect, then wait until there is a file `open` beside the ledger."""
        self._enter("stay", about)
        await self._until_open()

    async def flaky_stay(self, about: str, number: int) -> None:
        """Leave the effect, wait as `stay` does, and fail the first time."""
        self._enter("flaky_stay", about)
        await self._until_open()
        if number == 1:
            raise RetryLaterError(0)

    async def flaky(self, about: str, _: int) -> None:
        """Fail until there is a file with this name beside the ledger."""
        self._enter("flaky", about)
        if not self._ledger.with_name(about).exists():
            raise OSError(f"no {about}")

    async def hopeless(self, about: str, _: int) -> None:
        """Fail permanently."""
        self._enter("hopeless", about)
        raise PermanentFailureError("There is nobody")

    async def where(self, about: str, _: int) -> None:
        """Leave the name of the thread that runs the job as the effect."""
        self._enter("where", f"{about}-{threading.current_thread().name}")

    async def paced(self, about: str, number: int) -> None:
        """Leave the effect, and ask for two more attempts, each after half a second."""
        self._enter("paced", f"{about}-{number}-{time.monotonic()}")
        if number < 3:
            raise RetryLaterError(0.5)

    async def lone(self, about: str, _: int) -> None:
        """Leave an effect at the beginning and at the end."""
        self._enter("lone", f"{about}-begins-{time.monotonic()}")
        await asyncio.sleep(WORK_SECONDS)
        self._enter("lone", f"{about}-ends-{time.monotonic()}")

    def kinds(self) -> list[JobType]:
        """Return the job types of all these functions."""
        return [
            JobType("note", self.note, concurrency=CONCURRENCY),
            JobType("stay", self.stay),
            JobType("flaky_stay", self.flaky_stay),
            JobType("flaky", self.flaky, attempts=3, first_wait_seconds=5, factor=1),
            JobType("hopeless", self.hopeless),
            JobType("where", self.where),
            JobType("paced", self.paced, attempts=1, poll_seconds=0.05),
            JobType("lone", self.lone, partition_key=lambda about: about.partition("/")[0]),
        ]

    async def _until_open(self) -> None:
        while not self._ledger.with_name("open").exists():  # noqa: ASYNC110 - a file tells nobody
            await asyncio.sleep(WORK_SECONDS)

    def _enter(self, kind: str, about: str) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        file = os.open(self._ledger, flags)
        os.write(file, f"{os.getpid()} {kind} {about}\n".encode())
        os.close(file)


async def obey(jobs: JobQueue, order: list[str]) -> Any:
    """Carry out an order and return its answer."""
    match order:
        case ["launch"]:
            await jobs.launch()
        case ["unfinished"]:
            return await jobs.unfinished()
        case ["loaded"]:
            return sorted({name.partition(".")[0] for name in sys.modules})
        case ["put", kind, *abouts]:
            for about in abouts:
                await jobs.enqueue(kind, about)
        case ["all", kind, *abouts]:
            await jobs.enqueue_all(kind, abouts)
        case ["race", kind, *abouts]:
            await asyncio.gather(*(jobs.enqueue(kind, about) for about in abouts * 3))
        case ["close", seconds]:
            await jobs.close(float(seconds))
    return "done"


async def serve(jobs: JobQueue) -> None:
    """Carry out orders until SIGTERM, then stop in order."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    lines: asyncio.Queue[str] = asyncio.Queue()
    threading.Thread(
        target=lambda: [loop.call_soon_threadsafe(lines.put_nowait, line) for line in sys.stdin],
        daemon=True,
    ).start()
    obeying = asyncio.create_task(_obey_all(jobs, lines))
    await stop.wait()
    obeying.cancel()
    await jobs.close()


async def _obey_all(jobs: JobQueue, lines: "asyncio.Queue[str]") -> None:
    while True:
        try:
            answer = await obey(jobs, json.loads(await lines.get()))
        except UnavailableError as fault:
            answer = {"unavailable": fault.detail}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s: %(message)s")
    _, _url, _ledger, _options = sys.argv
    _settings = {"poll_seconds": 0.1, "sweep_seconds": SWEEP_SECONDS, **json.loads(_options)}
    asyncio.run(serve(JobQueue(_url, Work(Path(_ledger)).kinds(), **_settings)))
