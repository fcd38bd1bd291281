"""Tools: the stored operations that say so, described, called, answered. Knows none by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson
from graphql import OperationType

from mcp_bridge.messages import INVALID_PARAMS, Refusal, Result, problem_of, told
from mcp_bridge.profile import (
    ITEMS,
    LIST_BYTES,
    OUTPUT_ROOMS,
    TOOL_BYTES,
    breaches,
    input_schema,
    output_schema,
)
from schema.caller import Caller
from schema.directives import MEDIA_TYPES
from schema.errors import Internal, StudioError
from sdl.arguments import arguments_schema, read_arguments
from sdl.faults import OperationError, OperationFault, fault_at
from sdl.operation import Operation
from sdl.runner import Reading
from sdl.shape import Fields, Listing

PROBLEM = "studiograph/problem"
"""Where in a result's `_meta` an error stands as data."""
MARKDOWN = MEDIA_TYPES["MARKDOWN"]
MAX_WORDS_BYTES = 400
"""How long the list of known names may be that an argument's schema holds."""

Render = Callable[[Operation, Any, str], str]
"""From an operation, its body and a media type to the text that HTTP answers."""


def tools_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """The tools by name, in the order in which they are listed."""
    return in_order((o.mcp.order, o.mcp.tool, o) for o in operations if o.mcp is not None)


def in_order(found: Iterable[tuple[int, str, Operation]]) -> dict[str, Operation]:
    """Operations by name, those of the same place by their names."""
    return {name: operation for _, name, operation in sorted(found, key=lambda each: each[:2])}


def list_tools(tools: Mapping[str, Operation], reading: Reading) -> list[dict[str, Any]]:
    """The tools as the list shows them; the more there are, the less each says of its answer."""
    listed: list[dict[str, Any]] = []
    for room in OUTPUT_ROOMS:
        listed = [_tool(name, operation, reading, room) for name, operation in tools.items()]
        if len(orjson.dumps(listed)) <= LIST_BYTES:
            break
    return listed


def check_tools(tools: Mapping[str, Operation], listed: Sequence[dict[str, Any]]) -> None:
    """Nothing, for tools that every client can read. Raises: OperationError."""
    faults: list[OperationFault] = []
    first = next(iter(tools.values()), None)
    if first is not None and not only_asks(first):
        faults.append(fault_at(first.node, "mcp: order: a tool that only reads is listed first"))
    for operation, shown in zip(tools.values(), listed, strict=True):
        size = len(orjson.dumps(shown))
        if size > TOOL_BYTES:
            message = f"mcp: the tool has {size} bytes in the list, {TOOL_BYTES} are allowed"
            faults.append(fault_at(operation.node, f"{message}; shorten its descriptions"))
        if not isinstance(operation.shape, Fields | Listing):
            faults.append(fault_at(operation.node, "mcp: a tool answers an object or a list"))
        faults += [
            fault_at(operation.node, f"mcp: {key}: {breach}; some clients cannot read that")
            for key in ("inputSchema", "outputSchema")
            for breach in breaches(shown[key])
        ]
    total = len(orjson.dumps(listed))
    if total > LIST_BYTES:
        longest = max(tools.values(), key=lambda o: len(o.description))
        message = f"mcp: all tools together have {total} bytes, {LIST_BYTES} are allowed"
        faults.append(fault_at(longest.node, f"{message}; shorten descriptions, this one first"))
    if faults:
        raise OperationError(faults)


async def call(
    tools: Mapping[str, Operation],
    params: Mapping[str, Any],
    reading: Reading,
    caller: Caller,
    render: Render,
) -> Result:
    """What a tool answers; what is wrong with a call is an answer too. Raises: Refusal."""
    name, given = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or name not in tools:
        text = f"There is no such tool. The tools are: {', '.join(tools)}."
        raise Refusal(INVALID_PARAMS, text, {"tools": list(tools)})
    if not isinstance(given, dict):
        raise Refusal(INVALID_PARAMS, "The arguments of a tool are a JSON object.")
    try:
        return Result(await _answer(tools[name], given, reading, caller, render))
    except Internal:
        raise
    except StudioError as error:
        return _failure(error)


async def _answer(
    operation: Operation,
    given: dict[str, Any],
    reading: Reading,
    caller: Caller,
    render: Render,
) -> bytes:
    path = {n: given[n] for n in operation.path_variables if isinstance(given.get(n), str)}
    if path and len(path) == len(operation.path_variables):
        reading.check_path(operation, path)
    variables = read_arguments(operation, given)
    keeps = operation.is_read and set(variables) == set(operation.path_variables)
    key = ("tool", operation.name, *sorted(variables.items())) if keeps else None
    if key is not None and key in reading.kept:
        kept: bytes = reading.kept[key]
        return kept
    body = await reading.perform(operation, variables, caller)
    made = _success(body, render(operation, body, MARKDOWN))
    if key is not None:
        reading.kept[key] = made
    return made


def _success(body: Any, text: str) -> bytes:
    structured = {ITEMS: body} if isinstance(body, list) else body
    content = [{"type": "text", "text": text}]
    return orjson.dumps({"content": content, "structuredContent": structured, "isError": False})


def _failure(error: StudioError) -> Result:
    """The error in words that a model can act on.

    It is no structured content: that has the tool's output schema, and clients check it.
    """
    body = orjson.dumps({"content": [{"type": "text", "text": told(error)}], "isError": True})
    return Result(body, meta={PROBLEM: problem_of(error)})


def _tool(name: str, operation: Operation, reading: Reading, room: int) -> dict[str, Any]:
    title = operation.mcp.title if operation.mcp is not None else operation.title
    return {
        "name": name,
        "title": title,
        "description": prose(operation),
        "inputSchema": _input(operation, reading),
        "outputSchema": output_schema(operation.shape, room),
        "annotations": {"title": title, **_hints(operation)},
    }


def prose(operation: Operation) -> str:
    """The description without the line ends of its file."""
    paragraphs = operation.description.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def only_asks(operation: Operation) -> bool:
    """Whether it leaves no trace."""
    return operation.node.operation is OperationType.QUERY


def _hints(operation: Operation) -> dict[str, bool]:
    """A query leaves no trace; whatever else acts outside, adding and not destroying."""
    asks = only_asks(operation)
    return {
        "readOnlyHint": asks,
        "destructiveHint": False,
        "idempotentHint": asks,
        "openWorldHint": not asks,
    }


def _input(operation: Operation, reading: Reading) -> dict[str, Any]:
    """The arguments; where they name one of a few things, those things are named."""
    schema = input_schema(arguments_schema(operation))
    for name in operation.path_variables:
        known = [item.values[name] for item in reading.each(operation)]
        if known and len(orjson.dumps(known)) <= MAX_WORDS_BYTES:
            schema["properties"][name] |= {"enum": known}
    return schema
