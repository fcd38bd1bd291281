"""A subscription as Server-Sent Events: each event has the name of its one member.

Nothing is sent before the first event is there, so that until then every error is a plain answer.
Source: the HTML standard, section 9.2.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import anyio
import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.types import Send

from rest_bridge.presence import while_connected
from rest_bridge.quota import rate_headers
from schema.caller import Caller

PING_SECONDS = 15
SEND_SECONDS = 10
"""How long a caller may leave an event unread."""


STOP_SECONDS = 5
"""How long an answer may go on that is told to come to its end, since the service stops."""

Stream = Callable[[Caller], AsyncGenerator[dict[str, Any], None]]
"""From a caller to the events."""


async def event_stream(stream: Stream, caller: Caller, request: Request, send: Send) -> None:
    """Answer with the events; whatever made them is closed when the caller leaves.

    Raises: StudioError before the first one, ClientDisconnect.
    """
    from sse_starlette.sse import (  # noqa: PLC0415 - of no use before a call
        EventSourceResponse,
        SendTimeoutError,
    )

    stop = anyio.Event()
    events = stream(replace(caller, hurry=stop))
    try:
        first = await while_connected(request, _next(events))
        response = EventSourceResponse(
            _written(first, events),
            headers={"cache-control": "no-store", **rate_headers(caller.spent)},
            ping=PING_SECONDS,
            send_timeout=SEND_SECONDS,
            sep="\n",
            shutdown_event=stop,
            shutdown_grace_period=STOP_SECONDS,
        )
        await response(request.scope, request.receive, send)
    except SendTimeoutError:
        raise ClientDisconnect from None  # nobody reads any more
    finally:
        await events.aclose()


async def _next(events: AsyncIterator[dict[str, Any]]) -> dict[str, Any]:
    return await anext(events)


async def _written(
    first: dict[str, Any], events: AsyncIterator[dict[str, Any]]
) -> AsyncIterator[dict[str, str]]:
    yield _event(first)
    async for event in events:
        yield _event(event)


def _event(event: dict[str, Any]) -> dict[str, str]:
    ((name, told),) = event.items()
    return {"event": name, "data": orjson.dumps(told).decode()}
