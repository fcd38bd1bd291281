"""The path of MCP as HTTP sees it: its description, its forms, its origins, its card."""

import json
from pathlib import Path

import jsonschema
import pytest
from local_service import asking
from mcp_messages import Ask, error, message, post_raw
from repository import SAMPLE
from wire import header_of, status_of, wire

from mcp_bridge.description import CARD, CARD_PATH
from mcp_bridge.protocol.protocol_versions import SUPPORTED
from rest_bridge.http.middleware import RequestGuard
from sdl.running.runner import Operations
from studiograph.asgi import build
from studiograph.settings import Settings
from studiograph.wiring.documents import CARD_ALIAS

LIST = json.dumps(message("tools/list")).encode()
CARD_SCHEMA = {
    "type": "object",
    "required": ["$schema", "name", "version", "description"],
    "properties": {
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "version": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "websiteUrl": {"type": "string", "format": "uri"},
        "remotes": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["type", "url"],
                "properties": {"type": {"const": "streamable-http"}, "url": {"type": "string"}},
            },
        },
    },
}


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "text/event-stream, */*"])
def test_a_get_is_answered_with_the_description(ask: Ask, accept: str | None) -> None:
    response = ask("/mcp", headers={"accept": accept} if accept else {})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    told = response.json()
    assert told["protocolVersions"] == list(SUPPORTED)
    assert told["tools"][0]["name"] == "list_projects"
    assert told["url"].endswith("/mcp")
    assert ask("/mcp", headers={"if-none-match": response.headers["etag"]}).status_code == 304


@pytest.mark.parametrize("accept", ["text/event-stream", "text/event-stream;q=0.5"])
def test_a_get_for_a_stream_alone_is_not_taken(ask: Ask, accept: str) -> None:
    response = ask("/mcp", headers={"accept": accept})
    assert response.status_code == 405
    assert response.headers["allow"] == "POST, OPTIONS"


@pytest.mark.parametrize("accept", [None, "", "*/*", "application/*", "application/json"])
def test_a_post_is_answered_in_json(ask: Ask, accept: str | None) -> None:
    headers = {"accept": accept} if accept is not None else {}
    response = post_raw(ask, LIST, content_type="application/json", **headers)
    assert response.headers["content-type"] == "application/json"
    both = "text/event-stream, application/json"
    assert post_raw(ask, LIST, content_type="application/json", accept=both).json()["result"]


def test_a_post_for_a_stream_alone_is_answered_with_one_event(ask: Ask) -> None:
    accept = "text/event-stream"
    response = post_raw(ask, LIST, content_type="application/json", accept=accept)
    assert response.headers["content-type"] == "text/event-stream"
    assert response.headers["x-accel-buffering"] == "no"
    kind, data, *rest = response.text.split("\n")
    assert (kind, rest) == ("event: message", ["", ""])
    told = json.loads(data.removeprefix("data: "))
    plain = post_raw(ask, LIST, content_type="application/json").json()
    assert told == plain


def test_a_post_for_what_is_not_made_is_refused(ask: Ask) -> None:
    for media_type in ("text/html", "application/json;q=0, text/event-stream;q=0"):
        response = post_raw(ask, LIST, content_type="application/json", accept=media_type)
        assert response.status_code == 406


@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://localhost@x"),
        *("file://localhost", "http://[::2]", "http://[", "http://studio.example", ""),
        *(
            "http://127.0.0.1:8000.evil.example",
            "http://evil.example@localhost",
            "http://localhost:",
        ),
        *("http://localhost, http://localhost", "http://localhost http://evil.example"),
        *("HTTP://localhost", "http://LOCALHOST", "http://localhost.", "http://localhost/"),
        *("http://localhost#.evil.example", "http://localhost?x", "http://localhost:80:80"),
        *("http://localhost:080", "http://localhost:123456", "http://127.1", "http://2130706433"),
        *("http://[0:0:0:0:0:0:0:1]", "http://[::ffff:127.0.0.1]", "http://::1", "//localhost"),
        *("http://localhost\\@evil.example", "ws://localhost", "localhost", "http://127x0x0x1"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "OPTIONS", "DELETE"])
def test_a_page_of_another_origin_is_refused(ask: Ask, origin: str, method: str) -> None:
    headers = {"origin": origin, "content-type": "application/json"}
    response = ask("/mcp", method=method, content=LIST, headers=headers)
    assert response.status_code == 403
    assert error(response)["code"] == -32600
    assert not origin or origin == "null" or origin not in response.text


@pytest.mark.parametrize("others", [("https://evil.example",), ("null",), ("http://localhost",)])
def test_a_request_has_one_origin(ask: Ask, others: tuple[str, ...]) -> None:
    for origins in (("http://localhost", *others), (*others, "http://localhost")):
        headers = [("content-type", "application/json"), *(("origin", each) for each in origins)]
        assert ask("/mcp", method="POST", content=LIST, headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("base_url", "own", "others"),
    [
        ("https://Studio.Example:443/", "https://studio.example", ["https://studio.example:443"]),
        ("http://studio.example:80", "http://studio.example", ["https://studio.example"]),
        ("https://studio.example:8443", "https://studio.example:8443", ["https://studio.example"]),
    ],
)
def test_the_own_origin_is_the_base_url_as_browsers_write_it(
    operations: Operations, tmp_path: Path, base_url: str, own: str, others: list[str]
) -> None:
    settings = Settings(content=SAMPLE, data=tmp_path, base_url=base_url, ai_embedder="hash")
    ask = asking(build(settings, operations=operations))
    for origin in (own, *others, f"{own}.evil.example", f"{own}@evil.example"):
        response = post_raw(ask, LIST, content_type="application/json", origin=origin)
        assert response.status_code == (200 if origin == own else 403), origin


def test_a_page_of_another_origin_is_refused_after_readers_without_one(
    service: RequestGuard,
) -> None:
    with wire(service) as line:
        for _ in range(3):
            answer, is_ready = line.get("/mcp")
            assert (status_of(answer), is_ready) == (200, False)
            assert "Origin" in header_of(answer, "vary").split(", ")
        answer, _ = line.get("/mcp", "Origin: https://evil.example")
    assert status_of(answer) == 403


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:6274", "http://127.0.0.1:8000", "https://localhost", "http://[::1]:3000"],
)
def test_a_page_on_this_machine_is_served(ask: Ask, origin: str) -> None:
    preflight = ask(
        "/mcp",
        method="OPTIONS",
        headers={"origin": origin, "access-control-request-method": "POST"},
    )
    assert preflight.status_code == 204
    assert "POST" in preflight.headers["access-control-allow-methods"]
    allowed = preflight.headers["access-control-allow-headers"].lower()
    assert all(name in allowed for name in ("mcp-protocol-version", "mcp-method", "mcp-name"))
    response = post_raw(ask, LIST, content_type="application/json", origin=origin)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", [CARD_PATH, CARD_ALIAS])
def test_the_server_card_says_where_it_is_spoken(ask: Ask, path: str) -> None:
    response = ask(path)
    assert response.status_code == 200
    card = response.json()
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.validate(card, CARD_SCHEMA, format_checker=checker)
    [remote] = card["remotes"]
    assert remote["url"] == ask("/mcp").json()["url"]
    assert remote["supportedProtocolVersions"] == list(SUPPORTED)
    assert response.headers["access-control-allow-origin"] == "*"
    assert ask(path, headers={"if-none-match": response.headers["etag"]}).status_code == 304


def test_the_card_and_its_alias_are_one(ask: Ask) -> None:
    assert ask(CARD_PATH).content == ask(CARD_ALIAS).content
    assert ask(CARD_PATH).headers["content-type"] == CARD
