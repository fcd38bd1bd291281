"""The asynchronous job queue: enqueue jobs, run them, stop in order.

Importing this module and making a `JobQueue` is cheap; DBOS is loaded at the first use. DBOS is a
singleton, so a second `JobQueue` of a process can be launched only after the first was closed.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from resolvers.db.database import in_thread
from resolvers.jobs.job_type import JobType
from resolvers.jobs.store import has_unfinished, unavailable_on_error
from sdl.errors import UnavailableError

if TYPE_CHECKING:
    from resolvers.jobs.dbos_backend import DbosBackend

LAUNCH_SECONDS = 60
ENQUEUE_SECONDS = 10
SHUTDOWN_SECONDS = 2
"""The time that a stop takes beyond that of the jobs it waits for."""

Params = ParamSpec("Params")
Result = TypeVar("Result")

log = logging.getLogger("studiograph.jobs")


class JobQueue:
    """The job types of a process and the store of their jobs. Units: seconds.

    Without `runs` a process only enqueues jobs, as a command does.
    """

    def __init__(
        self,
        url: str,
        job_types: Sequence[JobType],
        *,
        runs: bool = True,
        poll_seconds: float = 1,
        sweep_seconds: float = 10,
    ) -> None:
        self._url = url
        self._job_types = job_types
        self._runs = runs
        self._poll_seconds = poll_seconds
        self._sweep_seconds = sweep_seconds
        self._starting: asyncio.Task[DbosBackend] | None = None
        self._maintenance: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    async def unfinished(self) -> bool:
        """Return whether a job waits or runs, without loading DBOS. Raises: UnavailableError."""
        return await _in_thread(has_unfinished, self._url)

    async def launch(self) -> None:
        """Begin to run jobs, and go on until `close`. Raises: UnavailableError."""
        await self._running_backend()

    async def enqueue(self, name: str, key: str) -> None:
        """Enqueue a job of a type. Raises: UnavailableError.

        A key that was used before is ignored, until a month after its job has ended.
        """
        await self.enqueue_all(name, [key])

    async def enqueue_all(self, name: str, keys: Sequence[str]) -> None:
        """Enqueue jobs of a type, each as `enqueue` does. Raises: UnavailableError."""
        backend = await self._running_backend()
        await _with_timeout(ENQUEUE_SECONDS, _in_thread(backend.enqueue, name, keys))

    async def close(self, seconds: float = 8) -> None:
        """Wait at most `seconds` for running jobs, then stop; interrupted jobs run again."""
        self._stopping.set()
        with suppress(UnavailableError, TimeoutError):  # a store that is away must not hold us up
            async with asyncio.timeout(seconds + SHUTDOWN_SECONDS):
                if self._starting is not None:
                    backend = await self._starting
                    if self._maintenance is not None:
                        await asyncio.wait([self._maintenance])
                    await _in_thread(backend.close, seconds)
        self._starting, self._maintenance, self._stopping = None, None, asyncio.Event()

    async def _running_backend(self) -> "DbosBackend":
        start = self._starting
        if start is None or (start.done() and (start.cancelled() or start.exception())):
            self._starting = start = asyncio.create_task(self._start())
        return await _with_timeout(LAUNCH_SECONDS, asyncio.shield(start))

    async def _start(self) -> "DbosBackend":
        backend = await _in_thread(self._open, asyncio.get_running_loop())
        if self._runs:
            self._maintenance = asyncio.create_task(self._maintain(backend))
        return backend

    def _open(self, loop: asyncio.AbstractEventLoop) -> "DbosBackend":
        from resolvers.jobs.dbos_backend import DbosBackend  # noqa: PLC0415 - DBOS costs a second of CPU

        backend = DbosBackend(self._url, self._job_types, self._poll_seconds)
        try:
            if self._runs:
                backend.start(loop)
            else:
                backend.create_tables()
        except BaseException:
            backend.close(0)
            raise
        return backend

    async def _maintain(self, backend: "DbosBackend") -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), self._sweep_seconds)
                return
            try:
                await _in_thread(backend.maintain)
            except UnavailableError:
                continue  # it was logged when it was raised
            except Exception:
                log.exception("The sweep of the jobs failed; it is tried again")


async def _with_timeout(seconds: float, result: Awaitable[Result]) -> Result:
    try:
        return await asyncio.wait_for(result, seconds)
    except TimeoutError as error:
        raise unavailable_on_error(error) from error


async def _in_thread(
    run: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
) -> Result:
    return await asyncio.wrap_future(in_thread(run, *args, **kwargs))
