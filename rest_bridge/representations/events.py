"""Server-Sent Events, and subscriptions sent as such.

Where an event is an object of which every member may be absent, the one that is there names it and
is its data. Every other event has the name `next`, and all of its body for data.

Sending starts with the first event, so an error before it is still a plain response.
Source: the HTML standard, section 9.2.
"""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import anyio
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.http.endpoint import run_until_disconnect
from rest_bridge.representations.responses import rate_headers
from sdl.caller import Caller
from sdl.errors import ApiError
from sdl.operations.operation import Operation
from sdl.tools.json_text import to_json
from sdl.types.directives import MEDIA_TYPES
from sdl.types.shape import ObjectShape, Shape, with_nulls

EVENTS = MEDIA_TYPES["EVENTS"]
NEXT, ERROR = "next", "error"
"""The names of an event that has none of its own, and of a failure."""
PING_SECONDS = 15
SEND_SECONDS = 10
"""How long sending one event may take before the connection is closed."""
STOP_SECONDS = 5
"""How long a running answer may continue after shutdown began."""

error_log = logging.getLogger("studiograph.faults")


def event_response(
    frames: AsyncIterator[dict[str, str]],
    headers: Mapping[str, str],
    stop: anyio.Event,
    close: Callable[[], Awaitable[None]],
) -> ASGIApp:
    """Return the response that sends frames, each with an `event` and its `data`.

    `stop` is set when the service stops; `close` is awaited when the response has ended.
    The response raises `ClientDisconnect` if the caller stops reading.
    """
    # Importing it takes 30 ms of CPU, which processes without event streams save.
    from sse_starlette.sse import EventSourceResponse, SendTimeoutError  # noqa: PLC0415 - 0.03 s, needed only for events

    response = EventSourceResponse(
        frames,
        headers=headers,
        ping=PING_SECONDS,
        send_timeout=SEND_SECONDS,
        sep="\n",
        shutdown_event=stop,
        shutdown_grace_period=STOP_SECONDS,
    )
    del response.headers["connection"]  # the server sets it

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await response(scope, receive, send)
        except SendTimeoutError:
            raise ClientDisconnect from None
        finally:
            await close()

    return answer


def are_named(shape: Shape) -> bool:
    """Whether an event's one member may name it; `error` is the name of failures."""
    members = shape.fields if isinstance(shape, ObjectShape) else ()
    return bool(members) and all(own.optional and own.key != ERROR for own in members)


async def event_stream(
    source: Callable[[Caller], AsyncGenerator[Any, None]],
    caller: Caller,
    request: Request,
    operation: Operation,
    *,
    tells: bool,
) -> ASGIApp:
    """Wait for the first event that the source has; return the response that sends all of them.

    `tells` says whether an error that ends the events is told as the last of them. The source is
    closed when the caller disconnects. Raises: ApiError before the first event, ClientDisconnect.
    """
    stop = anyio.Event()
    events = source(replace(caller, stop=stop))
    try:
        first = await run_until_disconnect(request, _next(events))
    except BaseException:
        await events.aclose()
        raise
    headers = {"cache-control": "no-store", **rate_headers(caller.rate_limits)}
    if request.method == "HEAD":
        await events.aclose()
        return _without_length({**headers, "x-accel-buffering": "no"})

    async def frames() -> AsyncIterator[dict[str, str]]:
        if first is _END:
            return
        yield _frame(first, operation)
        try:
            async for event in events:
                yield _frame(event, operation)
        except ApiError as error:
            if not tells:
                raise
            yield _frame(error, operation)

    return event_response(frames(), headers, stop, events.aclose)


def _without_length(headers: Mapping[str, str]) -> Response:
    """Return the response to a HEAD: nobody knows how long the events will be."""
    response = Response(headers=headers, media_type=EVENTS)
    del response.headers["content-length"]
    return response


_END = object()
"""Stands for the first event of a stream that has none."""


async def _next(events: AsyncIterator[Any]) -> Any:
    return await anext(events, _END)


def _frame(event: Any, operation: Operation) -> dict[str, str]:
    """Return the frame of an event; it is an `ApiError` where something failed."""
    if isinstance(event, ApiError):
        error_log.warning("an event failed: %s", event.code, exc_info=event.__cause__)
        failure = {"error": event.code, "status": event.status, "detail": event.detail}
        return {"event": ERROR, "data": to_json(failure).decode()}
    body = event if operation.is_strict else with_nulls(operation.shape, event)
    is_one = isinstance(event, dict) and len(event) == 1 and are_named(operation.shape)
    name = next(iter(event)) if is_one else ""
    data = body[name] if name else body
    return {"event": name or NEXT, "data": to_json(data).decode()}
