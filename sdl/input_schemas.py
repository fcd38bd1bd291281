"""JSON Schemas of an operation's input: its variables, and `fields`, `limit` and `offset`."""

from collections.abc import Iterator
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    is_required_input_field,
)

from sdl.projection import MAX_LIMIT, MAX_OFFSET
from sdl.shape import ListShape, ObjectShape, Shape, scalar_schema
from sdl.text_variables import MAX_INT

_STRICT: dict[str, dict[str, Any]] = {
    "String": {"type": "string", "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"},
    "Int": {"type": "integer", "minimum": -MAX_INT, "maximum": MAX_INT},
    "Boolean": {"type": "boolean"},
}
PAGE_PARAMETERS: dict[str, tuple[str, dict[str, Any]]] = {
    "limit": (
        "The maximum number of items to return.",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    ),
    "offset": (
        "The number of items to skip.",
        {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET},
    ),
}
"""The description and schema of the parameters of lists."""


def input_schema(kind: GraphQLInputType) -> dict[str, Any]:
    """Return the JSON Schema of an input type, with enum values as wire words."""
    if isinstance(kind, GraphQLNonNull):
        return input_schema(kind.of_type)
    if isinstance(kind, GraphQLList):
        return {"type": "array", "items": input_schema(kind.of_type)}
    if isinstance(kind, GraphQLEnumType):
        return {"type": "string", "enum": [str(value.value) for value in kind.values.values()]}
    if isinstance(kind, GraphQLInputObjectType):
        fields = kind.fields.items()
        return {
            "type": "object",
            "properties": {
                name: {**input_schema(field.type), "description": field.description or ""}
                for name, field in fields
            },
            "required": [name for name, field in fields if is_required_input_field(field)],
            "additionalProperties": False,
        }
    return dict(_STRICT.get(kind.name) or scalar_schema(kind))


def field_paths(shape: Shape, prefix: str = "") -> Iterator[str]:
    """Yield every path that `fields` accepts, the outer ones first."""
    if isinstance(shape, ListShape):
        yield from field_paths(shape.item, prefix)
    elif isinstance(shape, ObjectShape):
        yield from (f"{prefix}{member.key}" for member in shape.fields)
        for member in shape.fields:
            yield from field_paths(member.shape, f"{prefix}{member.key}.")
