"""The entry of this server in the MCP registry. Source: its schema server.json, 2025-12-11."""

from typing import Any

import orjson

from mcp_bridge.description import server_card
from mcp_bridge.listing import Registry
from sdl.running.runner import Snapshot

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
_SHARED = ("name", "title", "description", "version", "websiteUrl")


def registry_entry(snapshot: Snapshot, registry: Registry) -> dict[str, Any]:
    """Return `server.json`: what the server card says, of a remote server alone.

    Shape: `{$schema, name, title, description, version, websiteUrl, remotes: [{type, url}]}`. The
    description has at most 100 characters.
    """
    card = orjson.loads(server_card(snapshot, registry))
    remotes = [{"type": remote["type"], "url": remote["url"]} for remote in card["remotes"]]
    return {"$schema": SCHEMA, **{name: card[name] for name in _SHARED}, "remotes": remotes}
