"""JSON Schemas of tools, limited to the keywords and the size that every client can read.

Every schema is one object with single types, without references and without null.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from sdl.shape import ListShape, ObjectShape, ScalarShape, Shape, json_schema

ANSWER_BYTES = 12 * 1024
"""The size limit of the response to `tools/list`."""
LIST_BYTES = ANSWER_BYTES - 1024
"""The size limit of the list of tools in it; the rest is for the message and the server's name."""
TOOL_BYTES = 2_560
"""The size limit of one tool, with its output schema."""
OUTPUT_BUDGETS = (1_200, 600, 300, 100)
"""Size limits of an output schema, tried in turn until the list of all tools fits. Units: bytes."""
MAX_DEPTH = 4
ITEMS = "items"
"""The key of a list in structured content, which must be an object."""

_SUPPORTED_KEYWORDS = (
    *("type", "description", "enum", "items", "default", "format"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
)
_UNSUPPORTED_KEYWORDS = ("$ref", "$defs", "definitions", "oneOf", "anyOf", "allOf", "not", "if")


def output_schema(shape: Shape, max_bytes: int) -> dict[str, Any]:
    """Return the JSON Schema of a tool's structured content, as deep as the limit allows."""
    for depth in range(MAX_DEPTH, 0, -1):
        schema = _wrapped(shape, depth)
        if len(orjson.dumps(schema)) <= max_bytes:
            return schema
    return _wrapped(shape, 0)


def input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments with supported keywords only.

    Patterns are left out, because their dialects differ; an error still names the broken rule.
    """
    properties = {
        name: {word: value for word, value in member.items() if word in _SUPPORTED_KEYWORDS}
        for name, member in schema["properties"].items()
    }
    others = {k: value for k, value in schema.items() if k not in _UNSUPPORTED_KEYWORDS}
    return {**others, "properties": properties}


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


def _wrapped(shape: Shape, depth: int) -> dict[str, Any]:
    if isinstance(shape, ListShape):
        items = _schema(shape, depth)
        return {"type": "object", "properties": {ITEMS: items}, "required": [ITEMS]}
    return _schema(shape, depth)


def _schema(shape: Shape, depth: int) -> dict[str, Any]:
    if isinstance(shape, ScalarShape):
        schema = json_schema(shape)
        return {name: schema[name] for name in ("type", "enum") if name in schema}
    if isinstance(shape, ListShape):
        return {"type": "array", "items": _schema(shape.item, depth)}
    return _object(shape, depth) if depth > 0 else {"type": "object"}


def _object(shape: ObjectShape, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.key: _schema(field.shape, depth - 1) for field in shape.fields},
    }
    required = [field.key for field in shape.fields if not field.optional]
    return {**schema, "required": required} if required else schema
