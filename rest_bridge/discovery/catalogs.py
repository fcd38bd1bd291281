"""What tells a machine which surfaces there are: agent.json, the AI catalog, the API catalog."""

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
"""What stands in the AI catalog, by media type: the last part of its name."""


def agent_card(facts: DocumentContext) -> bytes:
    """The agent document: who answers, what can be asked, under which terms.

    Shape: `{name, description, url, version, provider, documentationUrl, capabilities, skills,
    endpoints, licensing, links}`.
    """
    known = facts.directory
    licensing = {name: value for name, value in known["licensing"].items() if name != "body"}
    return orjson.dumps(
        {
            "name": known["name"],
            "description": known["summary"],
            "url": known["baseUrl"],
            "version": known["version"],
            "provider": {"organization": known["name"], "url": known["studioUrl"]},
            "documentationUrl": facts.url(_path(facts, "service-doc")),
            "capabilities": {},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["application/json", "text/markdown"],
            "skills": list(_skills(facts)),
            "endpoints": list(_endpoints(facts)),
            "licensing": {**licensing, "url": known["licensingUrl"]},
            "links": {name: facts.url(p.path) for name, p in facts.relations.items()},
        }
    )


def api_catalog(facts: DocumentContext) -> bytes:
    """The catalog of APIs as a linkset. Source: RFC 9727, RFC 9264."""
    here = _path(facts, "api-catalog")
    items = [
        {"href": link["url"], "title": link["title"]}
        for section in facts.directory["sections"]
        for link in section["links"]
    ]
    described = {
        name: [{"href": facts.url(pointer.path), "type": pointer.media_type}]
        for name, pointer in facts.relations.items()
        if name in ("service-desc", "service-doc", "license")
    }
    graph = [{"href": facts.url(SCHEMA_PATH), "type": "text/plain"}]
    status = [{"href": facts.url(LIVE), "type": JSON}]
    return orjson.dumps(
        {
            "linkset": [
                {"anchor": facts.url(here), "item": items},
                {"anchor": facts.url("/"), **described, "status": status},
                {"anchor": facts.url(PATH), "service-desc": graph},
                *(
                    {
                        "anchor": facts.url(card.rpartition("/")[0]),
                        "service-desc": [{"href": facts.url(card), "type": MCP_CARD}],
                    }
                    for card in _server_cards(facts)
                ),
            ]
        }
    )


def ai_catalog(facts: DocumentContext) -> bytes:
    """The catalog of what agents can use. Source: AI Catalog 1.0."""
    known = facts.directory
    host = {
        "displayName": known["name"],
        "documentationUrl": facts.url(_path(facts, "service-doc")),
    }
    return orjson.dumps(
        {"specVersion": "1.0", "host": host, "entries": list(_catalog_entries(facts))}
    )


def _skills(facts: DocumentContext) -> Iterator[dict[str, Any]]:
    """A skill for each section of the index."""
    for section in facts.directory["sections"]:
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


def _endpoints(facts: DocumentContext) -> Iterator[dict[str, str]]:
    yield {"url": facts.url("/"), "type": "text/markdown"}
    yield {"url": facts.url(PATH), "type": JSON}
    for card in _server_cards(facts):
        yield {"url": facts.url(card.rpartition("/")[0]), "type": JSON}
    for document in facts.documents:
        yield {"url": facts.url(document.path), "type": document.media_type}


def _catalog_entries(facts: DocumentContext) -> Iterator[dict[str, str]]:
    host = re.sub(r"[^a-z0-9.-]+", "-", urlsplit(facts.directory["baseUrl"]).hostname or "")
    owner = slug_of(facts.directory["name"]) or "studio"
    for document in facts.documents:
        if document.media_type in CATALOGUED:
            last = CATALOGUED[document.media_type]
            yield {
                "identifier": f"urn:air:{host.strip('-')}:{owner}:{last}",
                "type": document.media_type,
                "url": facts.url(document.path),
            }


def _server_cards(facts: DocumentContext) -> Iterator[str]:
    """The paths of MCP server cards; each stands one segment below what it describes."""
    yield from (d.path for d in facts.documents if d.media_type == MCP_CARD)


def _path(facts: DocumentContext, relation: str) -> str:
    return facts.relations[relation].path if relation in facts.relations else "/"
