"""Subscriptions as Server-Sent Events; the name of an event is the key of its one member.

Sending starts with the first event, so an error before it is still a plain response.
Source: the HTML standard, section 9.2.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import anyio
import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.http.disconnect import run_until_disconnect
from rest_bridge.http.rate_limit_headers import rate_headers
from sdl.caller import Caller

PING_SECONDS = 15
SEND_SECONDS = 10
"""How long sending one event may take before the connection is closed."""
STOP_SECONDS = 5
"""How long a running answer may continue after shutdown began."""

EventSource = Callable[[Caller], AsyncGenerator[dict[str, Any], None]]
"""Starts the events for a caller."""


async def event_stream(source: EventSource, caller: Caller, request: Request) -> ASGIApp:
    """Wait for the first event and return the response that sends all of them.

    The source is closed when the caller disconnects. Raises: ApiError before the first event,
    ClientDisconnect.
    """
    # Importing it takes 30 ms of CPU, which processes without event streams save.
    from sse_starlette.sse import EventSourceResponse, SendTimeoutError  # noqa: PLC0415 - 0.03 s, needed only for events

    stop = anyio.Event()
    events = source(replace(caller, stop=stop))
    try:
        first = await run_until_disconnect(request, _next(events))
    except BaseException:
        await events.aclose()
        raise
    response = EventSourceResponse(
        _frames(first, events),
        headers={"cache-control": "no-store", **rate_headers(caller.rate_limits)},
        ping=PING_SECONDS,
        send_timeout=SEND_SECONDS,
        sep="\n",
        shutdown_event=stop,
        shutdown_grace_period=STOP_SECONDS,
    )

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await response(scope, receive, send)
        except SendTimeoutError:
            raise ClientDisconnect from None  # the caller stopped reading
        finally:
            await events.aclose()

    return respond


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
