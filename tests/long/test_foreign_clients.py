"""Other people's clients and generators find foreign applications as they describe themselves."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastmcp
import pytest
from repository import ROOT, SUPPORT

CHECKS = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
"""What is judged: not a failure of a resolver's own, of which its owner has some."""
CALLS: dict[str, dict[str, Any]] = {
    "relay": {"ship": {"id": "U2hpcDox"}, "ships": {}, "node": {"id": "RmxlZXQ6MQ=="}},
    "library": {"book": {"id": "1"}, "books": {"limit": 2}, "search": {"text": "Le"}},
}


@pytest.fixture(params=[*CALLS])
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """The name of an application, and its address."""
    program = [sys.executable, str(SUPPORT / "foreign_applications.py"), "serve", request.param]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        program, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        line = server.stdout.readline()
        yield request.param, line.split()[3].rstrip(";")
        server.terminate()


def test_what_is_answered_is_described(served: tuple[str, str], tmp_path: Path) -> None:
    _, address = served
    program = Path(sys.executable).parent / "schemathesis"
    words = ["run", f"{address}/openapi.json", "--url", address, "--checks", ",".join(CHECKS)]
    words += ["--seed", "1", "--max-examples", "10", "--workers", "1"]
    words += ["-H", "Authorization: Bearer librarian"]
    words += ["--exclude-path", "/graphql"]  # it cannot write application/graphql
    done = subprocess.run(
        [program, "--no-color", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_a_client_of_another_project_calls_its_tools(served: tuple[str, str]) -> None:
    name, address = served

    async def called() -> list[bool]:
        async with fastmcp.Client(f"{address}/mcp") as client:
            listed = {tool.name for tool in await client.list_tools()}
            assert {*CALLS[name]} <= listed
            return [
                bool((await client.call_tool(tool, given)).structured_content)
                for tool, given in CALLS[name].items()
            ]

    assert asyncio.run(called()) == [True, True, True]
