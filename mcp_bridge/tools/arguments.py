"""The arguments of tools: as models fill them, and those that select a part of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from mcp_bridge.tools.schema_profile import input_schema
from sdl.arguments.input_schemas import MAX_LIMIT, arguments_schema
from sdl.arguments.projection import Projection, names, projection_of
from sdl.arguments.strict_json import read_json
from sdl.arguments.values import read_arguments, unknown_name
from sdl.errors import MAX_PROBLEMS, FieldProblem, InvalidInputError
from sdl.operations.operation import Operation

FIELDS = {"type": "string", "description": "Only these, as in `name,object.name`."}
PARTS: dict[str, dict[str, Any]] = {
    "fields": FIELDS,
    "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT},
    "offset": {"type": "integer", "minimum": 0},
}
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


def as_meant(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with texts read as the schema's types, without empty optional ones.

    A client that lets a model leave no argument out sends null, an empty text or an empty list for
    an optional one. A text that is not of its type stays a text, and is refused by name later.
    """
    required, properties = schema.get("required", ()), schema.get("properties", {})
    return {
        name: _as_type(properties.get(name, {}), value)
        for name, value in arguments.items()
        if name not in properties or name in required or value not in (None, "", [])
    }


def _as_type(schema: Mapping[str, Any], value: Any) -> Any:
    """Return a value as the type of its schema, if it is a text of that type."""
    kind = schema.get("type")
    if isinstance(value, str):
        value = _read(schema, value)
    if kind == "array" and isinstance(value, list):
        return [_as_type(schema.get("items", {}), item) for item in value]
    if kind == "object" and isinstance(value, dict) and "properties" in schema:
        return as_meant(schema, value)
    return value


def _read(schema: Mapping[str, Any], text: str) -> Any:
    kind, items = schema.get("type"), schema.get("items", {})
    if kind in ("integer", "number", "boolean", "array", "object"):
        try:
            value = read_json(text.lower().encode() if kind == "boolean" else text.encode())
        except InvalidInputError:
            if kind != "array" or text.lstrip().startswith(("[", "{")):
                return text
            is_any = items.get("type") == "string" and "enum" not in items  # it may have commas
            return [text] if is_any else [part.strip() for part in text.split(",")]
        if isinstance(value, _PYTHON[kind]) and isinstance(value, bool) == (kind == "boolean"):
            return value
        return [value] if kind == "array" else text
    return text


_PYTHON: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


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
