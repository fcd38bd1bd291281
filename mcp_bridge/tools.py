"""Tools: the stored operations that say so, described, called, answered. Knows none by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from mcp_bridge.jsonrpc import INVALID_PARAMS, JsonRpcError, Result, error_text, problem_document
from mcp_bridge.request import Request
from mcp_bridge.schema_profile import (
    ITEMS,
    LIST_BYTES,
    OUTPUT_BUDGETS,
    TOOL_BYTES,
    input_schema,
    output_schema,
    unsupported_keywords,
)
from sdl.directives import MEDIA_TYPES
from sdl.errors import InternalError, StudioError
from sdl.json_arguments import arguments_schema, read_arguments
from sdl.operation import Operation
from sdl.problems import OperationError, OperationProblem, problem_at
from sdl.runner import Snapshot
from sdl.shape import ListShape, ObjectShape

PROBLEM = "studiograph/problem"
"""Where in a result's `_meta` an error stands as data."""
MARKDOWN = MEDIA_TYPES["MARKDOWN"]
MAX_WORDS_BYTES = 400
"""How long the list of known names may be that an argument's schema holds."""


def tools_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """The tools by name, in the order in which they are listed."""
    return ordered((o.mcp.order, o.mcp.tool, o) for o in operations if o.mcp is not None)


def ordered(found: Iterable[tuple[int, str, Operation]]) -> dict[str, Operation]:
    """Operations by name, those of the same place by their names."""
    return {name: operation for _, name, operation in sorted(found, key=lambda each: each[:2])}


def list_tools(tools: Mapping[str, Operation], reading: Snapshot) -> list[dict[str, Any]]:
    """The tools as the list shows them; the more there are, the less each says of its answer."""
    listed: list[dict[str, Any]] = []
    for room in OUTPUT_BUDGETS:
        listed = [_tool(name, operation, reading, room) for name, operation in tools.items()]
        if len(orjson.dumps(listed)) <= LIST_BYTES:
            break
    return listed


def check_tools(tools: Mapping[str, Operation], listed: Sequence[dict[str, Any]]) -> None:
    """Nothing, for tools that every client can read. Raises: OperationError."""
    faults: list[OperationProblem] = []
    first = next(iter(tools.values()), None)
    if first is not None and not is_read_only(first):
        faults.append(problem_at(first.node, "mcp: order: a tool that only reads is listed first"))
    for operation, shown in zip(tools.values(), listed, strict=True):
        size = len(orjson.dumps(shown))
        if size > TOOL_BYTES:
            message = f"mcp: the tool has {size} bytes in the list, {TOOL_BYTES} are allowed"
            faults.append(problem_at(operation.node, f"{message}; shorten its descriptions"))
        if not isinstance(operation.shape, ObjectShape | ListShape):
            faults.append(problem_at(operation.node, "mcp: a tool answers an object or a list"))
        faults += [
            problem_at(operation.node, f"mcp: {key}: {breach}; some clients cannot read that")
            for key in ("inputSchema", "outputSchema")
            for breach in unsupported_keywords(shown[key])
        ]
    total = len(orjson.dumps(listed))
    if total > LIST_BYTES:
        longest = max(tools.values(), key=lambda o: len(o.description))
        message = f"mcp: all tools together have {total} bytes, {LIST_BYTES} are allowed"
        faults.append(problem_at(longest.node, f"{message}; shorten descriptions, this one first"))
    if faults:
        raise OperationError(faults)


async def call(tools: Mapping[str, Operation], request: Request) -> Result:
    """Return what a tool answers; what is wrong with its arguments is an answer too.

    Raises: JsonRpcError.
    """
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in tools:
        text = f"There is no such tool. The tools are: {', '.join(tools)}."
        raise JsonRpcError(INVALID_PARAMS, text, {"tools": list(tools)})
    if not isinstance(arguments, dict):
        raise JsonRpcError(INVALID_PARAMS, "The arguments of a tool are a JSON object.")
    try:
        return Result(await _run(tools[name], arguments, request))
    except InternalError:
        raise
    except StudioError as error:
        return _failure(error)


async def _run(operation: Operation, arguments: dict[str, Any], request: Request) -> bytes:
    snapshot = request.snapshot
    names = operation.path_variables
    path = {name: arguments[name] for name in names if isinstance(arguments.get(name), str)}
    if path and len(path) == len(names):
        snapshot.check_path(operation, path)
    variables = read_arguments(operation, arguments)
    if operation.is_read and set(variables) == set(operation.path_variables):
        key = ("tool", operation.name, *sorted(variables.items()))
        return snapshot.cached(
            key, lambda: _success(operation, snapshot.run(operation, variables), request)
        )
    return _success(
        operation, await snapshot.run_async(operation, variables, request.caller), request
    )


def _success(operation: Operation, body: Any, request: Request) -> bytes:
    text = request.text(operation, body, MARKDOWN)
    structured = {ITEMS: body} if isinstance(body, list) else body
    content = [{"type": "text", "text": text}]
    return orjson.dumps({"content": content, "structuredContent": structured, "isError": False})


def _failure(error: StudioError) -> Result:
    """The error in words that a model can act on.

    It is no structured content: that has the tool's output schema, and clients check it.
    """
    body = orjson.dumps({"content": [{"type": "text", "text": error_text(error)}], "isError": True})
    return Result(body, meta={PROBLEM: problem_document(error)})


def _tool(name: str, operation: Operation, reading: Snapshot, room: int) -> dict[str, Any]:
    title = operation.mcp.title if operation.mcp is not None else operation.title
    return {
        "name": name,
        "title": title,
        "description": markdown_result(operation),
        "inputSchema": _input(operation, reading),
        "outputSchema": output_schema(operation.shape, room),
        "annotations": {"title": title, **_hints(operation)},
    }


def markdown_result(operation: Operation) -> str:
    """The description without the line ends of its file."""
    paragraphs = operation.description.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def is_read_only(operation: Operation) -> bool:
    """Whether it leaves no trace."""
    return operation.is_query


def _hints(operation: Operation) -> dict[str, bool]:
    """A query leaves no trace; whatever else acts outside, adding and not destroying."""
    asks = is_read_only(operation)
    return {
        "readOnlyHint": asks,
        "destructiveHint": False,
        "idempotentHint": asks,
        "openWorldHint": not asks,
    }


def _input(operation: Operation, reading: Snapshot) -> dict[str, Any]:
    """The arguments; where they name one of a few things, those things are named."""
    schema = input_schema(arguments_schema(operation))
    for name in operation.path_variables:
        known = [item.values[name] for item in reading.items_of(operation)]
        if known and len(orjson.dumps(known)) <= MAX_WORDS_BYTES:
            schema["properties"][name] |= {"enum": known}
    return schema
