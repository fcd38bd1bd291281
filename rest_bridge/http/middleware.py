"""The outermost layer: size limits, the Host check, errors, common headers, the access log.

Only the text of an `ApiError` is sent, and logged in one line. Any other exception becomes a 500
without its text, logged with its traceback and the request id.
"""

import logging
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rest_bridge.http.access_log import access_log, new_request_id
from rest_bridge.http.endpoint import (
    ASKS_SIGNATURE,
    CALLER_NAME,
    ROUTE,
    SAFE_METHODS,
    VERIFIED_AGENT,
)
from rest_bridge.http.query_string import CANONICAL
from rest_bridge.http.ready_answers import KEEPABLE, ReadyAnswers
from rest_bridge.representations.responses import problem
from sdl.errors import (
    ApiError,
    FieldProblem,
    HeadersTooLargeError,
    InternalError,
    InvalidInputError,
    MisdirectedError,
    UnauthorizedError,
    UriTooLongError,
)

PROBES = ("/healthz", "/readyz")
"""What asks for these knows the process by its address alone."""
MAX_URI = 8 * 1024
MAX_HEADERS = 16 * 1024
CLIENT_CLOSED = 499
"""Logged, never sent: the caller disconnected before the response was complete."""
ERROR_RESPONSE = "studiograph.error_response"
"""The key in the scope of what makes the response to an error where that cannot be raised."""
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, X-Markdown-Tokens, X-Request-Id"

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?")

error_log = logging.getLogger("studiograph.faults")


@dataclass
class RequestGuard:
    """The outermost ASGI application: checks each request, then passes it to `app`."""

    app: ASGIApp
    hosts: Iterable[str] | None
    """The names that Host may have; None for any."""
    link: str = ""
    """The Link header of responses without one of their own."""
    ready: ReadyAnswers | None = None
    """Where answers are kept to be sent again; None to keep none."""
    preview: bool = False
    """Whether the content has not been published: `x-preview` says so, and no web page may read."""
    is_shared: bool = True
    """Whether everybody gets the same answers, so that every web page may read them."""
    challenge: str = "Bearer"
    """The `WWW-Authenticate` of a 401."""

    def __post_init__(self) -> None:
        self.hosts = None if self.hosts is None else frozenset(host.lower() for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":  # where another server than ours accepts them
            headers = [*scope["headers"], (b"upgrade", b"websocket")]
            scope = {**scope, "type": "http", "method": "GET", "headers": headers}
            send = _denial(send)
        if scope["type"] != "http":
            try:
                await self.app(scope, receive, send)
            finally:
                access_log.flush()  # the lifespan has ended, and soon the process will
            return
        # Blanks around a value are no part of it (RFC 9110 section 5.5); the parser leaves some.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        recorder = ResponseRecorder(self, scope, send)
        scope[ERROR_RESPONSE] = partial(self._error_response, recorder.request_id)
        table = None
        try:
            table = self.ready.table if self.ready is not None else None
            self._check_request(scope)
            await self.app(scope, receive, recorder.send)
            if table is not None and _is_keepable(scope) and recorder.start and recorder.body:
                table.keep(scope, recorder.start, recorder.body, _route(scope))
        except ClientDisconnect:
            recorder.status = CLIENT_CLOSED
        except Exception as error:
            if recorder.status:  # the response has begun, so no other can be sent
                error_log.exception("request %s failed amid its answer", recorder.request_id)
                raise
            response = self._error_response(recorder.request_id, scope, error)
            await response(scope, receive, recorder.send)
        finally:
            recorder.log()

    def _error_response(self, request_id: str, scope: Scope, raised: Exception) -> Response:
        error = _to_studio_error(raised)
        if (cause := error.__cause__) is not None:
            trace = error if isinstance(error, InternalError) else None
            names = (request_id, error.code, type(cause).__name__)
            error_log.error("request %s: %s, %s", *names, exc_info=trace)
        response = problem(error, request_id)
        if error.status == UnauthorizedError.status:
            own = Headers(error.headers).get("www-authenticate", self.challenge)
            response.headers["www-authenticate"] = own
        if scope["method"] == "HEAD":
            response.body = b""
        return response

    def _check_request(self, scope: Scope) -> None:
        """Raise `ApiError` for a URI or headers over the limit, a foreign Host or a WebSocket."""
        query = scope["query_string"]
        if len(scope.get("raw_path") or scope["path"]) + len(query) + bool(query) > MAX_URI:
            raise too_long()
        header_bytes, hosts, is_upgrade = 0, [], False
        for name, value in scope["headers"]:
            header_bytes += len(name) + len(value) + 4
            if name == b"host":
                hosts.append(value)
            elif name == b"upgrade":
                is_upgrade = is_upgrade or b"websocket" in value.lower()
        if header_bytes > MAX_HEADERS:
            raise HeadersTooLargeError(
                f"All headers together may have at most {MAX_HEADERS} bytes."
            )
        is_own = self.hosts is None or (
            len(hosts) == 1 and _host_name(hosts[0].decode("latin-1")) in self.hosts
        )
        if not is_own and scope["path"] not in PROBES:
            raise MisdirectedError(
                "The Host header is not a name of this service; its published address has one.",
                [FieldProblem("Host", "is not a name of this service")],
            )
        if is_upgrade:
            raise InvalidInputError(
                "This service offers no WebSocket; send the request without Upgrade.",
                [FieldProblem("Upgrade", "must not ask for a WebSocket")],
            )


ACCEPT_SIGNATURE = (
    'sig1=("@authority" "signature-agent";key="sig1");created;expires;tag="web-bot-auth"'
)
"""What agents are asked to sign. Source: RFC 9421 section 5.1, draft of Web Bot Auth."""


def too_long() -> UriTooLongError:
    """Return the error for an address that is too long."""
    return UriTooLongError(
        f"Path and query together may have at most {MAX_URI} bytes.",
        [FieldProblem("path", "is too long")],
    )


_COMMON = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; sandbox"),
    (b"referrer-policy", b"no-referrer"),
)
_SHARED = (b"cross-origin-resource-policy", b"cross-origin")
_READABLE = {
    b"access-control-allow-origin": b"*",
    b"access-control-expose-headers": EXPOSED.encode(),
}
_UNSHARED = ((b"cross-origin-resource-policy", b"same-origin"),)
_UNPUBLISHED = ((b"x-preview", b"not published"), *_UNSHARED)
_PREFLIGHT = (
    (b"access-control-allow-headers", b"Accept, Content-Type, If-None-Match"),
    (b"access-control-max-age", b"86400"),
)


class ResponseRecorder:
    """Completes the headers of one response and records what the access log needs."""

    def __init__(self, guard: RequestGuard, scope: Scope, send: Send) -> None:
        self.scope = scope
        self.request_id = new_request_id()
        self.status = 0
        self.bytes = 0
        self.start: Message | None = None
        self.body: bytes | None = None
        """The body; None before it, and if it comes in parts."""
        self._guard = guard
        self._send = send
        self._began = time.perf_counter()

    async def send(self, message: Message) -> None:
        """Send a message; complete its headers and count its bytes."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = self._completed(message["headers"])
            self.start = message
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            is_whole = not self.bytes and not message.get("more_body", False)
            self.body = body if is_whole else None
            self.bytes += len(body)
        await self._send(message)

    def _completed(self, own: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        """Return the headers of the response with those that all have."""
        headers = [*own, (b"x-request-id", self.request_id.encode())]
        names, method = {name for name, _ in headers}, self.scope["method"]
        if self._guard.link and b"link" not in names:
            headers.append((b"link", self._guard.link.encode("latin-1")))
        if CANONICAL in self.scope:
            headers.append((b"link", f'<{self.scope[CANONICAL]}>; rel="canonical"'.encode()))
        if ASKS_SIGNATURE in self.scope:
            headers.append((b"accept-signature", ACCEPT_SIGNATURE.encode()))
        headers += [header for header in _COMMON if header[0] not in names]
        if self._guard.preview or not self._guard.is_shared:
            headers += _UNPUBLISHED if self._guard.preview else _UNSHARED
            return [header for header in headers if not header[0].startswith(b"access-control-")]
        headers.append(_SHARED)
        if method in SAFE_METHODS:
            if not names.isdisjoint(_READABLE):
                headers = [header for header in headers if header[0] not in _READABLE]
            headers += _READABLE.items()
        if method == "OPTIONS" and self.status < 300:  # noqa: PLR2004 - success
            headers += [header for header in _PREFLIGHT if header[0] not in names]
            if b"access-control-allow-methods" not in names:
                allowed = dict(headers).get(b"allow", b"").decode().split(", ")
                readable = ", ".join(name for name in allowed if name in SAFE_METHODS)
                headers.append((b"access-control-allow-methods", readable.encode()))
        return headers

    def log(self) -> None:
        """Write one JSON line: the route, the status, the time; of what was sent, names alone."""
        client = self.scope.get("client") or ("", 0)
        access_log.write(
            route=_route(self.scope),
            status=self.status,
            began=self._began,
            size=self.bytes,
            request_id=self.request_id,
            peer=client[0],
            headers=self.scope["headers"],
            caller=self.scope.get(CALLER_NAME, ""),
            path=self.scope.get("path", ""),
            verified=self.scope.get(VERIFIED_AGENT, ""),
        )


def _is_keepable(scope: Scope) -> bool:
    """Whether the answer is worth keeping: not under an address that everybody changes."""
    return KEEPABLE in scope and CANONICAL not in scope


def _route(scope: Scope) -> str:
    route: str = scope.get(ROUTE, "-")
    return route


def _denial(send: Send) -> Send:
    """Return a `send` whose response refuses a WebSocket. Source: ASGI, Denial Response."""

    async def deny(message: Message) -> None:
        await send({**message, "type": f"websocket.{message['type']}"})

    return deny


def _to_studio_error(error: Exception) -> ApiError:
    """Return the error itself, or an `InternalError` with it as its cause."""
    if isinstance(error, ApiError):
        return error
    internal = InternalError("Internal error; report the request id to have it looked up.")
    internal.__cause__ = error
    return internal


def _host_name(host: str) -> str:
    """Return the name without its port; empty if it is invalid. Source: RFC 9110 section 7.2."""
    match = _HOST.fullmatch(host.lower())
    return match[1].removesuffix(".") if match else ""
