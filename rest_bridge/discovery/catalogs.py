"""The catalogs of the service's interfaces: agent.json, the AI catalog, the API catalog."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import orjson

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.endpoints.graphql import PATH, SCHEMA_PATH
from rest_bridge.endpoints.health import LIVE
from rest_bridge.http.rendering import JSON
from sdl.catalog import OPTIONAL
from sdl.declare import slug_of

LINKSET = "application/linkset+json"
LINKSET_PROFILE = "https://www.rfc-editor.org/info/rfc9727"
AI_CATALOG = "application/ai-catalog+json"
MCP_CARD = "application/mcp-server-card+json"
OPENAPI = "application/vnd.oai.openapi+json"
CATALOGUED = {OPENAPI: "rest", MCP_CARD: "mcp"}
"""The media types that the AI catalog lists, each with the last part of its entry's name."""


def agent_card(context: DocumentContext) -> bytes:
    """Return the agent document: the provider, its skills and endpoints, the licence.

    Shape: `{name, description, url, version, provider, documentationUrl, capabilities, skills,
    endpoints, licensing, links}`.
    """
    directory = context.directory
    licensing = {name: value for name, value in directory["licensing"].items() if name != "body"}
    return orjson.dumps(
        {
            "name": directory["name"],
            "description": directory["summary"],
            "url": directory["baseUrl"],
            "version": directory["version"],
            "provider": {"organization": directory["name"], "url": directory["studioUrl"]},
            "documentationUrl": context.url(_path(context, "service-doc")),
            "capabilities": {},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["application/json", "text/markdown"],
            "skills": list(_skills(context)),
            "endpoints": list(_endpoints(context)),
            "licensing": {**licensing, "url": directory["licensingUrl"]},
            "links": {name: context.url(p.path) for name, p in context.relations.items()},
        }
    )


def api_catalog(context: DocumentContext) -> bytes:
    """Return the catalog of APIs as a linkset. Source: RFC 9727, RFC 9264."""
    own_path = _path(context, "api-catalog")
    items = [
        {"href": link["url"], "title": link["title"]}
        for section in context.directory["sections"]
        for link in section["links"]
    ]
    descriptions = {
        name: [{"href": context.url(target.path), "type": target.media_type}]
        for name, target in context.relations.items()
        if name in ("service-desc", "service-doc", "license")
    }
    graphql_schema = [{"href": context.url(SCHEMA_PATH), "type": "text/plain"}]
    status = [{"href": context.url(LIVE), "type": JSON}]
    return orjson.dumps(
        {
            "linkset": [
                {"anchor": context.url(own_path), "item": items},
                {"anchor": context.url("/"), **descriptions, "status": status},
                {"anchor": context.url(PATH), "service-desc": graphql_schema},
                *(
                    {
                        "anchor": context.url(card.rpartition("/")[0]),
                        "service-desc": [{"href": context.url(card), "type": MCP_CARD}],
                    }
                    for card in _server_cards(context)
                ),
            ]
        }
    )


def ai_catalog(context: DocumentContext) -> bytes:
    """Return the catalog of the interfaces for agents. Source: AI Catalog 1.0."""
    directory = context.directory
    host = {
        "displayName": directory["name"],
        "documentationUrl": context.url(_path(context, "service-doc")),
    }
    return orjson.dumps(
        {"specVersion": "1.0", "host": host, "entries": list(_catalog_entries(context))}
    )


def _skills(context: DocumentContext) -> Iterator[dict[str, Any]]:
    """Yield a skill for each section of the index, except the optional one."""
    for section in context.directory["sections"]:
        if section["title"] == OPTIONAL:
            continue
        notes = [f"{link['title']}: {link['note']}" for link in section["links"]]
        yield {
            "id": slug_of(section["title"]),
            "name": section["title"],
            "description": " ".join(notes[:5]),
            "tags": [slug_of(link["title"]) for link in section["links"]],
            "examples": [link["url"] for link in section["links"][:3]],
        }


def _endpoints(context: DocumentContext) -> Iterator[dict[str, str]]:
    yield {"url": context.url("/"), "type": "text/markdown"}
    yield {"url": context.url(PATH), "type": JSON}
    for card in _server_cards(context):
        yield {"url": context.url(card.rpartition("/")[0]), "type": JSON}
    for document in context.documents:
        yield {"url": context.url(document.path), "type": document.media_type}


def _catalog_entries(context: DocumentContext) -> Iterator[dict[str, str]]:
    host = re.sub(r"[^a-z0-9.-]+", "-", urlsplit(context.directory["baseUrl"]).hostname or "")
    owner = slug_of(context.directory["name"]) or "studio"
    for document in context.documents:
        if document.media_type in CATALOGUED:
            name = CATALOGUED[document.media_type]
            yield {
                "identifier": f"urn:air:{host.strip('-')}:{owner}:{name}",
                "type": document.media_type,
                "url": context.url(document.path),
            }


def _server_cards(context: DocumentContext) -> Iterator[str]:
    """Yield the paths of the MCP server cards; each is one segment below its endpoint."""
    yield from (d.path for d in context.documents if d.media_type == MCP_CARD)


def _path(context: DocumentContext, relation: str) -> str:
    return context.relations[relation].path if relation in context.relations else "/"
