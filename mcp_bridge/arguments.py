"""The arguments of a tool that reads: the operation's variables, `fields`, `limit`, `offset`."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from mcp_bridge.schema_profile import input_schema
from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.json_arguments import arguments_schema, read_arguments
from sdl.operation import Operation
from sdl.projection import Projection, names, projection_of
from sdl.text_variables import unknown_name

FIELDS = {"type": "string", "description": "Only these, as in `name,object.name`."}
PARTS = {"fields": FIELDS, "limit": {"type": "integer"}, "offset": {"type": "integer"}}
"""The JSON Schemas of the arguments that select a part of an answer."""


def schema_of(operation: Operation) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments."""
    schema = input_schema(arguments_schema(operation))
    if operation.is_read:
        schema["properties"] |= {name: PARTS[name] for name in names(operation)}
    return schema


def read_tool_arguments(
    operation: Operation, arguments: Mapping[str, Any]
) -> tuple[dict[str, Any], Projection]:
    """Return the variables and the part that is asked for.

    Raises: InvalidInputError with every problem.
    """
    allowed = names(operation) if operation.is_read else ()
    texts = {name: as_text(value) for name, value in arguments.items() if name in allowed}
    query = [(name, text) for name, text in texts.items() if text is not None]
    projection = projection_of(operation, allowed, query)
    projection.problems += [not_a_text(name) for name, text in texts.items() if text is None]
    others = {name: value for name, value in arguments.items() if name not in allowed}
    try:
        variables = read_arguments(operation, others, also=allowed)
    except InvalidInputError as error:
        raise InvalidInputError(error.detail, [*error.problems, *projection.problems]) from None
    if projection.problems:
        raise InvalidInputError("The input is not valid.", projection.problems)
    return variables, projection


def as_text(value: Any) -> str | None:
    """Return a text or a whole number as a query string has it; None for all others."""
    if isinstance(value, str):
        return value
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return str(int(value)) if is_whole and not isinstance(value, bool) else None


def unknown_members(arguments: Iterable[str], known: Sequence[str]) -> list[FieldProblem]:
    """Return the problems of arguments with other names, as many as an error shows."""
    unknown = (name for name in arguments if name not in known)
    return [unknown_name("member", name, known) for name in islice(unknown, MAX_PROBLEMS)]


def not_a_text(name: str) -> FieldProblem:
    """Return the problem of an argument that is neither a text nor a whole number."""
    kind = PARTS.get(name, FIELDS)["type"]
    return FieldProblem(name, "must be a whole number" if kind == "integer" else "must be a string")
