"""One path that acts: what is posted or deleted runs a stored operation, a GET describes it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from urllib.parse import quote

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rest_bridge.action_items import Forms, first_of, rest_of
from rest_bridge.body import content_type, read_body, refuse_body
from rest_bridge.brief import brief
from rest_bridge.event_stream import event_stream
from rest_bridge.fixed_page import FixedPage
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import negotiate
from rest_bridge.parameters import refuse_parameters
from rest_bridge.presence import while_connected
from rest_bridge.quota import rate_headers
from schema.caller import Caller
from schema.directives import MEDIA_TYPES, Rest
from schema.errors import Fault, Internal, InvalidInput, StudioError
from schema.json_text import read_json
from sdl.arguments import read_arguments
from sdl.operation import Operation
from sdl.runner import Now

LONG_BYTES = 16 * 1024
"""From where on a body is read in a thread."""
JSON, EVENTS = MEDIA_TYPES["JSON"], MEDIA_TYPES["EVENTS"]

Callers = Callable[[Scope], Caller]
"""From a request to who sends it."""
Made = TypeVar("Made")


@dataclass(frozen=True)
class Action:
    """The ASGI application of one path."""

    path: str
    method: str
    forms: Forms
    now: Now
    callers: Callers
    description: FixedPage | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        request = Request(scope, receive)
        if self.description is not None and request.method in ("GET", "HEAD"):
            await self.description(scope, receive, send)
            return
        scope["studiograph.route"] = self.path
        check_method(request, self._methods)
        if request.method == "OPTIONS":
            await options(self._methods)(scope, receive, send)
            return
        try:
            await self._act(request, send)
        except StudioError as error:
            if isinstance(error, Internal) or not rest_of(first_of(self.forms)).brief:
                raise
            await brief(error)(scope, receive, send)

    @property
    def _methods(self) -> tuple[str, ...]:
        read = ("GET", "HEAD") if self.description is not None else ()
        return (*read, self.method, "OPTIONS")

    async def _act(self, request: Request, send: Send) -> None:
        longest = max(rest_of(operation).max_bytes for operation in self.forms.values())
        body = await _posted(request, longest) if self.method == "POST" else None
        given = _named(request) if body is None else await _aside(body, _members, body)
        operation = self.forms[negotiate(request.headers, [*self.forms])]
        refuse_parameters(request)
        told = _from(operation, request.headers)
        variables = await _aside(body or b"", read_arguments, operation, given, told)
        caller = self.callers(request.scope)
        reading = self.now()
        if EVENTS in self.forms and operation is self.forms[EVENTS]:
            await event_stream(partial(reading.stream, operation, variables), caller, request, send)
            return
        running = reading.perform(operation, variables, caller)
        kept = rest_of(operation).while_connected
        answer = await (while_connected(request, running) if kept else running)
        response = _made(rest_of(operation), answer, caller)
        await response(request.scope, request.receive, send)


async def _posted(request: Request, longest: int) -> bytes:
    """The body, which is said to be JSON. Raises: StudioError."""
    body = await read_body(request, longest)
    content_type(request, (JSON,))
    return body


async def _aside(body: bytes, work: Callable[..., Made], *given: object) -> Made:
    """What the work gives; if it is about a long body, nobody else waits for it meanwhile."""
    return await asyncio.to_thread(work, *given) if len(body) > LONG_BYTES else work(*given)


def _members(body: bytes) -> dict[str, object]:
    """The members of a body. Raises: InvalidInput."""
    given = read_json(body)
    if not isinstance(given, dict):
        raise _invalid(Fault("body", "must be an object"))
    return given


def _named(request: Request) -> dict[str, object]:
    """The values in the path; what is deleted has no body. Raises: StudioError.

    What cannot be printed stays as it was sent: whatever its shape, it is a name like any other.
    """
    refuse_body(request.headers)
    named = request.path_params.items()
    return {name: text if text.isprintable() else quote(text) for name, text in named}


def _from(operation: Operation, headers: Headers) -> dict[str, str]:
    """The headers that fill variables; one given twice is a list. Source: RFC 9110 section 5.3."""
    names = [variable.header for variable in operation.variables if variable.header is not None]
    return {name: ", ".join(headers.getlist(name)) for name in names if name in headers}


def _made(rest: Rest, answer: dict[str, object], caller: Caller) -> Response:
    headers = {"content-type": JSON, "cache-control": "no-store", **rate_headers(caller.spent)}
    if rest.location is not None:
        headers["location"] = rest.location.format_map(answer)
    return Response(orjson.dumps(answer), rest.status, headers)


def _invalid(fault: Fault) -> InvalidInput:
    return InvalidInput("The request does not fit.", [fault])
