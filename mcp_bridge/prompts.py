"""Prompts: the stored operations that say so; what one says is its markdown form."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from pydantic_core import PydanticCustomError

from mcp_bridge.jsonrpc import INVALID_PARAMS, JsonRpcError, Result, error_text, problem_document
from mcp_bridge.request import Request
from mcp_bridge.tools import MARKDOWN, markdown_result, ordered
from sdl.errors import FieldProblem, InvalidInputError, NotFoundError
from sdl.operation import Operation
from sdl.text_constraints import TextConstraint
from sdl.text_variables import variables_from_text

TEXT = TextConstraint(0, 2000, multiline=True)
"""What an argument may be: it becomes a part of what a model reads."""


def prompts_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """The prompts by name, in the order in which they are listed."""
    return ordered((o.prompt.order, o.prompt.name, o) for o in operations if o.prompt is not None)


def prompt(name: str, operation: Operation) -> dict[str, Any]:
    """A prompt as the list shows it."""
    return {
        "name": name,
        "title": operation.prompt.title if operation.prompt is not None else operation.title,
        "description": markdown_result(operation),
        "arguments": [
            {"name": v.name, "description": v.description, "required": v.required}
            for v in operation.variables
        ],
    }


async def get(prompts: Mapping[str, Operation], request: Request) -> Result:
    """Return what a prompt says, filled in. Raises: JsonRpcError, StudioError."""
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in prompts:
        text = f"There is no such prompt. The prompts are: {', '.join(prompts)}."
        raise JsonRpcError(INVALID_PARAMS, text, {"prompts": list(prompts)})
    if not isinstance(arguments, dict) or not all(isinstance(v, str) for v in arguments.values()):
        raise JsonRpcError(INVALID_PARAMS, "The arguments of a prompt are an object of texts.")
    operation = prompts[name]
    texts = {name: text for name, text in arguments.items() if text}  # forms send empty ones too
    try:
        _check_texts(texts)
        variables = variables_from_text(operation, {}, texts.items())
        body = await request.snapshot.run_async(operation, variables, request.caller)
    except (InvalidInputError, NotFoundError) as error:
        raise JsonRpcError(INVALID_PARAMS, error_text(error), problem_document(error)) from None
    text = request.text(operation, body, MARKDOWN)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return Result(orjson.dumps({"description": operation.summary, "messages": [message]}))


def _check_texts(texts: Mapping[str, str]) -> None:
    """Raise `InvalidInputError` with every text that an argument may not be."""
    problems = [
        FieldProblem(name[:64], f"must be {TEXT.rule}")
        for name, text in texts.items()
        if not _is_valid(text)
    ]
    if problems:
        raise InvalidInputError("The arguments do not fit this prompt.", problems)


def _is_valid(text: str) -> bool:
    try:
        TEXT.check(text)
    except PydanticCustomError:
        return False
    return True
