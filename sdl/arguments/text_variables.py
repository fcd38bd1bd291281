"""Variables of an operation from texts: query strings, path segments, prompt arguments."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    get_named_type,
)

from sdl.arguments.strict_json import read_json
from sdl.errors import FieldProblem, InvalidInputError
from sdl.operations.operation import Operation, Variable
from sdl.types.shape import is_json, wire_words

MAX_INT = 2**31 - 1
MAX_LIMIT = 200
MAX_OFFSET = 1_000_000
"""The most that the parameters of lists may be."""
MAX_RULE = 300
"""The longest text of a scalar that says what is wrong with a value."""

_INT = re.compile(r"-?[0-9]{1,10}")
_FLOAT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?")
_BOOLEANS = {"true": True, "false": False}


def variables_from_text(
    operation: Operation,
    path: Mapping[str, str],
    query: Iterable[tuple[str, str]],
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the variables for GraphQL; `also` lists parameters that are allowed besides them.

    Raises: InvalidInputError with every problem.
    """
    texts_of: dict[str, list[str]] = {name: [text] for name, text in path.items()}
    for name, text in query:
        texts_of.setdefault(name, []).append(text)
    problems: list[FieldProblem] = []
    values: dict[str, Any] = {}
    variables = {v.name: v for v in operation.variables}
    query_names = [name for name in variables if name not in path]
    for name, texts in texts_of.items():
        if name not in variables or (name in path and texts != [path[name]]):
            problems.append(unknown_name("parameter", name, [*query_names, *also]))
            continue
        try:
            values[name] = value_from_texts(variables[name].type, texts)
        except ValueError as error:
            problems.append(FieldProblem(name, str(error), enum_words(variables[name].type)))
    problems += [
        FieldProblem(v.name, is_required(v), enum_words(v.type))
        for v in variables.values()
        if v.required and v.name not in texts_of
    ]
    if problems:
        raise InvalidInputError("Some parameters are not valid.", problems)
    return values


def is_required(variable: Variable) -> str:
    """Return the rule of a variable that is missing, with what it is."""
    words = " ".join(variable.description.split()).rstrip(".")
    return f"is required: {words[:1].lower()}{words[1:]}" if words else "is required"


def unknown_name(kind: str, name: str, allowed: Sequence[str]) -> FieldProblem:
    """Return the problem of an unknown name, with the allowed names and the most similar one."""
    return _unknown(kind, name[:64], tuple(allowed))


@lru_cache(maxsize=512)  # many callers make the same mistake
def _unknown(kind: str, name: str, allowed: tuple[str, ...]) -> FieldProblem:
    similar = difflib.get_close_matches(name, allowed, n=1)
    rule = f"unknown {kind}; did you mean {similar[0]!r}?" if similar else f"unknown {kind}"
    return FieldProblem(name, rule, allowed)


def value_from_texts(kind: GraphQLInputType, texts: Sequence[str]) -> Any:
    """Return the value of one variable. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        value = value_from_texts(kind.of_type, texts)
        if value is None:
            raise ValueError("must not be null")
        return value
    if isinstance(kind, GraphQLList):
        inner = get_named_type(kind)
        has_json = isinstance(inner, GraphQLScalarType) and is_json(inner)
        if has_json and texts[0].startswith("["):
            return value_from_text(inner, texts[0])  # type: ignore[arg-type]
        return [value_from_text(kind.of_type, part) for text in texts for part in text.split(",")]
    if len(texts) > 1:
        raise ValueError("must be given once")
    return value_from_text(kind, texts[0])


def value_from_text(kind: GraphQLInputType, text: str) -> Any:
    """Return the value of one scalar or enum. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        return value_from_text(kind.of_type, text)
    if isinstance(kind, GraphQLEnumType):
        for name, word in wire_words(kind).items():
            if word == text:
                return name
        raise ValueError("must be one of the allowed words")
    if not isinstance(kind, GraphQLScalarType):
        raise TypeError(kind)
    return _scalar(kind, text)


def _scalar(kind: GraphQLScalarType, text: str) -> Any:
    if kind.name == "Boolean":
        if text not in _BOOLEANS:
            raise ValueError("must be true or false")
        return _BOOLEANS[text]
    if kind.name == "Int":
        if not _INT.fullmatch(text):
            raise ValueError("must be a whole number")
        if abs(int(text)) > MAX_INT:
            raise ValueError(f"must be at most {MAX_INT}")
        return int(text)
    if kind.name == "Float":
        if not _FLOAT.fullmatch(text):
            raise ValueError("must be a number")
        return float(text)
    return _own(kind, text)


def _own(kind: GraphQLScalarType, text: str) -> Any:
    """Return the value of a scalar that says itself what it takes. Raises: ValueError."""
    if kind.name == "DateTime":
        text = text.replace(" ", "+")  # a plus in an offset becomes a space if it is not encoded
    if kind.name == "JSON" and is_json(kind):
        try:
            return read_json(text.encode())
        except InvalidInputError as error:
            raise ValueError(error.problems[0].rule) from None
    return parsed(kind, text)


def parsed(kind: GraphQLScalarType, value: Any) -> Any:
    """Return a value that a scalar takes. Raises: ValueError with what the scalar says of it."""
    try:
        kind.parse_value(value)
    except Exception as error:  # noqa: BLE001 - graphql-core takes any for a refusal, too
        raise ValueError(" ".join(str(error).split())[:MAX_RULE]) from None
    return value


def enum_words(kind: GraphQLInputType) -> tuple[str, ...]:
    """Return the words of an enum or of a list of it; nothing for other types."""
    while isinstance(kind, (GraphQLNonNull, GraphQLList)):
        kind = kind.of_type
    if isinstance(kind, GraphQLEnumType):
        return (*wire_words(kind).values(),)
    return ()
