"""The endpoint of writes: a POST or DELETE runs a stored operation; a GET describes it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from urllib.parse import quote

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from rest_bridge.endpoints.events import event_stream
from rest_bridge.http.body import check_no_body, content_type, read_body
from rest_bridge.http.compact_errors import compact_error
from rest_bridge.http.disconnect import run_until_disconnect
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import Accept
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.http.rate_limit_headers import rate_headers
from rest_bridge.http.rendering import JSON
from rest_bridge.http.static import StaticDocument
from sdl.caller import Caller
from sdl.directives import MEDIA_TYPES, Rest
from sdl.errors import ApiError, FieldProblem, InternalError, InvalidInputError
from sdl.json_arguments import read_arguments
from sdl.operation import Operation
from sdl.runner import CurrentSnapshot
from sdl.strict_json import read_json

LONG_BYTES = 16 * 1024
"""A longer body is parsed and checked in a thread, so that other requests do not wait."""
EVENTS = MEDIA_TYPES["EVENTS"]

Forms = Mapping[str, Operation]
"""The operations of one path and method, by the media type of their response."""
CallerOf = Callable[[Scope], Caller]
"""Returns the caller of a request."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class WriteEndpoint(Endpoint):
    """The endpoint of one path and method."""

    path: str
    method: str
    forms: Forms
    current: CurrentSnapshot
    caller_of: CallerOf
    description: StaticDocument | None = None
    """The response to a GET; None if the path has no description."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        read = ("GET", "HEAD") if self.description is not None else ()
        return (*read, self.method, "OPTIONS")

    async def answer(self, request: Request) -> ASGIApp:
        """Run the operation and return its response. Raises: ApiError."""
        if self.description is not None and request.method in ("GET", "HEAD"):
            return await self.description.answer(request)
        body = await self._body(request) if self.method == "POST" else None
        arguments = (
            _path_values(request)
            if body is None
            else await _in_thread_if_long(body, _members, body)
        )
        operation = self.forms[Accept.parse(request.headers).negotiate([*self.forms])]
        check_no_parameters(request)
        header_values = _header_values(operation, request.headers)
        variables = await _in_thread_if_long(
            body or b"", read_arguments, operation, arguments, header_values
        )
        caller = self.caller_of(request.scope)
        snapshot = self.current()
        if EVENTS in self.forms and operation is self.forms[EVENTS]:
            source = partial(snapshot.stream, operation, variables)
            return await event_stream(source, caller, request)
        rest = rest_directive(operation)
        running = snapshot.run_async(operation, variables, caller)
        result = await (run_until_disconnect(request, running) if rest.while_connected else running)
        return _response(rest, result, caller)

    def error_response(self, error: ApiError, request: Request) -> ASGIApp:
        """Return a compact error if the operation is declared `brief`; else raise the error."""
        is_brief = rest_directive(first_operation(self.forms)).brief
        if not is_brief or request.method != self.method or isinstance(error, InternalError):
            raise error
        return compact_error(error)

    async def _body(self, request: Request) -> bytes:
        """Return the body of a JSON request. Raises: ApiError."""
        max_bytes = max(rest_directive(operation).max_bytes for operation in self.forms.values())
        body = await read_body(request, max_bytes)
        content_type(request, (JSON,))
        return body


def first_operation(forms: Forms) -> Operation:
    """Return the first operation of a path; all its forms take the same input."""
    return next(iter(forms.values()))


def rest_directive(operation: Operation) -> Rest:
    """Return the `@rest` directive of a write operation."""
    if operation.rest is None:
        raise TypeError(operation.name)
    return operation.rest


async def _in_thread_if_long(
    body: bytes, work: Callable[..., Result], *arguments: object
) -> Result:
    """Run the work, in a thread if the body is long."""
    if len(body) > LONG_BYTES:
        return await asyncio.to_thread(work, *arguments)
    return work(*arguments)


def _members(body: bytes) -> dict[str, object]:
    """Return the members of a JSON object. Raises: InvalidInputError."""
    value = read_json(body)
    if not isinstance(value, dict):
        problem = FieldProblem("body", "must be a JSON object")
        raise InvalidInputError("The body is not a JSON object.", [problem])
    return value


def _path_values(request: Request) -> dict[str, object]:
    """Return the values in the path of a request without a body. Raises: ApiError.

    A text that is not printable stays percent-encoded; it is then just an unknown name.
    """
    check_no_body(request.headers)
    values = request.path_params.items()
    return {name: text if text.isprintable() else quote(text) for name, text in values}


def _header_values(operation: Operation, headers: Headers) -> dict[str, str]:
    """Return the headers that fill variables; joins repeated ones. Source: RFC 9110 5.3."""
    names = [variable.header for variable in operation.variables if variable.header is not None]
    return {name: ", ".join(headers.getlist(name)) for name in names if name in headers}


def _response(rest: Rest, body: dict[str, object], caller: Caller) -> Response:
    headers = {
        "content-type": JSON,
        "cache-control": "no-store",
        **rate_headers(caller.rate_limits),
    }
    if rest.location is not None:
        headers["location"] = rest.location.format_map(body)
    return Response(orjson.dumps(body), rest.status, headers)
