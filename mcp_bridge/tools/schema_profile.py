"""Bodies as MCP gives them, and JSON Schemas of tools that every client can read.

Every schema is one object with single types, without references and without null, of a limited
size. A client of MCP has no address to resolve a path against, so the `url` of an entry is
absolute, and beside it is the `id` with which `fetch` gives the entry. What is only needed over
HTTP is left out where there is a tool.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

import orjson

from sdl.operations.catalog import PARAMETERS, READ, SECTION
from sdl.operations.operation import section_of
from sdl.tools.code_in_text import inline_code
from sdl.types.marks import OverHttp
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape, json_schema

ANSWER_BYTES = 12_000
"""The size limit of the response to `tools/list`: 3,000 tokens of 4 characters."""
LIST_BYTES = ANSWER_BYTES - 500
"""The size limit of the list of tools in it; the rest is for the message and its `_meta`."""
TOOL_BYTES = 2_560
"""The size limit of one tool, with its output schema."""
OUTPUT_BUDGETS = (1_200, 600, 300, 100, 0)
"""Size limits of an output schema, tried in turn until the list of all tools fits. Units: bytes."""
MAX_DEPTH = 4
ITEMS = "items"
"""The key of a list in structured content, which must be an object."""
RESULT = "result"
"""The key of a scalar there."""

_SUPPORTED_KEYWORDS = (
    *("type", "description", "enum", "items"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
)
_UNSUPPORTED_KEYWORDS = (
    *("$ref", "$defs", "definitions", "oneOf", "anyOf", "allOf", "not", "if"),
    # Google's converter stops at the first, and Gemini refuses formats that it does not know.
    *("additionalProperties", "format", "default"),
)


def output_schema(
    shape: Shape, max_bytes: int, *, part: bool = False, nullable: bool = False
) -> dict[str, Any]:
    """Return the JSON Schema of a tool's structured content, as deep as the limit allows.

    With `part` it holds for any part of the content too, with `nullable` for the empty object that
    stands for null.
    """
    if nullable:
        schema = output_schema(shape, max_bytes, part=part)
        return {word: value for word, value in schema.items() if word != "required"}
    shape = shape_over_mcp(shape)
    for depth in range(MAX_DEPTH, 0, -1):
        schema = _wrapped(shape, depth, part=part)
        if len(orjson.dumps(schema)) <= max_bytes:
            return schema
    return _wrapped(shape, 0, part=part)


def structured_content(shape: Shape, value: Any) -> dict[str, Any]:
    """Return a body as structured content, which fits the schema of `output_schema`."""
    if value is None:
        return {}
    if isinstance(shape, ListShape):
        return {ITEMS: value}
    content: dict[str, Any] = value if isinstance(shape, ObjectShape) else {RESULT: value}
    return content


def input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments with supported keywords only.

    Patterns are left out, because their dialects differ; an error still names the broken rule.
    """
    properties = {name: _supported(member) for name, member in schema["properties"].items()}
    others = {k: value for k, value in schema.items() if k not in _UNSUPPORTED_KEYWORDS}
    return {**others, "properties": properties}


def _supported(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a member's schema, and those of its items and members, with supported keywords."""
    kept = {word: value for word, value in schema.items() if word in _SUPPORTED_KEYWORDS}
    if "items" in kept:
        kept["items"] = _supported(kept["items"])
    if "properties" in schema:
        kept["properties"] = {n: _supported(member) for n, member in schema["properties"].items()}
        kept["required"] = schema.get("required", [])
    return kept


def unsupported_keywords(schema: Any, path: str = "") -> Iterator[str]:
    """Yield every part of a schema that some clients cannot read."""
    if isinstance(schema, list):
        for item in schema:
            yield from unsupported_keywords(item, path)
    if not isinstance(schema, dict):
        return
    yield from (
        f"{path or 'the top'} has {word!r}" for word in _UNSUPPORTED_KEYWORDS if word in schema
    )
    if "type" in schema and not isinstance(schema["type"], str | dict):
        yield f"{path or 'the top'} has several types"
    if None in schema.get("enum", ()):
        yield f"{path or 'the top'} allows null"
    for name, value in schema.get("properties", {}).items():
        yield from unsupported_keywords(value, f"{path}.{name}".lstrip("."))
    yield from unsupported_keywords(schema.get("items"), f"{path}[]")


def _wrapped(shape: Shape, depth: int, *, part: bool) -> dict[str, Any]:
    if isinstance(shape, ListShape):
        items = _schema(shape, depth, part=part)
        return {"type": "object", "properties": {ITEMS: items}, "required": [ITEMS]}
    if isinstance(shape, ScalarShape):
        result = _schema(shape, depth, part=part)
        return {"type": "object", "properties": {RESULT: result}, "required": [RESULT]}
    return _schema(shape, depth, part=part)


def _schema(shape: Shape, depth: int, *, part: bool) -> dict[str, Any]:
    if isinstance(shape, ScalarShape):
        schema = json_schema(shape)
        return {name: schema[name] for name in ("type", "enum") if name in schema}
    if isinstance(shape, ListShape):
        items = {} if shape.has_null else _schema(shape.item, depth, part=part)
        return {"type": "array", "items": items}
    return _object(shape, depth, part=part) if depth > 0 else {"type": "object"}


def _object(shape: ObjectShape, depth: int, *, part: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for member in shape.fields:
        properties[member.key] = _schema(member.shape, depth - 1, part=part)
    required = [f.key for f in shape.fields if not (part or f.optional or f.is_marked(OverHttp))]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema


URL, ID, PROOF = "url", "id", "proof"
_PATH = ScalarShape("Path")


def over_mcp(shape: Shape, body: Any, base_url: str, *, as_text: bool = False) -> Any:
    """Return the body as MCP gives it; in a text, the path of a proof is a call of `read`."""
    if body is None:
        return None
    if isinstance(shape, ListShape):
        return [over_mcp(shape.item, item, base_url, as_text=as_text) for item in body]
    if not isinstance(shape, ObjectShape):
        return body
    members: dict[str, Any] = {}
    for member in shape.fields:
        if body.get(member.key) is None or is_replaced(member, body):
            continue
        value = body[member.key]
        if is_address(member):
            members |= {ID: section_of(value), URL: f"{base_url}{value}"}
        elif as_text and member.key == PROOF and member.shape == _PATH:
            members[member.key] = _call_of_read(value)
        else:
            members[member.key] = over_mcp(member.shape, value, base_url, as_text=as_text)
    return members


def _call_of_read(path: str) -> str:
    parts = urlsplit(path)
    arguments = {SECTION: section_of(parts.path), PARAMETERS: unquote(parts.query)}
    return inline_code(f"{READ} {orjson.dumps(arguments).decode()}")


def shape_over_mcp(shape: Shape) -> Shape:
    """Return the shape of the body as MCP gives it: with the ids beside the addresses."""
    if isinstance(shape, ListShape):
        return replace(shape, item=shape_over_mcp(shape.item))
    if not isinstance(shape, ObjectShape):
        return shape
    fields = list[Field]()
    for member in shape.fields:
        if is_address(member):
            fields.append(replace(member, key=ID, optional=True, marks=()))
        fields.append(replace(member, shape=shape_over_mcp(member.shape)))
    return replace(shape, fields=tuple(fields))


def is_address(member: Field) -> bool:
    """Whether a member is the path of an entry of this service."""
    return member.key == URL and member.shape == _PATH


def is_replaced(member: Field, body: Any) -> bool:
    """Whether a member is for HTTP only, and the body says the same for MCP."""
    return any(isinstance(mark, OverHttp) and mark.instead_of in body for mark in member.marks)
