"""The list of tools and the long answers of tools stay within 3,000 tokens, on every studio."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
from local_service import bound, stored_operations
from mcp_messages import message
from repository import ROOT, SAMPLE

from mcp_bridge.protocol.server import Server
from mcp_bridge.tools.sections import MAX_CHARACTERS
from sdl.caller import Caller, Channel
from studiograph.wiring.documents import tool_options

TOKENS = 3_000
CHARACTERS_PER_TOKEN = 4
LONG = ("get_about", "list_projects", "get_changes")


@pytest.fixture(scope="module", params=[SAMPLE, ROOT / "evals/second"], ids=["sample", "second"])
def server(request: pytest.FixtureRequest) -> Server:
    """The server of one studio with every tool that there can be."""
    reading = bound(stored_operations(), Path(request.param))
    options = tool_options(has_language_model=True)
    return Server(stored_operations(), lambda: reading, "/llms.txt", options)


def answer(server: Server, method: str, **params: Any) -> bytes:
    """The whole response."""
    sent = orjson.dumps(message(method, **params))
    body = asyncio.run(server.exchange(sent, None, Caller("", Channel.MCP))).body
    assert body is not None
    return body


def tokens(response: bytes) -> float:
    return len(response.decode()) / CHARACTERS_PER_TOKEN


def called(server: Server, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call."""
    response = answer(server, "tools/call", name=tool, arguments=arguments)
    result: dict[str, Any] = orjson.loads(response)["result"]
    assert not result["isError"], result
    return result


def test_the_list_of_all_tools_is_short(server: Server) -> None:
    response = answer(server, "tools/list")
    names = [tool["name"] for tool in orjson.loads(response)["result"]["tools"]]
    assert {*LONG, "read", "fetch", "verify", "subscribe", "search", "ask"} <= {*names}
    assert tokens(response) <= TOKENS


@pytest.mark.parametrize("tool", LONG)
def test_a_long_answer_is_short_in_both_forms_together(server: Server, tool: str) -> None:
    response = answer(server, "tools/call", name=tool, arguments={})
    result = orjson.loads(response)["result"]
    assert result["structuredContent"]
    assert result["content"][0]["text"]
    assert tokens(response) <= TOKENS


def test_every_section_is_read_in_short_and_says_what_is_left_out(server: Server) -> None:
    tools = orjson.loads(answer(server, "tools/list"))["result"]["tools"]
    read = next(tool for tool in tools if tool["name"] == "read")
    sections = read["inputSchema"]["properties"]["section"]["enum"]
    needed = {
        "log/proof": "index=0",
        "log/consistency": "from=1",
        "words/consistency": "from=1",
        "changes": "since=1",
        "changes-of": "name=scheduling",
        "proof": "name=scheduling",
        "statement.tlog-proof": "name=scheduling",
    }
    shortened = 0
    for section in sections:
        more = {"parameters": needed[section]} if section in needed else {}
        result = called(server, "read", section=section, **more)
        text = result["content"][0]["text"]
        if text.startswith("> Shortened to "):
            shortened += 1
            note, _, text = text.partition("\n\n")
            assert "call again" in note or "the whole is at" in note
        assert len(text) <= MAX_CHARACTERS
    assert 1 <= shortened < len(sections)


def test_each_part_of_a_section_is_its_own(server: Server) -> None:
    def part(**parameters: Any) -> str:
        result = called(server, "read", section="projects", limit=1, **parameters)
        return str(result["content"][0]["text"])

    first, second, name = part(), part(offset=1), part(fields="name")
    assert len({first, second, name}) == 3
    assert (part(), part(offset=1), part(fields="name")) == (first, second, name)


@pytest.mark.parametrize("tool", LONG)
def test_what_is_left_out_of_a_short_answer_is_got_as_it_says(server: Server, tool: str) -> None:
    first = called(server, tool)
    note = first["structuredContent"].get("more", "")
    assert note == "" or f"> {note}" in first["content"][0]["text"]
    if "Left out: " in note:
        told = note.split("Left out: ")[1].split(";")[0]
        path = told.split(" (")[0]
        again = called(server, tool, fields=path)["structuredContent"]
        value = (again["items"][0] if "items" in again else again) | {}
        for key in path.split("."):
            value = value[key]
        assert value
    if "offset " in note:
        offset = int(note.rsplit("offset ", 1)[1].split()[0])
        following = called(server, tool, offset=offset, limit=1)["structuredContent"]["items"]
        everything = called(server, tool, limit=200)["structuredContent"]["items"]
        assert following == [everything[offset]]
        assert first["structuredContent"]["items"][-1].items() <= everything[offset - 1].items()


@pytest.mark.parametrize("section", ["projects", "manifest", "engagement"])
def test_a_proof_is_short_unless_its_payload_is_asked_for(server: Server, section: str) -> None:
    short = called(server, "verify", section=section)
    assert len(orjson.dumps(short)) <= MAX_CHARACTERS * 1.5
    whole = called(server, "verify", section=section, payload=True)["structuredContent"]
    assert "payload" in whole["envelope"]
    assert ("payload" in short["structuredContent"]["envelope"]) is (
        "more" not in short["structuredContent"]
    )
