"""Prompts: stored operations with `@prompt`; the text of a prompt is its markdown form.

Completion gives the values of a prompt's argument, or of a resource template's variable.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
from pydantic_core import PydanticCustomError

from mcp_bridge.protocol.jsonrpc import (
    INVALID_PARAMS,
    JsonRpcError,
    Request,
    Result,
)
from mcp_bridge.tools.all_tools import ordered
from mcp_bridge.tools.operation_tool import unwrapped_description
from sdl.arguments.values import enum_words, variables_from_text
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.operations.operation import Operation, Variable
from sdl.running.runner import Snapshot
from sdl.types.scalar_types import TextConstraint

TEXT = TextConstraint(0, 2000, multiline=True)
"""The rule of an argument, which becomes part of a text for models."""


def prompts_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """Return the prompts by name, in the order of the list."""
    return ordered((o.prompt.order, o.prompt.name, o) for o in operations if o.prompt is not None)


def prompt(name: str, operation: Operation) -> dict[str, Any]:
    """Return a prompt's entry in the list."""
    return {
        "name": name,
        "title": operation.prompt.title if operation.prompt is not None else operation.title,
        "description": unwrapped_description(operation),
        "arguments": [
            {"name": v.name, "description": v.description, "required": v.required}
            for v in operation.variables
        ],
    }


async def get(prompts: Mapping[str, Operation], request: Request) -> Result:
    """Return the text of a prompt for the given arguments. Raises: JsonRpcError, ApiError."""
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in prompts:
        text = f"Unknown prompt. The prompts are: {', '.join(prompts)}."
        raise JsonRpcError(INVALID_PARAMS, text, {"prompts": list(prompts)})
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for v in arguments.values()):
        raise JsonRpcError(
            INVALID_PARAMS, "The arguments of a prompt must be an object of strings."
        )
    operation = prompts[name]
    # Clients that show a form send an empty text for a field that is not filled in.
    texts = {name: text for name, text in arguments.items() if text}
    try:
        _check_texts(texts)
        variables = variables_from_text(operation, {}, texts.items())
        body = await request.snapshot.run_async(operation, variables, request.caller)
    except (InvalidInputError, NotFoundError) as error:
        raise JsonRpcError.of(INVALID_PARAMS, error) from None
    text = request.markdown(operation, operation.shape, body)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return Result(orjson.dumps({"description": operation.summary, "messages": [message]}))


def _check_texts(texts: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` with every argument whose text is not allowed."""
    problems = [
        FieldProblem(name[:64], f"must be {TEXT.rule}")
        for name, text in texts.items()
        if not _is_valid(text)
    ]
    if problems:
        raise InvalidInputError("Some arguments of this prompt are not valid.", problems)


def _is_valid(text: str) -> bool:
    try:
        TEXT.check(text)
    except PydanticCustomError:
        return False
    return True


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
    elif operation.prompt is not None and _is_slug(operation, variable):
        yield from _slugs(operation.prompt.each, snapshot)


def _is_slug(operation: Operation, variable: Variable) -> bool:
    """Whether a variable is a slug; a foreign schema has texts and ids for that."""
    foreign = () if operation.is_strict else ("String", "ID")
    return str(variable.type).rstrip("!") in ("Slug", *foreign)


def _slugs(source: str | None, snapshot: Snapshot) -> list[str]:
    """Return the slugs of the items of a list, given as `Operation` or `Operation.field`."""
    if source is None:
        return []
    name, _, member = source.partition(".")

    def slugs() -> list[str]:
        body = snapshot.read(name)
        return [item["slug"] for item in (body[member] if member else body)]

    return snapshot.cached(("slugs", source), slugs)
