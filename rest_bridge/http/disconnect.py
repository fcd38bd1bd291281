"""Work that is cancelled when the caller disconnects."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request

Result = TypeVar("Result")


async def run_until_disconnect(request: Request, work: Coroutine[object, object, Result]) -> Result:
    """Return the result of the work; cancel it as soon as the caller disconnects.

    The body must have been read. Raises: ClientDisconnect.
    """
    working = asyncio.ensure_future(work)
    disconnecting = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait([working, disconnecting], return_when=asyncio.FIRST_COMPLETED)
        if disconnecting.done():
            raise ClientDisconnect
        return working.result()
    finally:
        await _cancel_and_wait(working, disconnecting)


async def _cancel_and_wait(*tasks: "asyncio.Future[Any]") -> None:
    """Cancel the tasks and wait for their end, even if this task is cancelled meanwhile."""
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


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
