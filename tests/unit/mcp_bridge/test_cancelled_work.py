"""Work for a caller who leaves, or who cancels it, is not done to its end."""

import asyncio
import io
import json
from typing import Any

from asgi_call import post_and_leave
from mcp_messages import headers_of, message

from mcp_bridge.protocol.protocol_versions import HANDSHAKE
from mcp_bridge.protocol.server import CANCELLED, Server
from mcp_bridge.protocol.stdio import serve_stdio
from rest_bridge.http.middleware import RequestGuard
from sdl.running.runner import Snapshot

QUESTION = message("tools/call", name="ask", arguments={"query": "What is Tidebook?"})


def test_a_caller_of_http_who_leaves_gets_no_answer_and_is_logged_so(service: RequestGuard) -> None:
    headers = headers_of(QUESTION, HANDSHAKE[-1])
    assert post_and_leave(service, "/mcp", QUESTION, headers).status == 0


def test_what_a_client_of_stdio_cancels_is_not_answered(reading: Snapshot) -> None:
    server = Server(reading.operations, lambda: reading, "/llms.txt")
    cancel = {"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": 1}}
    lines: list[Any] = [QUESTION, cancel, {**message("ping"), "id": 2}]
    written = io.BytesIO()
    text = b"".join(json.dumps(each).encode() + b"\n" for each in lines)
    asyncio.run(serve_stdio(server, io.BytesIO(text).read, written))
    assert [json.loads(line)["id"] for line in written.getvalue().splitlines()] == [2]
