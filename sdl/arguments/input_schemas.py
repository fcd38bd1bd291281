"""JSON Schemas of an operation's input: its arguments, and `fields`, `limit` and `offset`.

The fields of an object named `input` are arguments themselves, beside the other variables.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    Undefined,
    get_named_type,
    get_nullable_type,
    is_required_input_field,
    is_scalar_type,
)
from pydantic import BaseModel

from sdl.operations.operation import Operation, Variable
from sdl.types.shape import ListShape, ObjectShape, Shape, is_json, scalar_schema, wire_words

MIN_INT, MAX_INT = -(2**31), 2**31 - 1
MAX_LIMIT = 200
MAX_OFFSET = 1_000_000
"""The most that the parameters of lists may be."""
_STRICT: dict[str, dict[str, Any]] = {
    "String": {"type": "string", "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$"},
    "Int": {"type": "integer", "minimum": MIN_INT, "maximum": MAX_INT},
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
                    **({"description": field.description} if field.description else {}),
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


def is_json_text(kind: GraphQLInputType) -> bool:
    """Whether a parameter is a JSON text: an object, any JSON, a list of these or of lists."""
    inner, listed = get_named_type(kind), get_nullable_type(kind)
    items = get_nullable_type(listed.of_type) if isinstance(listed, GraphQLList) else None
    has_json = isinstance(inner, GraphQLScalarType) and is_json(inner)
    return has_json or isinstance(inner, GraphQLInputObjectType) or isinstance(items, GraphQLList)


def is_one_of(kind: GraphQLInputObjectType) -> bool:
    """Whether an input has exactly one of its fields."""
    definition = kind.extensions.get("strawberry-definition")
    return kind.is_one_of or bool(getattr(definition, "is_one_of", False))


def _default(kind: GraphQLInputType, value: Any) -> dict[str, Any]:
    """Return the default of a scalar or an enum as a keyword of its schema; else nothing."""
    inner = get_nullable_type(kind)
    if isinstance(inner, GraphQLEnumType) and value is not None and value is not Undefined:
        return {"default": wire_words(inner)[inner.serialize(value)]}
    is_shown = type(value) in (int, float, bool)
    is_shown |= type(value) is str and value.isprintable()  # a parameter is one line
    return {"default": value} if is_shown and is_scalar_type(inner) else {}


def arguments_schema(
    operation: Operation, *, with_null: bool = False, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the JSON Schema of the arguments: one closed object without references.

    `with_null` says where null may be sent; `without` names variables that are filled elsewhere.
    """
    schema: dict[str, Any] = {"properties": {}, "required": []}
    lines = takes_lines(operation)
    if (input_type := spread_type(operation)) is not None:
        model = input_model(operation)
        schema = (
            model_schema(model)
            if model is not None
            else input_schema(input_type, with_null=with_null, with_lines=lines)
        )
    properties, required = schema["properties"], schema["required"]
    if not any(variable.is_spread and variable.required for variable in operation.variables):
        required, schema = [], {}  # what an object needs is needed where it is given
    for variable in own_variables(operation):
        if variable.name not in without:
            own = variable_schema(variable, with_null=with_null, with_lines=lines)
            properties[variable.name] = own
            required += [variable.name] if variable.required else []
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        **({"oneOf": schema["oneOf"]} if "oneOf" in schema else {}),
        "additionalProperties": False,
    }


def argument_types(operation: Operation) -> dict[str, GraphQLInputType]:
    """Return the GraphQL type of each argument, by name."""
    input_type = spread_type(operation)
    fields = input_type.fields if input_type is not None else {}
    own = {variable.name: variable.type for variable in own_variables(operation)}
    return {**{name: field.type for name, field in fields.items()}, **own}


def needed_arguments(operation: Operation) -> tuple[str, ...]:
    """Return the arguments that a call needs; of several alternatives, the first."""
    schema = arguments_schema(operation)
    first = schema.get("oneOf", [{}])[0]
    return (*schema.get("required", ()), *first.get("required", ()))


def input_model(operation: Operation) -> type[BaseModel] | None:
    """Return the pydantic class of the variable `input`; None if there is none."""
    kind = spread_type(operation)
    definition = kind.extensions.get("strawberry-definition") if kind is not None else None
    origin = getattr(definition, "origin", None)
    return origin if isinstance(origin, type) and issubclass(origin, BaseModel) else None


def takes_lines(operation: Operation) -> bool:
    """Whether texts may have several lines: not those of what a GET could ask."""
    is_get = operation.rest is None or operation.rest.method == "GET"
    return not (operation.is_query and is_get)


def spread_type(operation: Operation) -> GraphQLInputObjectType | None:
    """Return the type of the variable `input`; None if there is none, or if it is no object."""
    variable = next((v for v in operation.variables if v.is_spread), None)
    kind = get_nullable_type(variable.type) if variable is not None else None
    return kind if isinstance(kind, GraphQLInputObjectType) else None


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model; optional members do not allow null."""
    schema = _own_schema(model)
    shared = schema.get("$defs", {})
    properties = {name: _schema(part, shared) for name, part in schema["properties"].items()}
    one_of = {"oneOf": schema["oneOf"]} if "oneOf" in schema else {}
    return {"properties": properties, "required": [*schema.get("required", [])], **one_of}


@cache
def _own_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON Schema of a model as pydantic writes it, which takes a millisecond."""
    return model.model_json_schema()


def _schema(part: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part of a model's schema with references resolved, without null and titles."""
    if "$ref" in part:
        target = shared[part["$ref"].rpartition("/")[2]]
        return _schema({**target, **{k: v for k, v in part.items() if k != "$ref"}}, shared)
    kinds = [kind for kind in part.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {k: v for k, v in part.items() if k not in ("anyOf", "title") and v is not None}
    if len(kinds) == 1:
        return _schema({**kinds[0], **rest}, shared)
    if kinds:
        rest["anyOf"] = [_schema(kind, shared) for kind in kinds]
    if "items" in rest:
        rest["items"] = _schema(rest["items"], shared)
    if "properties" in rest:
        rest["properties"] = {n: _schema(p, shared) for n, p in rest["properties"].items()}
    if "description" in rest:
        rest["description"] = " ".join(rest["description"].split())
    return rest


def own_variables(operation: Operation) -> Iterator[Variable]:
    """Yield the variables that are members of the arguments, beside the fields of `input`."""
    for variable in operation.variables:
        if not variable.is_spread and variable.header is None:
            yield variable


def field_paths(shape: Shape, prefix: str = "") -> Iterator[str]:
    """Yield every path that `fields` accepts, the outer ones first."""
    if isinstance(shape, ListShape):
        yield from field_paths(shape.item, prefix)
    elif isinstance(shape, ObjectShape):
        yield from (f"{prefix}{member.key}" for member in shape.fields)
        for member in shape.fields:
            yield from field_paths(member.shape, f"{prefix}{member.key}.")
