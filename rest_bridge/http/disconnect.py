"""Work that is done only while somebody waits for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

Result = TypeVar("Result")


async def run_until_disconnect(request: Request, work: Coroutine[object, object, Result]) -> Result:
    """What comes of the work; it is cancelled as soon as the caller leaves.

    The body must have been read. Raises: ClientDisconnect.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        await _settled(working, leaving)


async def _settled(*tasks: "asyncio.Future[Any]") -> None:
    """Nothing, once they are over; whoever is cancelled meanwhile waits for it too."""
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


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
