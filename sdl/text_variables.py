"""From text to variables: query strings and path segments as the values an operation takes."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
)

from sdl.errors import FieldProblem, InvalidInputError
from sdl.operation import Operation, Variable

MAX_INT = 2**31 - 1

_INT = re.compile(r"-?[0-9]{1,10}")
_FLOAT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?([eE][+-]?[0-9]{1,2})?")
_BOOLEANS = {"true": True, "false": False}


def variables_from_text(
    operation: Operation,
    path: Mapping[str, str],
    query: Iterable[tuple[str, str]],
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """The variables, as GraphQL takes them; `also` names what is allowed besides them.

    Raises: InvalidInput with every fault.
    """
    given: dict[str, list[str]] = {name: [text] for name, text in path.items()}
    for name, text in query:
        given.setdefault(name, []).append(text)
    faults: list[FieldProblem] = []
    values: dict[str, Any] = {}
    known = {v.name: v for v in operation.variables}
    open_names = [name for name in known if name not in path]
    for name, texts in given.items():
        if name not in known or (name in path and texts != [path[name]]):
            faults.append(unknown_name("parameter", name, [*open_names, *also]))
            continue
        try:
            values[name] = _value(known[name], texts)
        except ValueError as error:
            faults.append(FieldProblem(name, str(error), enum_words(known[name].type)))
    faults += [
        FieldProblem(v.name, "is required")
        for v in known.values()
        if v.required and v.name not in given
    ]
    if faults:
        raise InvalidInputError("The request's parameters do not fit this operation.", faults)
    return values


def unknown_name(what: str, name: str, known: Sequence[str]) -> FieldProblem:
    """The fault of a name that is not known, with the one that is most like it."""
    close = difflib.get_close_matches(name[:64], known, n=1)
    rule = f"unknown {what}; did you mean {close[0]!r}?" if close else f"unknown {what}"
    return FieldProblem(name[:64], rule, tuple(known))


def _value(variable: Variable, texts: list[str]) -> Any:
    kind = variable.type.of_type if isinstance(variable.type, GraphQLNonNull) else variable.type
    if isinstance(kind, GraphQLList):
        return [value_from_text(kind.of_type, part) for text in texts for part in text.split(",")]
    if len(texts) > 1:
        raise ValueError("must be given once")
    return value_from_text(kind, texts[0])


def value_from_text(kind: GraphQLInputType, text: str) -> Any:
    """The value of one scalar or enum. Raises: ValueError with the rule it breaks."""
    if isinstance(kind, GraphQLNonNull):
        return value_from_text(kind.of_type, text)
    if isinstance(kind, GraphQLEnumType):
        for name, member in kind.values.items():
            if member.value == text:
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
        if not _INT.fullmatch(text) or abs(int(text)) > MAX_INT:
            raise ValueError(f"must be a whole number from -{MAX_INT} to {MAX_INT}")
        return int(text)
    if kind.name == "Float":
        if not _FLOAT.fullmatch(text):
            raise ValueError("must be a number")
        return float(text)
    if kind.name == "DateTime":
        text = text.replace(" ", "+")  # what an offset's plus becomes when it is not encoded
    try:
        kind.parse_value(text)
    except GraphQLError as error:
        raise ValueError(error.message) from None
    return text


def enum_words(kind: GraphQLInputType) -> tuple[str, ...]:
    """The words of an enum; none for anything else."""
    while isinstance(kind, (GraphQLNonNull, GraphQLList)):
        kind = kind.of_type
    if isinstance(kind, GraphQLEnumType):
        return tuple(str(member.value) for member in kind.values.values())
    return ()
