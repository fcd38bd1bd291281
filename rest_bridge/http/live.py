"""Calls to live data over HTTP: the caller, the headers of what only it may keep, its origin."""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response

from rest_bridge.http.negotiation import vary_of
from sdl.caller import Caller, Channel
from sdl.errors import FieldProblem, ForbiddenError
from sdl.operations.operation import Operation
from sdl.running.live import empty_response

RESPONSE = "studiograph.response"
"""The key in the scope of the response for resolvers, if it is not Starlette's."""
BODILESS = (204, 205, 304)
"""The statuses of answers without a body. Source: RFC 9110."""
VARY = ("Authorization", "Cookie")
PRIVATE = "private, no-cache"


def live_caller(request: Request) -> Caller:
    """Return the caller of a request, with the request and a response for its resolvers."""
    address = request.client.host if request.client is not None else ""
    return Caller(address, Channel.HTTP, request=request, response=resolver_response(request))


def resolver_response(request: Request) -> Any:
    """Return the response whose status and headers resolvers of a request may set."""
    return request.scope.get(RESPONSE) or empty_response()


def live_headers(operation: Operation, links: Iterable[str], *, is_whole: bool) -> dict[str, str]:
    """Return the headers of a read: only its caller keeps it, unless `@cache` says otherwise.

    What failed, or a part of which failed, is not `is_whole`, and may be better at once.
    """
    cache = operation.cache
    is_public = cache.scope == "PUBLIC" and is_whole
    return {
        "link": ", ".join(links),
        "cache-control": f"public, max-age={cache.max_age}" if is_public else PRIVATE,
        "vary": vary_of(operation, () if is_public else VARY),
    }


def as_set(response: Response, caller: Caller) -> Response:
    """Return a response with the status and the headers that resolvers have set."""
    own = caller.response
    status = own.status_code or response.status_code
    if own.status_code in BODILESS:
        response = Response(None, status, {"cache-control": "no-store"})
    response.status_code = status
    with_headers(response, own)
    if (own.status_code or 0) >= HTTPStatus.BAD_REQUEST:
        keep_private(response.headers)
    response.background = getattr(own, "background", None) or response.background
    return response


def with_headers(response: Response, own: Any) -> None:
    """Give a response the headers that resolvers have set, but those that describe its body.

    One with a cookie is for its caller alone.
    """
    for name, value in own.headers.items():
        if name.lower() == "set-cookie":
            response.headers.append(name, value)
        elif name.lower() not in ("content-length", "content-type", "transfer-encoding"):
            response.headers[name] = value
    if "set-cookie" in response.headers:
        keep_private(response.headers)


def keep_private(headers: MutableHeaders) -> None:
    """Let no shared cache keep a response that has a cookie, or one that chose a status."""
    if headers.get("cache-control", "public").startswith("public"):
        headers["cache-control"] = PRIVATE


def check_same_origin(request: Request, base_url: str) -> None:
    """Raise `ForbiddenError` for a write from a page of another origin.

    A browser sends the cookies of a session with it, whoever wrote the page.
    """
    origin = request.headers.get("origin")
    own = {origin_of(base_url), origin_of(str(request.base_url))}
    if origin is None and request.headers.get("sec-fetch-site") == "cross-site":
        origin = "null"
    if origin is not None and origin.lower() not in own:
        raise ForbiddenError(
            "Pages of another origin may not write here.",
            [FieldProblem("Origin", "must be this service's own", tuple(sorted(own)))],
        )


def origin_of(url: str) -> str:
    """Return the origin of an address, as browsers write it. Source: RFC 6454."""
    parts = urlsplit(url.lower())
    host = parts.netloc.removesuffix(":443" if parts.scheme == "https" else ":80")
    return f"{parts.scheme}://{host}"
