"""JSON Schemas of tools in the form that every client reads, and how many bytes they may have.

The lowest common form: one object at the top, types as single words, no references, no null.
"""

from collections.abc import Iterator
from typing import Any

import orjson

from sdl.shape import Field, ListShape, ObjectShape, ScalarShape, Shape, json_schema

ANSWER_BYTES = 12 * 1024
"""What the answer with the list of all tools may have."""
LIST_BYTES = ANSWER_BYTES - 1024
"""What the list itself may have; around it stand the message and who answers."""
TOOL_BYTES = 2_560
"""What one tool may have, its output schema included."""
OUTPUT_BUDGETS = (1_200, 600, 300, 100)
"""What an output schema may have, the most that lets the list of all tools fit. Units: bytes."""
MAX_DEPTH = 4
ITEMS = "items"
"""The key under which a list stands: structured content is always an object."""

_READ_BY_ALL = (
    *("type", "description", "enum", "items", "default", "format"),
    *("minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems"),
)
_BARRED = ("$ref", "$defs", "definitions", "oneOf", "anyOf", "allOf", "not", "if")


def output_schema(shape: Shape, room: int) -> dict[str, Any]:
    """The JSON Schema of a tool's structured content, as deep as fits. Units: bytes."""
    for depth in range(MAX_DEPTH, 0, -1):
        made = _wrapped(shape, depth)
        if len(orjson.dumps(made)) <= room:
            return made
    return _wrapped(shape, 0)


def input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments without what not every client reads.

    Patterns above all: dialects differ, and a fault names the rule that a value breaks.
    """
    properties = {
        name: {word: value for word, value in told.items() if word in _READ_BY_ALL}
        for name, told in schema["properties"].items()
    }
    read = {word: told for word, told in schema.items() if word not in _BARRED}
    return {**read, "properties": properties}


def unsupported_keywords(schema: Any, path: str = "") -> Iterator[str]:
    """What in a schema some client would not read."""
    if isinstance(schema, list):
        for item in schema:
            yield from unsupported_keywords(item, path)
    if not isinstance(schema, dict):
        return
    yield from (f"{path or 'the top'} has {word!r}" for word in _BARRED if word in schema)
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
        whole = json_schema(shape)
        return {name: whole[name] for name in ("type", "enum") if name in whole}
    if isinstance(shape, ListShape):
        return {"type": "array", "items": _schema(shape.item, depth)}
    return _object(shape, depth) if depth > 0 else {"type": "object"}


def _object(shape: ObjectShape, depth: int) -> dict[str, Any]:
    def told(member: Field) -> dict[str, Any]:
        return _schema(member.shape, depth - 1)

    made: dict[str, Any] = {
        "type": "object",
        "properties": {member.key: told(member) for member in shape.fields},
    }
    required = [member.key for member in shape.fields if not member.optional]
    return {**made, "required": required} if required else made
