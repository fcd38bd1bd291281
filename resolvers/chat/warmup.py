"""A call that goes nowhere, so that the first real one finds everything loaded and built.

llama-index and openai build much of themselves in a first call: most of a second on the event
loop, were it a real one. Opens no connection.
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
    """The part of llama-index's clients that is used here."""

    async def astream_chat(self, messages: Sequence[Any]) -> AsyncIterator[Any]:
        """The chunks of an answer."""
        ...


class _StubTransport(httpx.AsyncBaseTransport):
    """Answers whatever is asked with the same short stream."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        lines = (json.dumps(_CHUNK), json.dumps(_END), "[DONE]")
        stream = "".join(f"data: {line}\n\n" for line in lines)
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, text=stream, request=request)


def warm_up(make: Callable[[httpx.AsyncClient], Streaming]) -> None:
    """Nothing, once a client that `make` made streamed an answer. Blocks; not on an event loop."""
    asyncio.run(_warmed_up(make))


async def _warmed_up(make: Callable[[httpx.AsyncClient], Streaming]) -> None:
    import anyio.streams.tls  # noqa: PLC0415 - heavy
    from llama_index.core.llms import ChatMessage  # noqa: PLC0415 - heavy

    anyio.Event().set()  # it loads itself piece by piece, as httpx's connections touch it
    _ = anyio.connect_tcp  # the same
    async with httpx.AsyncClient(transport=_StubTransport()) as client:
        async for _ in await make(client).astream_chat([ChatMessage(role="user", content="a")]):
            pass
