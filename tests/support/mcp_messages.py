"""MCP messages of both protocol eras, and helpers that post them."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from mcp_bridge.protocol.protocol_versions import (
    CAPABILITIES,
    HANDSHAKE,
    NAMED_BY,
    STATELESS,
    VERSION,
)

Ask = Callable[..., httpx.Response]
# The names that the specification gives.
TOOLS = ["list_projects", "get_project", "get_about", "get_status", "list_domains", "send_contact"]
RESOURCES = ["manifest", "about", "projects", "status", "llms.txt", "llms-full.txt"]
PROMPTS = ["introduce_studio", "draft_outreach", "compare_projects"]
BOTH = (HANDSHAKE[-1], STATELESS)
META = {
    VERSION: STATELESS,
    CAPABILITIES: {},
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
}
NOTHING: Mapping[str, Any] = {}
FORMS = "application/json, text/event-stream"


def message(method: str, revision: str = HANDSHAKE[-1], **params: Any) -> dict[str, Any]:
    """A request in a revision."""
    if revision == STATELESS:
        params = {"_meta": META, **params}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def headers_of(sent: Mapping[str, Any], revision: str) -> dict[str, str]:
    """The headers that belong to it."""
    made = {"accept": FORMS, "content-type": "application/json", "mcp-protocol-version": revision}
    if revision == STATELESS:
        made["mcp-method"] = sent["method"]
        if sent["method"] in NAMED_BY:
            made["mcp-name"] = sent["params"][NAMED_BY[sent["method"]]]
    return made


def post(ask: Ask, method: str, revision: str = HANDSHAKE[-1], **params: Any) -> httpx.Response:
    """The answer to a request in a revision."""
    sent = message(method, revision, **params)
    return post_raw(ask, json.dumps(sent).encode(), **headers_of(sent, revision))


def post_raw(ask: Ask, body: bytes, **headers: str) -> httpx.Response:
    """The answer to bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return ask("/mcp", method="POST", content=body, headers=named)


def result(ask: Ask, method: str, revision: str = HANDSHAKE[-1], **params: Any) -> dict[str, Any]:
    """The result of a request that is served."""
    response = post(ask, method, revision, **params)
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == 1
    found: dict[str, Any] = answer["result"]
    return found


def error(response: httpx.Response) -> dict[str, Any]:
    """The error of a request that is not."""
    answer = response.json()
    assert set(answer) == {"jsonrpc", "id", "error"}
    found: dict[str, Any] = answer["error"]
    return found


def call(
    ask: Ask, name: str, revision: str = HANDSHAKE[-1], arguments: Mapping[str, Any] = NOTHING
) -> dict[str, Any]:
    """The result of calling a tool."""
    return result(ask, "tools/call", revision, name=name, arguments=arguments)


def sent(ask: Ask, value: Any, **headers: str) -> httpx.Response:
    """The answer to a JSON value with the headers of a client of the handshake."""
    accept = {"accept": "application/json", "content-type": "application/json"}
    return post_raw(ask, json.dumps(value).encode(), **{**accept, **headers})
