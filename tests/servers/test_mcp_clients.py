"""Other people's clients of MCP drive everything that is offered, over HTTP and on stdio."""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import fastmcp
import pytest
from ai_service import LIGHT
from mcp import Client, MCPError, StdioServerParameters
from mcp_messages import PROMPTS, RESOURCES, TOOLS
from mcp_types import PromptReference, ResourceTemplateReference

from mcp_bridge.protocol.protocol_versions import HANDSHAKE, STATELESS
from studiograph.wiring.documents import SCHEME

MODES = {"legacy": HANDSHAKE[-1], "auto": STATELESS, STATELESS: STATELESS}
COMMAND = [sys.executable, "-m", "studiograph", "mcp"]
LETTER = {
    "name": "Ines Ferreira",
    "email": "ines@harbour.example",
    "message": "Could you review our tide forecasts in March, please?",
    "agent": "tests 1",
    "dryRun": True,
}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "get_project": {"slug": "tidebook"},
    "send_contact": LETTER,
    "get_changes": {"kind": "added"},
    "search": {"query": "tides"},
    "ask": {"query": "what does the studio refuse to do?"},
    "route_intent": {"goal": "write to the human"},
    "read": {"section": "projects", "slug": "tidebook"},
    "fetch": {"id": "projects/tidebook"},
    "verify": {"section": "engagement"},
}
WITHOUT_STRUCTURE = "read"
"""The tool that gives markdown alone."""
WEBHOOKS = ("subscribe", "unsubscribe")
"""The tools for a receiver, which is not here."""
PROVES, PREVIEW = "verify", "This is a preview"
"""The tool that proves what is published, and what it says on stdio, where nothing is."""
FILLED = {
    "draft_outreach": {"purpose": "ask for a review"},
    "compare_projects": {"a": "tidebook", "b": "fathom"},
}

LOADING = "are still loading"
LOADING_SECONDS = 120
"""How long all of it may take where the models are loaded meanwhile."""
PACE_SECONDS = 0.2


@pytest.fixture
def place(folder: Path) -> dict[str, str]:
    """The environment of a new service whose embedder hashes words, so that it is soon ready."""
    settings = {"CONTENT": str(folder), "DATA": str(folder.parent / "data"), **LIGHT}
    return {**os.environ, **{f"STUDIOGRAPH_{name}": value for name, value in settings.items()}}


def on_stdio(place: dict[str, str]) -> StdioServerParameters:
    """The command as the official client starts it."""
    return StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], env=place)


async def answered(call: Callable[[], Awaitable[Any]]) -> Any:
    """What a call is answered, once the models are loaded."""
    while LOADING in str((done := await call()).content):  # noqa: ASYNC110 - a server tells nobody
        await anyio.sleep(PACE_SECONDS)
    return done


async def drive(client: Client, mode: str) -> None:
    """Everything that is offered, by the official client, which checks what it gets."""
    assert client.protocol_version == MODES[mode]
    if mode != STATELESS:  # with a revision given, it asks for no introduction
        assert client.server_info is not None
        assert client.server_info.name == "quillmere"
        assert "list_projects" in (client.instructions or "")
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools][: len(TOOLS)] == TOOLS
    for tool in tools:
        if tool.name in WEBHOOKS:
            continue
        done = await answered(partial(client.call_tool, tool.name, ARGUMENTS.get(tool.name, {})))
        if tool.name == PROVES and PREVIEW in str(done.content):
            continue
        assert done.is_error is False, done.content
        assert (done.structured_content is None) is (tool.name == WITHOUT_STRUCTURE)
        assert done.content[0].type == "text"
    wrong = await client.call_tool("get_project", {"slug": "no-such-project"})
    assert wrong.is_error is True
    assert "tidebook" in str(wrong.content)
    resources = (await client.list_resources()).resources
    own = [str(found.uri) for found in resources if str(found.uri).startswith(SCHEME)]
    assert own == [f"{SCHEME}{name}" for name in RESOURCES]
    templates = (await client.list_resource_templates()).resource_templates
    assert [found.uri_template for found in templates] == [f"{SCHEME}projects/{{slug}}"]
    for uri in [*(str(found.uri) for found in resources), f"{SCHEME}projects/fathom"]:
        read = await client.read_resource(uri)
        assert len(str(read.contents[0])) > 100
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == PROMPTS
    for prompt in prompts:
        said = await client.get_prompt(prompt.name, FILLED.get(prompt.name))
        assert said.messages[0].role == "user"
    for reference, argument in (
        (PromptReference(type="ref/prompt", name="compare_projects"), "a"),
        (ResourceTemplateReference(type="ref/resource", uri=f"{SCHEME}projects/{{slug}}"), "slug"),
    ):
        completed = await client.complete(reference, {"name": argument, "value": "t"})
        assert completed.completion.values == ["tidebook"]
    for unknown in (
        partial(client.call_tool, "no_such_tool", {}),
        partial(client.read_resource, f"{SCHEME}nothing"),
        partial(client.get_prompt, "no_such_prompt"),
    ):
        with pytest.raises(MCPError) as caught:
            await unknown()
        assert "Unknown" in str(caught.value) or "No resource" in str(caught.value)


async def run_official(target: Any, mode: str) -> None:
    with anyio.fail_after(LOADING_SECONDS):
        async with Client(target, mode=mode) as client:
            await drive(client, mode)


def test_the_official_client_drives_everything_over_http(server: str) -> None:
    anyio.run(run_official, f"{server}/mcp", "auto")


def test_the_official_client_drives_everything_on_stdio(place: dict[str, str]) -> None:
    anyio.run(run_official, on_stdio(place), "legacy")


@asynccontextmanager
async def of_fastmcp(target: Any) -> AsyncIterator[Any]:
    """Another client, connected."""
    with anyio.fail_after(LOADING_SECONDS):
        async with fastmcp.Client(target) as client:
            yield client


async def run_fastmcp(target: Any) -> None:
    async with of_fastmcp(target) as client:
        tools = await client.list_tools()
        assert [tool.name for tool in tools][: len(TOOLS)] == TOOLS
        for tool in tools:
            if tool.name in WEBHOOKS:
                continue
            words = ARGUMENTS.get(tool.name, {})
            call = partial(client.call_tool, tool.name, words, raise_on_error=False)
            done = await answered(call)
            if tool.name == PROVES and PREVIEW in str(done.content):
                continue
            assert done.is_error is False, done.content
            assert done.structured_content or tool.name == WITHOUT_STRUCTURE
        for found in await client.list_resources():
            assert (await client.read_resource(found.uri))[0].text
        read = await client.read_resource(f"{SCHEME}projects/tidebook")
        assert read[0].text
        for prompt in await client.list_prompts():
            said = await client.get_prompt(prompt.name, FILLED.get(prompt.name))
            assert said.messages[0].content.text


def test_another_client_drives_everything_over_http(server: str) -> None:
    anyio.run(run_fastmcp, f"{server}/mcp")
