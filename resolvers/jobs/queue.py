"""The queue of jobs, asynchronous: put something in, let it be done, stop in order.

Importing it and making a `Jobs` costs nothing; the engine is loaded at the first use. It is
one for a process: a second `Jobs` can be launched only after the first was closed.
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeVar

from resolvers.db.database import IMPORT_LOCK
from resolvers.jobs.inspection import has_unfinished, unavailable_on_error
from resolvers.jobs.job_type import JobType
from sdl.errors import UnavailableError

if TYPE_CHECKING:
    from resolvers.jobs.worker import Worker

LAUNCH_SECONDS = 60
ENQUEUE_SECONDS = 10
SHUTDOWN_SECONDS = 2
"""What an orderly stop takes beyond the jobs it waits for."""

Params = ParamSpec("Params")
Result = TypeVar("Result")

log = logging.getLogger("studiograph.jobs")


class JobQueue:
    """Kinds of jobs and the store they wait in. Units: seconds.

    In the role `web` a process only puts jobs in; another one must do them.
    """

    def __init__(
        self,
        url: str,
        kinds: Sequence[JobType],
        role: Literal["all", "web", "worker"] = "all",
        *,
        poll_seconds: float = 1,
        sweep_seconds: float = 10,
    ) -> None:
        self._url = url
        self._kinds = {kind.name: kind for kind in kinds}
        self._role = role
        self._poll_seconds = poll_seconds
        self._sweep_seconds = sweep_seconds
        self._starting: asyncio.Task[Worker] | None = None
        self._stopping = asyncio.Event()
        self._sweeping: asyncio.Task[None] | None = None

    async def unfinished(self) -> bool:
        """Whether the store holds work; nothing is loaded to see it. Raises: Unavailable."""
        return await _in_thread(has_unfinished, self._url)

    async def launch(self) -> None:
        """Nothing, once the engine works; it stays launched. Raises: Unavailable."""
        await self._launched()

    async def enqueue(self, kind: str, about: str) -> None:
        """Put a job in; the second time, within a month after its end, it does nothing.

        Raises: Unavailable.
        """
        await self.enqueue_all(kind, [about])

    async def enqueue_all(self, kind: str, abouts: Sequence[str]) -> None:
        """Put jobs in, as `enqueue` does each of them. Raises: Unavailable."""
        name = self._kinds[kind].name
        worker = await self._launched()
        await _within(ENQUEUE_SECONDS, _in_thread(worker.enqueue, name, abouts))

    async def cancel(self, kind: str, prefix: str) -> list[str]:
        """What the jobs whose ids begin so were about; they waited, and never will run.

        Raises: Unavailable.
        """
        worker = await self._launched()
        return await _within(ENQUEUE_SECONDS, _in_thread(worker.cancel, kind, prefix))

    async def close(self, seconds: float = 8) -> None:
        """Nothing, once no job runs here any more; what runs longer than that runs again."""
        self._stopping.set()
        with suppress(UnavailableError, TimeoutError):  # a store that is gone cannot hold us up
            async with asyncio.timeout(seconds + SHUTDOWN_SECONDS):
                await self._stop(seconds)
        self._starting, self._sweeping, self._stopping = None, None, asyncio.Event()

    async def _stop(self, seconds: float) -> None:
        if self._starting is None:
            return
        worker = await self._starting
        if self._sweeping is not None:
            await asyncio.wait([self._sweeping])
        await _in_thread(worker.close, seconds)

    async def _launched(self) -> "Worker":
        if self._starting is None or _failed(self._starting):
            self._starting = asyncio.create_task(self._start())
        return await _within(LAUNCH_SECONDS, asyncio.shield(self._starting))

    async def _start(self) -> "Worker":
        worker = await _in_thread(self._open, asyncio.get_running_loop())
        if self._role != "web":
            self._sweeping = asyncio.create_task(self._sweep(worker))
        return worker

    def _open(self, loop: asyncio.AbstractEventLoop) -> "Worker":
        with IMPORT_LOCK:
            from resolvers.jobs.worker import Worker  # noqa: PLC0415 - DBOS costs a second of CPU

        worker = Worker(self._url, list(self._kinds.values()), self._poll_seconds)
        try:
            worker.open()
            if self._role != "web":
                worker.start(loop)
        except BaseException:
            worker.close(0)
            raise
        return worker

    async def _sweep(self, worker: "Worker") -> None:
        while not await self._stopped(self._sweep_seconds):
            try:
                await _in_thread(worker.sweep)
            except UnavailableError:
                continue  # it was told when it happened
            except Exception:
                log.exception("The sweep of the jobs failed; it is tried again")

    async def _stopped(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        return self._stopping.is_set()


async def _within(seconds: float, waiting: Awaitable[Result]) -> Result:
    try:
        return await asyncio.wait_for(waiting, seconds)
    except TimeoutError as error:
        raise unavailable_on_error(error) from error


def _failed(task: "asyncio.Task[Worker]") -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


async def _in_thread(
    run: Callable[Params, Result], *values: Params.args, **named: Params.kwargs
) -> Result:
    """What it makes, in a thread of which the end of the process takes no notice.

    The loop's own threads would be waited for, and a store that is gone keeps them for ever.
    """
    future: Future[Result] = Future()

    def work() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(run(*values, **named))
            except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return await asyncio.wrap_future(future)
