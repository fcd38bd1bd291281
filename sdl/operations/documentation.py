"""The documentation of a GraphQL schema as plain JSON, from its descriptions."""

from collections.abc import Iterator
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLEnumType,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    is_introspection_type,
    is_required_argument,
    is_required_input_field,
    is_specified_scalar_type,
)

from sdl.types.shape import wire_words


def documentation(schema: GraphQLSchema) -> dict[str, Any]:
    """Return the documentation of a schema.

    Shape: `{queries: [{name, type, description, arguments}], types: [{name, kind, ...}]}`.
    """
    root = schema.query_type
    types = sorted(schema.type_map.items())
    return {
        "queries": _fields(root) if root is not None else [],
        "types": [
            {"name": name, "description": kind.description or "", **_members(kind)}
            for name, kind in types
            if kind is not root
            and not is_introspection_type(kind)
            and not is_specified_scalar_type(kind)
        ],
    }


def _members(kind: GraphQLNamedType) -> dict[str, Any]:
    if isinstance(kind, GraphQLObjectType):
        return {"kind": "object", "fields": _fields(kind)}
    if isinstance(kind, GraphQLInterfaceType):
        return {"kind": "interface", "fields": _fields(kind)}
    if isinstance(kind, GraphQLInputObjectType):
        return {"kind": "input", "fields": list(_inputs(kind.fields))}
    if isinstance(kind, GraphQLEnumType):
        return {"kind": "enum", "values": list(_values(kind))}
    if isinstance(kind, GraphQLUnionType):
        return {"kind": "union", "members": [member.name for member in kind.types]}
    if isinstance(kind, GraphQLScalarType):
        return {"kind": "scalar"}
    raise TypeError(kind)


def _fields(kind: GraphQLObjectType | GraphQLInterfaceType) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "type": str(field.type),
            "description": field.description or "",
            **({"arguments": list(_arguments(field.args))} if field.args else {}),
        }
        for name, field in kind.fields.items()
    ]


def _arguments(arguments: dict[str, GraphQLArgument]) -> Iterator[dict[str, Any]]:
    for name, argument in arguments.items():
        yield {
            "name": name,
            "type": str(argument.type),
            "description": argument.description or "",
            "required": is_required_argument(argument),
        }


def _inputs(fields: dict[str, GraphQLInputField]) -> Iterator[dict[str, Any]]:
    for name, field in fields.items():
        yield {
            "name": name,
            "type": str(field.type),
            "description": field.description or "",
            "required": is_required_input_field(field),
        }


def _values(kind: GraphQLEnumType) -> Iterator[dict[str, Any]]:
    for name, word in wire_words(kind).items():
        yield {"name": name, "word": word, "description": kind.values[name].description or ""}
