"""The endpoint of writes: a POST, PUT, PATCH or DELETE runs a stored operation.

A GET describes what a POST does. A GET with parameters runs the operation too, where
`@rest(getParameters:)` names them, and a GET of events does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Scope

from rest_bridge.endpoints.read import header_texts, values_from_headers
from rest_bridge.http.body import check_no_body, content_type, read_body
from rest_bridge.http.endpoint import (
    ASKS_SIGNATURE,
    CALLER_NAME,
    SAFE_METHODS,
    VERIFIED_AGENT,
    Endpoint,
    run_until_disconnect,
)
from rest_bridge.http.live import as_set, check_same_origin, live_caller
from rest_bridge.http.negotiation import is_named, negotiate
from rest_bridge.http.query_string import query_parameters
from rest_bridge.representations.events import EVENTS, event_stream
from rest_bridge.representations.pages import Page
from rest_bridge.representations.rendering import JSON, MARKDOWN, Places, rendered
from rest_bridge.representations.responses import (
    PROBLEM_TYPE,
    Relations,
    Representation,
    cache_headers,
    compact_error,
    index_path,
    links,
    rate_headers,
)
from sdl.arguments.input_schemas import needed_arguments
from sdl.arguments.strict_json import read_json
from sdl.arguments.values import caller_name, read_arguments, unknown_name, variables_from_text
from sdl.caller import Agent, Caller
from sdl.errors import ApiError, FieldProblem, InternalError, InvalidInputError
from sdl.operations.operation import Operation, filled, path_variables
from sdl.running.runner import CurrentSnapshot, Snapshot
from sdl.types.directives import Rest

LONG_BYTES = 16 * 1024
"""A longer body is parsed and checked in a thread, so that other requests do not wait."""
WITH_BODY = ("POST", "PUT", "PATCH")
"""The methods whose requests have a JSON body."""

Forms = Mapping[str, Operation]
"""The operations of one path and method, by the media type of their response."""
CallerOf = Callable[[Scope], Caller]
"""Returns the caller of a request."""
AgentOf = Callable[[Scope], Awaitable[Agent | None]]
"""Returns the agent that signed a request. Raises: InvalidInputError if that does not hold."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class WriteEndpoint(Endpoint):
    """The endpoint of one path and method."""

    path: str
    method: str
    forms: Forms
    current: CurrentSnapshot
    caller_of: CallerOf
    relations: Relations
    description: Page | None = None
    """The response to a GET; None if the path has no description."""
    agent_of: AgentOf | None = None
    """Verifies who signed a request; None where nobody is asked to sign."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        if self.method == "GET":
            return SAFE_METHODS
        read = ("GET", "HEAD") if self.description is not None else ()
        return (*read, self.method, "OPTIONS")

    async def answer(self, request: Request) -> ASGIApp:
        """Run the operation and return its response. Raises: ApiError."""
        if self.agent_of is not None:
            request.scope[ASKS_SIGNATURE] = True
        parameters = query_parameters(request)
        if self.description is not None and request.method in ("GET", "HEAD"):
            check_no_body(request.headers)
            if not parameters:
                return self.description.response(request)
            forms = {name: o for name, o in self.forms.items() if rest_directive(o).get_parameters}
            return await self._run(request, forms, self._asked(parameters, request.headers))
        operation = first_operation(self.forms)
        if self.method == "GET":
            check_no_body(request.headers)
            named = {**request.path_params, **values_from_headers(operation, request.headers)}
            variables = variables_from_text(operation, named, parameters)
            return await self._run(request, self.forms, variables)
        if self.method in WITH_BODY:
            body = await self._body(request)
            arguments = await _in_thread_if_long(body, _members, body)
        else:
            check_no_body(request.headers)
            body, arguments = b"", {}
        request.scope[CALLER_NAME] = caller_name(operation, arguments)
        self._check_known(parameters)
        texts = header_texts(operation, request.headers), (), _path_values(request)
        variables = await _in_thread_if_long(body, read_arguments, operation, arguments, *texts)
        return await self._run(request, self.forms, variables)

    def _asked(self, parameters: list[tuple[str, str]], headers: Headers) -> dict[str, Any]:
        """Return the variables of a GET with parameters. Raises: InvalidInputError."""
        operation = first_operation(self.forms)
        names = rest_directive(operation).get_parameters
        self._check_known(parameters, names)
        texts = values_from_headers(operation, headers)
        return variables_from_text(operation, texts, parameters, names=names)

    async def _run(self, request: Request, forms: Forms, variables: dict[str, Any]) -> ASGIApp:
        """Run the operation of the form that the caller prefers. Raises: ApiError."""
        media_type = negotiate(request.headers, tuple(forms))
        operation = forms[media_type]
        snapshot = self.current()
        if snapshot.is_live or not operation.is_strict:
            check_same_origin(request, str(snapshot.directory["baseUrl"]))
        caller = await self._caller(request, snapshot)
        if media_type == EVENTS:
            source = partial(snapshot.stream, operation, variables)
            return await event_stream(source, caller, request, operation, tells=snapshot.is_live)
        running = snapshot.run_async(operation, variables, caller)
        is_watched = snapshot.is_live or rest_directive(operation).while_connected
        result = await (run_until_disconnect(request, running) if is_watched else running)
        places = Places(index_path(self.relations))
        data = rendered(operation, operation.shape, result, media_type, places)
        headers = rate_headers(caller.rate_limits)
        if media_type == MARKDOWN:
            headers["x-markdown-tokens"] = str(len(data.decode()) // 4)
        if request.method != self.method and operation.is_query and not snapshot.is_live:
            headers |= self._cache_headers(snapshot, operation)
            representation = Representation.build(data, media_type, headers)
            return representation.response(request.headers, head=request.method == "HEAD")
        response = _response(operation, result, data, media_type, snapshot)
        response.headers.update(headers)
        if request.method == "HEAD":
            response.body = b""  # the headers stay as in a GET
        return as_set(response, caller) if snapshot.is_live else response

    async def _caller(self, request: Request, snapshot: Snapshot) -> Caller:
        """Return the caller, and the agent that signed the request. Raises: InvalidInputError."""
        if snapshot.is_live:
            return live_caller(request)
        scope = request.scope
        caller = self.caller_of(scope)
        agent = await self.agent_of(scope) if self.agent_of is not None else None
        if agent is None:
            return caller
        scope[VERIFIED_AGENT] = agent.host
        return replace(caller, agent=agent)

    def _cache_headers(self, snapshot: Snapshot, operation: Operation) -> dict[str, str]:
        """Return the caching headers, without a date: new content is searched a little later."""
        headers = cache_headers(snapshot, operation, links(self.relations))
        headers.pop("last-modified", None)
        return headers

    def error_response(self, error: ApiError, request: Request) -> ASGIApp:
        """Return a compact error if the operation is declared `brief`; else raise the error.

        A caller that names problem documents in Accept gets one.
        """
        is_brief = rest_directive(first_operation(self.forms)).brief
        wants_problem = is_named(request.headers, PROBLEM_TYPE)
        if not is_brief or request.method != self.method or wants_problem:
            raise error
        if isinstance(error, InternalError):
            raise error
        return compact_error(error, self.current().path(self.path), self.relations)

    async def _body(self, request: Request) -> bytes:
        """Return the body of a JSON request. Raises: ApiError."""
        max_bytes = max(rest_directive(operation).max_bytes for operation in self.forms.values())
        body = await read_body(request, max_bytes)
        operation = first_operation(self.forms)
        if not body and not operation.is_strict and "content-type" not in request.headers:
            return b"{}"
        content_type(request, (JSON,))
        return body

    def _check_known(self, parameters: list[tuple[str, str]], names: Sequence[str] = ()) -> None:
        """Raise `InvalidInputError`, which says what to send, for a parameter of another name."""
        unknown = [name for name, _ in parameters if name not in names]
        if unknown:
            path = self.current().path(self.path)
            detail = _what_to_send(first_operation(self.forms), path)
            problems = [unknown_name("parameter", name, names) for name in unknown]
            raise InvalidInputError(detail, problems)


def first_operation(forms: Forms) -> Operation:
    """Return the first operation of a path; all its forms take the same input."""
    return next(iter(forms.values()))


def rest_directive(operation: Operation) -> Rest:
    """Return the `@rest` directive of a write operation."""
    if operation.rest is None:
        raise TypeError(operation.name)
    return operation.rest


def _what_to_send(operation: Operation, path: str) -> str:
    """Return how to call the operation, such as `Send POST /api/x with {"query": ...}`."""
    rest, needed = rest_directive(operation), [*needed_arguments(operation)]
    if rest.method not in WITH_BODY:
        return "This path takes no query parameters."
    needed = [name for name in needed if name not in operation.path_variables]
    members = ", ".join(f'"{name}": ...' for name in needed)
    query = "&".join(f"{name}=..." for name in needed)
    post = f"end {rest.method} {path} with {{{members}}}."
    return f"Ask by GET {path}?{query}, or s{post}" if rest.get_parameters else f"S{post}"


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


def _path_values(request: Request) -> dict[str, str]:
    """Return the texts in the path.

    A text that is not printable stays percent-encoded; it is then just an unknown name.
    """
    values = request.path_params.items()
    return {name: text if text.isprintable() else quote(text) for name, text in values}


def _response(
    operation: Operation, result: Any, data: bytes, media_type: str, snapshot: Snapshot
) -> Response:
    """Return a response that must not be stored."""
    rest, status = rest_directive(operation), operation.status_of(result)
    headers = {"content-type": media_type, "cache-control": "no-store", "vary": "Accept"}
    if media_type == MARKDOWN:
        headers["content-type"] = f"{media_type}; charset=utf-8"
    if rest.location is not None and status == rest.status:
        members = result if isinstance(result, dict) else {}
        if {*path_variables(rest.location)} <= {*members}:
            headers["location"] = snapshot.path(filled(rest.location, members))
    return Response(data, status, headers)
