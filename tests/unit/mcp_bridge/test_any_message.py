"""Whatever is sent, the answer is one of JSON-RPC and never a fault of ours."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_messages import META
from starlette.datastructures import Headers

from mcp_bridge.protocol.jsonrpc import INTERNAL_ERROR
from mcp_bridge.protocol.protocol_versions import NAMED_BY, STATELESS, SUPPORTED
from mcp_bridge.protocol.server import STATUSES, Server
from rest_bridge.document_list import DOCUMENTS
from rest_bridge.representations.responses import index_path
from rest_bridge.routes import relations_of
from sdl.caller import Caller, Channel
from sdl.running.runner import Snapshot

METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list"),
    *("resources/read", "resources/templates/list", "prompts/list", "prompts/get"),
    *("completion/complete", "no/such/method"),
)
NAMES = (
    *("get_project", "get_changes", "introduce_studio", "compare_projects", "draft_outreach"),
    *("studio://about", "studio://projects/tidebook", "slug", "a", "tidebook", "page", "x"),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(NAMES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("name", "uri", "cursor", "protocolVersion"), VALUES),
        "arguments": st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=3) | VALUES,
        "ref": st.fixed_dictionaries(
            {"type": st.sampled_from(("ref/prompt", "ref/resource"))},
            optional={"name": VALUES, "uri": VALUES},
        )
        | VALUES,
        "argument": st.fixed_dictionaries({"name": VALUES, "value": VALUES}) | VALUES,
        "_meta": st.just(META) | VALUES,
    },
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | VALUES, "method": st.sampled_from(METHODS) | VALUES},
    optional={"id": st.integers(0, 9) | VALUES, "params": PARAMS | VALUES},
)


@pytest.fixture(scope="module")
def server(reading: Snapshot) -> Server:
    """The server on the sample studio."""
    relations = relations_of(reading.operations, DOCUMENTS)
    return Server(reading.operations, lambda: reading, index_path(relations))


def headers_for(message: Any, revision: str | None) -> Headers | None:
    """Headers that fit the message, as far as it has what they repeat."""
    if revision is None:
        return None
    given = {"mcp-protocol-version": revision}
    method = message.get("method") if isinstance(message, dict) else None
    if isinstance(method, str) and method in METHODS:
        given["mcp-method"] = method
        params = message.get("params")
        name = params.get(NAMED_BY.get(method, "")) if isinstance(params, dict) else None
        if isinstance(name, str) and name.isascii():
            given["mcp-name"] = name
    return Headers(given)


@given(message=MESSAGES | VALUES, revision=st.sampled_from((None, *SUPPORTED)))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_value_is_answered(server: Server, message: Any, revision: str | None) -> None:
    text = json.dumps(message).encode()
    headers = headers_for(message, revision)
    answer = asyncio.run(server.exchange(text, headers, Caller("", Channel.MCP)))
    if answer.body is None:
        assert answer.status == 202
        assert "id" not in message
        return
    found = json.loads(answer.body)
    assert found["jsonrpc"] == "2.0"
    assert ("result" in found) != ("error" in found)
    if "error" in found:
        assert found["error"]["code"] in {*STATUSES, -32002} - {INTERNAL_ERROR}
        assert answer.status in (200, 400, 404)
    else:
        assert found["id"] == message["id"]
        assert ("resultType" in found["result"]) is (declared(message) == STATELESS)


def declared(message: Any) -> Any:
    """The revision that a served message says itself."""
    meta = message.get("params", {}).get("_meta")
    return meta.get("io.modelcontextprotocol/protocolVersion") if isinstance(meta, dict) else None


@given(text=st.binary(max_size=200))
def test_any_bytes_are_answered(server: Server, text: bytes) -> None:
    answer = asyncio.run(server.exchange(text, None, Caller("", Channel.MCP)))
    assert answer.body is not None
    assert "error" in json.loads(answer.body)
