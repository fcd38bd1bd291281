"""The MCP server, its discovery documents and its entry in the index."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from mcp_bridge.description import CARD, CARD_PATH, DESCRIPTION, PATH, server_card
from mcp_bridge.listing import Registry, listing_of, registry_of
from mcp_bridge.openapi import mcp_components, mcp_items
from mcp_bridge.protocol.server import Server
from mcp_bridge.tools.all_tools import ToolOptions
from mcp_bridge.tools.verify_tool import Checked
from resolvers.context import RequestContext
from resolvers.signing.envelopes import fault_of
from resolvers.transparency.statements import PROMPT, RESOURCE, TOOL, Statement
from rest_bridge.discovery.documents import AgentInterface, Document, DocumentContext
from rest_bridge.representations.responses import Relations, index_path
from sdl.errors import UnavailableError
from sdl.operations.catalog import IndexEntry, with_suffix
from sdl.running.runner import CurrentSnapshot, Operations, Snapshot
from studiograph.settings import Settings
from studiograph.wiring.proofs import is_preview_key

ASK_OPERATION = "Ask"
SCHEME = "studio://"
"""What the addresses of resources begin with."""
_LISTED = (
    ("tools", TOOL, "name"),
    ("prompts", PROMPT, "name"),
    ("resources", RESOURCE, "uri"),
    ("resourceTemplates", RESOURCE, "uriTemplate"),
)
"""The lists of the server, how the names of their statements begin, and what goes on with them."""
KEY_SET_OPERATION, IDENTITY_OPERATION = "GetKeySet", "GetIdentity"

CARD_ALIAS = "/.well-known/mcp/server-card.json"
CARD_SHORT_ALIAS = "/.well-known/mcp.json"
_GOALS = (
    "connect over MCP",
    "Model Context Protocol endpoint",
    "which tools, resources and prompts does the MCP server have",
    "add this service as a tool server to an AI client",
)
INDEX_ENTRIES = (IndexEntry("Query", "MCP", PATH, with_suffix(PATH, ".md"), DESCRIPTION, _GOALS),)

INTERFACE = AgentInterface(
    "mcp",
    # The tool `read` reaches every operation that has a section.
    reaches=lambda o: bool(o.mcp or o.resource or o.prompt or o.section),
    capabilities=lambda snapshot: list(
        Registry(snapshot.operations, tool_options(has_language_model=False)).tools
    ),
)


def mcp_server(
    operations: Operations, current: CurrentSnapshot, settings: Settings, relations: Relations
) -> Server:
    """Return the MCP server. Raises: OperationError."""
    return Server(operations, current, index_path(relations), options_of(settings))


def mcp_statements(
    operations: Operations, snapshot: Snapshot, settings: Settings
) -> Iterator[Statement]:
    """Yield a statement for each tool, prompt and resource, as the server lists it."""
    listing = listing_of(registry_of(operations, options_of(settings)), snapshot)
    yield from listed_statements(
        {
            "tools": listing.tools,
            "prompts": listing.prompts,
            "resources": listing.resources,
            "resourceTemplates": listing.templates,
        }
    )


def listed_statements(lists: Mapping[str, Any]) -> Iterator[Statement]:
    """Yield a statement for each entry of the server's lists, which are under their names."""
    for name, kind, key in _LISTED:
        for entry in lists[name]:
            yield Statement(f"{kind}{entry[key]}", entry)


def options_of(settings: Settings) -> ToolOptions:
    """Return what the settings say of the tools."""
    return tool_options(has_language_model=settings.ai_llm == "openai-like")


def tool_options(*, has_language_model: bool) -> ToolOptions:
    """Return what this assembly knows of the tools; without a model, chat only quotes."""
    return ToolOptions(() if has_language_model else (ASK_OPERATION,), _checked, scheme=SCHEME)


def _checked(snapshot: Snapshot, envelope: Mapping[str, Any]) -> Checked:
    """Verify an envelope of this service. Raises: UnavailableError if it does not verify."""
    context = cast("RequestContext", snapshot.context)
    key_set = f"{context.base_url}{context.path(KEY_SET_OPERATION)}"
    identity = f"{context.base_url}{context.path(IDENTITY_OPERATION)}"
    if (fault := fault_of(envelope, context.key_set)) is not None:
        if is_preview_key(envelope["publicJwk"]["kid"]):
            raise UnavailableError(
                "This is a preview: it publishes nothing, so there is nothing to verify. Ask the"
                " service at its public address."
            )
        raise UnavailableError(f"The envelope does not verify: {fault}. Read it again.")
    key = envelope["publicJwk"]
    return Checked(
        key,
        (
            f"The signature is that of the key {key['kid']} over the payload as canonical JSON"
            " (RFC 8785).",
            f"The key is published in {key_set} and not revoked there.",
            "The thumbprint belongs to the key. If the envelope has a rollupHash, it equals the one"
            " in the payload.",
        ),
        (
            "This server checked its own signature, which proves nothing to you: verify it with"
            " code of your own, as verificationHint says.",
            f"Take the key from {key_set}, over HTTPS and from the studio's own domain, and not"
            " from the envelope.",
            f"Compare it with a key that you have seen before, or with the records in {identity}.",
            "The signature proves that the holder of this key signed the payload and that nobody"
            " changed it since. It does not prove that the payload is true, and signedAt is not"
            " signed.",
        ),
    )


def _card(context: DocumentContext) -> bytes:
    registry = Registry(context.snapshot.operations, ToolOptions())
    return server_card(context.snapshot, registry)


DOCUMENTS = (
    Document(
        CARD_PATH,
        CARD,
        "MCP server card",
        "The address, transport and protocol versions of the MCP endpoint.",
        _card,
        goals=(
            "MCP server card",
            "metadata of the MCP server before a connection",
            "transport and protocol versions of the MCP endpoint",
            "server-card of the Model Context Protocol",
        ),
        more_paths=dict(mcp_items()),
        more_components=mcp_components(),
        interface=INTERFACE,
        minor=True,
    ),
    Document(
        CARD_ALIAS,
        "application/json",
        "MCP server card, alternative path",
        "The same card at a path that some clients try.",
        _card,
        goals=(
            "server-card.json",
            "well-known path of the MCP server card",
            "alternative address of the MCP server card",
            "the MCP card under .well-known",
        ),
        minor=True,
    ),
    Document(
        CARD_SHORT_ALIAS,
        "application/json",
        "MCP server card, short path",
        "The same card at another path that some clients try.",
        _card,
        goals=(
            "mcp.json",
            "well-known mcp.json of this host",
            "short path of the MCP server card",
            "find the MCP endpoint from the domain alone",
        ),
        minor=True,
    ),
)
