"""The pointer to the current snapshot, moved by SIGHUP, changed files, keys, claims and GitHub.

A new revision is read completely, then swapped in; an error is logged and keeps the last good one.
One that the database could not record is tried again until it can.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from content.checking.errors import ContentError
from content.reading.revision import Revision, losses
from resolvers.db.database import DatabaseError
from resolvers.signing.keys import ProofError
from schema.site import Site
from sdl.running.runner import Snapshot
from sdl.tools.background import give_way

FOLLOW_SECONDS = 1
RETRY_SECONDS = 3
"""How long a revision that the database could not record waits before it is tried again."""
WATCH_MILLISECONDS = 500
LOOK_AGAIN_SECONDS = 1
"""How long a folder that has lost most of a list is left to whoever may be writing a file."""

log = logging.getLogger("studiograph.content")
reloads = logging.getLogger("studiograph.content.reloads")
"""What became of each reload; a preview says it in other words."""

Result = TypeVar("Result")


class LiveContent:
    """The current revision of the content and the snapshot made from it."""

    def __init__(  # noqa: PLR0913, PLR0917 - what each step of a reload does
        self,
        folder: Path,
        read: Callable[[Revision], Revision],
        revision: Revision,
        bind: Callable[..., Snapshot[Site]],
        publish: Callable[[Revision, Snapshot[Site]], None],
        prepare: Callable[[Snapshot[Site]], object],
        settle: Callable[[], None],
    ) -> None:
        """Take `bind`, which makes a snapshot, and `publish`, which is called with each new one.

        `prepare`, with each but the first, and `settle` block, and are called after: they do what
        the first answer need not wait for.
        `read` returns the folder's revision, or the one before if nothing changed.
        """
        self.folder = folder
        self._read = read
        self._bind = bind
        self._publish = publish
        self._prepare = prepare
        self._settle = settle
        self.revision = revision
        self.error: Exception | None = None
        """Why the folder is not what is served; None if it is."""
        self.looked = asyncio.Event()
        """Set whenever the folder was read again, for whoever follows that."""
        self._snapshot = bind(revision)
        publish(revision, self._snapshot)
        settle()
        self._executor = ThreadPoolExecutor(1, "reload", initializer=give_way)
        self._lock = asyncio.Lock()
        self._unrecorded: Revision | None = None
        """A revision that is good, and that the database could not record when it was read."""
        self._wake = asyncio.Event()

    def __call__(self) -> Snapshot[Site]:
        """Return the current snapshot; a request calls this once and keeps it."""
        return self._snapshot

    async def reload(self) -> bool:
        """Serve the folder's content; return False and change nothing if it is invalid."""
        async with self._lock:
            revision = self._unrecorded = None
            try:
                revision, lost = await self._look()
                if lost:
                    reloads.info("most entries are gone, so it is read again in a second: %s", lost)
                    await asyncio.sleep(LOOK_AGAIN_SECONDS)
                    revision, lost = await self._look()
                if revision is not self.revision:
                    await self._serve(revision)
                    reloads.info("content reloaded: %s", revision.digest)
                if lost:
                    fix = "unless you removed them, restore the file and reload"
                    reloads.warning(
                        "most entries are gone in what is served: %s. Fix: %s", lost, fix
                    )
            except (ContentError, ProofError, OSError) as error:
                self.error = error
                if isinstance(error.__cause__, DatabaseError):
                    self._unrecorded = revision
                reloads.error(
                    "the content was not reloaded; the last good one is served:\n%s", error
                )
            else:
                self.error = None
            self.looked.set()
            return self.error is None

    async def _look(self) -> tuple[Revision, str]:
        """Return the folder's revision, and which of its lists have lost most of their entries."""
        revision = await self._in_thread(self._read, self.revision)
        return revision, ", ".join(losses(self.revision.site.to_json(), revision.site.to_json()))

    async def _serve(self, revision: Revision) -> None:
        before = self._snapshot
        try:
            self._snapshot = await self._in_thread(self._bind, revision, before=before)
            self.revision = revision
            self._publish(revision, self._snapshot)
            await self._in_thread(self._prepare, self._snapshot)
            await self._in_thread(before.forget)
        finally:
            await self._in_thread(self._settle)

    async def _in_thread(
        self, work: Callable[..., Result], *arguments: Any, **named: Any
    ) -> Result:
        """Return what `work` returns, called in a thread that gives way to requests."""
        called = partial(work, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._executor, called)

    async def _serve_unrecorded(self) -> None:
        """Try again to serve what the database could not record; it may have space again.

        The folder is not read again: the owner may be in the middle of a change.
        """
        async with self._lock:
            if (revision := self._unrecorded) is None:
                return
            try:
                await self._serve(revision)
            except (ProofError, OSError):  # as it was, and as it was logged
                return
            self._unrecorded = self.error = None
            self.looked.set()
            reloads.info("content reloaded: %s", revision.digest)

    @property
    def state(self) -> dict[str, str]:
        """The revision that is served: the newest one (`current`), or an older one (`stale`)."""
        content = "current" if self.error is None else "stale"
        return {"status": "ready", "revision": self.revision.digest, "content": content}

    async def rebuild(self) -> bool:
        """Make the snapshot anew from present keys, claims and GitHub data; False if it fails."""
        async with self._lock:
            try:
                await self._serve(self.revision)
            except ProofError as error:
                log.error("the snapshot was not rebuilt; the last one is served: %s", error)  # noqa: TRY400 - as above
                return False
            return True

    async def run(self, changed: Callable[[], bool]) -> None:
        """Rebuild whenever `changed` says so, until cancelled."""
        is_done, loop = True, asyncio.get_running_loop()
        tried_at = loop.time()
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), FOLLOW_SECONDS)
            self._wake.clear()
            try:
                if await asyncio.to_thread(changed) or not is_done:
                    is_done = await self.rebuild()
                if self._unrecorded is not None and loop.time() >= tried_at + RETRY_SECONDS:
                    await self._serve_unrecorded()
                    tried_at = loop.time()
            except Exception:  # an odd file must not end this loop for good
                log.exception("keys, claims and GitHub data were not checked; trying again")

    def check_now(self) -> None:
        """Make `run` check for changes at once."""
        self._wake.set()

    async def watch(self) -> None:
        """Reload whenever the folder changes or is replaced, until cancelled."""
        from watchfiles import awatch  # noqa: PLC0415 - only for `serve --reload`

        while True:
            watched, fresh = _identity(self.folder), True
            if watched is not None:
                async for changes in awatch(
                    self.folder, rust_timeout=WATCH_MILLISECONDS, yield_on_timeout=True
                ):
                    if changes or fresh:  # fresh: what changed before the watch began
                        await self.reload()
                    fresh = False
                    if _identity(self.folder) != watched:
                        break
            await asyncio.sleep(WATCH_MILLISECONDS / 1000)


def log_failure(task: asyncio.Task[None]) -> None:
    """Log the error that ended a background task."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a background task failed; its data is no longer updated", exc_info=error)


@asynccontextmanager
async def running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run coroutines in the background until the block ends; the failure of one is logged."""
    tasks = [asyncio.create_task(each) for each in work]
    for task in tasks:
        task.add_done_callback(log_failure)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def pause_reloads() -> None:
    """Hold back SIGHUP until `reloading` begins, so that an early one is not lost."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})


@asynccontextmanager
async def reloading(
    current: LiveContent,
    changed: Callable[[], bool],
    background: Sequence[Callable[[], Coroutine[Any, Any, None]]],
    poll_now: Callable[[], None],
    *,
    watch: bool,
) -> AsyncIterator[None]:
    """Reload on SIGHUP, and with `watch` on each change of the folder, until the block ends.

    `background` holds the coroutines that look after keys, claims and GitHub; `changed` says
    whether one of these has changed, and `poll_now` makes them look at once, as SIGHUP does.
    """
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[object]] = set()

    async def reload() -> None:
        poll_now()
        current.check_now()
        await current.reload()

    def on_signal() -> None:
        if len(tasks) < 2:  # noqa: PLR2004 - one that runs, and one that waits
            tasks.add(task := loop.create_task(reload()))
            task.add_done_callback(tasks.discard)

    if signal.SIGHUP in signal.sigpending():  # asked for during the start: before the first answer
        await current.reload()
    with suppress(ValueError, RuntimeError):  # outside the main thread there are no signals
        loop.add_signal_handler(signal.SIGHUP, on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    endless = [current.run(changed), *(run() for run in background)]
    if watch:
        endless.append(current.watch())
    async with running(*endless):
        yield
