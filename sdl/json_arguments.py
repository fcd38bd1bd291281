"""JSON arguments of operations (a body, or a tool's arguments) and their JSON Schema.

The fields of a variable named `input` are members themselves, beside the other variables.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    get_nullable_type,
)
from graphql.utilities import validate_input_value
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sdl.declare import marks_of
from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.input_schemas import input_schema
from sdl.marks import CallerName
from sdl.operation import Operation, Variable
from sdl.text_constraints import TextConstraint
from sdl.text_variables import MAX_INT, enum_words, is_required, unknown_name, value_from_text

INPUT = "input"
NO_HEADERS: Mapping[str, str] = {}

_JSON_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "Boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "Int": (
        lambda value: type(value) is int and abs(value) <= MAX_INT,
        "must be a whole number",
    ),
    "Float": (lambda value: type(value) in (int, float), "must be a number"),
}
"""Scalars that JSON has itself: the check of a value, and its rule."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TYPES = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "missing": "is required",
    "extra_forbidden": "unknown member",
    "model_type": "must be an object",
    "dict_type": "must be an object",
}


def read_arguments(
    operation: Operation,
    arguments: Mapping[str, Any],
    headers: Mapping[str, str] = NO_HEADERS,
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the variables for GraphQL; `also` lists members that are read elsewhere.

    Raises: InvalidInputError with every problem.
    """
    own = {variable.name: variable for variable in _own_variables(operation)}
    input_type = _input_type(operation)
    members = [*(input_type.fields if input_type is not None else ()), *own]
    unknown = (name for name in arguments if name not in members)
    known = [*members, *also]
    problems = [unknown_name("member", name, known) for name in islice(unknown, MAX_PROBLEMS)]
    problems += [FieldProblem(n, "must not be null") for n, v in arguments.items() if v is None]
    values = _own_values(own, arguments, problems)
    for variable in operation.variables:
        if variable.header is not None and (text := headers.get(variable.header)) is not None:
            try:
                values[variable.name] = value_from_text(variable.type, text)
            except ValueError as error:
                problems.append(FieldProblem(variable.header, str(error)))
    if input_type is not None:
        body = {n: v for n, v in arguments.items() if n in members and n not in own}
        model = input_model(operation)
        problems += (
            _type_problems(input_type, body) if model is None else _model_problems(model, body)
        )
        if not problems:
            values[INPUT] = _with_enum_names(input_type, body)
    if problems:
        raise InvalidInputError("The input is not valid.", problems)
    return values


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of the arguments: one closed object without references."""
    schema: dict[str, Any] = {"properties": {}, "required": []}
    if (input_type := _input_type(operation)) is not None:
        model = input_model(operation)
        schema = model_schema(model) if model is not None else input_schema(input_type)
    properties, required = schema["properties"], schema["required"]
    for variable in _own_variables(operation):
        description = " ".join(variable.description.split())
        properties[variable.name] = {**input_schema(variable.type), "description": description}
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
    input_type = _input_type(operation)
    fields = input_type.fields if input_type is not None else {}
    own = {variable.name: variable.type for variable in _own_variables(operation)}
    return {**{name: field.type for name, field in fields.items()}, **own}


def needed_arguments(operation: Operation) -> tuple[str, ...]:
    """Return the arguments that a call needs; of several alternatives, the first."""
    schema = arguments_schema(operation)
    first = schema.get("oneOf", [{}])[0]
    return (*schema.get("required", ()), *first.get("required", ()))


def caller_name(operation: Operation, arguments: Mapping[str, Any]) -> str:
    """Return the name that the caller gives itself in the arguments; empty if it gives none."""
    model = input_model(operation)
    marked = (
        info.alias or name
        for name, info in (model.model_fields if model is not None else {}).items()
        if any(isinstance(mark, CallerName) for mark in marks_of(info))
    )
    value = arguments.get(next(marked, ""))
    return value if isinstance(value, str) else ""


def input_model(operation: Operation) -> type[BaseModel] | None:
    """Return the pydantic class of the variable `input`; None if there is none."""
    kind = _input_type(operation)
    definition = kind.extensions.get("strawberry-definition") if kind is not None else None
    origin = getattr(definition, "origin", None)
    return origin if isinstance(origin, type) and issubclass(origin, BaseModel) else None


def _own_values(
    variables: Mapping[str, Variable], arguments: Mapping[str, Any], problems: list[FieldProblem]
) -> dict[str, Any]:
    """Return the values of the variables beside `input`; add what is wrong to the problems."""
    values: dict[str, Any] = {}
    for name, variable in variables.items():
        if arguments.get(name) is not None:
            try:
                values[name] = _value(variable.type, arguments[name])
            except ValueError as error:
                problems.append(FieldProblem(name, str(error), enum_words(variable.type)))
        elif variable.required and name not in arguments:
            problems.append(FieldProblem(name, is_required(variable), enum_words(variable.type)))
    return values


def _input_type(operation: Operation) -> GraphQLInputObjectType | None:
    """Return the type of the variable `input`; None if there is none."""
    variable = next((v for v in operation.variables if v.name == INPUT), None)
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


def _own_variables(operation: Operation) -> Iterator[Variable]:
    """Yield the variables that are members of the arguments, beside the fields of `input`."""
    for variable in operation.variables:
        if variable.name != INPUT and variable.header is None:
            yield variable


def _model_problems(model: type[BaseModel], body: Mapping[str, Any]) -> list[FieldProblem]:
    """Return the problems that pydantic finds in the body."""
    present = {name: value for name, value in body.items() if value is not None}
    try:
        model.model_validate(present)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=True, include_input=False)
        nulls = {*body} - {*present}  # reported already
        details = [detail for detail in details if not nulls & {*detail["loc"][:1]}]
        return [_to_problem(detail, model) for detail in details[:MAX_PROBLEMS]]
    return []


def _type_problems(kind: GraphQLInputType, body: Mapping[str, Any]) -> list[FieldProblem]:
    """Return the problems that GraphQL finds in the body."""
    problems: list[FieldProblem] = []

    def collect(error: GraphQLError, path: Sequence[str | int]) -> None:
        problems.append(FieldProblem(".".join(map(str, path)) or "body", error.message))

    validate_input_value(_with_enum_names(kind, body), kind, collect)
    return problems[:MAX_PROBLEMS]


def _to_problem(detail: ErrorDetails, model: type[BaseModel]) -> FieldProblem:
    path = ".".join(str(part) for part in detail["loc"]) or "body"
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "missing":
        own = {info.alias or name: info for name, info in model.model_fields.items()}
        marks = marks_of(own[path]) if path in own else ()
        rules = [f": {mark.rule}" for mark in marks if isinstance(mark, TextConstraint)]
        return FieldProblem(path, f"is required{''.join(rules)}")
    if kind in ("too_short", "too_long") and "actual_length" in context:
        limit = context.get("min_length", context.get("max_length"))
        least = "at least" if kind == "too_short" else "at most"
        return FieldProblem(
            path, f"must have {least} {limit}; this one has {context['actual_length']}"
        )
    if kind == "enum":
        expected = str(context["expected"])
        allowed = re.findall(r"'([^']*)'", expected) or expected.split(", ")
        return FieldProblem(path, "must be one of the allowed words", tuple(allowed))
    return FieldProblem(path, _TYPES.get(kind, detail["msg"]))


def _with_enum_names(kind: GraphQLInputType | None, value: Any) -> Any:
    """Return the value with enum names instead of wire words, and without null."""
    if isinstance(kind, GraphQLNonNull):
        return _with_enum_names(kind.of_type, value)
    if isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        types = {name: field.type for name, field in kind.fields.items()}
        return {
            name: _with_enum_names(types.get(name), member)
            for name, member in value.items()
            if member is not None
        }
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        return [_with_enum_names(kind.of_type, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return next((name for name, m in kind.values.items() if m.value == value), value)
    return value


def _value(kind: GraphQLInputType, argument: Any) -> Any:
    """Return the value of one variable. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        return _value(kind.of_type, argument)
    if isinstance(kind, GraphQLList):
        if not isinstance(argument, list):
            raise ValueError("must be a list")  # noqa: TRY004 - callers catch ValueError
        return [_value(kind.of_type, item) for item in argument]
    if str(kind) in _JSON_VALUES:
        is_valid, rule = _JSON_VALUES[str(kind)]
        if not is_valid(argument):
            raise ValueError(rule)
        return argument
    if not isinstance(argument, str):
        raise ValueError("must be a string")  # noqa: TRY004 - callers catch ValueError
    if _CONTROL.search(argument):
        raise ValueError("must contain no control characters")
    return value_from_text(kind, argument)
