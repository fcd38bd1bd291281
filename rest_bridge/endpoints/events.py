"""Subscriptions as Server-Sent Events.

Where an event is an object of which every member may be absent, the one that is there names it and
is its data. Every other event has the name `next`, and all of its body for data.

Sending starts with the first event, so an error before it is still a plain response.
Source: the HTML standard, section 9.2.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import anyio
import orjson
from starlette.requests import Request
from starlette.responses import Response

from rest_bridge.http.disconnect import run_until_disconnect
from rest_bridge.http.rate_limit_headers import rate_headers
from rest_bridge.representations.event_response import event_response
from sdl.caller import Caller
from sdl.errors import ApiError
from sdl.types.shape import ObjectShape, Shape

EventSource = Callable[[Caller], AsyncGenerator[Any, None]]
"""Starts the events for a caller."""

error_log = logging.getLogger("studiograph.faults")

NEXT = "next"
"""The name of an event that has none of its own."""


def are_named(shape: Shape) -> bool:
    """Whether an event's one member may name it."""
    return isinstance(shape, ObjectShape) and all(member.optional for member in shape.fields)


async def event_stream(
    source: EventSource,
    caller: Caller,
    request: Request,
    *,
    are_named: bool = True,
    tells: bool = False,
) -> Response:
    """Wait for the first event and return the response that sends all of them.

    `are_named` says whether an event's one member names it, `tells` whether an error that ends the
    events is told as the last of them. The source is closed when the caller disconnects. Raises:
    ApiError before the first event, ClientDisconnect.
    """
    stop = anyio.Event()
    events = source(replace(caller, stop=stop))
    try:
        first = await run_until_disconnect(request, _next(events))
    except BaseException:
        await events.aclose()
        raise
    headers = {"cache-control": "no-store", **rate_headers(caller.rate_limits)}
    response = event_response(
        _frames(first, events, are_named=are_named, tells=tells), headers, stop, events.aclose
    )
    if request.method == "HEAD":
        await events.aclose()
        head = Response(headers=dict(response.headers))
        del head.headers["content-length"]
        return head
    return response


_END = object()
"""Stands for the first event of a stream that has none."""


async def _next(events: AsyncIterator[Any]) -> Any:
    return await anext(events, _END)


async def _frames(
    first: Any, events: AsyncIterator[Any], *, are_named: bool, tells: bool
) -> AsyncIterator[dict[str, str]]:
    if first is _END:
        return
    yield _frame(first, are_named=are_named)
    try:
        async for event in events:
            yield _frame(event, are_named=are_named)
    except ApiError as error:
        if not tells:
            raise
        error_log.warning("a stream ended: %s", error.code, exc_info=error.__cause__)
        told = {"error": error.code, "status": error.status, "detail": error.detail}
        yield {"event": "error", "data": orjson.dumps(told).decode()}


def _frame(event: Any, *, are_named: bool) -> dict[str, str]:
    name, body = NEXT, event
    if are_named and len(event) == 1:
        ((name, body),) = event.items()
    return {"event": name, "data": orjson.dumps(body).decode()}
