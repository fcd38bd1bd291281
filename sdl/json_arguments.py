"""From JSON to variables: the members of a body, or a tool's arguments, and their JSON Schema.

A variable named `input` is opened: its fields are the members, beside the other variables.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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

from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.input_schemas import input_schema
from sdl.operation import Operation, Variable
from sdl.text_variables import MAX_INT, enum_words, unknown_name, value_from_text

INPUT = "input"
NO_HEADERS: Mapping[str, str] = {}

_JSON_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "Boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "Int": (
        lambda value: type(value) is int and abs(value) <= MAX_INT,
        f"must be a whole number from -{MAX_INT} to {MAX_INT}",
    ),
    "Float": (lambda value: type(value) in (int, float), "must be a number"),
}
"""Scalars that JSON has itself: whether a value is one, and what it must be."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TYPES = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "missing": "is required",
}


def read_arguments(
    operation: Operation, given: Mapping[str, Any], headers: Mapping[str, str] = NO_HEADERS
) -> dict[str, Any]:
    """The variables, as GraphQL takes them. Raises: InvalidInput with every fault."""
    known = {variable.name: variable for variable in _own_variables(operation)}
    opened = _input_type(operation)
    members = [*(opened.fields if opened is not None else ()), *known]
    others = (name for name in given if name not in members)
    faults = [unknown_name("member", name, members) for name in islice(others, MAX_PROBLEMS)]
    faults += [
        FieldProblem(n, "must not be null; leave it out") for n, v in given.items() if v is None
    ]
    values = _own_values(known, given, faults)
    for variable in operation.variables:
        if variable.header is not None and (text := headers.get(variable.header)) is not None:
            try:
                values[variable.name] = value_from_text(variable.type, text)
            except ValueError as error:
                faults.append(FieldProblem(variable.header, str(error)))
    if opened is not None:
        body = {n: v for n, v in given.items() if n in members and n not in known}
        model = input_model(operation)
        faults += _type_problems(opened, body) if model is None else _model_problems(model, body)
        if not faults:
            values[INPUT] = _with_enum_names(opened, body)
    if faults:
        raise InvalidInputError("The input does not fit this operation.", faults)
    return values


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """The JSON Schema of the members: one closed object without references."""
    told: dict[str, Any] = {"properties": {}, "required": []}
    if (opened := _input_type(operation)) is not None:
        model = input_model(operation)
        told = model_schema(model) if model is not None else input_schema(opened)
    properties, required = told["properties"], told["required"]
    for variable in _own_variables(operation):
        described = {"description": " ".join(variable.description.split())}
        properties[variable.name] = {**input_schema(variable.type), **described}
        required += [variable.name] if variable.required else []
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        **({"oneOf": told["oneOf"]} if "oneOf" in told else {}),
        "additionalProperties": False,
    }


def input_model(operation: Operation) -> type[BaseModel] | None:
    """The pydantic class behind the variable that is opened, where there is one."""
    kind = _input_type(operation)
    definition = kind.extensions.get("strawberry-definition") if kind is not None else None
    origin = getattr(definition, "origin", None)
    return origin if isinstance(origin, type) and issubclass(origin, BaseModel) else None


def _own_values(
    known: Mapping[str, Variable], given: Mapping[str, Any], faults: list[FieldProblem]
) -> dict[str, Any]:
    """The values of the members that are variables themselves; what is wrong joins the faults."""
    values: dict[str, Any] = {}
    for name, variable in known.items():
        if name in given and given[name] is not None:
            try:
                values[name] = _value(variable.type, given[name])
            except ValueError as error:
                faults.append(FieldProblem(name, str(error), enum_words(variable.type)))
        elif variable.required and name not in given:
            faults.append(FieldProblem(name, "is required"))
    return values


def _input_type(operation: Operation) -> GraphQLInputObjectType | None:
    """The type of the variable that is opened, where there is one."""
    found = next((variable for variable in operation.variables if variable.name == INPUT), None)
    kind = get_nullable_type(found.type) if found is not None else None
    return kind if isinstance(kind, GraphQLInputObjectType) else None


def model_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of an input: what may be left out has no null."""
    told = model.model_json_schema()
    shared = told.get("$defs", {})
    properties = {name: _schema(part, shared) for name, part in told["properties"].items()}
    beside = {word: told[word] for word in ("oneOf",) if word in told}
    return {"properties": properties, "required": [*told.get("required", [])], **beside}


def _schema(part: dict[str, Any], shared: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a model's schema by itself: without references, null and titles."""
    if "$ref" in part:
        found = shared[part["$ref"].rpartition("/")[2]]
        return _schema({**found, **{k: v for k, v in part.items() if k != "$ref"}}, shared)
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
    """The variables that are members themselves."""
    for variable in operation.variables:
        if variable.name != INPUT and variable.header is None:
            yield variable


def _model_problems(model: type[BaseModel], body: Mapping[str, Any]) -> list[FieldProblem]:
    """Everything in the body that breaks a rule of the input."""
    present = {name: value for name, value in body.items() if value is not None}
    try:
        model.model_validate(present)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=True, include_input=False)
        absent = {*body} - {*present}
        own = (detail for detail in found if not absent & {*detail["loc"][:1]})
        return [_to_problem(detail) for detail in islice(own, MAX_PROBLEMS)]
    return []


def _type_problems(kind: GraphQLInputType, body: Mapping[str, Any]) -> list[FieldProblem]:
    """Everything in the body that does not fit its GraphQL type."""
    problems: list[FieldProblem] = []

    def collect(error: GraphQLError, path: Sequence[str | int]) -> None:
        problems.append(FieldProblem(".".join(map(str, path)) or "body", error.message))

    validate_input_value(_with_enum_names(kind, body), kind, collect)
    return problems[:MAX_PROBLEMS]


def _to_problem(detail: ErrorDetails) -> FieldProblem:
    path = ".".join(str(part) for part in detail["loc"]) or "body"
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "enum":
        expected = str(context["expected"])
        known = re.findall(r"'([^']*)'", expected) or expected.split(", ")
        return FieldProblem(path, "must be one of the allowed words", tuple(known))
    return FieldProblem(path, _TYPES.get(kind, detail["msg"]))


def _with_enum_names(kind: GraphQLInputType | None, value: Any) -> Any:
    """The value with wire words as GraphQL names them, and null left out."""
    if isinstance(kind, GraphQLNonNull):
        return _with_enum_names(kind.of_type, value)
    if isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        given = {name: told for name, told in value.items() if told is not None}
        return {
            name: _with_enum_names(kind.fields[name].type if name in kind.fields else None, told)
            for name, told in given.items()
        }
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        return [_with_enum_names(kind.of_type, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return next((name for name, m in kind.values.items() if m.value == value), value)
    return value


def _value(kind: GraphQLInputType, given: Any) -> Any:
    """The value of one variable. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        return _value(kind.of_type, given)
    if isinstance(kind, GraphQLList):
        if not isinstance(given, list):
            raise ValueError("must be a list")  # noqa: TRY004 - a rule of the input
        return [_value(kind.of_type, item) for item in given]
    if str(kind) in _JSON_VALUES:
        is_valid, rule = _JSON_VALUES[str(kind)]
        if not is_valid(given):
            raise ValueError(rule)
        return given
    if not isinstance(given, str):
        raise ValueError("must be a string")  # noqa: TRY004 - the same
    if _CONTROL.search(given):
        raise ValueError("must contain no control characters")
    return value_from_text(kind, given)
