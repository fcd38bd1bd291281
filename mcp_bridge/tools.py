"""Tools: stored operations with `@mcp`; lists, checks and calls them."""

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
from sdl.errors import ApiError, InternalError
from sdl.json_arguments import arguments_schema, read_arguments
from sdl.operation import Operation
from sdl.operation_problems import OperationError, OperationProblem, problem_at
from sdl.runner import Snapshot
from sdl.shape import ListShape, ObjectShape

PROBLEM = "studiograph/problem"
"""The key in a result's `_meta` of an error as data."""
MARKDOWN = MEDIA_TYPES["MARKDOWN"]
MAX_ENUM_BYTES = 400
"""The longest list of values that the schema of an argument enumerates."""


def tools_in(operations: Sequence[Operation]) -> dict[str, Operation]:
    """Return the tools by name, in the order of the list."""
    return ordered((o.mcp.order, o.mcp.tool, o) for o in operations if o.mcp is not None)


def ordered(entries: Iterable[tuple[int, str, Operation]]) -> dict[str, Operation]:
    """Return operations by name, sorted by their order and then by name."""
    return {name: operation for _, name, operation in sorted(entries, key=lambda entry: entry[:2])}


def list_tools(tools: Mapping[str, Operation], snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the entries of the list of tools, with output schemas as large as the list allows."""
    entries: list[dict[str, Any]] = []
    for output_bytes in OUTPUT_BUDGETS:
        entries = [_tool(name, o, snapshot, output_bytes) for name, o in tools.items()]
        if len(orjson.dumps(entries)) <= LIST_BYTES:
            break
    return entries


def check_tools(tools: Mapping[str, Operation], entries: Sequence[dict[str, Any]]) -> None:
    """Raise `OperationError` if a tool or the list is too large or not readable for a client."""
    problems: list[OperationProblem] = []
    first = next(iter(tools.values()), None)
    if first is not None and not first.is_query:
        problems.append(problem_at(first.node, "mcp: order: the first tool must be read-only"))
    for operation, entry in zip(tools.values(), entries, strict=True):
        size = len(orjson.dumps(entry))
        if size > TOOL_BYTES:
            message = f"mcp: the tool has {size} bytes in the list, {TOOL_BYTES} are allowed"
            problems.append(problem_at(operation.node, f"{message}; shorten its descriptions"))
        if not isinstance(operation.shape, ObjectShape | ListShape):
            message = "mcp: a tool must return an object or a list"
            problems.append(problem_at(operation.node, message))
        problems += [
            problem_at(operation.node, f"mcp: {key}: {keyword}; some clients cannot read that")
            for key in ("inputSchema", "outputSchema")
            for keyword in unsupported_keywords(entry[key])
        ]
    total = len(orjson.dumps(entries))
    if total > LIST_BYTES:
        longest = max(tools.values(), key=lambda o: len(o.description))
        message = f"mcp: all tools together have {total} bytes, {LIST_BYTES} are allowed"
        fix = "shorten descriptions, this one first"
        problems.append(problem_at(longest.node, f"{message}; {fix}"))
    if problems:
        raise OperationError(problems)


async def call(tools: Mapping[str, Operation], request: Request) -> Result:
    """Run a tool and return its result, which reports errors of the arguments too.

    Raises: JsonRpcError.
    """
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in tools:
        text = f"Unknown tool. The tools are: {', '.join(tools)}."
        raise JsonRpcError(INVALID_PARAMS, text, {"tools": list(tools)})
    if not isinstance(arguments, dict):
        raise JsonRpcError(INVALID_PARAMS, "The arguments of a tool must be a JSON object.")
    try:
        return Result(await _run(tools[name], arguments, request))
    except InternalError:
        raise
    except ApiError as error:
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


def _failure(error: ApiError) -> Result:
    """Return the error as text for a model, and as data in `_meta`.

    Not as structured content, which clients validate against the tool's output schema.
    """
    body = orjson.dumps({"content": [{"type": "text", "text": error_text(error)}], "isError": True})
    return Result(body, meta={PROBLEM: problem_document(error)})


def _tool(name: str, operation: Operation, snapshot: Snapshot, output_bytes: int) -> dict[str, Any]:
    title = operation.mcp.title if operation.mcp is not None else operation.title
    return {
        "name": name,
        "title": title,
        "description": unwrapped_description(operation),
        "inputSchema": _input_schema(operation, snapshot),
        "outputSchema": output_schema(operation.shape, output_bytes),
        "annotations": {"title": title, **_hints(operation)},
    }


def unwrapped_description(operation: Operation) -> str:
    """Return the operation's description with each paragraph on one line."""
    paragraphs = operation.description.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _hints(operation: Operation) -> dict[str, bool]:
    """Return the tool's hints: a query only reads; other tools act outside but destroy nothing."""
    return {
        "readOnlyHint": operation.is_query,
        "destructiveHint": False,
        "idempotentHint": operation.is_query,
        "openWorldHint": not operation.is_query,
    }


def _input_schema(operation: Operation, snapshot: Snapshot) -> dict[str, Any]:
    """Return the schema of the arguments; it lists the values of a path variable if they fit."""
    schema = input_schema(arguments_schema(operation))
    for name in operation.path_variables:
        values = [item.values[name] for item in snapshot.items_of(operation)]
        if values and len(orjson.dumps(values)) <= MAX_ENUM_BYTES:
            schema["properties"][name] |= {"enum": values}
    return schema
