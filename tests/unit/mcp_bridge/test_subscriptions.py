"""A client that listens is told when the list of tools is another one, and of nothing else."""

import asyncio
import io
import json
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from local_service import bound, stored_operations
from mcp_messages import headers_of, message
from repository import ROOT
from starlette.datastructures import Headers

from mcp_bridge.protocol.protocol_versions import STATELESS
from mcp_bridge.protocol.server import LISTEN, SUBSCRIPTION, Server
from mcp_bridge.protocol.stdio import serve_stdio
from sdl.caller import Caller, Channel
from sdl.running.runner import Snapshot

ALL = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
CALLER = Caller("", Channel.MCP)


class Studio:
    """The server of a content that a test replaces."""

    def __init__(self, reading: Snapshot) -> None:
        self.reading = reading
        self.server = Server(reading.operations, lambda: self.reading, "/llms.txt")
        self.is_over = False

    async def listen(self, asked: Any) -> AsyncGenerator[bytes, None]:
        """The stream that a request is answered with."""
        sent = message(LISTEN, STATELESS, notifications=asked)
        headers = Headers(headers_of(sent, STATELESS))
        answer = await self.server.exchange(json.dumps(sent).encode(), headers, CALLER)
        assert answer.subscription is not None, answer.body
        return answer.subscription.messages(lambda: self.is_over)


async def following(stream: AsyncGenerator[bytes, None]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await anext(stream))
    assert found["jsonrpc"] == "2.0"
    return found


def test_another_list_of_tools_is_told_and_the_same_is_not(reading: Snapshot) -> None:
    studio = Studio(reading)
    same, other = bound(stored_operations()), bound(stored_operations(), ROOT / "evals/second")

    async def run() -> list[dict[str, Any]]:
        stream = await studio.listen(ALL)
        told = [await following(stream)]
        waiting = asyncio.ensure_future(following(stream))
        studio.reading = same
        await asyncio.sleep(1.2)
        assert not waiting.done()
        studio.reading = other
        told.append(await waiting)
        studio.is_over = True
        told.append(await following(stream))
        return told

    acknowledged, changed, last = asyncio.run(run())
    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
    assert changed["method"] == "notifications/tools/list_changed"
    assert last["id"] == 1
    assert last["result"]["resultType"] == "complete"
    for told in (acknowledged["params"], changed["params"], last["result"]):
        assert told["_meta"][SUBSCRIPTION] == 1


def test_who_asks_for_nothing_is_told_nothing(reading: Snapshot) -> None:
    studio = Studio(reading)

    async def run() -> list[dict[str, Any]]:
        stream = await studio.listen({"toolsListChanged": False, "resourceSubscriptions": ["a:b"]})
        told = [await following(stream)]
        studio.reading = bound(stored_operations(), ROOT / "evals/second")
        waiting = asyncio.ensure_future(following(stream))
        await asyncio.sleep(1.2)
        studio.is_over = True
        return [*told, await waiting]

    acknowledged, last = asyncio.run(run())
    assert acknowledged["params"]["notifications"] == {}
    assert "result" in last


@pytest.mark.parametrize(
    "asked", [None, [], "tools", {"toolsListChanged": 1}, {"resourceSubscriptions": "a:b"}]
)
def test_a_filter_that_does_not_fit_is_refused(reading: Snapshot, asked: Any) -> None:
    sent = message(LISTEN, STATELESS, notifications=asked)
    headers = Headers(headers_of(sent, STATELESS))
    server = Studio(reading).server
    answer = asyncio.run(server.exchange(json.dumps(sent).encode(), headers, CALLER))
    assert (answer.status, answer.subscription) == (400, None)
    assert json.loads(answer.body or b"")["error"]["code"] == -32602


def spoken(server: Server, *sent: dict[str, Any]) -> list[dict[str, Any]]:
    """What is written on standard output for these lines, until the input ends."""
    written = io.BytesIO()
    lines = b"".join(json.dumps(value).encode() + b"\n" for value in sent)
    asyncio.run(serve_stdio(server, io.BytesIO(lines).read, written))
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_streams_on_stdio_end_with_the_input_and_with_their_response(reading: Snapshot) -> None:
    asked = message(LISTEN, STATELESS, notifications=ALL)
    written = spoken(Studio(reading).server, {**asked, "id": "a"}, {**asked, "id": "b"})
    for own in ("a", "b"):
        about = [m for m in written if own in (m.get("id"), subscription_of(m))]
        assert about[0]["method"] == "notifications/subscriptions/acknowledged"
        assert about[-1]["result"]["resultType"] == "complete"


def test_a_second_stream_with_one_id_is_refused(reading: Snapshot) -> None:
    asked = message(LISTEN, STATELESS, notifications=ALL)
    written = spoken(Studio(reading).server, asked, asked)
    [refused] = [m["error"] for m in written if "error" in m]
    assert "open already" in refused["message"]


def subscription_of(value: dict[str, Any]) -> Any:
    return value.get("params", {}).get("_meta", {}).get(SUBSCRIPTION)


def test_a_cancelled_stream_on_stdio_ends_without_a_response(reading: Snapshot) -> None:
    asked = message(LISTEN, STATELESS, notifications=ALL)
    cancelled = {
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": asked["id"]},
    }
    parts = iter([json.dumps(asked).encode() + b"\n", json.dumps(cancelled).encode() + b"\n"])

    def read(_: int) -> bytes:
        time.sleep(0.2)  # the stream is open before it is cancelled
        return next(parts, b"")

    written = io.BytesIO()
    asyncio.run(serve_stdio(Studio(reading).server, read, written))
    messages = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [m["method"] for m in messages] == ["notifications/subscriptions/acknowledged"]
