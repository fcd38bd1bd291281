"""Arguments of an operation from the query string of a GET; the same checks as of a body hold."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    get_named_type,
)

from sdl.arguments.json_arguments import argument_types, read_arguments
from sdl.arguments.strict_json import read_json
from sdl.arguments.text_variables import unknown_name, value_from_text
from sdl.errors import FieldProblem, InvalidInputError
from sdl.operations.operation import Operation
from sdl.types.shape import is_json

_INT = re.compile(r"-?[0-9]{1,10}")
_WORDS = {"Boolean": {"true": True, "false": False}}


def read_text_arguments(
    operation: Operation,
    names: Sequence[str] | None,
    query: Iterable[tuple[str, str]],
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the variables for GraphQL from the parameters with these names, None for all.

    `also` lists parameters that are read elsewhere. An object is a JSON text. Raises:
    InvalidInputError with every problem.
    """
    texts_of: dict[str, list[str]] = {}
    for name, text in query:
        texts_of.setdefault(name, []).append(text)
    types = argument_types(operation)
    names = names if names is not None else [*types]
    known = [*names, *also]
    problems = [unknown_name("parameter", name, known) for name in texts_of if name not in names]
    arguments: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    for name in names:
        texts = texts_of.get(name, [])
        if len(texts) > 1 and not _is_list(types[name]):
            problems.append(FieldProblem(name, "must be given once"))
        if texts:
            arguments[name] = _json_value(types[name], texts)
    try:
        variables = read_arguments(operation, arguments)
    except InvalidInputError as error:
        problems += error.problems
    if problems:
        raise InvalidInputError("Some parameters are not valid.", problems)
    return variables


def _json_value(  # noqa: PLR0911 - one for each kind
    kind: GraphQLInputType, texts: Sequence[str]
) -> Any:
    """Return the JSON value; what is none stays a text, which the checks of the body refuse."""
    if isinstance(kind, GraphQLNonNull):
        return _json_value(kind.of_type, texts)
    if isinstance(get_named_type(kind), GraphQLInputObjectType):
        try:
            return read_json(texts[0].encode())
        except InvalidInputError:
            return texts[0]
    if isinstance(kind, GraphQLList):
        return [_json_value(kind.of_type, [part]) for text in texts for part in text.split(",")]
    text = texts[0]
    if str(kind) == "Int":
        return int(text) if _INT.fullmatch(text) else text
    if str(kind) == "Float" or (isinstance(kind, GraphQLScalarType) and is_json(kind)):
        try:
            return value_from_text(kind, text)
        except ValueError:
            return text
    return _WORDS.get(str(kind), {}).get(text, text)


def _is_list(kind: GraphQLInputType) -> bool:
    return isinstance(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, GraphQLList)
