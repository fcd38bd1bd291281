"""What others read of the MCP server: its description, its cards, its part of OpenAPI.

Source: MCP's SEP-2127 (the server card), the MCP registry's schema server.json of 2025-12-11.
"""

import re
from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit

import orjson

from mcp_bridge.listing import Registry, ServerListing, listing_of
from mcp_bridge.protocol.jsonrpc import MAX_ID, MAX_METHOD
from mcp_bridge.protocol.protocol_versions import STATELESS, SUPPORTED
from mcp_bridge.tools.schema_profile import ANSWER_BYTES
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    STRING,
    PathItem,
    references_to,
    refused_by,
    responses,
    schema_named,
)
from rest_bridge.representations.events import EVENTS
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from sdl.errors import ForbiddenError, MethodNotAllowedError, TimedOutError, UnavailableError
from sdl.running.runner import Snapshot

PATH = "/mcp"
MAX_BODY = 128 * 1024
CARD_PATH = f"{PATH}/server-card"
CARD = "application/mcp-server-card+json"
CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
TRANSPORT = "streamable-http"
DESCRIPTION = "Tools, resources and prompts for AI agents, over the Model Context Protocol."
MAX_DESCRIPTION = 100

_MESSAGE = {
    "type": "object",
    "description": (
        f"A JSON-RPC 2.0 request, or a notification without an id, of at most {MAX_BODY} bytes,"
        " with integers within 2^53-1 and without U+0000."
    ),
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"], "maxLength": MAX_ID},
        "method": {"type": "string", "minLength": 1, "maxLength": MAX_METHOD},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
_EXAMPLE = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
_RESPONSES = {
    "200": "The response to a request: its result or an error.",
    "202": "The notification was accepted; it has no response and no effect.",
    "400": "The message, its protocol version or its headers are not valid.",
    "403": "The request comes from a page of another origin.",
    "404": f"From protocol version {STATELESS} on: the method is unknown.",
    "413": "The message is too large.",
    "415": "The message is not JSON.",
}
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_SHARED = ("name", "title", "description", "version", "websiteUrl")
_RPC_ERRORS = ("400", "403", "406", "408", "413", "415", "500", "503")
"""The statuses of errors in JSON-RPC's form; the others occur before the message is read."""
_ID = {"type": ["string", "integer", "null"], "maxLength": MAX_ID}
_ERROR = {
    "type": "object",
    "properties": {"code": {"type": "integer"}, "message": STRING, "data": {}},
    "required": ["code", "message"],
    "additionalProperties": False,
}
_LISTED = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"title": STRING, "description": STRING},
        "required": ["title", "description"],
    },
}
_DESCRIPTION = {
    "type": "object",
    "description": "The address of the MCP endpoint, its limits, and everything it lists.",
    "properties": {
        **dict.fromkeys(("name", "path"), STRING),
        "protocolVersions": {"type": "array", "items": STRING},
        **dict.fromkeys(("tools", "resources", "prompts"), _LISTED),
    },
    "required": ["name", "path", "protocolVersions", "tools", "resources", "prompts"],
}


def description(listing: ServerListing, base_url: str) -> dict[str, Any]:
    """Return the description of the endpoint: its address, its limits, everything it lists."""
    return {
        "name": "MCP",
        "title": listing.implementation["title"],
        "version": listing.implementation["version"],
        "description": DESCRIPTION,
        "method": "POST",
        "path": PATH,
        "url": f"{base_url}{PATH}",
        "transport": TRANSPORT,
        "protocolVersions": list(SUPPORTED),
        "mediaTypes": ["application/json", "text/event-stream"],
        "capabilities": listing.listening_capabilities,
        "instructions": listing.instructions,
        "tools": [_short(item, "name") for item in listing.tools],
        "resources": [_short(item, "uri") for item in listing.resources],
        "resourceTemplates": [_short(item, "uriTemplate") for item in listing.templates],
        "prompts": [_short(item, "name") for item in listing.prompts],
        "request": _MESSAGE,
        "responses": {status: {"description": text} for status, text in _RESPONSES.items()},
        "limits": {"bytes of a message": MAX_BODY, "bytes of the list of tools": ANSWER_BYTES},
        "examples": [{"name": "the tools", "request": _EXAMPLE}],
        "see": [urlsplit(base_url).path + CARD_PATH],
    }


def description_markdown(members: Mapping[str, Any]) -> str:
    """Return the description as markdown."""
    return "\n".join(_lines(members)) + "\n"


def server_card(snapshot: Snapshot, registry: Registry) -> bytes:
    """Return the server card; clients of its drafts read `serverInfo` and `capabilities`."""
    listing = listing_of(registry, snapshot)
    own, base_url = listing.implementation, listing.directory["baseUrl"]
    host = urlsplit(base_url).hostname or ""
    is_name = re.fullmatch(r"[a-z0-9.-]*[a-z][a-z0-9.-]*", host) is not None
    owner = ".".join(reversed(host.split("."))) if is_name else re.sub(r"[^0-9.]", "-", host)
    remote = {
        "type": TRANSPORT,
        "url": f"{base_url}{PATH}",
        "supportedProtocolVersions": list(SUPPORTED),
    }
    return orjson.dumps(
        {
            "$schema": CARD_SCHEMA,
            "name": f"{owner}/{own['name']}",
            "version": own["version"],
            "description": shorten(own["description"], MAX_DESCRIPTION, placeholder=" …"),
            "title": shorten(own["title"], MAX_DESCRIPTION, placeholder=" …"),
            "websiteUrl": own["websiteUrl"],
            "remotes": [remote],
            "serverInfo": own,
            "capabilities": listing.capabilities,
        }
    )


def _short(item: Mapping[str, Any], key: str) -> dict[str, str]:
    first_paragraph = " ".join(item["description"].split("\n\n")[0].split())
    return {key: item[key], "title": item["title"], "description": first_paragraph}


def _lines(members: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {members['title']}: {members['name']}\n"
    yield f"> {members['description']}\n"
    yield f"- Address: {members['url']} (POST, {members['transport']})"
    yield f"- Protocol versions: {', '.join(members['protocolVersions'])}"
    yield f"- Server card: {members['see'][0]}"
    example = orjson.dumps(_EXAMPLE).decode()
    yield f"- The arguments of each tool: POST `{example}`\n"
    yield members["instructions"]
    for title, name, key in (
        ("Tools", "tools", "name"),
        ("Resources", "resources", "uri"),
        ("Resource templates", "resourceTemplates", "uriTemplate"),
        ("Prompts", "prompts", "name"),
    ):
        yield f"\n## {title}\n"
        yield from (f"- `{item[key]}`: {item['description']}" for item in members[name])


def registry_entry(snapshot: Snapshot, registry: Registry) -> dict[str, Any]:
    """Return `server.json` for the MCP registry, made from the server card.

    Shape: `{$schema, name, title, description, version, websiteUrl, remotes: [{type, url}]}`. The
    description has at most 100 characters.
    """
    card = orjson.loads(server_card(snapshot, registry))
    remotes = [{"type": remote["type"], "url": remote["url"]} for remote in card["remotes"]]
    shared = {name: card[name] for name in _SHARED}
    return {"$schema": REGISTRY_SCHEMA, **shared, "remotes": remotes}


def mcp_items() -> Iterator[tuple[str, PathItem]]:
    """Yield the path of the endpoint and of its description with its item."""
    bodies = {JSON: schema_named("McpDescription"), MARKDOWN: STRING, TEXT: STRING}
    errors = [*COMMON_ERRORS, ForbiddenError, MethodNotAllowedError]
    summary = "The tools, resources and prompts of the MCP server."
    description = _item(
        "GetMcp", summary, refused_by("JsonRpc", _RPC_ERRORS, responses(bodies, errors))
    )
    yield PATH, {"get": description, "post": _post()}


def mcp_components() -> dict[str, dict[str, PathItem]]:
    """Return the components that the item refers to, by kind and name."""
    schemas = {
        "McpDescription": _DESCRIPTION,
        "JsonRpcMessage": _MESSAGE,
        "JsonRpcResponse": {
            **_message({"result": {"type": "object"}, "error": _ERROR}, []),
            "oneOf": [{"required": ["result"]}, {"required": ["error"]}],
        },
        "JsonRpcFailure": _message({"error": _ERROR}, ["error"]),
    }
    return {
        "schemas": schemas,
        "responses": {
            "JsonRpcRefused": _rpc_error("The message was refused."),
            "JsonRpcDelayed": _rpc_error("Not available now.")
            | {"headers": references_to("headers", ("Retry-After",))},
        },
    }


def _post() -> PathItem:
    bodies = {JSON: schema_named("JsonRpcResponse"), EVENTS: STRING}
    errors = [*COMMON_ERRORS, ForbiddenError, TimedOutError, UnavailableError]
    answers = refused_by("JsonRpc", _RPC_ERRORS, responses(bodies, errors, cached=False))
    schema = schema_named("JsonRpcMessage")
    content = {JSON: {"schema": schema, "examples": {"the tools": {"value": _EXAMPLE}}}}
    return {
        **_item("PostMcp", "Send one message of the Model Context Protocol.", {}),
        "requestBody": {"required": True, "content": content},
        "responses": {
            **answers,
            "202": {"description": "The notification was accepted; it has no response."},
            "404": _rpc_error("Since 2026-07-28: the method is unknown."),
        },
    }


def _item(name: str, summary: str, answers: PathItem) -> PathItem:
    item = {"operationId": name, "summary": summary, "description": DESCRIPTION}
    return {**item, "tags": ["Query"], "responses": answers}


def _rpc_error(description: str) -> PathItem:
    content = {JSON: {"schema": schema_named("JsonRpcFailure")}}
    return {"description": description, "content": content}


def _message(members: Mapping[str, PathItem], required: list[str]) -> PathItem:
    """Return the schema of a JSON-RPC response with some of these members."""
    return {
        "type": "object",
        "properties": {"jsonrpc": {"const": "2.0"}, "id": _ID, **members},
        "required": ["jsonrpc", "id", *required],
        "additionalProperties": False,
    }
