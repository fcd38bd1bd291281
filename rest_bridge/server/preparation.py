"""Bodies and their codings, made in the background for each revision before a reader asks.

Nobody waits for it: the service is ready before, and whoever comes first has the work done.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from itertools import product

from starlette.types import ASGIApp, Message, Scope

from rest_bridge.http.compression import CODERS
from rest_bridge.representations.rendering import JSON, MARKDOWN
from sdl.errors import ApiError
from sdl.running.runner import CurrentSnapshot, Snapshot
from sdl.tools.background import give_way

LOOK_SECONDS = 2
"""How often a new revision is looked for; after a start the work begins so much later."""
MAX_SHARE = 0.5
"""The part of the time in which the thread may work, so that requests find the processor free."""

log = logging.getLogger("studiograph.faults")


async def prepare(
    app: ASGIApp,
    current: CurrentSnapshot,
    paths: Callable[[Snapshot], Iterable[str]],
    first: Callable[[Snapshot], object] = lambda _: None,
) -> None:
    """Ask `app` for every path of each new revision, in each form and coding, until cancelled.

    `first` is called with each new revision before, in a thread.
    """
    prepared: Snapshot | None = None
    loop = asyncio.get_running_loop()
    executor = ThreadPoolExecutor(1, "preparation", initializer=give_way)
    try:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if (snapshot := current()) is not prepared:
                await loop.run_in_executor(executor, first, snapshot)
                is_current = partial(_is, current, snapshot)
                await prepare_once(app, paths(snapshot), is_current, executor)
                prepared = snapshot
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _is(current: CurrentSnapshot, snapshot: Snapshot) -> bool:
    return current() is snapshot


async def prepare_once(
    app: ASGIApp,
    paths: Iterable[str],
    is_current: Callable[[], bool] = lambda: True,
    executor: Executor | None = None,
) -> None:
    """Ask `app` for every path in each form and coding, as long as the revision is current."""
    loop = asyncio.get_running_loop()
    for path, media_type, coding in product(dict.fromkeys(paths), (JSON, MARKDOWN), CODERS):
        if not is_current():
            return
        began = time.perf_counter()
        await loop.run_in_executor(executor, _ask, app, path, media_type, coding)
        await asyncio.sleep((time.perf_counter() - began) * (1 / MAX_SHARE - 1))


def _ask(app: ASGIApp, path: str, media_type: str, coding: str) -> None:
    """Send one request, whose answer nobody gets; a read never waits, so it needs no loop."""
    headers = [(b"accept", media_type.encode()), (b"accept-encoding", coding.encode())]
    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": headers,
    }
    try:
        answering = app(scope, _receive, _send)
        answering.send(None)  # type: ignore[attr-defined]
        answering.close()  # type: ignore[attr-defined]
    except (StopIteration, ApiError):
        pass  # it is answered, or not there in this form
    except Exception:  # one path must not end the preparation of all others
        log.exception("%s was not prepared as %s", path, media_type)


async def _receive() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _send(_message: Message) -> None:
    pass
