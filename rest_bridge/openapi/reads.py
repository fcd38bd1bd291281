"""OpenAPI path items of stored operations, signed forms and discovery documents.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from graphql import GraphQLInputType, GraphQLScalarType, get_named_type

from rest_bridge.discovery.documents import SECTION as DOCUMENTS
from rest_bridge.discovery.documents import Document
from rest_bridge.endpoints.read import text_types
from rest_bridge.endpoints.signed import SECTION
from rest_bridge.endpoints.write import first_operation
from rest_bridge.openapi.responses import (
    INPUT_ERRORS,
    SCHEMAS,
    PathItem,
    references_to,
    responses,
    strict_object,
)
from rest_bridge.openapi.schemas import SharedSchemas
from rest_bridge.openapi.writes import any_success, failures, or_null, path_item
from rest_bridge.representations.atom import ATOM
from rest_bridge.representations.rendering import JSON, LINKED_DATA, MARKDOWN, TEXT
from sdl.arguments.input_schemas import PAGE_PARAMETERS, default_of, input_schema
from sdl.arguments.json_arguments import arguments_schema
from sdl.arguments.projection import names
from sdl.errors import NotFoundError, UnknownSectionError, all_errors
from sdl.operations.operation import ListedItem, Operation, Variable
from sdl.types.shape import is_json

LINKED = "JsonLd"
LINKED_SCHEMA = {
    "type": "object",
    "properties": {"@context": {"type": "string"}, "@type": {"type": "string"}},
    "required": ["@context", "@type"],
}

_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_BOUND = {"rollupHash": _DIGEST, "treeSize": {"type": "integer", "minimum": 0}}
_OK = 200

MAX_VALUES = 6
"""How many values of a parameter are listed; the list that is read has them all."""
Values = Mapping[str, Sequence[Any]]
"""The first values that each variable in a path has in the content."""


def listed_values(operation: Operation, items: Sequence[ListedItem]) -> Values:
    """Return the values of a path's variables: each once, and one more than are listed at most.

    So one item more in a long list changes nothing that the description says.
    """
    return {
        name: [*islice(dict.fromkeys(item.values[name] for item in items), MAX_VALUES + 1)]
        for name in operation.path_variables
    }


def read_item(operation: Operation, values: Values, shared: SharedSchemas) -> PathItem:
    """Return the item of a read's path; `values` are those of its variables in the content."""
    media = [*operation.rest.media] if operation.rest is not None else []
    media += [name for form in media for name in text_types(form, operation) if name not in media]
    schema = or_null(operation, shared.of(operation.shape, operation.name))
    bodies = {
        name: {"type": "string"} if name in (MARKDOWN, TEXT, ATOM) else schema for name in media
    }
    if LINKED_DATA in bodies:
        bodies[LINKED_DATA] = {"$ref": f"{SCHEMAS}{LINKED}"}
    declared = [error for error in all_errors() if error.code in operation.errors]
    not_found = [NotFoundError] if operation.path_variables else []
    parameters = [*_parameters(operation, values)]
    wrong_input = INPUT_ERRORS if parameters else ()
    item: PathItem = {
        "operationId": operation.name,
        "summary": operation.title,
        "description": operation.description.strip(),
        "responses": any_success(
            operation,
            responses(bodies, [*wrong_input, *not_found, *declared]) | failures(operation, schema),
        ),
    }
    if parameters:
        item["parameters"] = parameters
    if operation.llms is not None:
        item["tags"] = [operation.llms.section]
    if operation.is_deprecated:
        item["deprecated"] = True
    return {"get": item}


def write_item(forms: Mapping[str, Operation], shared: SharedSchemas) -> tuple[str, PathItem]:
    """Return the path of a write with its item."""
    operation = first_operation(forms)
    path = operation.rest.path if operation.rest is not None else ""
    schema = or_null(operation, shared.of(operation.shape, operation.name))
    return path, path_item(forms, schema)


def signed_item(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the item of a signed path."""
    (first, *_), names = sections.values(), [name for name in sections if name is not None]
    errors = [*INPUT_ERRORS, UnknownSectionError] if names else []
    payload = _sections(sections, shared) if names else _payload(first, shared)
    own = {"properties": {"payload": payload}, "required": ["rollupHash"] if names else []}
    envelope = {"allOf": [{"$ref": f"{SCHEMAS}Envelope"}, own]}
    title = "One section" if names else first.title
    item: PathItem = {
        "operationId": "GetSnapshot" if names else f"{first.name}Signed",
        "summary": f"{title}, signed.",
        "description": f"{title} with the studio's signature over it.",
        **({"parameters": [_section(names)]} if names else {}),
        "responses": responses({JSON: envelope}, errors),
    }
    if first.llms is not None and not names:
        item["tags"] = [first.llms.section]
    return {"get": item}


def document_item(document: Document) -> PathItem:
    """Return the item of a discovery document."""
    has_json = document.media_type.endswith("json")
    schema = {"type": "object"} if has_json else {"type": "string"}
    return {
        "get": {
            "operationId": document.index_entry.name,
            "summary": document.title,
            "description": document.note,
            "tags": [DOCUMENTS],
            "responses": responses(dict.fromkeys(document.media_types, schema)),
        }
    }


def page_parameters() -> Iterator[tuple[str, PathItem]]:
    """Yield the parameters of lists, by name."""
    for name, (text, schema) in PAGE_PARAMETERS.items():
        yield name, {"name": name, "in": "query", "description": text, "schema": schema}


def _parameters(operation: Operation, values: Values) -> Iterator[PathItem]:
    """Yield the parameters of a read; those that other reads have too as references."""
    if operation.takes_objects:
        yield from _parts(operation)
        return
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        schema = input_schema(variable.type) | default_of(variable)
        if in_path:
            names_there = values.get(variable.name, ())
            if 0 < len(names_there) <= MAX_VALUES:
                schema = {"type": "string", "enum": [*map(str, names_there)]}
        value = _value(schema, variable.type)
        yield {
            "name": variable.header or variable.name,
            "in": "path" if in_path else "header" if variable.header else "query",
            **({"required": True} if in_path or variable.required else {}),
            "description": variable.description.strip(),
            **value,
            **({} if "content" in value else _examples(operation, variable, values)),
        }
    pages = (name for name in names(operation) if name in PAGE_PARAMETERS)
    yield from references_to("parameters", pages).values()


def _parts(operation: Operation) -> Iterator[PathItem]:
    """Yield the parameters of a read that takes objects: their members, or JSON in a text."""
    arguments = arguments_schema(operation)
    for name, own in arguments["properties"].items():
        in_path = name in operation.path_variables
        schema = {key: value for key, value in own.items() if key != "description"}
        value = {} if "properties" in own or own.get("type") == "object" else schema
        yield {
            "name": name,
            "in": "path" if in_path else "query",
            **({"required": True} if name in arguments.get("required", ()) else {}),
            "description": own.get("description", ""),
            **({"schema": value} if value else {"content": {JSON: {"schema": schema}}}),
        }
    pages = (name for name in names(operation) if name in PAGE_PARAMETERS)
    yield from references_to("parameters", pages).values()


def _value(schema: PathItem, kind: GraphQLInputType) -> PathItem:
    """Return the schema of a parameter; one that takes any value is JSON in a text."""
    inner = get_named_type(kind)
    takes_json = not schema and isinstance(inner, GraphQLScalarType) and is_json(inner)
    return {"content": {JSON: {"schema": schema}}} if takes_json else {"schema": schema}


def _examples(operation: Operation, variable: Variable, values: Values) -> PathItem:
    """Return the examples of a parameter; by default, the value that the first item has."""
    in_path = variable.name in operation.path_variables
    first = next(iter(values.get(variable.name, ())), None)
    found = {
        example.name: example.variables.get(variable.name, first)
        for example in operation.examples
        if example.status == _OK and (in_path or variable.name in example.variables)
    }
    examples = {name: {"value": value} for name, value in found.items() if value is not None}
    return {"examples": examples} if examples else {}


def _section(names: list[str]) -> PathItem:
    return {
        "name": SECTION,
        "in": "query",
        "required": True,
        "description": "The section's name.",
        "schema": {"type": "string", "enum": names},
    }


def _payload(operation: Operation, shared: SharedSchemas) -> PathItem:
    body = shared.of(operation.shape, operation.name)
    return strict_object({"entries": body, **_BOUND}) if body.get("type") == "array" else body


def _sections(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the schema of a snapshot's payload: a section's name with its data."""
    members = {"section": {"type": "string"}, "data": {}, "revision": _DIGEST, **_BOUND}
    variants = [
        {"properties": {"section": {"const": name}, "data": shared.of(o.shape, o.name)}}
        for name, o in sections.items()
    ]
    return {**strict_object(members), "anyOf": variants}
