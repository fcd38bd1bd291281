"""From JSON to variables: the members of a body, or a tool's arguments, and their JSON Schema.

A variable named `input` is opened: its fields are the members, beside the other variables.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
)
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from schema.errors import MAX_FAULTS, Fault, InvalidInput
from sdl.inputs import input_schema
from sdl.operation import Operation, Variable
from sdl.variables import MAX_INT, unknown, value_from_text, words_of

INPUT = "input"
NO_HEADERS: Mapping[str, str] = {}

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
    known = {variable.name: variable for variable in _plain(operation)}
    model = input_model(operation)
    members = [*(model_members(model) if model is not None else ()), *known]
    others = (name for name in given if name not in members)
    faults = [unknown("member", name, members) for name in islice(others, MAX_FAULTS)]
    faults += [Fault(n, "must not be null; leave it out") for n, v in given.items() if v is None]
    values = _plain_values(known, given, faults)
    for variable in operation.variables:
        if variable.header is not None and (text := headers.get(variable.header)) is not None:
            try:
                values[variable.name] = value_from_text(variable.type, text)
            except ValueError as error:
                faults.append(Fault(variable.header, str(error)))
    if model is not None:
        body = {n: v for n, v in given.items() if n in members and n not in known}
        faults += _broken(model, body)
        if not faults:
            values[INPUT] = _named(_input_type(operation), body)
    if faults:
        raise InvalidInput("The input does not fit this operation.", faults)
    return values


def arguments_schema(operation: Operation) -> dict[str, Any]:
    """The JSON Schema of the members: one closed object without references."""
    model = input_model(operation)
    told = model_schema(model) if model is not None else {"properties": {}, "required": []}
    properties, required = told["properties"], told["required"]
    for variable in _plain(operation):
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
    """The class behind the variable that is opened, where there is one."""
    kind = _input_type(operation)
    if not isinstance(kind, GraphQLInputObjectType):
        return None
    model: type[BaseModel] = kind.extensions["strawberry-definition"].origin
    return model


def _plain_values(
    known: Mapping[str, Variable], given: Mapping[str, Any], faults: list[Fault]
) -> dict[str, Any]:
    """The values of the members that are variables themselves; what is wrong joins the faults."""
    values: dict[str, Any] = {}
    for name, variable in known.items():
        if name in given and given[name] is not None:
            try:
                values[name] = _value(variable.type, given[name])
            except ValueError as error:
                faults.append(Fault(name, str(error), words_of(variable.type)))
        elif variable.required and name not in given:
            faults.append(Fault(name, "is required"))
    return values


def _input_type(operation: Operation) -> GraphQLInputType | None:
    """The type of the variable that is opened, where there is one."""
    found = next((variable for variable in operation.variables if variable.name == INPUT), None)
    return found.type.of_type if found and isinstance(found.type, GraphQLNonNull) else None


def model_members(model: type[BaseModel]) -> list[str]:
    """The names of an input's fields on the wire."""
    return [info.alias or name for name, info in model.model_fields.items()]


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


def _plain(operation: Operation) -> Iterator[Variable]:
    """The variables that are members themselves."""
    for variable in operation.variables:
        if variable.name != INPUT and variable.header is None:
            yield variable


def _broken(model: type[BaseModel], body: Mapping[str, Any]) -> list[Fault]:
    """Everything in the body that breaks a rule of the input."""
    present = {name: value for name, value in body.items() if value is not None}
    try:
        model.model_validate(present)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=True, include_input=False)
        absent = {*body} - {*present}
        own = (detail for detail in found if not absent & {*detail["loc"][:1]})
        return [_fault(detail) for detail in islice(own, MAX_FAULTS)]
    return []


def _fault(detail: ErrorDetails) -> Fault:
    path = ".".join(str(part) for part in detail["loc"]) or "body"
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "enum":
        expected = str(context["expected"])
        known = re.findall(r"'([^']*)'", expected) or expected.split(", ")
        return Fault(path, "must be one of the allowed words", tuple(known))
    return Fault(path, _TYPES.get(kind, detail["msg"]))


def _named(kind: GraphQLInputType | None, value: Any) -> Any:
    """The value with wire words as GraphQL names them, and null left out."""
    if isinstance(kind, GraphQLNonNull):
        return _named(kind.of_type, value)
    if isinstance(kind, GraphQLInputObjectType):
        given = {name: told for name, told in value.items() if told is not None}
        return {name: _named(kind.fields[name].type, told) for name, told in given.items()}
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        return [_named(kind.of_type, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return next(name for name, member in kind.values.items() if member.value == value)
    return value


def _value(kind: GraphQLInputType, given: Any) -> Any:
    """The value of one variable. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        return _value(kind.of_type, given)
    if isinstance(kind, GraphQLList):
        if not isinstance(given, list):
            raise ValueError("must be a list")  # noqa: TRY004 - a rule of the input
        return [_value(kind.of_type, item) for item in given]
    name = str(kind)
    if name == "Boolean":
        if not isinstance(given, bool):
            raise ValueError("must be true or false")
        return given
    if name == "Int":
        if not isinstance(given, int) or isinstance(given, bool) or abs(given) > MAX_INT:
            raise ValueError(f"must be a whole number from -{MAX_INT} to {MAX_INT}")
        return given
    if not isinstance(given, str):
        raise ValueError("must be a string")  # noqa: TRY004 - the same
    if _CONTROL.search(given):
        raise ValueError("must hold no control characters")
    return value_from_text(kind, given)
