"""Prompts: stored operations with `@prompt`; the text of a prompt is its markdown form."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from pydantic_core import PydanticCustomError

from mcp_bridge.protocol.jsonrpc import (
    INVALID_PARAMS,
    JsonRpcError,
    Result,
    error_text,
    problem_document,
)
from mcp_bridge.protocol.request import Request
from mcp_bridge.tools.all_tools import ordered
from mcp_bridge.tools.operation_tool import unwrapped_description
from sdl.arguments.text_variables import variables_from_text
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.operations.operation import Operation
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
        raise JsonRpcError(INVALID_PARAMS, error_text(error), problem_document(error)) from None
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
