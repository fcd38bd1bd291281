"""The streams of one process are counted when they are promised, and until they have ended."""

import asyncio
import json

import anyio
import pytest
from mcp_messages import headers_of, message
from starlette.requests import Request
from starlette.types import Message, Scope

from mcp_bridge.protocol.http import MAX_LISTENING, McpEndpoint, McpHttp
from mcp_bridge.protocol.protocol_versions import STATELESS
from mcp_bridge.protocol.server import LISTEN, Server
from rest_bridge.representations.pages import Page
from sdl.errors import UnavailableError
from sdl.running.runner import Snapshot

ASKED = message(LISTEN, STATELESS, notifications={"toolsListChanged": True})


def asked_for_a_stream() -> Request:
    """A request for a stream, whose caller leaves as soon as the stream is sent."""
    headers = [(n.encode(), v.encode()) for n, v in headers_of(ASKED, STATELESS).items()]
    scope: Scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    messages: list[Message] = [{"type": "http.request", "body": json.dumps(ASKED).encode()}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return Request(scope, receive)


async def nothing_is_sent(_message: Message) -> None:
    pass


def test_streams_that_are_asked_for_at_once_do_not_pass_the_limit(reading: Snapshot) -> None:
    server = Server(reading.operations, lambda: reading, "/llms.txt")
    http = McpHttp(server, "http://localhost", {}, lambda _: "")
    endpoint = McpEndpoint(http, Page("/mcp", dict))

    async def run() -> None:
        endpoint.listening.update(anyio.Event() for _ in range(MAX_LISTENING - 1))
        request = asked_for_a_stream()
        response = await endpoint.respond(request)
        with pytest.raises(UnavailableError):
            await endpoint.respond(asked_for_a_stream())
        await response(request.scope, request.receive, nothing_is_sent)
        assert len(endpoint.listening) == MAX_LISTENING - 1

    asyncio.run(run())
