"""JSON Schemas of what an operation takes: variables, and the parameters that narrow its answer."""

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
        "How many items to answer at most.",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    ),
    "offset": (
        "How many items to leave out first.",
        {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET},
    ),
}
"""What the parameters of lists mean and take."""


def input_schema(kind: GraphQLInputType) -> dict[str, Any]:
    """The JSON Schema of an input type's values, in wire words."""
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


def field_paths(shape: Shape, before: str = "") -> Iterator[str]:
    """Every path that `fields` takes, the outer ones first."""
    if isinstance(shape, ListShape):
        yield from field_paths(shape.item, before)
    elif isinstance(shape, ObjectShape):
        yield from (f"{before}{member.key}" for member in shape.fields)
        for member in shape.fields:
            yield from field_paths(member.shape, f"{before}{member.key}.")
