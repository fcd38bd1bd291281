"""Another people's client listens over HTTP: to a reload, and to the end of the service."""

import json
import signal
from pathlib import Path

import anyio
import httpx
import pytest
from ai_service import LIGHT
from mcp import Client
from mcp.shared.subscriptions import ToolsListChanged
from mcp_messages import headers_of, message
from outside_reader import studio_in
from running_server import Running, running

from mcp_bridge.protocol.protocol_versions import STATELESS
from mcp_bridge.protocol.server import LISTEN

SECONDS = 60
ASKED = message(LISTEN, STATELESS, notifications={"toolsListChanged": True})


def with_one_more_project(content: Path) -> None:
    """Add a project to the file, the last one under another name."""
    path = content / "projects.toml"
    text = path.read_text()
    last = text[text.rindex("[[projects]]\n") :]
    slug = last.split('slug = "')[1].split('"')[0]
    more = last.replace(f'slug = "{slug}"', 'slug = "one-more"', 1)
    path.write_text(f"{text}\n{more}")


async def slugs(client: Client) -> list[str]:
    """The slugs that a tool lists."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    known: list[str] = tools["get_project"].input_schema["properties"]["slug"]["enum"]
    return known


async def listen(server: Running, content: Path) -> None:
    with anyio.fail_after(SECONDS):
        async with (
            Client(f"{server.address}/mcp", mode=STATELESS) as client,
            client.listen(tools_list_changed=True, prompts_list_changed=True) as changes,
        ):
            assert changes.honored.tools_list_changed is True
            assert changes.honored.prompts_list_changed is None
            assert "one-more" not in await slugs(client)
            with_one_more_project(content)
            server.process.send_signal(signal.SIGHUP)
            assert isinstance(await anext(changes), ToolsListChanged)
            assert "one-more" in await slugs(client)
            server.process.send_signal(signal.SIGTERM)
            with pytest.raises(StopAsyncIteration):  # it ended in order
                await anext(changes)


def test_a_reload_and_an_orderly_end_are_told(tmp_path: Path) -> None:
    content = studio_in(tmp_path, **LIGHT)
    with running(content) as server:
        anyio.run(listen, server, content)
        assert server.process.wait(SECONDS) == 0


def test_a_stream_is_refused_to_who_does_not_accept_one(server: str) -> None:
    headers = {**headers_of(ASKED, STATELESS), "accept": "application/json"}
    response = httpx.post(f"{server}/mcp", content=json.dumps(ASKED), headers=headers)
    assert response.status_code == 406
    assert "text/event-stream" in response.json()["error"]["message"]
