"""MCP over HTTP: one path that takes messages by POST and describes itself to GET.

Source: MCP streamable HTTP, 2025-03-26 to 2026-07-28, without sessions and without streams of the
server's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_bridge.description import MAX_BODY, PATH, description, description_markdown
from mcp_bridge.messages import INVALID_REQUEST, Refusal, problem_of, refused, told
from mcp_bridge.server import Answer, Server
from schema.caller import Caller, Channel, Spent
from schema.directives import MEDIA_TYPES
from schema.errors import Fault, Forbidden, MethodNotAllowed, NotAcceptable, StudioError
from sdl.cards import suffixed

METHODS = ("GET", "HEAD", "POST", "OPTIONS")
JSON, MARKDOWN = MEDIA_TYPES["JSON"], MEDIA_TYPES["MARKDOWN"]
PAGES = (JSON, MARKDOWN, MEDIA_TYPES["TEXT"])
EVENTS = "text/event-stream"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
HEADERS = (
    "Accept, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name,"
    " Mcp-Session-Id, Last-Event-ID, If-None-Match"
)
"""What a page in a browser may send."""


class Web(Protocol):
    """What of HTTP the roof lends."""

    async def body(self, request: Request, media_type: str, longest: int) -> bytes:
        """The whole body, if it is of that type. Raises: StudioError."""
        ...

    def choose(self, request: Request, offered: Sequence[str]) -> str | None:
        """The offered media type that the caller likes best, if any."""
        ...

    def page(self, path: str, told: bytes, markdown: str, form: str | None) -> ASGIApp:
        """A page in JSON and markdown, or in one of them, with its validators."""
        ...

    def address(self, request: Request) -> str:
        """The caller's network address."""
        ...

    def error_headers(self, error: StudioError) -> Mapping[str, str]:
        """The headers of an error's answer."""
        ...

    def budget_headers(self, spent: Sequence[Spent]) -> Mapping[str, str]:
        """What an answer says of the budgets that it took from."""
        ...


def mcp_routes(server: Server, web: Web, base_url: str) -> list[Route]:
    """The routes of the endpoint and of the forms of its description."""
    told = Description(server, web, base_url, PATH)
    named = [
        Description(server, web, base_url, suffixed(PATH, suffix), form)
        for suffix, form in ((".md", MARKDOWN), (".json", JSON))
    ]
    return [
        Route(PATH, Endpoint(server, web, base_url, told)),
        *(Route(page.path, page) for page in named),
    ]


@dataclass(frozen=True)
class Description:
    """The ASGI application of the description, in every form or in one."""

    server: Server
    web: Web
    base_url: str
    path: str
    form: str | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        offer = self.server.offer
        key = ("description", self.path)
        if key not in offer.reading.kept:
            told = description(offer, self.base_url)
            made = orjson.dumps(told), description_markdown(told)
            offer.reading.kept[key] = self.web.page(self.path, *made, self.form)
        await offer.reading.kept[key](scope, receive, send)


@dataclass(frozen=True)
class Endpoint:
    """The ASGI application of the endpoint."""

    server: Server
    web: Web
    base_url: str
    description: Description

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; an error comes in JSON-RPC's form. Raises: MethodNotAllowed."""
        scope["studiograph.route"] = PATH
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
            await answer(scope, receive, send)
        except MethodNotAllowed:  # of no message, and as on every path
            raise
        except StudioError as error:
            response = self._refusal(error)
            if scope["method"] == "HEAD":
                response.body = b""
            await response(scope, receive, send)

    async def _answer(self, request: Request) -> ASGIApp:
        self._check_origin(request)
        if request.method == "OPTIONS":
            return Response(status_code=204, headers=_PREFLIGHT)
        if request.method == "POST":
            return await self._post(request)
        wants_events = self.web.choose(request, [EVENTS]) is not None
        if request.method not in METHODS or (
            wants_events and self.web.choose(request, PAGES) is None
        ):
            raise _not_taken()
        return self.description

    async def _post(self, request: Request) -> Response:
        form = self.web.choose(request, [JSON]) or self.web.choose(request, [EVENTS])
        if form is None:
            raise _not_acceptable((JSON, EVENTS))
        text = await self.web.body(request, JSON, MAX_BODY)
        caller = Caller(self.web.address(request), Channel.MCP)
        answer = await self.server.exchange(text, request.headers, caller)
        return _sent(answer, form, self.web.budget_headers(caller.spent))

    def _check_origin(self, request: Request) -> None:
        """Nothing, for a request of no page, of our own, or of one on this machine.

        Any other page in a browser could reach a service here that only this machine reaches.
        """
        for origin in request.headers.getlist("origin"):
            if origin != self.base_url and not _is_local(origin):
                raise Forbidden(
                    "Pages of another origin do not reach this endpoint.",
                    [Fault("Origin", "is not this service's", (self.base_url,))],
                )

    def _refusal(self, error: StudioError) -> Response:
        data = refused(None, Refusal(INVALID_REQUEST, told(error), problem_of(error)))
        headers = {**_HEADERS, **self.web.error_headers(error), "content-type": JSON}
        return Response(data, error.status, headers)


_PREFLIGHT = {
    "allow": ", ".join(METHODS),
    "access-control-allow-methods": ", ".join(METHODS),
    "access-control-allow-headers": HEADERS,
}
_HEADERS = {
    "cache-control": "no-store",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "MCP-Protocol-Version, RateLimit, RateLimit-Policy",
    "vary": "Accept, Origin",
}


def _sent(answer: Answer, form: str, headers: Mapping[str, str]) -> Response:
    """The answer as JSON, or as a stream of one event where nothing else is read."""
    if answer.body is None:
        return Response(status_code=answer.status, headers=_HEADERS)
    if form == EVENTS and answer.status == 200:  # noqa: PLR2004 - HTTP's OK
        data = b"event: message\ndata: %b\n\n" % answer.body
        more = {"content-type": EVENTS, "x-accel-buffering": "no"}
    else:
        data, more = answer.body, {"content-type": JSON}
    return Response(data, answer.status, {**_HEADERS, **headers, **more})


def _is_local(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.hostname in LOOPBACK


def _not_taken() -> MethodNotAllowed:
    return MethodNotAllowed(
        "Messages are posted; there is no stream of the server's own and no session to end.",
        [Fault("method", "is not taken here", METHODS)],
    )


def _not_acceptable(forms: tuple[str, ...]) -> NotAcceptable:
    return NotAcceptable(
        "Nothing that the Accept header allows is made here.",
        [Fault("Accept", "names no form of this endpoint", forms)],
    )
