"""What is no message, or asks for what is not there, gets the right code and nothing of ours."""

import json
from typing import Any

import pytest
from mcp_messages import BOTH, Ask, error, headers_of, message, post, post_raw, result, sent

from mcp_bridge.description import MAX_BODY
from mcp_bridge.protocol.protocol_versions import HANDSHAKE, STATELESS, SUPPORTED

OLD = HANDSHAKE[-1]
LIST = message("tools/list")
LONG = "x" * 257
eras = pytest.mark.parametrize("revision", BOTH)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([LIST], -32600),
        ([], -32600),
        ([LIST, LIST], -32600),
        ("tools/list", -32600),
        (1, -32600),
        (None, -32600),
        ({}, -32600),
        ({**LIST, "jsonrpc": "1.0"}, -32600),
        ({**LIST, "jsonrpc": 2.0}, -32600),
        ({"id": 1, "method": "tools/list"}, -32600),
        ({**LIST, "id": None}, -32600),
        ({**LIST, "id": True}, -32600),
        ({**LIST, "id": 1.5}, -32600),
        ({**LIST, "id": LONG}, -32600),
        ({**LIST, "id": []}, -32600),
        ({**LIST, "id": {"a": 1}}, -32600),
        ({**LIST, "method": 1}, -32600),
        ({**LIST, "method": ""}, -32600),
        ({**LIST, "method": "x" * 129}, -32600),
        ({**LIST, "params": "text"}, -32600),
        ({**LIST, "params": None}, -32600),
        ({**LIST, "params": []}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, -32600),
        ({**LIST, "result": {}}, -32600),
        ({**LIST, "error": {"code": 1, "message": "x"}}, -32600),
        ({"jsonrpc": "2.0", "method": 1}, -32600),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_what_is_no_message_is_refused(ask: Ask, value: Any, code: int) -> None:
    response = sent(ask, value)
    assert response.status_code == 400
    assert error(response)["code"] == code
    known = isinstance(value, dict) and type(value.get("id")) is int
    assert response.json()["id"] == (1 if known else None)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"tools/list",
        b"\xff\xfe{}",
        b'{"jsonrpc": "2.0", "jsonrpc": "2.0", "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 9007199254740992, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\ud800"}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": %b}' % (b"[" * 40 + b"]" * 40),
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "\\u0000"}}',
        b"[" * 60_000,
    ],
    ids=lambda body: body[-40:].decode("latin-1"),
)
def test_what_is_no_json_is_refused(ask: Ask, body: bytes) -> None:
    response = post_raw(ask, body, content_type="application/json")
    assert response.status_code == 400
    found = error(response)
    assert found["code"] == -32700
    assert found["data"]["fields"][0]["path"] == "message"
    assert response.json()["id"] is None


@pytest.mark.parametrize("asked", [0, -1, 2**53 - 1, -(2**53) + 1, "", "a", "x" * 256, "é"])
@eras
def test_an_id_comes_back_as_it_was(ask: Ask, asked: int | str, revision: str) -> None:
    value = {**message("tools/list", revision), "id": asked}
    response = post_raw(ask, json.dumps(value).encode(), **headers_of(value, revision))
    assert response.status_code == 200
    assert response.json()["id"] == asked
    wrong = {**message("no/method", revision), "id": asked}
    response = post_raw(ask, json.dumps(wrong).encode(), **headers_of(wrong, revision))
    assert response.json()["id"] == asked


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, 202),
        ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, 202),
        ({"jsonrpc": "2.0", "method": "no/such/thing"}, 202),
        ({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "no_such_tool"}}, 202),
    ],
)
@pytest.mark.parametrize("revision", ["", *SUPPORTED])
def test_a_notification_has_no_answer(
    ask: Ask, value: dict[str, Any], status: int, revision: str
) -> None:
    headers = {"mcp-protocol-version": revision} if revision else {}
    response = sent(ask, value, **headers)
    assert (response.status_code, response.content) == (status, b"")


@pytest.mark.parametrize("method", ["no/such/method", "tools/delete", "subscriptions/open"])
@eras
def test_a_method_that_is_not_there_is_told(ask: Ask, method: str, revision: str) -> None:
    response = post(ask, method, revision)
    assert response.status_code == (404 if revision == STATELESS else 200)
    assert error(response)["code"] == -32601


@pytest.mark.parametrize(
    "method", ["initialize", "ping", "logging/setLevel", "resources/subscribe"]
)
def test_methods_of_sessions_are_gone_since_2026(ask: Ask, method: str) -> None:
    response = post(ask, method, STATELESS)
    assert (response.status_code, error(response)["code"]) == (404, -32601)


@pytest.mark.parametrize(
    ("method", "params", "names"),
    [
        ("tools/call", {"name": "no_such_tool"}, "list_projects"),
        ("tools/call", {"name": 1}, "list_projects"),
        ("tools/call", {}, "list_projects"),
        ("tools/call", {"name": "get_about", "arguments": []}, "object"),
        ("tools/call", {"name": "get_about", "arguments": None}, "object"),
        ("prompts/get", {"name": "no_such_prompt"}, "introduce_studio"),
        ("prompts/get", {"name": "draft_outreach"}, "purpose"),
        ("prompts/get", {"name": "draft_outreach", "arguments": {"purpose": 1}}, "strings"),
        ("prompts/get", {"name": "draft_outreach", "arguments": {"no": "x"}}, "purpose"),
        ("prompts/get", {"name": "draft_outreach", "arguments": {"purpose": "\x07"}}, "control"),
        ("prompts/get", {"name": "draft_outreach", "arguments": {"purpose": LONG * 9}}, "2000"),
        ("completion/complete", {}, "ref"),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}}, "introduce_studio"),
        ("tools/list", {"cursor": "abc"}, "one page"),
        ("prompts/list", {"cursor": 1}, "one page"),
        ("resources/read", {}, "uri"),
    ],
)
@eras
def test_params_that_do_not_fit_are_told(
    ask: Ask, method: str, params: dict[str, Any], names: str, revision: str
) -> None:
    value = message(method, revision, **params)
    named = {k: v for k, v in headers_of({**value, "method": "x"}, revision).items() if v}
    named |= {"mcp-method": method, "mcp-name": str(params.get("name", params.get("uri", "")))}
    response = post_raw(ask, json.dumps(value).encode(), **named)
    assert response.status_code == (400 if revision == STATELESS else 200)
    assert error(response)["code"] == -32602
    assert names in error(response)["message"]


@pytest.mark.parametrize("name", ["capabilities", "clientInfo"])
@pytest.mark.parametrize("value", [[], "tests", 1, None])
def test_a_handshake_with_the_wrong_kind_of_member_is_refused(
    ask: Ask, name: str, value: Any
) -> None:
    found = error(post(ask, "initialize", OLD, protocolVersion=OLD, **{name: value}))
    assert found["code"] == -32602
    assert found["message"] == f"The {name} must be a JSON object."


def test_a_message_that_is_request_and_response_is_told_which_it_may_be(ask: Ask) -> None:
    assert "a request or a response" in error(sent(ask, {**LIST, "result": {}}))["message"]


@pytest.mark.parametrize(
    "uri",
    [
        *("studio://nothing", "studio://projects/no-such", "studio://projects/", "file:///etc/x"),
        *("studio://projects/tidebook/more", "STUDIO://about", "", "studio://about#x"),
    ],
)
def test_a_resource_that_is_not_there_names_those_that_are(ask: Ask, uri: str) -> None:
    for revision, code in ((OLD, -32002), (STATELESS, -32602)):
        found = error(post(ask, "resources/read", revision, uri=uri))
        assert found["code"] == code
        assert found["data"]["uri"] == uri
        assert "studio://about" in found["data"]["resources"]
        assert "studio://projects/tidebook" in found["message"]
        assert not uri or uri not in found["message"] or uri == "studio://projects/"


def test_every_fault_of_the_arguments_is_told_and_none_is_repeated(ask: Ask) -> None:
    given = {"name": "x", "email": "no address of mine", "message": "too short", "extra": 1}
    done = result(ask, "tools/call", name="send_contact", arguments=given)
    text = done["content"][0]["text"]
    assert done["isError"] is True
    assert all(f"- {name}: " in text for name in given)
    assert "no address of mine" not in json.dumps(done)


@pytest.mark.parametrize(
    ("tool", "given", "fault"),
    [
        ("get_project", {}, "slug"),
        ("get_project", {"slug": None}, "slug"),
        ("get_project", {"slug": 5}, "slug"),
        ("get_project", {"slug": "tidebook", "more": 1}, "more"),
        ("get_changes", {"since": "yesterday"}, "since"),
        ("get_changes", {"kind": "ADDED"}, "kind"),
        ("get_changes", {"kind": ["added"]}, "kind"),
        ("get_changes", {"kind": "ADDED", "fields": "nothing"}, "kind"),
        ("get_changes", {"kind": "ADDED", "fields": "nothing"}, "fields"),
        ("get_about", {"slug": "x"}, "slug"),
    ],
)
@eras
def test_arguments_that_do_not_fit_are_told_to_the_model(
    ask: Ask, tool: str, given: dict[str, Any], fault: str, revision: str
) -> None:
    done = result(ask, "tools/call", revision, name=tool, arguments=given)
    assert done["isError"] is True
    assert f"- {fault}: " in done["content"][0]["text"]


def test_a_body_that_is_too_long_is_refused(ask: Ask) -> None:
    response = post_raw(ask, b" " * (MAX_BODY + 1), content_type="application/json")
    assert response.status_code == 413
    assert error(response)["code"] == -32600
    assert response.headers["connection"] == "close"
    padded = json.dumps(LIST).encode() + b" " * (MAX_BODY - 100)
    assert post_raw(ask, padded, content_type="application/json").status_code == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_that_is_not_called_json_is_refused(ask: Ask, kind: str) -> None:
    headers = {"content-type": kind} if kind else {}
    response = post_raw(ask, json.dumps(LIST).encode(), **headers)
    assert (response.status_code, error(response)["code"]) == (415, -32600)


def test_nothing_is_said_of_exceptions_and_no_session_is_begun(ask: Ask) -> None:
    for response in (sent(ask, LIST), sent(ask, []), sent(ask, {**LIST, "method": "x"})):
        assert "mcp-session-id" not in response.headers
        assert "set-cookie" not in response.headers
        assert response.headers["cache-control"] == "no-store"
        assert "Traceback" not in response.text
