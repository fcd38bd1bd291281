"""A stream of events ends when its reader has gone, also one who leaves without a word."""

import asyncio
from collections.abc import AsyncIterator

import anyio
import pytest
from starlette.requests import ClientDisconnect
from starlette.types import Message

from rest_bridge.representations import events as streams


def test_a_stream_that_nobody_reads_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reader takes nothing and keeps the connection, sending waits for ever."""
    monkeypatch.setattr(streams, "SEND_SECONDS", 0.05)
    closed = asyncio.Event()

    async def frames() -> AsyncIterator[dict[str, str]]:
        yield {"event": "number", "data": "1"}

    async def close() -> None:
        closed.set()

    async def wait(_: Message | None = None) -> Message:
        return await asyncio.Future[Message]()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            await wait()

    async def read() -> None:
        stream = streams.event_response(frames(), {}, anyio.Event(), close)
        scope = {"type": "http", "method": "GET", "headers": []}
        with pytest.raises(ClientDisconnect):
            await asyncio.wait_for(stream(scope, wait, send), 10)
        assert closed.is_set()

    asyncio.run(read())
