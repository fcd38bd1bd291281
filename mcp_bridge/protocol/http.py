"""MCP over HTTP: a POST sends a message, a GET returns a description.

Source: MCP streamable HTTP, 2025-03-26 to 2026-07-28, without sessions; the one long stream is the
response to `subscriptions/listen`.
"""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Scope

from mcp_bridge.description import MAX_BODY, PATH, description, description_markdown
from mcp_bridge.protocol.jsonrpc import (
    INVALID_REQUEST,
    Id,
    JsonRpcError,
    Work,
    error_message,
)
from mcp_bridge.protocol.server import Answer, Server, Subscription
from rest_bridge.http.body import check_no_body, content_type, read_body
from rest_bridge.http.endpoint import CALLER_NAME, ROUTE, Endpoint, run_until_disconnect
from rest_bridge.http.live import origin_of, resolver_response, with_headers
from rest_bridge.http.negotiation import is_allowed, negotiate
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.representations.events import EVENTS, event_response
from rest_bridge.representations.pages import Forms, Page, page_forms
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.representations.responses import Relations, error_headers, rate_headers
from sdl.caller import Caller, Channel
from sdl.errors import (
    ApiError,
    FieldProblem,
    ForbiddenError,
    MethodNotAllowedError,
    NotAcceptableError,
    UnavailableError,
)

METHODS = ("GET", "HEAD", "POST", "OPTIONS")
PAGES = (JSON, MARKDOWN, TEXT)
MAX_LISTENING = 200
"""How many streams one process serves."""
_LOCAL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::[1-9][0-9]{0,4})?")
"""The origins of pages on this machine, as browsers write them."""
HEADERS = (
    "Accept, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name,"
    " Mcp-Session-Id, Last-Event-ID, If-None-Match"
)
"""The request headers that a page in a browser may send."""


@dataclass(frozen=True)
class McpHttp:
    """The parts that the endpoint and its description share."""

    server: Server
    base_url: str
    relations: Relations
    caller_address: Callable[[Scope], str]
    """Returns the network address of a request's caller."""


def mcp_routes(http: McpHttp) -> list[BaseRoute]:
    """Return the routes of the endpoint and of its description's suffixes."""

    def described() -> Forms:
        listing = http.server.listing

        def build() -> Forms:
            members = description(listing, http.base_url)
            return page_forms(members, description_markdown(members), http.relations)

        return listing.snapshot.cached("mcp description", build)

    page = Page(PATH, described)
    return [Route(PATH, McpEndpoint(http, page)), *page.by_suffix()]


@dataclass(frozen=True)
class McpEndpoint(Endpoint):
    """The MCP endpoint."""

    http: McpHttp
    description: Page
    path: str = PATH
    listening: set[anyio.Event] = field(default_factory=set)
    """The open streams."""

    async def respond(self, request: Request) -> ASGIApp:
        """Return the response to one request of any method. Raises: ApiError."""
        self._check_origin(request)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=_PREFLIGHT)
        if request.method == "POST":
            return await self._post(request)
        return await self.answer(request)

    async def answer(self, request: Request) -> Response:
        """Return the description; refuse a request for a stream. Raises: ApiError."""
        headers = request.headers
        wants_stream = is_allowed(headers, EVENTS) and not is_allowed(headers, *PAGES)
        if request.method not in METHODS or wants_stream:
            # Who takes nothing but a stream can only POST: a list with GET would send him back.
            allowed = ("POST", "OPTIONS") if wants_stream else METHODS
            raise MethodNotAllowedError(
                "Send messages by POST; a GET opens no stream here, and there are no sessions.",
                [FieldProblem("method", "is not allowed here", allowed)],
            )
        check_no_body(request.headers)
        check_no_parameters(request)
        # It is not kept ready, as it depends on the origin too.
        response = self.description.response(request, is_kept=False)
        response.headers.add_vary_header("Origin")
        return response

    def error_response(self, error: ApiError, request: Request) -> Response:
        """Return the error as JSON-RPC; raise a wrong method, which gets a problem document."""
        if isinstance(error, MethodNotAllowedError):
            raise error
        rpc_error = JsonRpcError.of(INVALID_REQUEST, error)
        headers = {**_HEADERS, **error_headers(error), "content-type": JSON}
        response = Response(error_message(None, rpc_error), error.status, headers)
        if request.method == "HEAD":
            response.body = b""  # the headers stay as in a GET
        return response

    async def _post(self, request: Request) -> ASGIApp:
        form = negotiate(request.headers, (JSON, EVENTS))
        if form == EVENTS and is_allowed(request.headers, JSON):
            form = JSON  # whichever the caller names first
        text = await read_body(request, MAX_BODY)
        content_type(request, (JSON,))
        address = self.http.caller_address(request.scope)
        own = resolver_response(request) if self.http.server.is_live else None
        caller = Caller(address, Channel.MCP, request=request, response=own)

        def watch(_: Id, work: Work) -> Work:
            return run_until_disconnect(request, work)

        answer = await self.http.server.exchange(text, request.headers, caller, watch)
        request.scope[CALLER_NAME] = next(iter(caller.names), "")
        if caller.tools:
            request.scope[ROUTE] = f"{PATH}#{caller.tools[0]}"
        if answer.subscription is not None:
            return self._stream(answer.subscription, request)
        response = _response(answer, form, rate_headers(caller.rate_limits))
        if own is not None:
            with_headers(response, own)
        return response

    def _stream(self, subscription: Subscription, request: Request) -> ASGIApp:
        """Return the response that sends a stream's messages until the client has gone."""
        if not is_allowed(request.headers, EVENTS):
            raise NotAcceptableError(
                "Listening is answered with a stream of events.",
                [FieldProblem("Accept", "must allow the stream", (EVENTS,))],
            )
        if len(self.listening) >= MAX_LISTENING:
            raise UnavailableError("Too many clients are listening. Try again later.")
        stop = anyio.Event()

        self.listening.add(stop)

        async def frames() -> AsyncIterator[dict[str, str]]:
            async for message in subscription.messages(stop.is_set):
                yield {"event": "message", "data": message.decode()}

        async def close() -> None:
            self.listening.discard(stop)

        return event_response(frames(), _HEADERS, stop, close)

    def _check_origin(self, request: Request) -> None:
        """Raise `ForbiddenError` for pages of other origins.

        Such a page could reach a service that only its reader's machine can reach. Requests
        without an origin, our own pages and, where nobody is logged in or the service is on this
        machine, pages on it are allowed. Browsers write an origin in one way only, so any other
        text is none.
        """
        own = origin_of(self.http.base_url)
        first, *others = request.headers.getlist("origin") or [own]
        is_local = _LOCAL.fullmatch(first) and (
            not self.http.server.is_live or _LOCAL.fullmatch(own)
        )
        if others or not (first == own or is_local):
            raise ForbiddenError(
                "Pages of another origin may not use this endpoint.",
                [FieldProblem("Origin", "must be this service's own", (own,))],
            )


_PREFLIGHT = {
    "allow": ", ".join(METHODS),
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": HEADERS,
}
_HEADERS = {
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": (
        "MCP-Protocol-Version, RateLimit, RateLimit-Policy, Retry-After"
    ),
    "vary": "Accept, Origin",
}


def _response(answer: Answer, form: str, headers: Mapping[str, str]) -> Response:
    """Return the answer as JSON, or as a stream of one event if only that is accepted."""
    if answer.body is None:
        return Response(status_code=answer.status, headers=_HEADERS)
    if form == EVENTS and answer.status == 200:  # noqa: PLR2004 - HTTP's OK
        data = b"event: message\ndata: %b\n\n" % answer.body
        more = {"content-type": EVENTS, "x-accel-buffering": "no"}
    else:
        data, more = answer.body, {"content-type": JSON}
    return Response(data, answer.status, {**_HEADERS, **headers, **more})
