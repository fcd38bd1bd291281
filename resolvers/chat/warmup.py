"""Warms up a model client by one streamed call that needs no network.

llama-index and openai build much of themselves during their first call; in a real one that would
block the event loop for most of a second.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Protocol

import httpx

NOWHERE = "http://rehearsal.invalid/v1"
_CHUNK = {
    "id": "rehearsal",
    "object": "chat.completion.chunk",
    "created": 0,
    "model": "rehearsal",
    "choices": [{"index": 0, "delta": {"role": "assistant", "content": "a"}}],
}
_END = {**_CHUNK, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


class Streaming(Protocol):
    """The part of llama-index's clients that we use."""

    async def astream_chat(self, messages: Sequence[Any]) -> AsyncIterator[Any]:
        """Start a call and return the chunks of its answer."""
        ...


class _StubTransport(httpx.AsyncBaseTransport):
    """Answers every request with the same short stream."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        lines = (json.dumps(_CHUNK), json.dumps(_END), "[DONE]")
        stream = "".join(f"data: {line}\n\n" for line in lines)
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, text=stream, request=request)


def warm_up(make: Callable[[httpx.AsyncClient], Streaming]) -> None:
    """Stream one answer through a client that `make` returns. Blocks; needs no running loop."""
    asyncio.run(_stream_once(make))


async def _stream_once(make: Callable[[httpx.AsyncClient], Streaming]) -> None:
    import anyio.streams.tls  # noqa: PLC0415 - with its TLS, needed only with a model
    from llama_index.core.llms import ChatMessage  # noqa: PLC0415 - llama-index takes 1.7 s

    # anyio imports its parts at first use, as httpx's connections need them.
    anyio.Event().set()
    _ = anyio.connect_tcp
    async with httpx.AsyncClient(transport=_StubTransport()) as client:
        async for _ in await make(client).astream_chat([ChatMessage(role="user", content="a")]):
            pass
