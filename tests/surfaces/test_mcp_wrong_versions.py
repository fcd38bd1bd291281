"""A request says which revision it speaks, in its headers as in its body, or it is refused."""

import json
from typing import Any

import pytest
from mcp_messages import META, Ask, error, headers_of, message, post_raw, sent

from mcp_bridge.protocol.protocol_versions import (
    CAPABILITIES,
    CLIENT_INFO,
    HANDSHAKE,
    STATELESS,
    SUPPORTED,
    VERSION,
)

OLD = HANDSHAKE[-1]
LIST = message("tools/list")
MODERN = message("tools/list", STATELESS)
CALL = message("tools/call", STATELESS, name="get_about")


@pytest.mark.parametrize("revision", ["1999-01-01", "2026-07-29", "not-a-version", "x" * 300])
@pytest.mark.parametrize("value", [LIST, MODERN, message("initialize", protocolVersion=OLD)])
def test_a_revision_that_is_not_spoken_is_refused(
    ask: Ask, value: dict[str, Any], revision: str
) -> None:
    meta = {**META, VERSION: revision}
    asked = {**value, "params": {**value["params"], "_meta": meta}} if value is MODERN else value
    response = sent(ask, asked, mcp_protocol_version=revision, mcp_method=value["method"])
    assert response.status_code == 400
    found = error(response)
    assert found["code"] == -32022
    assert found["data"] == {"supported": list(SUPPORTED), "requested": revision[:64]}


def test_a_notification_in_such_a_revision_is_refused_too(ask: Ask) -> None:
    value = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert sent(ask, value, mcp_protocol_version="1999-01-01").status_code == 400


def without(meta: dict[str, Any], name: str) -> dict[str, Any]:
    """The rest."""
    return {key: value for key, value in meta.items() if key != name}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"_meta": None},
        {"_meta": []},
        {"_meta": without(META, VERSION)},
        {"_meta": without(META, CAPABILITIES)},
        {"_meta": {**META, CAPABILITIES: None}},
        {"_meta": {**META, VERSION: 20260728}},
        {"_meta": {**META, CLIENT_INFO: "tests"}},
    ],
)
@pytest.mark.parametrize("method", ["tools/list", "server/discover"])
def test_a_request_of_2026_says_what_it_speaks(
    ask: Ask, method: str, params: dict[str, Any]
) -> None:
    value = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    response = sent(ask, value, **headers_of(value, STATELESS))
    assert response.status_code == 400
    assert error(response)["code"] in (-32602, -32020)
    assert response.json()["id"] == 7


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        (MODERN, {"mcp-protocol-version": None}),
        (MODERN, {"mcp-protocol-version": OLD}),
        (MODERN, {"mcp-method": None}),
        (MODERN, {"mcp-method": "tools/call"}),
        (MODERN, {"mcp-method": "TOOLS/LIST"}),
        (CALL, {"mcp-name": None}),
        (CALL, {"mcp-name": "get_status"}),
        (CALL, {"mcp-name": "GET_ABOUT"}),
        (CALL, {"mcp-name": "=?base64?Z2V0X3N0YXR1cw==?="}),
        (CALL, {"mcp-name": "=?base64?Z2V0X2Fib3V0?"}),
        (CALL, {"mcp-name": "=?base64?Z2V0X2Fib3V!?="}),
        (CALL, {"mcp-name": "=?base64?/w==?="}),
    ],
    ids=lambda value: str(value)[-60:],
)
def test_headers_that_do_not_say_what_the_body_says_are_refused(
    ask: Ask, value: dict[str, Any], changed: dict[str, str | None]
) -> None:
    headers = {**headers_of(value, STATELESS), **changed}
    kept = {name: text for name, text in headers.items() if text is not None}
    response = post_raw(ask, json.dumps(value).encode(), **kept)
    assert response.status_code == 400
    assert error(response)["code"] == -32020


@pytest.mark.parametrize("name", ["get_about", "  get_about  ", "=?base64?Z2V0X2Fib3V0?="])
def test_a_name_may_be_padded_or_coded(ask: Ask, name: str) -> None:
    headers = {**headers_of(CALL, STATELESS), "mcp-name": name}
    response = post_raw(ask, json.dumps(CALL).encode(), **headers)
    assert response.status_code == 200


def test_a_header_given_twice_is_refused(ask: Ask) -> None:
    headers = [*headers_of(CALL, STATELESS).items(), ("mcp-name", "get_about")]
    response = ask("/mcp", method="POST", content=json.dumps(CALL).encode(), headers=headers)
    assert response.status_code == 400
    assert error(response)["code"] == -32020
