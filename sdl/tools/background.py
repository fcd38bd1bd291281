"""Work beside the requests of the same process: threads that give way, tasks that are ended."""

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

NICE_STEPS = 5
"""How much lower the priority is; of a contended processor such a thread has about a quarter."""
NEVER = 2**31 - 1

_lock = threading.Lock()
_makers = 0
"""How many threads are within `without_full_collections`."""
_thresholds = gc.get_threshold()
"""What applies when no thread is."""


def give_way() -> None:
    """Give the calling thread a lower priority, for good; nothing where the system forbids it.

    Beside one of the usual priority a request waits until the kernel has had it run for 3 ms.
    Threads that the thread begins have its priority too.
    """
    if sys.platform != "linux":  # elsewhere a priority is that of the whole process
        return
    thread = threading.get_native_id()
    with suppress(OSError):
        lower = os.getpriority(os.PRIO_PROCESS, thread) + NICE_STEPS
        os.setpriority(os.PRIO_PROCESS, thread, lower)


@contextmanager
def without_full_collections() -> Iterator[None]:
    """Look for garbage among new objects only, while a thread makes many that last.

    A full collection looks through all that there is, 60 to 90 ms in which nothing else runs. What
    was made is taken out of later ones, unless it failed; so it must free itself when it is let go.
    Python 3.14 collects in increments: there this only takes out what was made.
    """
    global _makers, _thresholds  # noqa: PLW0603 - the collector is one for the process
    with _lock:
        _makers += 1
        if _makers == 1:
            _thresholds = gc.get_threshold()
            gc.set_threshold(*_thresholds[:2], NEVER)
    is_made = False
    try:
        yield
        is_made = True
    finally:
        with _lock:
            _makers -= 1
            if _makers == 0:
                gc.set_threshold(*_thresholds)
                if is_made:
                    gc.collect(1)  # the garbage of requests, or it would be taken out too
                    gc.freeze()


async def cancel_all(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel the tasks and wait until they have ended, even if this task is cancelled meanwhile."""
    cancelled = False
    while not all(task.done() for task in tasks):
        for task in tasks:
            task.cancel()
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
