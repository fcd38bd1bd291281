"""The one pointer to the current reading, and what moves it: SIGHUP, the folder, the keys.

A new revision is read whole and then swapped in; a fault keeps the last good one and says so.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from content.errors import ContentError
from content.revision import Revision, read_revision
from resolvers.signing.errors import ProofError
from schema.site import Site
from sdl.runner import Snapshot

FOLLOW_SECONDS = 1
WATCH_MILLISECONDS = 500

log = logging.getLogger("studiograph.content")


class LiveContent:
    """The current revision with everything derived from it."""

    def __init__(
        self, folder: Path, revision: Revision, bind: Callable[..., Snapshot[Site]]
    ) -> None:
        self.folder = folder
        self._bind = bind
        self._revision = revision
        self._reading = bind(revision)
        self._lock = asyncio.Lock()
        self._is_stale = False
        self._wake = asyncio.Event()

    def __call__(self) -> Snapshot[Site]:
        """The reading of the current revision; a request asks once and keeps it."""
        return self._reading

    async def reload(self) -> bool:
        """Whether the folder's content is now the current one; if not, nothing has changed."""
        async with self._lock:
            try:
                revision = await asyncio.to_thread(read_revision, self.folder, self._revision)
                if revision is not self._revision:
                    self._reading = await self._derive(revision)
                    self._revision = revision
                    log.info("content reloaded: %s", revision.digest)
            except (ContentError, ProofError, OSError) as error:
                self._is_stale = True
                log.error("the content was not reloaded; the last good one is served:\n%s", error)  # noqa: TRY400 - the faults say it all
                return False
            self._is_stale = False
            return True

    async def _derive(self, revision: Revision) -> Snapshot[Site]:
        return await asyncio.to_thread(self._bind, revision, before=self._reading)

    @property
    def state(self) -> dict[str, str]:
        """What is served, and whether it is what was written last."""
        content = "stale" if self._is_stale else "current"
        return {"status": "ready", "revision": self._revision.digest, "content": content}

    async def rebuild(self) -> bool:
        """Whether everything was derived again from the current revision and the facts of now."""
        async with self._lock:
            try:
                self._reading = await self._derive(self._revision)
            except ProofError as fault:
                log.error("the last good answers are served: %s", fault)  # noqa: TRY400 - the fault says it all
                return False
            return True

    async def run(self, changed: Callable[[], bool]) -> None:
        """Derive everything again whenever another fact has changed, for ever."""
        done = True
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), FOLLOW_SECONDS)
            self._wake.clear()
            try:
                if await asyncio.to_thread(changed) or not done:
                    done = await self.rebuild()
            except Exception:  # one odd file must not end the following of all others
                log.exception("facts were not followed; they will be looked at again")

    def check_now(self) -> None:
        """Let `follow` look at once."""
        self._wake.set()

    async def watch(self) -> None:
        """Reload whenever the folder changes or another takes its place, for ever."""
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


def _told(task: asyncio.Task[None]) -> None:
    """Log what ended a task that should never end."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("a background task ended: its facts stay as they are", exc_info=error)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def pause_reloads() -> None:
    """Nothing; a SIGHUP waits until something can be reloaded, and is not lost."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})


@asynccontextmanager
async def reloading(
    current: LiveContent,
    changed: Callable[[], bool],
    background: Sequence[Callable[[], Coroutine[Any, Any, None]]],
    hurry: Callable[[], None],
    *,
    watch: bool,
) -> AsyncIterator[None]:
    """While inside, SIGHUP reloads, and so does a change of the folder if asked for.

    `changed` says whether another fact than the content is not what it was; `background` is what
    finds such facts out, and `hurry` makes it do so at once, which SIGHUP asks for as well.
    """
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[object]] = set()

    async def reload() -> None:
        hurry()
        current.check_now()
        await current.reload()

    def on_signal() -> None:
        if len(tasks) < 2:  # noqa: PLR2004 - one that reads, and one that reads after it
            tasks.add(task := loop.create_task(reload()))
            task.add_done_callback(tasks.discard)

    with suppress(ValueError, RuntimeError):  # outside the main thread there are no signals
        loop.add_signal_handler(signal.SIGHUP, on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    endless = [current.run(changed), *(found() for found in background)]
    if watch:
        endless.append(current.watch())
    watchers = [loop.create_task(task) for task in endless]
    for watcher in watchers:
        watcher.add_done_callback(_told)
    try:
        yield
    finally:
        for watcher in watchers:
            watcher.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)
