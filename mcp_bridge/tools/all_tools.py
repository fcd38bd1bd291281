"""The tools: stored operations with `@mcp`, and those that are made of all reads together."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import (
    INVALID_PARAMS,
    JsonRpcError,
    Request,
    Result,
    error_text,
    problem_document,
)
from mcp_bridge.tools.arguments import as_meant
from mcp_bridge.tools.operation_tool import OperationTool
from mcp_bridge.tools.schema_profile import (
    LIST_BYTES,
    OUTPUT_BUDGETS,
    TOOL_BYTES,
    unsupported_keywords,
)
from mcp_bridge.tools.sections import FetchTool, ReadTool, Sections
from mcp_bridge.tools.tool import Tool
from mcp_bridge.tools.verify_tool import CheckEnvelope, VerifyTool
from sdl.errors import ApiError, InternalError
from sdl.operations.catalog import FETCH, READ, VERIFY
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationError, OperationProblem, problem_at
from sdl.running.runner import Snapshot

log = logging.getLogger("studiograph.tools")

GENERATED_TOOLS = (READ, FETCH, VERIFY)
"""The names of the tools that no operation declares."""


@dataclass(frozen=True)
class ToolOptions:
    """What the assembly knows of the tools."""

    read_only: Collection[str] = ()
    """The names of mutations that, as the service is set up, change nothing and reach nobody."""
    check: CheckEnvelope | None = None
    """Checks the envelopes of `verify`; None if there is no such tool."""
    reads: bool = True
    """Whether `read` and `fetch` give every read, whether it is a tool of its own or not."""
    strict: bool = True
    """Whether tools that are too large for some clients stop a start, instead of a warning."""
    scheme: str = "resource://"
    """What the addresses of resources begin with."""


def tools_in(operations: Sequence[Operation], options: ToolOptions) -> dict[str, Tool]:
    """Return the tools by name, in the order of the list."""
    declared = ordered((o.mcp.order, o.mcp.tool, o) for o in operations if o.mcp is not None)
    tools: dict[str, Tool] = {
        name: OperationTool.of(o, reads=o.is_query or o.name in options.read_only)
        for name, o in declared.items()
    }
    sections = Sections(operations if options.reads else ())
    derived: list[Tool] = [ReadTool(sections), FetchTool(sections)] if sections else []
    signed = {o.signed_section: o for o in operations if o.signed_section is not None}
    if signed and options.check is not None:
        derived.append(VerifyTool(signed, options.check))
    return tools | {tool.name: tool for tool in derived if tool.name not in tools}


def ordered(entries: Iterable[tuple[int, str, Operation]]) -> dict[str, Operation]:
    """Return operations by name, sorted by their order and then by name."""
    return {name: operation for _, name, operation in sorted(entries, key=lambda entry: entry[:2])}


def list_tools(tools: Mapping[str, Tool], snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the entries of the list of tools, with output schemas as large as the list allows."""
    entries: list[dict[str, Any]] = []
    inputs = [(tool, tool.input_schema(snapshot)) for tool in tools.values()]
    for output_bytes in OUTPUT_BUDGETS:
        entries = [tool.entry(schema, output_bytes) for tool, schema in inputs]
        if len(orjson.dumps(entries)) <= LIST_BYTES:
            break
    return entries


def check_tools(
    tools: Mapping[str, Tool], entries: Sequence[dict[str, Any]], options: ToolOptions
) -> None:
    """Raise `OperationError` if a tool or the list is too large or not readable for a client."""
    problems: list[OperationProblem] = []
    own = [tool for tool in tools.values() if isinstance(tool, OperationTool)]
    if any(tool.reads for tool in own) and not own[0].reads:
        fix = "give this one a higher order than one that reads, such as @mcp(order: 200)"
        node = own[0].operation.node
        problems.append(problem_at(node, f"mcp: order: the first tool must be read-only: {fix}"))
    for tool in own:
        entry = next(entry for entry in entries if entry["name"] == tool.name)
        problems += _problems_of(tool, entry, options)
    total = len(orjson.dumps(entries))
    if total > LIST_BYTES and own:
        longest = max(own, key=lambda tool: len(tool.description))
        message = f"mcp: all tools together have {total} bytes, {LIST_BYTES} are allowed"
        fix = "shorten descriptions, this one first"
        problems.append(problem_at(longest.operation.node, f"{message}; {fix}"))
    if problems and options.strict:
        raise OperationError(problems)
    for problem in problems:
        log.warning("%s", problem)


def _problems_of(
    tool: OperationTool, entry: Mapping[str, Any], options: ToolOptions
) -> list[OperationProblem]:
    operation, problems = tool.operation, []
    size = len(orjson.dumps(entry))
    if tool.name in GENERATED_TOOLS and options.reads:
        taken = ", ".join(GENERATED_TOOLS)
        message = f"mcp: tool: {taken} are made of all operations; choose another name"
        problems.append(problem_at(operation.node, message))
    if size > TOOL_BYTES:
        message = f"mcp: the tool has {size} bytes in the list, {TOOL_BYTES} are allowed"
        problems.append(problem_at(operation.node, f"{message}; shorten its descriptions"))
    problems += [
        problem_at(operation.node, f"mcp: {key}: {keyword}; some clients cannot read that")
        for key in ("inputSchema", "outputSchema")
        for keyword in unsupported_keywords(entry.get(key, {}))
    ]
    return problems


async def call(tools: Mapping[str, Tool], request: Request) -> Result:
    """Run a tool and return its result, which reports errors of the arguments too.

    Raises: JsonRpcError.
    """
    name, arguments = request.params.get("name"), request.params.get("arguments", {})
    if not isinstance(name, str) or name not in tools:
        text = f"Unknown tool. The tools are: {', '.join(tools)}."
        text += f" `{READ}` reads every section." if READ in tools else ""
        raise JsonRpcError(INVALID_PARAMS, text, {"tools": list(tools)})
    if not isinstance(arguments, dict):
        kind = "an object, not a text of one" if isinstance(arguments, str) else "a JSON object"
        raise JsonRpcError(INVALID_PARAMS, f"The arguments of a tool must be {kind}.")
    request.caller.tools.append(name)
    tool, snapshot = tools[name], request.snapshot
    schema = snapshot.cached(("arguments of", name), lambda: tool.input_schema(snapshot))
    try:
        body = await tool.run(as_meant(schema, arguments), request)
        return Result(body)
    except InternalError:
        raise
    except ApiError as error:
        return _failure(error, snapshot.words.prefix)


def _failure(error: ApiError, prefix: str) -> Result:
    """Return the error as text for a model, and as data in `_meta`.

    Not as structured content, which clients validate against the tool's output schema.
    """
    body = orjson.dumps({"content": [{"type": "text", "text": error_text(error)}], "isError": True})
    return Result(body, meta={f"{prefix}/problem": problem_document(error)})
