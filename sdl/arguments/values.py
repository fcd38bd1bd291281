"""The variables of an operation, read from JSON (a body, or a tool's arguments) or from texts.

Texts come from query strings, path segments, headers and the arguments of prompts. They become the
JSON that they stand for, so that the same checks hold. Null is passed on where the type is
nullable, but where a pydantic model says what an input is.
"""

import difflib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLScalarType,
    get_named_type,
    get_nullable_type,
    is_required_input_field,
)
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from sdl.arguments.input_schemas import (
    MAX_INT,
    MIN_INT,
    argument_types,
    input_model,
    is_json_text,
    is_one_of,
    own_variables,
    spread_type,
    takes_lines,
)
from sdl.arguments.strict_json import read_json
from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.operations.operation import INPUT, Operation, Variable
from sdl.types.declare import marks_of
from sdl.types.marks import CallerName
from sdl.types.scalar_types import TextConstraint
from sdl.types.shape import is_json, scalar_schema, wire_words

NO_TEXTS: Mapping[str, str] = {}
MAX_NAME = 64
"""How much of an unknown name is repeated."""
EXACT_DIGITS = 15
"""How many digits a number of 64 bits keeps. Source: IEEE 754."""
MAX_RULE = 300
"""The longest text of a scalar that says what is wrong with a value."""

_INT = re.compile(r"-?[0-9]{1,10}")
_ITEM = re.compile(r"\w+\.[0-9]+")
_FLOAT = re.compile(r"-?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?")


def _is_exact(value: object) -> bool:
    """Whether a value is a number that has lost no digits as JSON."""
    is_number = type(value) in (int, float)
    return is_number and len(Decimal(repr(value)).as_tuple().digits) <= EXACT_DIGITS


def _finite(text: str) -> float | str:
    """Return the number, or the text of one that no 64 bits hold."""
    return number if math.isfinite(number := float(text)) else text


_TEXTS: Mapping[str, Callable[[str], Any]] = {
    "Boolean": lambda text: {"true": True, "false": False}.get(text, text),
    "Int": lambda text: int(text) if _INT.fullmatch(text) else text,
    "Float": lambda text: _finite(text) if _FLOAT.fullmatch(text) else text,
}
"""What a text stands for, by scalar; one that is none of its values stays as it is."""
_NO_COMMAS = frozenset((*_TEXTS, "ID", "UUID", "Date", "DateTime", "Time", "Decimal"))
"""Scalars whose texts have no comma."""
_JSON_VALUES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "Boolean": (lambda value: isinstance(value, bool), "must be true or false"),
    "Int": (lambda value: type(value) is int, "must be a whole number"),
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
    own = {v.name: v for v in own_variables(operation) if v.name not in path}
    input_type = spread_type(operation)
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
    reader = _Reader(problems, takes_lines(operation))
    values = reader.variables(own, arguments)
    values |= reader.texts(operation.variables, headers, path)
    if input_type is not None:
        body = {n: v for n, v in arguments.items() if n in fields and n not in own}
        if model is not None:
            problems += _model_problems(model, body)
            values[INPUT] = _with_enum_names(input_type, body)
        elif body or any(v.is_spread and v.required for v in operation.variables):
            values[INPUT] = reader.members(input_type, body, "")
    if problems:
        raise InvalidInputError("The input is not valid.", problems)
    return values


def variables_from_text(
    operation: Operation,
    path: Mapping[str, str],
    query: Iterable[tuple[str, str]],
    also: Sequence[str] = (),
    names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the variables for GraphQL from parameters with these names, None for all.

    `path` has the texts of variables that are no parameters; `also` lists parameters that are read
    elsewhere. An object is a JSON text. Raises: InvalidInputError with every problem.
    """
    texts_of: dict[str, list[str]] = {}
    for name, text in query:
        texts_of.setdefault(name, []).append(text)
    types = argument_types(operation)
    names = names if names is not None else [name for name in types if name not in path]
    known = [*names, *also]
    problems = [unknown_name("parameter", name, known) for name in texts_of if name not in names]
    arguments: dict[str, Any] = {}
    for name in names:
        if (texts := texts_of.get(name)) is None:
            continue
        if len(texts) > 1 and not isinstance(get_nullable_type(types[name]), GraphQLList):
            problems.append(FieldProblem(name, "must be given once"))
        try:
            arguments[name] = _json_of(types[name], texts)
        except InvalidInputError as error:
            arguments[name] = texts[0]
            problems.append(FieldProblem(name, error.problems[0].rule))
    variables: dict[str, Any] = {}
    try:
        variables = read_arguments(operation, arguments, path=path)
    except InvalidInputError as error:
        # A variable has its items in one text or in several, so none has a place of its own.
        own, refused = {v.name for v in operation.variables}, {p.path for p in problems}
        for problem in error.problems:
            name = problem.path.partition(".")[0]
            place = name if name in own and _ITEM.fullmatch(problem.path) else problem.path
            if name not in refused:
                problems.append(replace(problem, path=place))
        problems = [*dict.fromkeys(problems)]
    if problems:  # in the order of the parameters, and what is missing at the end
        order = {name[:MAX_NAME]: place for place, name in enumerate(texts_of)}
        problems.sort(key=lambda p: order.get(p.path.partition(".")[0], len(order)))
        raise InvalidInputError("Some parameters are not valid.", problems)
    return variables


def _json_of(kind: GraphQLInputType, texts: Sequence[str], *, is_split: bool = False) -> Any:
    """Return the JSON that texts of one parameter stand for. Raises: InvalidInputError.

    `is_split` says that commas part the items of a list, as they always do where no item has one.
    """
    inner, listed = get_named_type(kind), get_nullable_type(kind)
    if is_json_text(kind):
        values = [_read_text(inner, text) for text in texts]
        is_whole = len(values) == 1 and isinstance(values[0], list)
        return values if isinstance(listed, GraphQLList) and not is_whole else values[0]
    if isinstance(listed, GraphQLList):
        is_split = is_split or inner.name in _NO_COMMAS or isinstance(inner, GraphQLEnumType)
        parts = [part for text in texts for part in text.split(",")] if is_split else texts
        return [_json_of(listed.of_type, [part]) for part in parts]
    return _TEXTS.get(inner.name, str)(texts[0])


def _read_text(kind: GraphQLNamedType, text: str) -> Any:
    """Return the value of a JSON text. Raises: InvalidInputError, where any JSON is a value."""
    try:
        return read_json(text.encode())
    except InvalidInputError:
        if isinstance(kind, GraphQLScalarType) and is_json(kind):
            raise
        return text  # which is no object and no list, as the check will say


def is_required(variable: Variable) -> str:
    """Return the rule of a variable that is missing, with what it is."""
    words = " ".join(variable.description.split()).rstrip(".")
    return f"is required: {words[:1].lower()}{words[1:]}" if words else "is required"


def unknown_name(kind: str, name: str, allowed: Sequence[str]) -> FieldProblem:
    """Return the problem of an unknown name, with the allowed names and the most similar one."""
    return _unknown(kind, name[:MAX_NAME], tuple(allowed))


@lru_cache(maxsize=512)  # many callers make the same mistake
def _unknown(kind: str, name: str, allowed: tuple[str, ...]) -> FieldProblem:
    similar = difflib.get_close_matches(name, allowed, n=1)
    rule = f"unknown {kind}; did you mean {similar[0]!r}?" if similar else f"unknown {kind}"
    return FieldProblem(name, rule, allowed)


def parsed(kind: GraphQLScalarType, value: Any) -> Any:
    """Return a value that a scalar takes. Raises: ValueError with what the scalar says of it."""
    try:
        kind.parse_value(value)
    except Exception as error:  # noqa: BLE001 - graphql-core takes any for a refusal, too
        raise ValueError(" ".join(str(error).split())[:MAX_RULE]) from None
    return value


def enum_words(kind: GraphQLInputType) -> tuple[str, ...]:
    """Return the words of an enum or of a list of it; nothing for other types."""
    inner = get_named_type(kind)
    return (*wire_words(inner).values(),) if isinstance(inner, GraphQLEnumType) else ()


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

    def texts(
        self, variables: Iterable[Variable], headers: Mapping[str, str], path: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the values of the variables that headers and the path fill."""
        values: dict[str, Any] = {}
        for variable in variables:
            name, header = variable.name, variable.header
            place, text = (header, headers.get(header)) if header else (name, None)
            text = path.get(name) if text is None else text
            if header and text and isinstance(get_nullable_type(variable.type), GraphQLList):
                text = ",".join(part.strip() for part in text.split(","))  # RFC 9110 5.6.1
            if text is not None:
                try:
                    values[name] = self._value(
                        variable.type, _json_of(variable.type, [text], is_split=True), place
                    )
                except InvalidInputError as error:
                    self._add(place, error.problems[0].rule)
            elif header and variable.required:
                self._add(place, is_required(variable))
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
            if kind.name == "Int" and not MIN_INT <= value <= MAX_INT:
                raise ValueError(f"must be from {MIN_INT} to {MAX_INT}")
            return value
        if kind is GraphQLID and type(value) is int:
            return value
        is_number = kind.name == "Decimal" and _is_exact(value)
        if isinstance(kind, GraphQLScalarType) and (
            is_number or scalar_schema(kind).get("type") != "string"
        ):
            return parsed(kind, value)
        if not isinstance(value, str):
            raise ValueError("must be a string")  # noqa: TRY004 - callers catch ValueError
        if self._forbidden.search(value):
            raise ValueError("must contain no control characters")
        if isinstance(kind, GraphQLEnumType):
            names = {word: name for name, word in wire_words(kind).items()}
            if value not in names:
                raise ValueError("must be one of the allowed words")
            return names[value]
        # A plus in an offset becomes a space if it is not encoded.
        return parsed(kind, value.replace(" ", "+") if kind.name == "DateTime" else value)

    def _add(self, path: str, rule: str, allowed: tuple[str, ...] = ()) -> None:
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(FieldProblem(path, rule, allowed))
