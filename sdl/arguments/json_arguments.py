"""JSON arguments of operations (a body, or a tool's arguments) and their JSON Schema.

The fields of an object named `input` are members themselves, beside the other variables. Null is
passed on where the type is nullable, but where a pydantic model says what an input is.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    get_nullable_type,
    is_required_input_field,
)
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sdl.arguments.input_schemas import input_schema, is_one_of, variable_schema
from sdl.arguments.text_variables import (
    MAX_INT,
    enum_words,
    is_required,
    parsed,
    unknown_name,
    value_from_text,
    value_from_texts,
)
from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.operations.operation import INPUT, Operation, Variable
from sdl.types.declare import marks_of
from sdl.types.marks import CallerName
from sdl.types.scalar_types import TextConstraint
from sdl.types.shape import scalar_schema, wire_words

NO_TEXTS: Mapping[str, str] = {}

_JSON_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "Boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "Int": (
        lambda value: type(value) is int and abs(value) <= MAX_INT,
        "must be a whole number",
    ),
    "Float": (lambda value: type(value) in (int, float), "must be a number"),
}
"""Scalars that JSON has itself: the check of a value, and its rule."""
_NOT_IN_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_NOT_IN_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
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
    headers: Mapping[str, str] = NO_TEXTS,
    also: Sequence[str] = (),
    path: Mapping[str, str] = NO_TEXTS,
) -> dict[str, Any]:
    """Return the variables for GraphQL; `also` lists members that are read elsewhere.

    `path` has the texts of the variables that the path has filled, which are then no members.
    Raises: InvalidInputError with every problem.
    """
    own = {v.name: v for v in _own_variables(operation) if v.name not in path}
    input_type = _input_type(operation)
    fields = input_type.fields if input_type is not None else {}
    members = [*fields, *own]
    known = [*members, *also]
    nulls = [name for name, value in arguments.items() if value is None]
    unknown = (name for name in arguments if name not in members and name not in path)
    problems = [unknown_name("member", name, known) for name in islice(unknown, MAX_PROBLEMS)]
    twice = (name for name in path if name in arguments)
    problems += [FieldProblem(n, "is in the path, so it may not be a member too") for n in twice]
    model = input_model(operation)
    refused = [*fields] if model is not None else []
    problems += [FieldProblem(n, "must not be null") for n in nulls if n in refused]
    reader = _Reader(problems, _takes_lines(operation))
    values = reader.variables(own, arguments)
    values |= _from_texts(operation, headers, path, problems)
    if input_type is not None:
        body = {n: v for n, v in arguments.items() if n in fields and n not in own}
        if model is not None:
            problems += _model_problems(model, body)
            values[INPUT] = _with_enum_names(input_type, body)
        elif body or _variable(operation, INPUT).required:
            values[INPUT] = reader.members(input_type, body, "")
    if problems:
        raise InvalidInputError("The input is not valid.", problems)
    return values


def arguments_schema(
    operation: Operation, *, with_null: bool = False, without: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the JSON Schema of the arguments: one closed object without references.

    `with_null` says where null may be sent; `without` names variables that are filled elsewhere.
    """
    schema: dict[str, Any] = {"properties": {}, "required": []}
    lines = _takes_lines(operation)
    if (input_type := _input_type(operation)) is not None:
        model = input_model(operation)
        schema = (
            model_schema(model)
            if model is not None
            else input_schema(input_type, with_null=with_null, with_lines=lines)
        )
    properties, required = schema["properties"], schema["required"]
    for variable in _own_variables(operation):
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


def _takes_lines(operation: Operation) -> bool:
    """Whether texts may have several lines: not those of what a GET could ask."""
    is_get = operation.rest is None or operation.rest.method == "GET"
    return not (operation.is_query and is_get)


def _variable(operation: Operation, name: str) -> Variable:
    return next(variable for variable in operation.variables if variable.name == name)


def _from_texts(
    operation: Operation,
    headers: Mapping[str, str],
    path: Mapping[str, str],
    problems: list[FieldProblem],
) -> dict[str, Any]:
    """Return the variables that headers and the path fill; add what is wrong to the problems."""
    values: dict[str, Any] = {}
    for variable in operation.variables:
        place, texts = (variable.header, headers) if variable.header else (variable.name, path)
        if (text := texts.get(place)) is not None:
            try:
                values[variable.name] = value_from_texts(variable.type, [text])
            except ValueError as error:
                problems.append(FieldProblem(place, str(error), enum_words(variable.type)))
    return values


def _input_type(operation: Operation) -> GraphQLInputObjectType | None:
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


def _own_variables(operation: Operation) -> Iterator[Variable]:
    """Yield the variables that are members of the arguments, beside the fields of `input`."""
    for variable in operation.variables:
        if not variable.is_spread and variable.header is None:
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
    """Return a value that a model has checked with enum names for words, and without null."""
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
        return next((name for name, word in wire_words(kind).items() if word == value), value)
    return value


class _Reader:
    """Reads JSON values by their GraphQL types, and adds what is wrong to the problems."""

    def __init__(self, problems: list[FieldProblem], takes_lines: bool) -> None:  # noqa: FBT001 - private
        self._problems = problems
        self._forbidden = _NOT_IN_TEXT if takes_lines else _NOT_IN_LINE

    def variables(
        self, variables: Mapping[str, Variable], arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the values of the variables that are members themselves."""
        values: dict[str, Any] = {}
        for name, variable in variables.items():
            if name in arguments:
                values[name] = self._value(variable.type, arguments[name], name)
            elif variable.required:
                self._add(name, is_required(variable), enum_words(variable.type))
        return values

    def members(
        self, kind: GraphQLInputObjectType, members: Mapping[str, Any], prefix: str
    ) -> dict[str, Any]:
        """Return the members of an input object; `prefix` is the path before their names."""
        for name in members:
            if name not in kind.fields and len(self._problems) < MAX_PROBLEMS:
                problem = unknown_name("member", name, [*kind.fields])
                self._add(f"{prefix}{problem.path}", problem.rule, problem.allowed)
        for name, field in kind.fields.items():
            if name not in members and is_required_input_field(field):
                self._add(f"{prefix}{name}", "is required", enum_words(field.type))
        if is_one_of(kind) and [v is not None for v in members.values()] != [True]:
            self._add(prefix.rstrip(".") or "body", "must have exactly one member", (*kind.fields,))
        return {
            name: self._value(field.type, members[name], f"{prefix}{name}")
            for name, field in kind.fields.items()
            if name in members
        }

    def _value(self, kind: GraphQLInputType, value: Any, path: str) -> Any:
        """Return a value with enum names instead of wire words."""
        if value is None:
            if isinstance(kind, GraphQLNonNull):
                self._add(path, "must not be null")
            return None
        if isinstance(kind, GraphQLNonNull):
            return self._value(kind.of_type, value, path)
        if isinstance(kind, GraphQLList):
            if isinstance(value, list):
                return [self._value(kind.of_type, v, f"{path}.{i}") for i, v in enumerate(value)]
            self._add(path, "must be a list")
        elif isinstance(kind, GraphQLInputObjectType):
            if isinstance(value, dict):
                return self.members(kind, value, f"{path}.")
            self._add(path, "must be an object")
        else:
            try:
                return self._leaf(kind, value)
            except ValueError as error:
                self._add(path, str(error), enum_words(kind))
        return None

    def _leaf(self, kind: GraphQLScalarType | GraphQLEnumType, value: Any) -> Any:
        """Return the value of a scalar or an enum. Raises: ValueError with the rule it breaks."""
        if kind.name in _JSON_VALUES:
            is_valid, rule = _JSON_VALUES[kind.name]
            if not is_valid(value):
                raise ValueError(rule)
            return value
        if kind is GraphQLID and type(value) is int:
            return value
        if isinstance(kind, GraphQLScalarType) and scalar_schema(kind).get("type") != "string":
            return parsed(kind, value)
        if not isinstance(value, str):
            raise ValueError("must be a string")  # noqa: TRY004 - callers catch ValueError
        if self._forbidden.search(value):
            raise ValueError("must contain no control characters")
        return value_from_text(kind, value)

    def _add(self, path: str, rule: str, allowed: tuple[str, ...] = ()) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(FieldProblem(path, rule, allowed))
