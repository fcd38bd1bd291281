"""What a call of an MCP tool costs, beside the official SDK and FastMCP with the same tool."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count, cycle
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
    free_port,
    serving,
    side_by_side,
    studio,
)
from benches.reads import SINGLE, Request, asking, check_same, heads
from benches.table import Table

PATH = "/mcp"
WITH_MCP = (sys.executable, str(PEERS / "with_mcp.py"))
PROGRAMS = {
    "mcp SDK": (*WITH_MCP, "sdk"),
    "FastMCP": (*WITH_MCP, "fastmcp"),
}
"""The words that start each other server."""
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
_numbers = count(1)


def message() -> dict[str, Any]:
    """Return a call with an id that no other has."""
    params = {"name": "get_project", "arguments": {"slug": "tidebook"}}
    return {"jsonrpc": "2.0", "id": next(_numbers), "method": "tools/call", "params": params}


def _question(server: Server) -> Question:
    """Return what the population asks: each call has an id that no other has."""
    more = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    clients = cycle(heads(server.port, leave_out=("Accept", "Origin")))

    def make() -> bytes:
        body = orjson.dumps(message())
        length = f"Content-Length: {len(body)}\r\n"
        start = f"POST {PATH} HTTP/1.1\r\n{more}{length}".encode()
        return b"%b%b\r\n%b" % (start, next(clients), body)

    return Question(make)


def measure(pace: Pace) -> Iterator[Table]:
    """Yield the costs of one call."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        ours = stack.enter_context(studio())
        (Path(folder) / "project.json").write_bytes(httpx.get(f"{ours.url}{SINGLE}").content)
        servers = [ours]
        for program in PROGRAMS.values():
            port = free_port()
            words = (*program, str(port), folder)
            probe = {"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
            server = serving(words, port, PATH, probe, headers=HEADERS)
            servers.append(stack.enter_context(server))
        found = [
            httpx.post(f"{server.url}{PATH}", json=message(), headers=HEADERS).json()
            for server in servers
        ]
        contents = [orjson.dumps(each["result"]["structuredContent"]) for each in found]
        check_same(contents, "get_project")
        read = asking(ours, Request("single", SINGLE))
        pairs = [(server, _question(server)) for server in servers]
        own, *others, as_read = side_by_side([*pairs, (ours, read)], pace)
    names = [*PROGRAMS, "the same as a read"]
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
