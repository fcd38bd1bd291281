"""Requests that tests send and documents show, as bytes, for mutation.

They are made from what a service says of itself, its stored operations, and the samples of tests.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from hostile_requests import NASTY, PLACES, UNREADABLE
from mcp_messages import BOTH, headers_of, message
from openapi_description import Description, asked, bodies, suffixed
from oversized import CASES

import sdl

JSON_TYPE = "application/json"
FORMS = ("*/*", "application/json", "text/markdown", "text/event-stream", "application/ld+json")
DOCUMENTS = Path(sdl.__file__).parent / "operations"


@dataclass(frozen=True)
class Recorded:
    """A request: its kind, and its bytes."""

    kind: str
    data: bytes


def request(
    method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> bytes:
    """Return a request as bytes, after which the connection is to be closed."""
    lines = {"Host": "localhost", "Connection": "close", **(headers or {})}
    if body:
        lines["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"{method} {target} HTTP/1.1\r\n{head}\r\n".encode() + body


def recorded(client: httpx.Client) -> list[Recorded]:
    """Return the requests for a running service, in an order that is the same each time."""
    description = Description(client.get("/openapi.json").raise_for_status().json())
    return [
        *(Recorded("reads", data) for data in _reads(description)),
        *(Recorded("writes", data) for data in _writes(description)),
        *(Recorded("graphql", data) for data in _graphql()),
        *(Recorded("mcp", data) for data in _mcp(client)),
        *(Recorded("raw", data) for data in _raw()),
    ]


def _reads(description: Description) -> Iterator[bytes]:
    for operation in description.operations:
        if operation.method not in {"get", "head", "options"}:
            continue
        for number, address in enumerate(description.addresses(operation)):
            accept = FORMS[number % len(FORMS)]
            target = asked(address, description.required(operation))
            yield request(operation.method.upper(), target, {"Accept": accept})
    for path in suffixed(description):
        yield request("GET", path.replace("{slug}", "tidebook"), {"If-None-Match": '"a"'})


def _writes(description: Description) -> Iterator[bytes]:
    for operation in description.operations:
        if operation.path in {"/mcp", "/api/graphql"}:
            continue
        for body in bodies(operation):
            target = description.addresses(operation)[0]
            data = json.dumps(body["json"]).encode() if "json" in body else body["content"].encode()
            for accept in ("*/*", "text/event-stream"):
                headers = {"Content-Type": JSON_TYPE, "Accept": accept}
                yield request(operation.method.upper(), target, headers, data)
        if operation.method == "delete":
            headers = {"Authorization": "Bearer whsec_AAAA"}
            yield request("DELETE", "/api/subscribe/sub_0123456789abcdef", headers)


def _graphql() -> Iterator[bytes]:
    for document in (*_documents(), *(text for _, text in CASES)):
        text = document.encode("utf-8", "surrogatepass")
        yield request("POST", "/api/graphql", {"Content-Type": "application/graphql"}, text)
        data = json.dumps({"query": document, "variables": {"slug": "tidebook"}}).encode()
        yield request("POST", "/api/graphql", {"Content-Type": JSON_TYPE}, data)
        if len(text) < 4000:
            yield request("GET", f"/api/graphql?query={quote(text)}")


def _documents() -> Iterator[str]:
    for file in sorted(DOCUMENTS.glob("*.graphql")):
        yield file.read_text(encoding="utf-8")


def _mcp(client: httpx.Client) -> Iterator[bytes]:
    def found(method: str, name: str) -> list[Any]:
        sent = message(method)
        answer = client.post("/mcp", json=sent, headers=headers_of(sent, BOTH[0]))
        listed: list[Any] = answer.raise_for_status().json()["result"][name]
        return listed

    calls: list[tuple[str, dict[str, Any]]] = [
        ("initialize", {"protocolVersion": BOTH[0], "capabilities": {}, "clientInfo": {}}),
        *((f"{of}/list", {}) for of in ("tools", "resources", "resources/templates", "prompts")),
        ("ping", {}),
        ("server/discover", {}),
        ("logging/setLevel", {"level": "debug"}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "a"}, "argument": {}}),
    ]
    for tool in found("tools/list", "tools"):
        values = {n: _value(schema) for n, schema in tool["inputSchema"]["properties"].items()}
        calls.append(("tools/call", {"name": tool["name"], "arguments": {}}))
        calls.append(("tools/call", {"name": tool["name"], "arguments": values}))
    calls += [("resources/read", {"uri": r["uri"]}) for r in found("resources/list", "resources")]
    for prompt in found("prompts/list", "prompts"):
        given = {one["name"]: "tidebook" for one in prompt.get("arguments", [])}
        calls.append(("prompts/get", {"name": prompt["name"], "arguments": given}))
    for revision in BOTH:
        for method, params in calls:
            sent = message(method, revision, **params)
            yield request("POST", "/mcp", headers_of(sent, revision), json.dumps(sent).encode())


def _value(schema: Mapping[str, Any]) -> Any:
    """Return a value for an argument."""
    simple = {"integer": 3, "number": 3, "boolean": True, "array": ["tidebook"], "object": {}}
    named = [*schema.get("enum", ()), *schema.get("examples", ())]
    return named[0] if named else simple.get(str(schema.get("type")), "tidebook tides")


def _raw() -> Iterator[bytes]:
    yield from UNREADABLE
    for place in PLACES:
        for nasty in NASTY[::7]:
            yield f"GET {place.replace('@', nasty)} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    chunked = {"Transfer-Encoding": "chunked", "Content-Type": JSON_TYPE}
    body = b'4\r\n{"qu\r\n9;a=b\r\nery":"ti"\r\n1\r\n}\r\n0\r\nX: y\r\n\r\n'
    yield request("POST", "/api/search", chunked) + body
    keep = request("GET", "/api/thesis").replace(b"Connection: close\r\n", b"")
    yield keep * 5 + request("GET", "/api/faq")
    yield request("GET", "/api/faq", {"Upgrade": "websocket", "Sec-WebSocket-Key": "AAAA"})
    yield request("POST", "/api/chat", {"Expect": "100-continue"}, b'{"query":"What is Tidebook?"}')
