"""JSON Schemas of an operation's input: its variables, and `fields`, `limit` and `offset`."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    get_nullable_type,
    is_required_input_field,
    is_scalar_type,
)

from sdl.arguments.text_variables import MAX_INT, MAX_LIMIT, MAX_OFFSET
from sdl.operations.operation import Variable
from sdl.types.shape import ListShape, ObjectShape, Shape, scalar_schema, wire_words

_STRICT: dict[str, dict[str, Any]] = {
    "String": {"type": "string", "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"},
    "Int": {"type": "integer", "minimum": -MAX_INT, "maximum": MAX_INT},
    "Boolean": {"type": "boolean"},
}
_TEXT = {
    "type": "string",
    "pattern": r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$",
}
MAX_NESTING = 6
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


def variable_schema(
    variable: Variable, *, with_null: bool = False, with_lines: bool = False
) -> dict[str, Any]:
    """Return the JSON Schema of a variable, with its description and its default."""
    schema = input_schema(variable.type, with_null=with_null, with_lines=with_lines)
    schema |= default_of(variable)
    description = " ".join(variable.description.split())
    return {**schema, **({"description": description} if description else {})}


def default_of(variable: Variable) -> dict[str, Any]:
    """Return the default of a variable as a keyword of its schema."""
    return _default(variable.type, variable.default)


def input_schema(
    kind: GraphQLInputType,
    *,
    with_null: bool = False,
    with_lines: bool = False,
    outer: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the JSON Schema of an input type, with enum values as wire words.

    `with_null` allows null where the type does, `with_lines` texts of several lines. An object in
    itself, or in more than `MAX_NESTING` others, is any object: `outer` names those around.
    """
    inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    schema = _input_schema(inner, with_null=with_null, with_lines=with_lines, outer=outer)
    if inner is not kind or not with_null or "type" not in schema:
        return schema
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **words}


def _input_schema(
    kind: Any, *, with_null: bool, with_lines: bool, outer: tuple[str, ...]
) -> dict[str, Any]:
    """Return what `input_schema` does, of a type that is not nullable."""
    inner = partial(input_schema, with_null=with_null, with_lines=with_lines)
    if isinstance(kind, GraphQLList):
        return {"type": "array", "items": inner(kind.of_type, outer=outer)}
    if isinstance(kind, GraphQLEnumType):
        return {"type": "string", "enum": [*wire_words(kind).values()]}
    if isinstance(kind, GraphQLInputObjectType):
        if kind.name in outer or len(outer) > MAX_NESTING:
            return {"type": "object"}
        fields, one_of = kind.fields.items(), is_one_of(kind)
        around = (*outer, kind.name)
        return {
            "type": "object",
            "properties": {
                name: {
                    **inner(GraphQLNonNull(field.type) if one_of else field.type, outer=around),
                    **_default(field.type, field.default_value),
                    "description": field.description or "",
                }
                for name, field in fields
            },
            "required": [name for name, field in fields if is_required_input_field(field)],
            **({"oneOf": [{"required": [name]} for name, _ in fields]} if one_of else {}),
            "additionalProperties": False,
        }
    if kind.name == "String" and with_lines:
        return dict(_TEXT)
    return dict(_STRICT.get(kind.name) or scalar_schema(kind))


def is_one_of(kind: GraphQLInputObjectType) -> bool:
    """Whether an input has exactly one of its fields."""
    definition = kind.extensions.get("strawberry-definition")
    return kind.is_one_of or bool(getattr(definition, "is_one_of", False))


def _default(kind: GraphQLInputType, value: Any) -> dict[str, Any]:
    """Return the default of a scalar as a keyword of its schema; nothing for other values."""
    is_shown = is_scalar_type(get_nullable_type(kind)) and type(value) in (str, int, float, bool)
    return {"default": value} if is_shown else {}


def field_paths(shape: Shape, prefix: str = "") -> Iterator[str]:
    """Yield every path that `fields` accepts, the outer ones first."""
    if isinstance(shape, ListShape):
        yield from field_paths(shape.item, prefix)
    elif isinstance(shape, ObjectShape):
        yield from (f"{prefix}{member.key}" for member in shape.fields)
        for member in shape.fields:
            yield from field_paths(member.shape, f"{prefix}{member.key}.")
