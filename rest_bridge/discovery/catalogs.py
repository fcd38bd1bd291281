"""The catalogs of the service's interfaces: agent.json and the API catalog."""

from collections.abc import Iterator
from typing import Any

import orjson

from rest_bridge.discovery.documents import DocumentContext, sentence
from rest_bridge.endpoints.graphql import path_among, schema_path
from rest_bridge.endpoints.health import LIVE
from rest_bridge.representations.rendering import JSON
from sdl.operations.catalog import OPTIONAL
from sdl.types.declare import slug_of

MAX_NOTES = 2
MAX_TAGS = 5
MAX_GOALS = 3
LINKSET = "application/linkset+json"
LINKSET_PROFILE = "https://www.rfc-editor.org/info/rfc9727"
MCP_CARD = "application/mcp-server-card+json"
OPENAPI = "application/vnd.oai.openapi+json"


def agent_card(context: DocumentContext) -> bytes:
    """Return the agent document: the provider, its skills and endpoints, the licence.

    Shape: `{name, description, url, version, provider, documentationUrl, capabilities, skills,
    endpoints, licensing, links}`, without the licence where the owner says none.
    """
    directory = context.directory
    policy = directory.get("licensing", {})
    licensing = {name: value for name, value in policy.items() if name != "body"}
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
            **({"licensing": {**licensing, "url": directory["licensingUrl"]}} if licensing else {}),
            **({"notices": notices} if (notices := directory.get("notices")) else {}),
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
        if "{" not in link["path"]
    ]
    descriptions = {
        name: [{"href": context.url(target.path), "type": target.media_type}]
        for name, target in context.relations.items()
        if name in ("service-desc", "service-doc", "license")
    }
    graphql = path_among(context.snapshot.extras)
    status = [{"href": context.url(LIVE), "type": JSON}]
    health = {"status": status} if LIVE in context.snapshot.extras else {}
    return orjson.dumps(
        {
            "linkset": [
                {"anchor": context.url(own_path), "item": items},
                {"anchor": context.url("/"), **descriptions, **health},
                *(_graphql(graphql, context) if graphql is not None else ()),
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


def _graphql(path: str, context: DocumentContext) -> Iterator[dict[str, Any]]:
    schema = [{"href": context.url(schema_path(path)), "type": "text/plain"}]
    yield {"anchor": context.url(path), "service-desc": schema}


def _skills(context: DocumentContext) -> Iterator[dict[str, Any]]:
    """Yield a skill for each section of the index that has stored operations with goals."""
    for section in context.directory["sections"]:
        operations = [
            operation
            for operation in context.snapshot.operations
            if operation.llms is not None and operation.llms.section == section["title"]
        ]
        operations.sort(key=lambda operation: operation.llms.order if operation.llms else 0)
        goals = [operation.intent.goals[0] for operation in operations if operation.intent]
        if goals and section["title"] != OPTIONAL:
            notes = [sentence(link["note"]) for link in section["links"][:MAX_NOTES]]
            yield {
                "id": slug_of(section["title"]),
                "name": section["title"],
                "description": " ".join(notes),
                "tags": [slug_of(link["title"]) for link in section["links"][:MAX_TAGS]],
                "examples": goals[:MAX_GOALS],
            }


def _endpoints(context: DocumentContext) -> Iterator[dict[str, str]]:
    for operation in context.snapshot.operations:
        if operation.rest is not None and operation.rest.path == "/" and operation.is_read:
            yield {"url": context.url("/"), "type": operation.rest.media[0]}
    if (graphql := path_among(context.snapshot.extras)) is not None:
        yield {"url": context.url(graphql), "type": JSON}
    for card in _server_cards(context):
        yield {"url": context.url(card.rpartition("/")[0]), "type": JSON}
    for document in context.documents:
        yield {"url": context.url(document.path), "type": document.media_type}


def _server_cards(context: DocumentContext) -> Iterator[str]:
    """Yield the paths of the MCP server cards; each is one segment below its endpoint."""
    yield from (d.path for d in context.documents if d.media_type == MCP_CARD)


def _path(context: DocumentContext, relation: str) -> str:
    return context.relations[relation].path if relation in context.relations else "/"
