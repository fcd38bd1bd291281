"""The OpenAPI description of the service, built from its operations and documents.

Source: OpenAPI 3.1.1.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from rest_bridge.discovery.documents import SECTION, Document, DocumentContext
from rest_bridge.endpoints.graphql import path_among
from rest_bridge.endpoints.health import LIVE, READY
from rest_bridge.openapi.graphql import graphql_items, graphql_responses, graphql_schemas
from rest_bridge.openapi.operations import (
    BEARER,
    DESCRIPTION,
    DESCRIPTION_SCHEMA,
    LINKED,
    LINKED_SCHEMA,
    Values,
    listed_values,
    page_parameters,
    read_item,
    signed_item,
    webhook_items,
    write_item,
    write_schemas,
)
from rest_bridge.openapi.responses import (
    ETAG,
    RATE_LIMIT_HEADERS,
    PathItem,
    SharedSchemas,
    error_schemas,
    responses,
    shared_responses,
    strict_object,
)
from rest_bridge.representations.rendering import JSON
from sdl.running.runner import WORDS, Operations, Words

COMPONENTS = "#/components/"
_FACTS = ("name", "summary", "version", "owner", "email", "baseUrl", "licensing", "security")

_ABOUT = (
    "Add `.md` to the path of a"
    " read for markdown, `.json` for JSON (`/index.json` for `/`), `.jsonld` for JSON-LD where it"
    " exists; on a path with POST these say how to use it. Reads of the content take"
    " `fields=name,object.name`, which keeps only these members, even where the schema requires"
    " others. Reads have an ETag and honour If-None-Match; text/plain gives the markdown. A"
    " path with GET allows HEAD, every path OPTIONS; another method gets a 405 with Allow. Errors"
    " are problem documents unless the path describes another form."
)
_KEY_FACTS = {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA"}
_KEY_NUMBERS = {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"}
_JWK = {
    "type": "object",
    "description": "The key as a JSON Web Key. Source: RFC 8037.",
    "properties": {
        **{name: {"const": value} for name, value in _KEY_FACTS.items()},
        "x": _KEY_NUMBERS,
        "kid": {"type": "string", "description": "The key's id in the published key set."},
    },
    "required": ["kty", "crv", "x", "use", "alg", "kid"],
    "additionalProperties": False,
}
_ENVELOPE = {
    "type": "object",
    "description": "A signed envelope: a payload with the studio's Ed25519 signature.",
    "properties": {
        "payload": {"description": "The signed JSON; canonicalise it by RFC 8785 to verify it."},
        "signature": {"type": "string", "pattern": "^[A-Za-z0-9_-]{86}$"},
        "publicJwk": _JWK,
        "thumbprint": {**_KEY_NUMBERS, "description": "The key's thumbprint. Source: RFC 7638."},
        "canonicalizationProfile": {"const": "jcs-rfc8785-subset"},
        "signedAt": {"type": "string", "format": "date-time"},
        "verificationHint": {"type": "string"},
        "rollupHash": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
    },
    "required": [
        *("payload", "signature", "publicJwk", "thumbprint", "canonicalizationProfile"),
        *("signedAt", "verificationHint"),
    ],
    "additionalProperties": False,
}
_REFERENCE = re.compile(rf'"\$ref":"{COMPONENTS}([^"]+)"|"security":\[{{"([^"]+)"')
"""A component, or the one scheme of a requirement, in JSON without spaces."""


@dataclass(frozen=True)
class Description:
    """All that the description is made of."""

    operations: Operations
    values: Mapping[str, Values]
    """The first values of the variables in paths, by operation."""
    documents: Sequence[Document]
    facts: Mapping[str, Any]
    """Who provides the service, and where."""
    tags: Sequence[str]
    """The sections of the index."""
    extras: Sequence[str] = ()
    """The paths of other endpoints."""
    words: Words = WORDS

    @classmethod
    def of(cls, context: DocumentContext) -> "Description":
        """Return what a snapshot's description is made of."""
        snapshot, directory = context.snapshot, context.directory
        return cls(
            snapshot.operations,
            {o.name: listed_values(o, snapshot.items_of(o)) for o in snapshot.operations},
            [*context.documents],
            {name: directory.get(name) for name in _FACTS},
            [section["title"] for section in directory["sections"]],
            sorted(snapshot.extras),
            snapshot.words,
        )

    def to_json(self) -> bytes:
        """Return it as JSON."""
        facts, own = self.facts, self._schemas()
        nulls = any(not operation.is_strict for operation in self.operations)
        shared = SharedSchemas(self.operations.fragments, own, nulls=nulls)
        paths: dict[str, PathItem] = {}
        for path, item in self._paths(shared):
            known = paths.setdefault(path, {})
            known |= {name: own for name, own in item.items() if name not in known}
        sent = dict(webhook_items(self.operations, shared))
        # openapi-generator compiles a webhook only if its item is referred to
        webhooks = {name: {"$ref": f"#/components/pathItems/{name}"} for name in sent}
        components = {**self._components(shared, own), "pathItems": sent}
        security = facts.get("security") or []
        return orjson.dumps(
            {
                "openapi": "3.1.1",
                "info": {
                    "title": facts["name"],
                    "summary": facts["summary"],
                    "description": " ".join([*filter(None, [self.words.access]), _ABOUT]),
                    "version": facts["version"],
                    **_contact(facts),
                    **_license(facts["licensing"]),
                },
                "servers": [{"url": facts["baseUrl"]}],
                "security": security,
                "tags": [{"name": title} for title in self.tags],
                "paths": paths,
                **({"webhooks": webhooks} if webhooks else {}),
                "components": _used({**paths, **webhooks, "security": security}, components),
            }
        )

    def _paths(self, shared: SharedSchemas) -> Iterator[tuple[str, PathItem]]:
        operations = self.operations
        for operation in operations:
            if operation.rest is not None and operation.is_read:
                values = self.values[operation.name]
                yield operation.rest.path, read_item(operation, values, shared)
        for (path, _), forms in operations.write_operations.items():
            yield path, write_item(forms, shared)
        for path, sections in operations.signed_forms.items():
            yield path, signed_item(sections, shared)
        for document in self.documents:
            yield document.path, _document_item(document)
            yield from document.more_paths.items()
        if (graphql := path_among(self.extras)) is not None:
            yield from graphql_items(graphql)
        yield from _health_items() if LIVE in self.extras else ()

    def _schemas(self) -> PathItem:
        """Return the schemas that are no types of the schema, by name."""
        own = {"Envelope": _ENVELOPE, LINKED: LINKED_SCHEMA, DESCRIPTION: DESCRIPTION_SCHEMA}
        own |= dict(error_schemas())
        for operation in self.operations:
            own |= dict(write_schemas(operation))
        return {**dict(graphql_schemas()), **own}

    def _components(self, shared: SharedSchemas, own: PathItem) -> dict[str, PathItem]:
        """Return all components, by kind and name."""
        components: dict[str, PathItem] = {
            "schemas": {**dict(shared.schemas()), **own},
            "parameters": dict(page_parameters()),
            "responses": {**dict(shared_responses()), **dict(graphql_responses())},
            "headers": {"ETag": ETAG, **RATE_LIMIT_HEADERS},
            "securitySchemes": {BEARER: {"type": "http", "scheme": "bearer"}},
        }
        for document in self.documents:
            for kind, more in document.more_components.items():
                components[kind] |= more
        return components


def openapi(context: DocumentContext) -> bytes:
    """Return the OpenAPI description as JSON, made again when what it is made of has changed."""
    description = Description.of(context)
    key = ("openapi", *(document.path for document in context.documents))
    return context.snapshot.kept(key, description, description.to_json)


def _document_item(document: Document) -> PathItem:
    """Return the item of a discovery document."""
    schema = {"type": "object" if document.media_type.endswith("json") else "string"}
    return {
        "get": {
            "operationId": document.index_entry.name,
            "summary": document.title,
            "description": document.note,
            "tags": [SECTION],
            "responses": responses(dict.fromkeys(document.media_types, schema)),
        }
    }


def _health_items() -> Iterator[tuple[str, PathItem]]:
    """Yield both paths, each with its item."""
    alive = strict_object({"status": {"const": "ok"}})
    yield LIVE, _health_item("GetHealth", "Whether the service is running.", alive)
    members = {
        "status": {"const": "ready"},
        "revision": {"type": "string"},
        "content": {
            "enum": ["current", "stale"],
            "description": "Stale: the newest content is invalid, so the content before is served.",
        },
        "answers": {
            "enum": ["ready", "loading", "unavailable"],
            "description": "Whether search, chat, embeddings and intent are available.",
        },
        "mode": {
            "const": "preview",
            "description": "The content has not been published; absent if it is.",
        },
    }
    ready = strict_object(members) | {"required": [name for name in members if name != "mode"]}
    yield READY, _health_item("GetReadiness", "Whether the newest content is being served.", ready)


def _health_item(name: str, summary: str, schema: PathItem) -> PathItem:
    answers = responses({JSON: schema}, cached=False)
    item = {"operationId": name, "summary": summary, "description": summary}
    return {"get": {**item, "responses": answers}}


def _contact(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return whoever is known to answer for it as a member of `info`."""
    known = {"name": facts["owner"], "email": facts["email"]}
    contact = {name: value for name, value in known.items() if value}
    return {"contact": contact} if contact else {}


def _license(licensing: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the licence as a member of `info`, if the owner says one."""
    if licensing is None:
        return {}
    return {"license": {"name": licensing["license"], "url": licensing["licenseUrl"]}}


def _used(paths: PathItem, components: dict[str, PathItem]) -> dict[str, PathItem]:
    """Return the components that the paths refer to, directly or through other components."""
    used: set[str] = set()
    pending = {*_references(paths)}
    while pending:
        name = pending.pop()
        used.add(name)
        kind, _, key = name.partition("/")
        pending |= {*_references(components[kind][key])} - used
    kept = {
        kind: {key: value for key, value in by_name.items() if f"{kind}/{key}" in used}
        for kind, by_name in components.items()
    }
    return {kind: by_name for kind, by_name in kept.items() if by_name}


def _references(value: Any) -> Iterator[str]:
    """Yield the components that a value refers to, each as `kind/name`."""
    for name, scheme in _REFERENCE.findall(orjson.dumps(value).decode()):
        yield name or f"securitySchemes/{scheme}"
