"""OpenAPI path items of stored operations, signed forms and discovery documents.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from rest_bridge.discovery.documents import SECTION as DOCUMENTS
from rest_bridge.discovery.documents import Document, DocumentContext
from rest_bridge.endpoints.read import SUFFIXES
from rest_bridge.endpoints.signed import SECTION
from rest_bridge.endpoints.write import first_operation
from rest_bridge.http.atom import ATOM
from rest_bridge.http.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.openapi.responses import (
    COMMON_ERRORS,
    PROBLEM_TYPE,
    SCHEMAS,
    SUFFIX_ERRORS,
    Examples,
    PathItem,
    responses,
    strict_object,
)
from rest_bridge.openapi.writes import description_item, path_item
from sdl.catalog import with_suffix
from sdl.directives import Example
from sdl.errors import NotFoundError, UnknownSectionError, all_errors
from sdl.input_schemas import PAGE_PARAMETERS, field_paths, input_schema
from sdl.operation import Operation, Variable
from sdl.projection import MAX_FIELDS, names
from sdl.runner import Snapshot
from sdl.shape import ObjectShape, json_schema

PART = "Part"

_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_BOUND = {"rollupHash": _DIGEST, "treeSize": {"type": "integer", "minimum": 0}}
_OK = 200


@dataclass(frozen=True)
class SharedSchemas:
    """The object schemas that are written once among the components, in full and partial form."""

    shapes: Mapping[str, ObjectShape]

    def full(self, shape: ObjectShape) -> str | None:
        """Return the reference to the schema of an object; None if it is not shared."""
        shared = self.shapes.get(shape.type_name)
        return f"{SCHEMAS}{shape.type_name}" if shared == shape else None

    def partial(self, shape: ObjectShape) -> str | None:
        """Return the reference to the schema of any part of an object; None if not shared."""
        name = self.full(shape)
        return None if name is None else f"{name}{PART}"

    def schemas(self) -> Iterator[tuple[str, PathItem]]:
        """Yield the schemas by name."""
        for name, shape in self.shapes.items():
            others = SharedSchemas({n: other for n, other in self.shapes.items() if n != name})
            yield name, json_schema(shape, others.full)
            yield f"{name}{PART}", json_schema(shape, others.partial, part=True)


def operation_items(
    operation: Operation, context: DocumentContext, shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """Yield the path of a read and those of its suffixes, each with its item."""
    rest = operation.rest
    if rest is None or not operation.is_read:
        return
    media = [*rest.media, *([TEXT] if MARKDOWN in rest.media and TEXT not in rest.media else [])]
    yield rest.path, _read_item(operation, context, shared, media)
    for form in (JSON, MARKDOWN) if {JSON, MARKDOWN} <= {*rest.media} else ():
        suffix = "Json" if form == JSON else "Markdown"
        item = _read_item(operation, context, shared, [form], suffix)
        yield with_suffix(rest.path, SUFFIXES[form]), item


def write_items(
    forms: Mapping[str, Operation], shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """Yield the path of a write and those of its description, each with its item."""
    operation = first_operation(forms)
    path = operation.rest.path if operation.rest is not None else ""
    yield path, path_item(forms, json_schema(operation.shape, shared.full))
    for form in (JSON, MARKDOWN) if "{" not in path else ():
        yield with_suffix(path, SUFFIXES[form]), description_item(operation, form)


def signed_item(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the item of a signed path."""
    (first, *_), names = sections.values(), [name for name in sections if name is not None]
    errors = {*COMMON_ERRORS, UnknownSectionError} if names else {*COMMON_ERRORS}
    payload = _sections(sections, shared) if names else _payload(first, shared)
    own = {"properties": {"payload": payload}, "required": ["rollupHash"] if names else []}
    envelope = {"allOf": [{"$ref": f"{SCHEMAS}Envelope"}, own]}
    title = "One section" if names else first.title
    item: PathItem = {
        "operationId": "GetSnapshot" if names else f"{first.name}Signed",
        "summary": f"{title}, signed.",
        "description": f"{title} with the studio's signature over it.",
        "parameters": [_section(names)] if names else [],
        "responses": responses({JSON: envelope}, errors),
    }
    if first.llms is not None and not names:
        item["tags"] = [first.llms.section]
    return {"get": item}


def document_item(document: Document) -> PathItem:
    """Return the item of a discovery document."""
    is_json = document.media_type.endswith("json")
    schema = {"type": "object"} if is_json else {"type": "string"}
    return {
        "get": {
            "operationId": f"Get{document.title.title().replace(' ', '')}",
            "summary": document.title,
            "description": document.note,
            "tags": [DOCUMENTS],
            "responses": responses(dict.fromkeys(document.media_types, schema), COMMON_ERRORS),
        }
    }


def _read_item(
    operation: Operation,
    context: DocumentContext,
    shared: SharedSchemas,
    media: list[str],
    form: str = "",
) -> PathItem:
    schema = _body(operation, shared)
    bodies = {
        name: {"type": "string"} if name in (MARKDOWN, TEXT, ATOM) else schema for name in media
    }
    declared = [error for error in all_errors() if error.code in operation.errors]
    not_found = [NotFoundError] if operation.path_variables else []
    errors = [*(SUFFIX_ERRORS if form else COMMON_ERRORS), *not_found, *declared]
    item: PathItem = {
        "operationId": f"{operation.name}{form}",
        "summary": operation.title,
        "description": operation.description.strip(),
        "parameters": [
            {"$ref": f"#/components/parameters/{name}"}
            for name, _ in operation_parameters(operation, context.snapshot)
        ],
        "responses": responses(bodies, errors, _response_examples(operation, context, media)),
    }
    if operation.llms is not None:
        item["tags"] = [operation.llms.section]
    return {"get": item}


def _response_examples(
    operation: Operation, context: DocumentContext, media: list[str]
) -> Examples:
    """Return the URLs of the operation's examples, by status and media type of the response."""
    examples: dict[tuple[int, str], PathItem] = {}
    forms = operation.rest.media if operation.rest is not None else []
    for example in operation.examples:
        for media_type in media:
            path = _example_url(operation, example, media_type, context.snapshot)
            if path is None or media_type not in forms:
                continue
            response_type = media_type if example.status == _OK else PROBLEM_TYPE
            example_object = {"externalValue": context.url(path)}
            by_name = examples.setdefault((example.status, response_type), {})
            by_name.setdefault(example.name, example_object)
    return examples


def _example_url(
    operation: Operation, example: Example, media_type: str, snapshot: Snapshot
) -> str | None:
    """Return the path and query of an example in one form; None if no item fills the path."""
    if operation.rest is None:
        return None
    path, query = operation.rest.path, dict(example.variables)
    for name in operation.path_variables:
        value = _value(operation, example, name, snapshot)
        if value is None:
            return None
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        query.pop(name, None)
    if media_type in SUFFIXES and {JSON, MARKDOWN} <= {*operation.rest.media}:
        path = with_suffix(path, SUFFIXES[media_type])
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def _value(operation: Operation, example: Example, name: str, snapshot: Snapshot) -> Any:
    """Return the value of a variable in an example; the default is the first item's value."""
    first = next((item.values[name] for item in snapshot.items_of(operation)), None)
    return example.variables.get(name, first)


def operation_parameters(
    operation: Operation, snapshot: Snapshot
) -> Iterator[tuple[str, PathItem]]:
    """Yield the parameters of a read, each with its name among the components."""
    items = snapshot.items_of(operation)
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        schema = input_schema(variable.type)
        if in_path:
            values = dict.fromkeys(str(item.values[variable.name]) for item in items)
            schema = {"type": "string", "enum": [*values]} if values else schema
        yield (
            f"{operation.name}.{variable.name}",
            {
                "name": variable.name,
                "in": "path" if in_path else "query",
                "required": in_path or variable.required,
                "description": variable.description.strip(),
                "schema": schema,
                **_examples(operation, variable, snapshot),
            },
        )
    for name in names(operation):
        if name == "fields":
            yield f"{operation.name}.fields", _fields(operation)
        else:
            text, schema = PAGE_PARAMETERS[name]
            yield name, {"name": name, "in": "query", "description": text, "schema": schema}


def _fields(operation: Operation) -> PathItem:
    paths = [*dict.fromkeys(field_paths(operation.shape))]
    return {
        "name": "fields",
        "in": "query",
        "description": (
            "The fields to return, separated by commas; write a field of an object as"
            " `object.field`."
        ),
        "explode": False,
        "schema": {
            "type": "array",
            "items": {"type": "string", "enum": paths},
            "minItems": 1,
            "maxItems": MAX_FIELDS,
        },
    }


def _body(operation: Operation, shared: SharedSchemas) -> PathItem:
    """Return the schema of the body, and of any part of it if `fields` can select one."""
    full = json_schema(operation.shape, shared.full)
    if "fields" not in names(operation):
        return full
    return {"anyOf": [full, json_schema(operation.shape, shared.partial, part=True)]}


def _examples(operation: Operation, variable: Variable, snapshot: Snapshot) -> PathItem:
    in_path = variable.name in operation.path_variables
    values = {
        example.name: _value(operation, example, variable.name, snapshot)
        for example in operation.examples
        if example.status == _OK and (in_path or variable.name in example.variables)
    }
    examples = {name: {"value": value} for name, value in values.items() if value is not None}
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
    body = json_schema(operation.shape, shared.full)
    return strict_object({"entries": body, **_BOUND}) if body.get("type") == "array" else body


def _sections(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """Return the schema of a snapshot's payload: a section's name with its data."""
    members = {"section": {"type": "string"}, "data": {}, "revision": _DIGEST, **_BOUND}
    variants = [
        {"properties": {"section": {"const": name}, "data": json_schema(o.shape, shared.full)}}
        for name, o in sections.items()
    ]
    return {**strict_object(members), "oneOf": variants}
