"""Prompts: the stored operations that say so; what one says is its markdown form."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from pydantic_core import PydanticCustomError

from mcp_bridge.messages import INVALID_PARAMS, Refusal, Result, problem_of, told
from mcp_bridge.tools import MARKDOWN, Render, in_order, prose
from schema.caller import Caller
from schema.errors import Fault, InvalidInput, NotFound
from schema.texts import Given
from sdl.operation import Operation
from sdl.runner import Reading
from sdl.variables import variables_from_text

TEXT = Given(0, 2000, lines=True)
"""What an argument may be: it becomes a part of what a model reads."""


def prompts_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """The prompts by name, in the order in which they are listed."""
    return in_order((o.prompt.order, o.prompt.name, o) for o in operations if o.prompt is not None)


def prompt(name: str, operation: Operation) -> dict[str, Any]:
    """A prompt as the list shows it."""
    return {
        "name": name,
        "title": operation.prompt.title if operation.prompt is not None else operation.title,
        "description": prose(operation),
        "arguments": [
            {"name": v.name, "description": v.description, "required": v.required}
            for v in operation.variables
        ],
    }


async def get(
    prompts: Mapping[str, Operation],
    params: Mapping[str, Any],
    reading: Reading,
    caller: Caller,
    render: Render,
) -> Result:
    """What a prompt says, filled in. Raises: Refusal, StudioError."""
    name, given = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or name not in prompts:
        text = f"There is no such prompt. The prompts are: {', '.join(prompts)}."
        raise Refusal(INVALID_PARAMS, text, {"prompts": list(prompts)})
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise Refusal(INVALID_PARAMS, "The arguments of a prompt are an object of texts.")
    operation = prompts[name]
    filled = {name: text for name, text in given.items() if text}  # forms send what is left empty
    try:
        _check_texts(filled)
        variables = variables_from_text(operation, {}, filled.items())
        body = await reading.perform(operation, variables, caller)
    except (InvalidInput, NotFound) as error:
        raise Refusal(INVALID_PARAMS, told(error), problem_of(error)) from None
    text = render(operation, body, MARKDOWN)
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return Result(orjson.dumps({"description": operation.summary, "messages": [message]}))


def _check_texts(given: Mapping[str, str]) -> None:
    """Nothing, for arguments that are texts. Raises: InvalidInput with every fault."""
    faults = [Fault(name[:64], f"must be {TEXT.rule}") for name in given if not _fits(given[name])]
    if faults:
        raise InvalidInput("The arguments do not fit this prompt.", faults)


def _fits(text: str) -> bool:
    try:
        TEXT.check(text)
    except PydanticCustomError:
        return False
    return True
