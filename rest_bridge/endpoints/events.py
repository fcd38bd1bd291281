"""Subscriptions as Server-Sent Events; the name of an event is the key of its one member.

Sending starts with the first event, so an error before it is still a plain response.
Source: the HTML standard, section 9.2.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import anyio
import orjson
from starlette.requests import Request
from starlette.responses import Response

from rest_bridge.http.disconnect import run_until_disconnect
from rest_bridge.http.event_response import event_response
from rest_bridge.http.rate_limit_headers import rate_headers
from sdl.caller import Caller

EventSource = Callable[[Caller], AsyncGenerator[dict[str, Any], None]]
"""Starts the events for a caller."""


async def event_stream(source: EventSource, caller: Caller, request: Request) -> Response:
    """Wait for the first event and return the response that sends all of them.

    The source is closed when the caller disconnects. Raises: ApiError before the first event,
    ClientDisconnect.
    """
    stop = anyio.Event()
    events = source(replace(caller, stop=stop))
    try:
        first = await run_until_disconnect(request, _next(events))
    except BaseException:
        await events.aclose()
        raise
    headers = {"cache-control": "no-store", **rate_headers(caller.rate_limits)}
    response = event_response(_frames(first, events), headers, stop, events.aclose)
    if request.method == "HEAD":
        await events.aclose()
        head = Response(headers=dict(response.headers))
        del head.headers["content-length"]
        return head
    return response


async def _next(events: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
    return await anext(events)


async def _frames(
    first: dict[str, Any], events: AsyncIterator[dict[str, Any]]
) -> AsyncIterator[dict[str, str]]:
    yield _frame(first)
    async for event in events:
        yield _frame(event)


def _frame(event: dict[str, Any]) -> dict[str, str]:
    ((name, body),) = event.items()
    return {"event": name, "data": orjson.dumps(body).decode()}
