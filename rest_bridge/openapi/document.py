"""The OpenAPI description of the service, built from its operations and documents.

Source: OpenAPI 3.1.1.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.openapi.graphql import graphql_items, graphql_responses, graphql_schemas
from rest_bridge.openapi.health import health_items
from rest_bridge.openapi.reads import (
    LINKED,
    LINKED_SCHEMA,
    document_item,
    page_parameters,
    read_item,
    signed_item,
    write_item,
)
from rest_bridge.openapi.responses import (
    ETAG,
    RATES,
    PathItem,
    error_schemas,
    shared_responses,
)
from rest_bridge.openapi.schemas import SharedSchemas
from rest_bridge.openapi.webhooks import webhook_items
from rest_bridge.openapi.writes import (
    BEARER,
    DESCRIPTION,
    DESCRIPTION_SCHEMA,
    write_schemas,
)

COMPONENTS = "#/components/"

_ABOUT = (
    "No path needs credentials, except the removal of a subscription. A GET that answers in JSON"
    " and markdown answers in one of them under its path with `.json` or `.md` added"
    " (`/index.json` for `/`), and in JSON-LD, if it has it, with `.jsonld`; for a path with POST"
    " these describe how to use it. Reads of the content take `fields=name,object.name`, which"
    " keeps only these members; such an answer lacks others that its schema requires. They"
    " have an ETag and answer If-None-Match; what is sent as text/markdown is sent as text/plain on"
    " request. Every path with GET also allows HEAD, and every path allows OPTIONS; any other"
    " method that is not described gets a 405 with Allow. Errors are problem documents unless the"
    " path describes another form."
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


def openapi(context: DocumentContext) -> bytes:
    """Return the OpenAPI description as JSON."""
    directory, shared = context.directory, SharedSchemas(context.snapshot.operations.fragments)
    paths = dict(_paths(context, shared))
    webhooks = dict(webhook_items(context.snapshot.operations, shared))
    return orjson.dumps(
        {
            "openapi": "3.1.1",
            "info": {
                "title": directory["name"],
                "summary": directory["summary"],
                "description": _ABOUT,
                "version": directory["version"],
                "contact": {"name": directory["owner"], "email": directory["email"]},
                **_license(directory),
            },
            "servers": [{"url": directory["baseUrl"]}],
            "security": [],
            "tags": [{"name": section["title"]} for section in directory["sections"]],
            "paths": paths,
            **({"webhooks": webhooks} if webhooks else {}),
            "components": _used({**paths, **webhooks}, _components(context, shared)),
        }
    )


def _license(directory: Mapping[str, Any]) -> dict[str, Any]:
    """Return the licence as a member of `info`, if the owner says one."""
    licensing = directory.get("licensing")
    if licensing is None:
        return {}
    return {"license": {"name": licensing["license"], "url": licensing["licenseUrl"]}}


def _paths(context: DocumentContext, shared: SharedSchemas) -> Iterator[tuple[str, PathItem]]:
    operations = context.snapshot.operations
    for operation in operations:
        if operation.rest is not None and operation.is_read:
            yield operation.rest.path, read_item(operation, context, shared)
    for forms in operations.write_operations.values():
        yield write_item(forms, shared)
    for path, sections in operations.signed_forms.items():
        yield path, signed_item(sections, shared)
    for document in context.documents:
        yield document.path, document_item(document)
        yield from document.more_paths.items()
    yield from graphql_items()
    yield from health_items()


def _components(context: DocumentContext, shared: SharedSchemas) -> dict[str, PathItem]:
    """Return all components, by kind and name."""
    own = {"Envelope": _ENVELOPE, LINKED: LINKED_SCHEMA, DESCRIPTION: DESCRIPTION_SCHEMA}
    own |= dict(error_schemas())
    for operation in context.snapshot.operations:
        own |= dict(write_schemas(operation))
    components: dict[str, PathItem] = {
        "schemas": {**dict(shared.schemas()), **dict(graphql_schemas()), **own},
        "parameters": dict(page_parameters()),
        "responses": {**dict(shared_responses()), **dict(graphql_responses())},
        "headers": {"ETag": ETAG, **RATES},
        "securitySchemes": {BEARER: {"type": "http", "scheme": "bearer"}},
    }
    for document in context.documents:
        for kind, more in document.more_components.items():
            components[kind] |= more
    return components


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
