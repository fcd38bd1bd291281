"""OpenAPI path items: of stored operations in each form, of signed forms, of documents.

Source: OpenAPI 3.1.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from rest_bridge.action_items import action_items, described_item, first_of
from rest_bridge.atom import ATOM
from rest_bridge.documents import SECTION as DOCUMENTS
from rest_bridge.documents import Document, Facts
from rest_bridge.envelope import SECTION
from rest_bridge.resource import JSON, MARKDOWN, SUFFIXES, TEXT
from rest_bridge.response_items import (
    BY_SUFFIX,
    EVERYWHERE,
    PROBLEM_TYPE,
    SCHEMAS,
    Examples,
    Item,
    closed,
    responses,
)
from schema.directives import Example
from schema.errors import NotFound, UnknownSection, all_errors
from sdl.cards import suffixed
from sdl.inputs import NARROWING, field_paths, input_schema
from sdl.narrowing import MAX_FIELDS, names
from sdl.operation import Operation, Variable
from sdl.runner import Reading
from sdl.shape import Fields, json_schema

PART = "Part"

_DIGEST = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
_BOUND = {"rollupHash": _DIGEST, "treeSize": {"type": "integer", "minimum": 0}}
_OK = 200


@dataclass(frozen=True)
class Shared:
    """The objects whose schemas stand once, for all that answer them, whole and in part."""

    shapes: Mapping[str, Fields]

    def whole(self, shape: Fields) -> str | None:
        """The reference to the schema of an object, where it is shared."""
        known = self.shapes.get(shape.type_name)
        return f"{SCHEMAS}{shape.type_name}" if known == shape else None

    def part(self, shape: Fields) -> str | None:
        """The reference to the schema of any part of an object, where it is shared."""
        name = self.whole(shape)
        return None if name is None else f"{name}{PART}"

    def schemas(self) -> Iterator[tuple[str, Item]]:
        """The schemas by name."""
        for name, shape in self.shapes.items():
            others = Shared({other: known for other, known in self.shapes.items() if other != name})
            yield name, json_schema(shape, others.whole)
            yield f"{name}{PART}", json_schema(shape, others.part, part=True)


def operation_items(
    operation: Operation, facts: Facts, shared: Shared
) -> Iterator[tuple[str, Item]]:
    """The path of an operation and those of its forms, each with its item."""
    rest = operation.rest
    if rest is None or not operation.is_read:
        return
    media = [*rest.media, *([TEXT] if MARKDOWN in rest.media and TEXT not in rest.media else [])]
    yield rest.path, _read(operation, facts, shared, media)
    for form in (JSON, MARKDOWN) if {JSON, MARKDOWN} <= {*rest.media} else ():
        path = suffixed(rest.path, SUFFIXES[form])
        yield path, _read(operation, facts, shared, [form], "Json" if form == JSON else "Markdown")


def acting_items(forms: Mapping[str, Operation], shared: Shared) -> Iterator[tuple[str, Item]]:
    """The path of what acts and those of its description, each with its item."""
    operation = first_of(forms)
    path = operation.rest.path if operation.rest is not None else ""
    yield path, action_items(forms, json_schema(operation.shape, shared.whole))
    for form in (JSON, MARKDOWN) if "{" not in path else ():
        yield suffixed(path, SUFFIXES[form]), described_item(operation, form)


def signed_item(sections: Mapping[str | None, Operation], shared: Shared) -> Item:
    """The item of a path that answers signed forms."""
    (first, *_), known = sections.values(), [name for name in sections if name is not None]
    errors = {*EVERYWHERE, UnknownSection} if known else {*EVERYWHERE}
    payload = _sections(sections, shared) if known else _payload(first, shared)
    own = {"properties": {"payload": payload}, "required": ["rollupHash"] if known else []}
    envelope = {"allOf": [{"$ref": f"{SCHEMAS}Envelope"}, own]}
    title = "One section" if known else first.title
    signed: Item = {
        "operationId": "GetSnapshot" if known else f"{first.name}Signed",
        "summary": f"{title}, signed.",
        "description": f"{title} with the studio's signature over it.",
        "parameters": [_section(known)] if known else [],
        "responses": responses({JSON: envelope}, errors),
    }
    if first.llms is not None and not known:
        signed["tags"] = [first.llms.section]
    return {"get": signed}


def document_item(document: Document) -> Item:
    """The item of a document."""
    is_json = document.media_type.endswith("json")
    schema = {"type": "object"} if is_json else {"type": "string"}
    return {
        "get": {
            "operationId": f"Get{document.title.title().replace(' ', '')}",
            "summary": document.title,
            "description": document.note,
            "tags": [DOCUMENTS],
            "responses": responses(dict.fromkeys(document.media_types, schema), EVERYWHERE),
        }
    }


def _read(
    operation: Operation, facts: Facts, shared: Shared, media: list[str], form: str = ""
) -> Item:
    schema = _body(operation, shared)
    bodies = {
        name: {"type": "string"} if name in (MARKDOWN, TEXT, ATOM) else schema for name in media
    }
    declared = [error for error in all_errors() if error.code in operation.errors]
    missing = [NotFound] if operation.path_variables else []
    errors = [*(BY_SUFFIX if form else EVERYWHERE), *missing, *declared]
    read: Item = {
        "operationId": f"{operation.name}{form}",
        "summary": operation.title,
        "description": operation.description.strip(),
        "parameters": [
            {"$ref": f"#/components/parameters/{name}"}
            for name, _ in operation_parameters(operation, facts.reading)
        ],
        "responses": responses(bodies, errors, _calls(operation, facts, media)),
    }
    if operation.llms is not None:
        read["tags"] = [operation.llms.section]
    return {"get": read}


def _calls(operation: Operation, facts: Facts, media: list[str]) -> Examples:
    """The operation's examples as addresses, by what they answer."""
    found: dict[tuple[int, str], Item] = {}
    forms = operation.rest.media if operation.rest is not None else []
    for example in operation.examples:
        for media_type in media:
            path = _address(operation, example, media_type, facts.reading)
            if path is None or media_type not in forms:
                continue
            answered = media_type if example.status == _OK else PROBLEM_TYPE
            shown = {"externalValue": facts.url(path)}
            found.setdefault((example.status, answered), {}).setdefault(example.name, shown)
    return found


def _address(
    operation: Operation, example: Example, media_type: str, reading: Reading
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
        path = suffixed(path, SUFFIXES[media_type])
    return f"{path}?{urlencode(asked, doseq=True)}" if asked else path


def _value(operation: Operation, example: Example, name: str, reading: Reading) -> Any:
    """The value of a variable in an example; in the path, what is not given is the first item's."""
    first = next((item.values[name] for item in reading.each(operation)), None)
    return example.variables.get(name, first)


def operation_parameters(operation: Operation, reading: Reading) -> Iterator[tuple[str, Item]]:
    """The parameters of an operation, each with the name it has among all."""
    items = reading.each(operation)
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


def _fields(operation: Operation) -> Item:
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


def _body(operation: Operation, shared: Shared) -> Item:
    """The schema of the whole body, or of the part of it that was asked for."""
    whole = json_schema(operation.shape, shared.whole)
    if "fields" not in names(operation):
        return whole
    return {"anyOf": [whole, json_schema(operation.shape, shared.part, part=True)]}


def _examples(operation: Operation, variable: Variable, reading: Reading) -> Item:
    in_path = variable.name in operation.path_variables
    given = {
        example.name: {"value": _value(operation, example, variable.name, reading)}
        for example in operation.examples
        if example.status == _OK and (in_path or variable.name in example.variables)
    }
    given = {name: shown for name, shown in given.items() if shown["value"] is not None}
    return {"examples": given} if given else {}


def _section(known: list[str]) -> Item:
    return {
        "name": SECTION,
        "in": "query",
        "required": True,
        "description": "The section's name.",
        "schema": {"type": "string", "enum": known},
    }


def _payload(operation: Operation, shared: Shared) -> Item:
    body = json_schema(operation.shape, shared.whole)
    return closed({"entries": body, **_BOUND}) if body.get("type") == "array" else body


def _sections(sections: Mapping[str | None, Operation], shared: Shared) -> Item:
    """The payload of a snapshot: the data of the section that it names."""
    told = {"section": {"type": "string"}, "data": {}, "revision": _DIGEST, **_BOUND}
    each = [
        {"properties": {"section": {"const": name}, "data": json_schema(o.shape, shared.whole)}}
        for name, o in sections.items()
    ]
    return {**closed(told), "oneOf": each}
