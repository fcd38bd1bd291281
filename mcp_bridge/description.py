"""The description of the MCP endpoint and its server card. Source: MCP's SEP-2127 (the card)."""

import re
from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit

import orjson

from mcp_bridge.listing import Registry, ServerListing, listing_of
from mcp_bridge.protocol.protocol_versions import STATELESS, SUPPORTED
from mcp_bridge.tools.schema_profile import ANSWER_BYTES
from sdl.running.runner import Snapshot

PATH = "/mcp"
MAX_BODY = 128 * 1024
CARD_PATH = f"{PATH}/server-card"
CARD = "application/mcp-server-card+json"
CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
TRANSPORT = "streamable-http"
DESCRIPTION = "Tools, resources and prompts for AI agents, over the Model Context Protocol."
MAX_DESCRIPTION = 100

_REQUEST = {
    "type": "object",
    "description": "One JSON-RPC 2.0 message: a request, or a notification (without an id).",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"]},
        "method": {"type": "string", "maxLength": 128},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
_RESPONSES = {
    "200": "The response to a request: its result or an error.",
    "202": "The notification was accepted; it has no response and no effect.",
    "400": "The message, its protocol version or its headers are not valid.",
    "403": "The request comes from a page of another origin.",
    "404": f"From protocol version {STATELESS} on: the method is unknown.",
    "413": "The message is too large.",
    "415": "The message is not JSON.",
}


def description(listing: ServerListing, base_url: str) -> dict[str, Any]:
    """Return the description of the endpoint: its address, its limits, everything it lists."""
    example = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
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
        "request": _REQUEST,
        "responses": {status: {"description": text} for status, text in _RESPONSES.items()},
        "limits": {"bytes of a message": MAX_BODY, "bytes of the list of tools": ANSWER_BYTES},
        "examples": [{"name": "the tools", "request": example}],
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
    example = orjson.dumps(members["examples"][0]["request"]).decode()
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
