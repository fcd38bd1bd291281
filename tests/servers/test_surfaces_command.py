"""`surfaces serve` and `surfaces mcp` as their users start them: a process over a small schema."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest
from child_process import killed_if_late, read_line
from mcp import Client, StdioServerParameters
from repository import ROOT

COMMAND = [sys.executable, "-m", "surfaces.cli"]
SCHEMA = """
import strawberry

print("words of the application")

@strawberry.type
class Query:
    @strawberry.field(description="Greets.")
    async def greeting(self, name: str = "you") -> str:
        return f"Hello {name}!"

schema = strawberry.Schema(Query)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a schema and one operation."""
    (tmp_path / "greeter.py").write_text(SCHEMA)
    (tmp_path / "operations").mkdir()
    operation = 'query Greet($name: String) @rest(path: "/hello") @mcp { greeting(name: $name) }'
    (tmp_path / "operations/greet.graphql").write_text(operation)
    return tmp_path


def environment() -> dict[str, str]:
    """The environment of a process that finds the product."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def serving(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """The schema, served on a free port."""
    words = [*COMMAND, "serve", "greeter:schema", "--port", "0", "--graphql"]
    with subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def test_what_is_printed_answers_until_a_signal(serving: "subprocess.Popen[str]") -> None:
    assert read_line(serving) == "words of the application\n"
    first = read_line(serving)
    found = re.fullmatch(
        r"Listening on (http://127\.0\.0\.1:\d+); Ctrl\+C stops it\. Links say \1\n", first
    )
    assert found is not None, first
    address = found[1]
    printed = [read_line(serving).split()[0] for _ in range(4)]
    paths = ("/llms.txt", "/openapi.json", "/mcp", "/graphql")
    assert printed == [f"{address}{path}" for path in paths]
    assert httpx.get(f"{address}/hello", params={"name": "Ada"}).json() == "Hello Ada!"
    assert f"{address}/hello" in httpx.get(printed[0]).text
    assert httpx.get(printed[1]).json()["info"]["title"] == "Greeter"
    query = {"query": "{ greeting }"}
    assert httpx.post(printed[3], json=query).json() == {"data": {"greeting": "Hello you!"}}
    serving.send_signal(signal.SIGTERM)
    with killed_if_late(serving):
        assert serving.wait() == 0


def test_the_official_client_calls_a_tool_on_stdio(folder: Path) -> None:
    words = [*COMMAND[1:], "mcp", "greeter:schema", "operations/"]
    started = StdioServerParameters(
        command=COMMAND[0], args=words, env=environment(), cwd=str(folder)
    )

    async def call() -> None:
        async with Client(started) as client:
            (tool,) = (await client.list_tools()).tools
            assert (tool.name, tool.description) == ("greet", "Greets.")
            done = await client.call_tool("greet", {"name": "Ada"})
            assert done.structured_content == {"result": "Hello Ada!"}

    anyio.run(call)
