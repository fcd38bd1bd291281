"""The response that sends Server-Sent Events. Source: the HTML standard, section 9.2."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from typing import Any

import anyio
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PING_SECONDS = 15
SEND_SECONDS = 10
"""How long sending one event may take before the connection is closed."""
STOP_SECONDS = 5
"""How long a running answer may continue after shutdown began."""


def event_response(
    frames: AsyncIterator[dict[str, str]],
    headers: Mapping[str, str],
    stop: anyio.Event,
    close: Callable[[], Awaitable[None]],
) -> Response:
    """Return the response that sends frames, each with an `event` and its `data`.

    `stop` is set when the service stops; `close` is awaited when the response has ended.
    The response raises `ClientDisconnect` if the caller stops reading.
    """
    response: Response = _event_response_type()(
        close,
        frames,
        headers=headers,
        ping=PING_SECONDS,
        send_timeout=SEND_SECONDS,
        sep="\n",
        shutdown_event=stop,
        shutdown_grace_period=STOP_SECONDS,
    )
    del response.headers["connection"]  # the server sets it
    return response


@cache
def _event_response_type() -> Callable[..., Response]:
    """Return the class of these responses, which costs more to make than to use."""
    # Importing it takes 30 ms of CPU, which processes without event streams save.
    from sse_starlette.sse import EventSourceResponse, SendTimeoutError  # noqa: PLC0415 - 0.03 s, needed only for events

    class EventResponse(EventSourceResponse):
        def __init__(self, close: Callable[[], Awaitable[None]], *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            self._close = close

        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await super().__call__(scope, receive, send)
            except SendTimeoutError:
                raise ClientDisconnect from None
            finally:
                await self._close()

    return EventResponse
