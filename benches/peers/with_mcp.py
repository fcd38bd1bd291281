"""One MCP tool behind other people's servers, without sessions and with plain JSON.

    python benches/peers/with_mcp.py KIND PORT FOLDER

`KIND` is `sdk` (the official one) or `fastmcp`; `FOLDER/project.json` is what the tool returns.
"""

import json
import sys
from pathlib import Path
from typing import Any

import uvicorn

KIND, PORT, FOLDER = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
PROJECT: dict[str, Any] = json.loads((FOLDER / "project.json").read_bytes())


def get_project(slug: str) -> dict[str, Any]:
    """Return a project."""
    if slug != PROJECT["slug"]:
        raise ValueError(slug)
    return PROJECT


def application() -> Any:
    """Return the ASGI application."""
    if KIND == "sdk":
        from mcp.server import MCPServer  # noqa: PLC0415 - one of the two

        server = MCPServer("peer", log_level="ERROR")
        server.tool()(get_project)
        return server.streamable_http_app(stateless_http=True, json_response=True)
    from fastmcp import FastMCP  # noqa: PLC0415 - one of the two

    other = FastMCP("peer")
    other.tool()(get_project)
    return other.http_app(path="/mcp", stateless_http=True, json_response=True)


if __name__ == "__main__":
    uvicorn.run(application(), port=PORT, access_log=False, log_level="error")
