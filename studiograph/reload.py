"""The one pointer to the current revision, and what moves it: SIGHUP and changes of the folder.

A new revision is read whole and then swapped in; a fault keeps the last good one and says so.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from content.faults import ContentError
from content.revision import Revision, read_revision
from sdl.runner import Reading

WATCH_MILLISECONDS = 500

log = logging.getLogger("studiograph.content")


class Current:
    """The current revision with everything derived from it."""

    def __init__(self, folder: Path, bind: Callable[[Revision], Reading]) -> None:
        self.folder = folder
        self._bind = bind
        self._revision = read_revision(folder)
        self._reading = bind(self._revision)
        self._lock = asyncio.Lock()

    def __call__(self) -> Reading:
        """The reading of the current revision; a request asks once and keeps it."""
        return self._reading

    async def reload(self) -> bool:
        """Whether the folder's content is now the current one; if not, nothing has changed."""
        async with self._lock:
            try:
                revision = await asyncio.to_thread(read_revision, self.folder, self._revision)
            except (ContentError, OSError) as error:
                log.error("the content was not reloaded; the last good one is served:\n%s", error)  # noqa: TRY400 - the faults say it all
                return False
            if revision is not self._revision:
                self._reading = self._bind(revision)
                self._revision = revision
                log.info("content reloaded: %s", revision.digest)
            return True

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


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@asynccontextmanager
async def reloading(current: Current, *, watch: bool) -> AsyncIterator[None]:
    """While inside, SIGHUP reloads, and so does a change of the folder if asked for."""
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[object]] = set()

    def reload() -> None:
        tasks.add(task := loop.create_task(current.reload()))
        task.add_done_callback(tasks.discard)

    with suppress(ValueError, RuntimeError):  # outside the main thread there are no signals
        loop.add_signal_handler(signal.SIGHUP, reload)
    watcher = loop.create_task(current.watch()) if watch else None
    try:
        yield
    finally:
        if watcher is not None:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
