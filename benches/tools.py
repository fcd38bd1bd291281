"""What a call of an MCP tool costs, beside the official SDKs and FastMCP with the same tool."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import orjson

from benches.http_load import (
    CONNECTIONS,
    PEERS,
    Pace,
    Question,
    Server,
    available,
    free_port,
    node_program,
    serving,
    side_by_side,
    studio,
)
from benches.reads import SINGLE, Row, check_same
from benches.table import Table

PATH = "/mcp"
WITH_MCP = (sys.executable, str(PEERS / "with_mcp.py"))
PROGRAMS = {
    "mcp SDK": (*WITH_MCP, "sdk"),
    "FastMCP": (*WITH_MCP, "fastmcp"),
    "TypeScript SDK": node_program("tools.mjs"),
}
"""The words that start each other server."""
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
_numbers = count(1)


def _message() -> dict[str, Any]:
    params = {"name": "get_project", "arguments": {"slug": "tidebook"}}
    return {"jsonrpc": "2.0", "id": next(_numbers), "method": "tools/call", "params": params}


def _request(server: Server) -> bytes:
    """Return a call as bytes, with an id that no other call has."""
    body = orjson.dumps(_message())
    more = {"host": f"127.0.0.1:{server.port}", "content-length": len(body)}
    lines = (f"{name}: {value}" for name, value in {**HEADERS, **more}.items())
    return "\r\n".join((f"POST {PATH} HTTP/1.1", *lines, "", "")).encode() + body


def _question(server: Server) -> Question:
    return Question(lambda: _request(server))


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the costs of one call."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours = stack.enter_context(studio())
        (Path(folder) / "project.json").write_bytes(httpx.get(f"{ours.url}{SINGLE}").content)
        servers = [ours]
        programs = available(PROGRAMS)
        for program in programs.values():
            port = free_port()
            words = (*program, str(port), folder)
            probe = {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
            server = serving(words, port, PATH, probe, headers=HEADERS)
            servers.append(stack.enter_context(server))
        found = [
            httpx.post(f"{server.url}{PATH}", json=_message(), headers=HEADERS).json()
            for server in servers
        ]
        contents = [orjson.dumps(each["result"]["structuredContent"]) for each in found]
        check_same(contents, "get_project")
        read = Row("single", SINGLE, SINGLE).question(ours.port)
        pairs = [(server, _question(server)) for server in servers]
        own, *others, as_read = side_by_side([*pairs, (ours, read)], pace)
    names = [*programs, "the same as a read"]
    yield Table(
        "A call of an MCP tool beside other servers",
        ("call", "µs", *(f"x {name}" for name in names), "req/s at c=1", "16", "64"),
        [
            (
                "get_project",
                f"{own.median:,.0f}",
                *(f"{own.ratio(peer):.2f}" for peer in (*others, as_read)),
                *(f"{own.rates[c]:,.0f}" for c in (1, CONNECTIONS, 64)),
            )
        ],
        "Each call has an id of its own. The others return the same object from memory, without"
        " sessions and as plain JSON.",
    )
