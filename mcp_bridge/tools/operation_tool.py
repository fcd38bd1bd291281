"""A tool that runs one stored operation with `@mcp`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from typing import Any

import orjson

from mcp_bridge.protocol.jsonrpc import Request
from mcp_bridge.tools.arguments import read_tool_arguments, schema_of
from mcp_bridge.tools.schema_profile import (
    output_schema,
    over_mcp,
    shape_over_mcp,
    structured_content,
)
from mcp_bridge.tools.sections import read_result
from mcp_bridge.tools.tool import Tool, result_of, with_note
from sdl.arguments.values import caller_name
from sdl.errors import InvalidInputError
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.tools.json_text import to_json
from sdl.types.shape import ObjectShape, Shape

MAX_ENUM_BYTES = 400
"""The longest list of values that the schema of an argument enumerates."""
MORE = "more"
"""The key of structured content that says what was left out, and how to get it."""


@dataclass(frozen=True)
class OperationTool(Tool):
    """The tool of a stored operation."""

    name: str
    title: str
    description: str
    reads: bool
    operation: Operation
    _output_schemas: dict[int, dict[str, Any]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By their size limits; a reload asks for them again."""

    @classmethod
    def of(cls, operation: Operation, *, reads: bool) -> "OperationTool":
        """Return the tool that the operation declares."""
        if operation.mcp is None:
            raise TypeError(operation.name)
        own = operation.mcp
        description = own.description or unwrapped_description(operation)
        return cls(own.tool, own.title, description, reads, operation)

    @property
    def destroys(self) -> bool:
        """Whether the operation acts, and does not say otherwise."""
        return not self.reads and self.operation.mcp is not None and self.operation.mcp.destructive

    def input_schema(self, snapshot: Snapshot) -> dict[str, Any]:
        """Return the schema; it lists the values of a variable in the path if they fit."""
        schema = schema_of(self.operation)
        for name in self.operation.path_variables:
            values = [item.values[name] for item in snapshot.items_of(self.operation)]
            if values and len(orjson.dumps(values)) <= MAX_ENUM_BYTES:
                schema["properties"][name] |= {"enum": values}
        return schema

    def output_schema(self, max_bytes: int) -> dict[str, Any]:
        """Return the schema; the answer of a read may be any part, so it requires nothing."""
        if max_bytes not in self._output_schemas:
            operation = self.operation
            part, nullable = operation.is_read, operation.may_be_null
            schema = output_schema(operation.shape, max_bytes, part=part, nullable=nullable)
            self._output_schemas[max_bytes] = schema
        return self._output_schemas[max_bytes]

    async def run(self, arguments: Mapping[str, Any], request: Request) -> bytes:
        """Run the operation. Raises: ApiError."""
        operation, snapshot = self.operation, request.snapshot
        if name := caller_name(operation, arguments):
            request.caller.names.append(name)
        names = operation.path_variables
        path = {name: arguments[name] for name in names if isinstance(arguments.get(name), str)}
        if path and len(path) == len(names):
            snapshot.check_path(operation, path)
        try:
            variables, projection = read_tool_arguments(operation, arguments)
        except InvalidInputError as error:
            raise self._with_known_values(error, snapshot) from None
        if not operation.is_read:
            running = snapshot.run_async(operation, variables, request.caller)
            while_connected = operation.rest is not None and operation.rest.while_connected
            is_watched = snapshot.is_live or while_connected
            body = await (request.while_connected(running) if is_watched else running)
            return self._result(request, operation.shape, body)

        def make(body: Any) -> bytes:
            part = partial(self._result, request)
            return read_result(operation, body, variables, projection, request, part)

        is_finite = not names or (operation.rest is not None and operation.rest.each is not None)
        is_kept = is_finite and not projection and set(variables) == set(names)
        key = ("tool", operation.name, *sorted(variables.items())) if is_kept else None
        making = snapshot.made(key, operation, variables, request.caller, make)
        return await (request.while_connected(making) if snapshot.is_live else making)

    def _with_known_values(self, error: InvalidInputError, snapshot: Snapshot) -> InvalidInputError:
        """Return the error with the known values of the variables that fill the path."""
        names, items = self.operation.path_variables, snapshot.items_of(self.operation)
        problems = [
            replace(one, allowed=tuple(str(item.values[one.path]) for item in items))
            if one.path in names
            else one
            for one in error.problems
        ]
        return InvalidInputError(error.detail, problems)

    def _result(
        self,
        request: Request,
        shape: Shape,
        body: Any,
        note: str = "",
        addresses: Sequence[str] = (),
    ) -> bytes:
        value = over_mcp(shape, body, request.base_url)
        chosen = getattr(request.caller.response, "status_code", None)
        failed = (chosen or self.operation.status_of(body)) >= HTTPStatus.BAD_REQUEST
        structured = structured_content(shape, value)
        has_own = has_more(self.operation)
        structured = {**structured, MORE: note} if note and not has_own else structured
        if self.operation.mcp is not None and self.operation.mcp.text == "JSON":
            text = with_note(to_json(structured).decode(), note if has_own else "")
            return result_of(text, structured, is_error=failed)
        said = over_mcp(shape, body, request.base_url, as_text=True)
        text = request.markdown(self.operation, shape_over_mcp(shape), said, addresses)
        return result_of(with_note(text, note), structured, is_error=failed)


def has_more(operation: Operation) -> bool:
    """Whether answers have a member `more` themselves, so that the text alone has the note."""
    shape = operation.shape
    return isinstance(shape, ObjectShape) and any(own.key == MORE for own in shape.fields)


def unwrapped_description(operation: Operation) -> str:
    """Return the operation's description with each paragraph on one line."""
    paragraphs = operation.description.strip().split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
