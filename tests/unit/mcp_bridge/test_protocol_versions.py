"""Which revision a message speaks, by its headers and by what it says itself."""

from typing import Any

import pytest
from mcp_messages import META, message
from starlette.datastructures import Headers

from mcp_bridge.protocol.jsonrpc import JsonRpcError, Message, read_message
from mcp_bridge.protocol.protocol_versions import (
    HANDSHAKE,
    STATELESS,
    VERSION,
    version_of,
)

OLD = HANDSHAKE[-1]


def asked(revision: str = OLD, method: str = "tools/list", **params: Any) -> Message:
    """A message."""
    return read_message(message(method, revision, **params))


def test_on_stdio_the_message_says_it() -> None:
    assert version_of(asked(STATELESS), None) == STATELESS
    assert version_of(asked(_meta={VERSION: "2025-06-18"}), None) == "2025-06-18"


def test_a_revision_of_the_handshake_may_stand_in_the_message_too() -> None:
    told = asked(_meta={VERSION: OLD})
    assert version_of(told, Headers({})) == OLD
    assert version_of(told, Headers({"mcp-protocol-version": OLD})) == OLD
    with pytest.raises(JsonRpcError) as caught:
        version_of(told, Headers({"mcp-protocol-version": "2025-06-18"}))
    assert caught.value.code == -32020


def test_discovery_is_always_asked_in_the_way_of_2026() -> None:
    for headers in (None, Headers({}), Headers({"mcp-protocol-version": OLD})):
        with pytest.raises(JsonRpcError) as caught:
            version_of(asked(method="server/discover"), headers)
        assert caught.value.code == -32602


def test_what_is_asked_for_is_told_back_cut_short() -> None:
    told = asked(STATELESS, _meta={**META, VERSION: "y" * 1000})
    with pytest.raises(JsonRpcError) as caught:
        version_of(told, None)
    assert caught.value.data["requested"] == "y" * 64  # type: ignore[index]
