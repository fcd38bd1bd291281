"""The OpenAPI description of the service, built from its operations and documents.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from rest_bridge.discovery.documents import DocumentContext
from rest_bridge.openapi.graphql import graphql_items, graphql_schemas
from rest_bridge.openapi.health import health_items
from rest_bridge.openapi.reads import (
    SharedSchemas,
    document_item,
    operation_items,
    operation_parameters,
    signed_item,
    write_items,
)
from rest_bridge.openapi.responses import ETAG, PROBLEM, PathItem, shared_responses
from rest_bridge.openapi.writes import write_parameters

COMPONENTS = "#/components/"

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


def openapi(context: DocumentContext) -> bytes:
    """Return the OpenAPI description as JSON."""
    directory, shared = context.directory, SharedSchemas(context.snapshot.operations.fragments)
    paths = dict(_paths(context, shared))
    return orjson.dumps(
        {
            "openapi": "3.1.1",
            "info": {
                "title": directory["name"],
                "summary": directory["summary"],
                "description": (
                    "No path needs credentials, except the removal of a subscription. Every path"
                    " with GET also allows HEAD, and every path allows OPTIONS; any other method"
                    " that is not described gets a 405 with Allow. Errors are problem documents"
                    " unless the path describes another form."
                ),
                "version": directory["version"],
                "contact": {"name": directory["owner"], "email": directory["email"]},
                "license": {
                    "name": directory["licensing"]["license"],
                    "url": directory["licensing"]["licenseUrl"],
                },
            },
            "servers": [{"url": directory["baseUrl"]}],
            "security": [],
            "tags": [{"name": section["title"]} for section in directory["sections"]],
            "paths": paths,
            "components": _used(paths, _components(context, shared)),
        }
    )


def _paths(context: DocumentContext, shared: SharedSchemas) -> Iterator[tuple[str, PathItem]]:
    operations = context.snapshot.operations
    for operation in operations:
        yield from operation_items(operation, context, shared)
    for forms in operations.write_operations.values():
        yield from write_items(forms, shared)
    for path, sections in operations.signed_forms.items():
        yield path, signed_item(sections, shared)
    for document in context.documents:
        yield document.path, document_item(document)
        yield from document.more_paths.items()
    yield from graphql_items()
    yield from health_items()


def _components(context: DocumentContext, shared: SharedSchemas) -> dict[str, PathItem]:
    """Return all components, by kind and name."""
    own = {"Envelope": _ENVELOPE, "Problem": PROBLEM}
    return {
        "schemas": {**dict(shared.schemas()), **dict(graphql_schemas()), **own},
        "parameters": dict(_parameters(context)),
        "responses": dict(shared_responses()),
        "headers": {"ETag": ETAG},
    }


def _parameters(context: DocumentContext) -> Iterator[tuple[str, PathItem]]:
    for operation in context.snapshot.operations:
        if operation.is_read:
            yield from operation_parameters(operation, context.snapshot)
        else:
            yield from write_parameters(operation)


def _used(paths: PathItem, components: dict[str, PathItem]) -> dict[str, PathItem]:
    """Return the components that the paths refer to, directly or through other components."""
    used: set[str] = set()
    pending = {*_references(paths)}
    while pending:
        name = pending.pop()
        used.add(name)
        kind, _, key = name.partition("/")
        pending |= {*_references(components[kind][key])} - used
    return {
        kind: {key: value for key, value in by_name.items() if f"{kind}/{key}" in used}
        for kind, by_name in components.items()
    }


def _references(value: Any) -> Iterator[str]:
    """Yield the components that a value refers to, each as `kind/name`."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            yield reference.removeprefix(COMPONENTS)
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
