"""OpenAPI path items: of stored operations in each form, of signed forms, of documents.

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
from sdl.input_schemas import NARROWING, field_paths, input_schema
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
    """The objects whose schemas stand once, for all that answer them, whole and in part."""

    shapes: Mapping[str, ObjectShape]

    def full(self, shape: ObjectShape) -> str | None:
        """The reference to the schema of an object, where it is shared."""
        known = self.shapes.get(shape.type_name)
        return f"{SCHEMAS}{shape.type_name}" if known == shape else None

    def partial(self, shape: ObjectShape) -> str | None:
        """The reference to the schema of any part of an object, where it is shared."""
        name = self.full(shape)
        return None if name is None else f"{name}{PART}"

    def schemas(self) -> Iterator[tuple[str, PathItem]]:
        """The schemas by name."""
        for name, shape in self.shapes.items():
            others = SharedSchemas(
                {other: known for other, known in self.shapes.items() if other != name}
            )
            yield name, json_schema(shape, others.full)
            yield f"{name}{PART}", json_schema(shape, others.partial, part=True)


def operation_items(
    operation: Operation, facts: DocumentContext, shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """The path of an operation and those of its forms, each with its item."""
    rest = operation.rest
    if rest is None or not operation.is_read:
        return
    media = [*rest.media, *([TEXT] if MARKDOWN in rest.media and TEXT not in rest.media else [])]
    yield rest.path, _read(operation, facts, shared, media)
    for form in (JSON, MARKDOWN) if {JSON, MARKDOWN} <= {*rest.media} else ():
        path = with_suffix(rest.path, SUFFIXES[form])
        yield path, _read(operation, facts, shared, [form], "Json" if form == JSON else "Markdown")


def write_items(
    forms: Mapping[str, Operation], shared: SharedSchemas
) -> Iterator[tuple[str, PathItem]]:
    """The path of what acts and those of its description, each with its item."""
    operation = first_operation(forms)
    path = operation.rest.path if operation.rest is not None else ""
    yield path, path_item(forms, json_schema(operation.shape, shared.full))
    for form in (JSON, MARKDOWN) if "{" not in path else ():
        yield with_suffix(path, SUFFIXES[form]), description_item(operation, form)


def signed_item(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """The item of a path that answers signed forms."""
    (first, *_), known = sections.values(), [name for name in sections if name is not None]
    errors = {*COMMON_ERRORS, UnknownSectionError} if known else {*COMMON_ERRORS}
    payload = _sections(sections, shared) if known else _payload(first, shared)
    own = {"properties": {"payload": payload}, "required": ["rollupHash"] if known else []}
    envelope = {"allOf": [{"$ref": f"{SCHEMAS}Envelope"}, own]}
    title = "One section" if known else first.title
    signed: PathItem = {
        "operationId": "GetSnapshot" if known else f"{first.name}Signed",
        "summary": f"{title}, signed.",
        "description": f"{title} with the studio's signature over it.",
        "parameters": [_section(known)] if known else [],
        "responses": responses({JSON: envelope}, errors),
    }
    if first.llms is not None and not known:
        signed["tags"] = [first.llms.section]
    return {"get": signed}


def document_item(document: Document) -> PathItem:
    """The item of a document."""
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


def _read(
    operation: Operation,
    facts: DocumentContext,
    shared: SharedSchemas,
    media: list[str],
    form: str = "",
) -> PathItem:
    schema = _body(operation, shared)
    bodies = {
        name: {"type": "string"} if name in (MARKDOWN, TEXT, ATOM) else schema for name in media
    }
    declared = [error for error in all_errors() if error.code in operation.errors]
    missing = [NotFoundError] if operation.path_variables else []
    errors = [*(SUFFIX_ERRORS if form else COMMON_ERRORS), *missing, *declared]
    read: PathItem = {
        "operationId": f"{operation.name}{form}",
        "summary": operation.title,
        "description": operation.description.strip(),
        "parameters": [
            {"$ref": f"#/components/parameters/{name}"}
            for name, _ in operation_parameters(operation, facts.snapshot)
        ],
        "responses": responses(bodies, errors, _calls(operation, facts, media)),
    }
    if operation.llms is not None:
        read["tags"] = [operation.llms.section]
    return {"get": read}


def _calls(operation: Operation, facts: DocumentContext, media: list[str]) -> Examples:
    """The operation's examples as addresses, by what they answer."""
    found: dict[tuple[int, str], PathItem] = {}
    forms = operation.rest.media if operation.rest is not None else []
    for example in operation.examples:
        for media_type in media:
            path = _address(operation, example, media_type, facts.snapshot)
            if path is None or media_type not in forms:
                continue
            answered = media_type if example.status == _OK else PROBLEM_TYPE
            shown = {"externalValue": facts.url(path)}
            found.setdefault((example.status, answered), {}).setdefault(example.name, shown)
    return found


def _address(
    operation: Operation, example: Example, media_type: str, reading: Snapshot
) -> str | None:
    """The path and query of an example in one form; none, where nothing fills the path."""
    if operation.rest is None:
        return None
    path, asked = operation.rest.path, dict(example.variables)
    for name in operation.path_variables:
        value = _value(operation, example, name, reading)
        if value is None:
            return None
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        asked.pop(name, None)
    if media_type in SUFFIXES and {JSON, MARKDOWN} <= {*operation.rest.media}:
        path = with_suffix(path, SUFFIXES[media_type])
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def _value(operation: Operation, example: Example, name: str, reading: Snapshot) -> Any:
    """The value of a variable in an example; in the path, what is not given is the first item's."""
    first = next((item.values[name] for item in reading.items_of(operation)), None)
    return example.variables.get(name, first)


def operation_parameters(operation: Operation, reading: Snapshot) -> Iterator[tuple[str, PathItem]]:
    """The parameters of an operation, each with the name it has among all."""
    items = reading.items_of(operation)
    for variable in operation.variables:
        in_path = variable.name in operation.path_variables
        schema = input_schema(variable.type)
        if in_path:
            known = dict.fromkeys(str(item.values[variable.name]) for item in items)
            schema = {"type": "string", "enum": [*known]} if known else schema
        yield (
            f"{operation.name}.{variable.name}",
            {
                "name": variable.name,
                "in": "path" if in_path else "query",
                "required": in_path or variable.required,
                "description": variable.description.strip(),
                "schema": schema,
                **_examples(operation, variable, reading),
            },
        )
    for name in names(operation):
        if name == "fields":
            yield f"{operation.name}.fields", _fields(operation)
        else:
            described, schema = NARROWING[name]
            yield name, {"name": name, "in": "query", "description": described, "schema": schema}


def _fields(operation: Operation) -> PathItem:
    paths = [*dict.fromkeys(field_paths(operation.shape))]
    return {
        "name": "fields",
        "in": "query",
        "description": "Which fields to answer, separated by commas; a dot leads into an object.",
        "explode": False,
        "schema": {
            "type": "array",
            "items": {"type": "string", "enum": paths},
            "minItems": 1,
            "maxItems": MAX_FIELDS,
        },
    }


def _body(operation: Operation, shared: SharedSchemas) -> PathItem:
    """The schema of the whole body, or of the part of it that was asked for."""
    whole = json_schema(operation.shape, shared.full)
    if "fields" not in names(operation):
        return whole
    return {"anyOf": [whole, json_schema(operation.shape, shared.partial, part=True)]}


def _examples(operation: Operation, variable: Variable, reading: Snapshot) -> PathItem:
    in_path = variable.name in operation.path_variables
    given = {
        example.name: {"value": _value(operation, example, variable.name, reading)}
        for example in operation.examples
        if example.status == _OK and (in_path or variable.name in example.variables)
    }
    given = {name: shown for name, shown in given.items() if shown["value"] is not None}
    return {"examples": given} if given else {}


def _section(known: list[str]) -> PathItem:
    return {
        "name": SECTION,
        "in": "query",
        "required": True,
        "description": "The section's name.",
        "schema": {"type": "string", "enum": known},
    }


def _payload(operation: Operation, shared: SharedSchemas) -> PathItem:
    body = json_schema(operation.shape, shared.full)
    return strict_object({"entries": body, **_BOUND}) if body.get("type") == "array" else body


def _sections(sections: Mapping[str | None, Operation], shared: SharedSchemas) -> PathItem:
    """The payload of a snapshot: the data of the section that it names."""
    told = {"section": {"type": "string"}, "data": {}, "revision": _DIGEST, **_BOUND}
    each = [
        {"properties": {"section": {"const": name}, "data": json_schema(o.shape, shared.full)}}
        for name, o in sections.items()
    ]
    return {**strict_object(told), "oneOf": each}
