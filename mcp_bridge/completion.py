"""Completion: the values of a prompt's argument or of a resource template's variable."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import INVALID_PARAMS, JsonRpcError, Result
from mcp_bridge.protocol.request import Request
from sdl.arguments.text_variables import enum_words
from sdl.operations.operation import Operation, Variable
from sdl.running.runner import Snapshot

MAX_VALUES = 100


async def complete(
    prompts: Mapping[str, Operation], resources: Mapping[str, Operation], request: Request
) -> Result:
    """Return the values that begin with the given text. Raises: JsonRpcError."""
    operation = _referred_operation(request.params.get("ref"), prompts, resources)
    argument = request.params.get("argument")
    name = argument.get("name") if isinstance(argument, dict) else None
    text = argument.get("value") if isinstance(argument, dict) else None
    if not isinstance(name, str) or not isinstance(text, str):
        raise JsonRpcError(
            INVALID_PARAMS, "The argument must have a name and a value, both strings."
        )
    variables = {variable.name: variable for variable in operation.variables}
    if name not in variables:
        names = ", ".join(variables)
        raise JsonRpcError(INVALID_PARAMS, f"Unknown argument. The arguments are: {names}.")
    prefix = text.casefold()
    candidates = dict.fromkeys(_values(operation, variables[name], request.snapshot))
    matching = [value for value in candidates if value.casefold().startswith(prefix)]
    completion = {
        "values": matching[:MAX_VALUES],
        "total": len(matching),
        "hasMore": len(matching) > MAX_VALUES,
    }
    return Result(orjson.dumps({"completion": completion}))


def _referred_operation(
    reference: Any, prompts: Mapping[str, Operation], resources: Mapping[str, Operation]
) -> Operation:
    members = reference if isinstance(reference, dict) else {}
    by_kind = {"ref/prompt": (prompts, "name"), "ref/resource": (resources, "uri")}
    kind = members.get("type")
    if kind not in by_kind:
        raise JsonRpcError(INVALID_PARAMS, "The type of a ref must be ref/prompt or ref/resource.")
    operations, member = by_kind[kind]
    name = members.get(member)
    if not isinstance(name, str) or name not in operations:
        names = ", ".join(operations)
        raise JsonRpcError(INVALID_PARAMS, f"Unknown {kind}. The known ones are: {names}.")
    return operations[name]


def _values(operation: Operation, variable: Variable, snapshot: Snapshot) -> Iterator[str]:
    yield from enum_words(variable.type)
    if variable.name in operation.path_variables:
        yield from (item.values[variable.name] for item in snapshot.items_of(operation))
    elif operation.prompt is not None and str(variable.type).rstrip("!") == "Slug":
        yield from _slugs(operation.prompt.each, snapshot)


def _slugs(source: str | None, snapshot: Snapshot) -> list[str]:
    """Return the slugs of the items of a list, given as `Operation` or `Operation.field`."""
    if source is None:
        return []
    name, _, member = source.partition(".")

    def slugs() -> list[str]:
        body = snapshot.read(name)
        return [item["slug"] for item in (body[member] if member else body)]

    return snapshot.cached(("slugs", source), slugs)
