"""The OpenAPI description of everything that answers here, made of what answers.

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
        "kid": {"type": "string", "description": "The key's name in the published key set."},
    },
    "required": ["kty", "crv", "x", "use", "alg", "kid"],
    "additionalProperties": False,
}
_ENVELOPE = {
    "type": "object",
    "description": "Something the studio says, with its Ed25519 signature.",
    "properties": {
        "payload": {"description": "What is signed, as RFC 8785 writes it."},
        "signature": {"type": "string", "pattern": "^[A-Za-z0-9_-]{86}$"},
        "publicJwk": _JWK,
        "thumbprint": {**_KEY_NUMBERS, "description": "The key's. Source: RFC 7638."},
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


def openapi(facts: DocumentContext) -> bytes:
    """The whole description."""
    known, shared = facts.directory, SharedSchemas(facts.snapshot.operations.fragments)
    paths = dict(_paths(facts, shared))
    return orjson.dumps(
        {
            "openapi": "3.1.1",
            "info": {
                "title": known["name"],
                "summary": known["summary"],
                "description": (
                    "Everything here is asked without credentials, but for the end of a"
                    " subscription. HEAD answers wherever GET does, OPTIONS on every path; another"
                    " method that is not described is answered 405 with Allow. An error is a"
                    " problem document where its path describes no other form."
                ),
                "version": known["version"],
                "contact": {"name": known["owner"], "email": known["email"]},
                "license": {
                    "name": known["licensing"]["license"],
                    "url": known["licensing"]["licenseUrl"],
                },
            },
            "servers": [{"url": known["baseUrl"]}],
            "security": [],
            "tags": [{"name": section["title"]} for section in known["sections"]],
            "paths": paths,
            "components": _used(paths, _components(facts, shared)),
        }
    )


def _paths(facts: DocumentContext, shared: SharedSchemas) -> Iterator[tuple[str, PathItem]]:
    operations = facts.snapshot.operations
    for operation in operations:
        yield from operation_items(operation, facts, shared)
    for forms in operations.write_operations.values():
        yield from write_items(forms, shared)
    for path, sections in operations.signed_forms.items():
        yield path, signed_item(sections, shared)
    for document in facts.documents:
        yield document.path, document_item(document)
        yield from document.more_paths.items()
    yield from graphql_items()
    yield from health_items()


def _components(facts: DocumentContext, shared: SharedSchemas) -> dict[str, PathItem]:
    """Everything that can be referred to, by kind and name."""
    own = {"Envelope": _ENVELOPE, "Problem": PROBLEM}
    return {
        "schemas": {**dict(shared.schemas()), **dict(graphql_schemas()), **own},
        "parameters": dict(_parameters(facts)),
        "responses": dict(shared_responses()),
        "headers": {"ETag": ETAG},
    }


def _parameters(facts: DocumentContext) -> Iterator[tuple[str, PathItem]]:
    for operation in facts.snapshot.operations:
        if operation.is_read:
            yield from operation_parameters(operation, facts.snapshot)
        else:
            yield from write_parameters(operation)


def _used(paths: PathItem, components: dict[str, PathItem]) -> dict[str, PathItem]:
    """What of the components the paths refer to, and what that refers to."""
    found: set[str] = set()
    waiting = {*_references(paths)}
    while waiting:
        name = waiting.pop()
        found.add(name)
        kind, _, key = name.partition("/")
        waiting |= {*_references(components[kind][key])} - found
    return {
        kind: {key: value for key, value in named.items() if f"{kind}/{key}" in found}
        for kind, named in components.items()
    }


def _references(value: Any) -> Iterator[str]:
    """The components that a value refers to, each as its kind and name."""
    if isinstance(value, dict):
        if isinstance(reference := value.get("$ref"), str):
            yield reference.removeprefix(COMPONENTS)
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
