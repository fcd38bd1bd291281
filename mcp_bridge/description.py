"""How the endpoint tells of itself: its description and its server card, of the same listing.

Source: the server card is MCP's SEP-2127.
"""

import re
from collections.abc import Iterator, Mapping
from textwrap import shorten
from typing import Any
from urllib.parse import urlsplit

import orjson

from mcp_bridge.listing import Registry, ServerListing, listing_of
from mcp_bridge.protocol_versions import STATELESS, SUPPORTED
from mcp_bridge.schema_profile import ANSWER_BYTES
from sdl.runner import Snapshot

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
    "description": "One JSON-RPC 2.0 message: a request, or a notification, which has no id.",
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": {"type": ["string", "integer"]},
        "method": {"type": "string", "maxLength": 128},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
_RESPONSES = {
    "200": "The answer to a request, or its error.",
    "202": "A notification was taken; it has no answer and no effect.",
    "400": "The message, its revision or its headers are wrong.",
    "403": "The page that asks is of another origin.",
    "404": f"Since {STATELESS}: there is no such method.",
    "413": "The message is too long.",
    "415": "The message is not JSON.",
}


def description(listing: ServerListing, base_url: str) -> dict[str, Any]:
    """What answers at the endpoint and how to ask it."""
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
        "stdio": "studiograph mcp",
        "protocolVersions": list(SUPPORTED),
        "mediaTypes": ["application/json", "text/event-stream"],
        "capabilities": listing.capabilities,
        "instructions": listing.instructions,
        "tools": [_short(tool, "name") for tool in listing.tools],
        "resources": [_short(found, "uri") for found in listing.resources],
        "resourceTemplates": [_short(found, "uriTemplate") for found in listing.templates],
        "prompts": [_short(prompt, "name") for prompt in listing.prompts],
        "request": _REQUEST,
        "responses": {status: {"description": text} for status, text in _RESPONSES.items()},
        "limits": {"bytes of a message": MAX_BODY, "bytes of the list of tools": ANSWER_BYTES},
        "examples": [{"name": "the tools", "request": example}],
        "see": [CARD_PATH],
    }


def description_markdown(told: Mapping[str, Any]) -> str:
    """The same as markdown."""
    return "\n".join(_lines(told)) + "\n"


def server_card(snapshot: Snapshot, registry: Registry) -> bytes:
    """The server card. `serverInfo` and `capabilities` are for readers of its drafts."""
    listing = listing_of(registry, snapshot)
    own, known = listing.implementation, listing.directory
    host = urlsplit(known["baseUrl"]).hostname or ""
    is_name = re.fullmatch(r"[a-z0-9.-]*[a-z][a-z0-9.-]*", host) is not None
    owner = ".".join(reversed(host.split("."))) if is_name else re.sub(r"[^0-9.]", "-", host)
    remote = {
        "type": TRANSPORT,
        "url": f"{known['baseUrl']}{PATH}",
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


def _short(shown: Mapping[str, Any], key: str) -> dict[str, str]:
    first = " ".join(shown["description"].split("\n\n")[0].split())
    return {key: shown[key], "title": shown["title"], "description": first}


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {told['title']}: {told['name']}\n"
    yield f"> {told['description']}\n"
    yield f"- Address: {told['url']} (POST, {told['transport']})"
    yield f"- Revisions: {', '.join(told['protocolVersions'])}"
    yield f"- On standard input and output: `{told['stdio']}`"
    yield f"- Server card: {told['see'][0]}\n"
    yield told["instructions"]
    for title, member, key in (
        ("Tools", "tools", "name"),
        ("Resources", "resources", "uri"),
        ("Resource templates", "resourceTemplates", "uriTemplate"),
        ("Prompts", "prompts", "name"),
    ):
        yield f"\n## {title}\n"
        yield from (f"- `{found[key]}`: {found['description']}" for found in told[member])
