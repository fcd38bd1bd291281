"""The discovery documents of MCP and its entry in the index."""

from mcp_bridge.description import CARD, CARD_PATH, DESCRIPTION, PATH, server_card
from mcp_bridge.listing import Registry
from mcp_bridge.openapi import mcp_items
from rest_bridge.discovery.documents import Document, DocumentContext
from sdl.catalog import IndexEntry, with_suffix

CARD_ALIAS = "/.well-known/mcp/server-card.json"
INDEX_ENTRIES = (IndexEntry("Query", "MCP", PATH, with_suffix(PATH, ".md"), DESCRIPTION),)


def _card(context: DocumentContext) -> bytes:
    return server_card(context.snapshot, Registry(context.snapshot.operations))


DOCUMENTS = (
    Document(
        CARD_PATH,
        CARD,
        "MCP server card",
        "The address, transport and protocol versions of the MCP endpoint.",
        _card,
        more_paths=dict(mcp_items()),
    ),
    Document(
        CARD_ALIAS,
        "application/json",
        "MCP server card, alternative path",
        "The same card at a path that some clients try.",
        _card,
    ),
)
