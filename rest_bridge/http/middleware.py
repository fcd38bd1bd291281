"""The outermost layer: size limits, the Host check, errors, common headers, the access log.

Only the text of an `ApiError` is sent, and logged in one line. Any other exception becomes a 500
without its text, logged with its traceback and the request id.
"""

import hmac
import logging
import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rest_bridge.http.endpoint import READS
from rest_bridge.http.responses import problem
from sdl.errors import (
    ApiError,
    FieldProblem,
    HeadersTooLargeError,
    InternalError,
    MisdirectedError,
    UriTooLongError,
)

MAX_URI = 8 * 1024
MAX_HEADERS = 16 * 1024
MAX_AGENT = 120
CLIENT_CLOSED = 499
"""Logged, never sent: the caller disconnected before the response was complete."""
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, X-Markdown-Tokens, X-Request-Id"

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?")

access_log = logging.getLogger("studiograph.access")
error_log = logging.getLogger("studiograph.faults")


@dataclass
class RequestGuard:
    """The outermost ASGI application: checks each request, then passes it to `app`."""

    app: ASGIApp
    hosts: Iterable[str]
    link: str = ""
    """The Link header of responses without one of their own."""

    def __post_init__(self) -> None:
        self.hosts = frozenset(host.lower() for host in self.hosts)
        self.address_hasher = AddressHasher()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        recorder = ResponseRecorder(scope, send, self.link)
        try:
            self._check_request(scope)
            await self.app(scope, receive, recorder.send)
        except ClientDisconnect:
            recorder.status = CLIENT_CLOSED
        except Exception as error:
            if recorder.status:  # the response has begun, so no other can be sent
                error_log.exception("request %s failed amid its answer", recorder.request_id)
                raise
            await self._send_error(recorder, _to_studio_error(error), scope, receive)
        finally:
            recorder.log(self.address_hasher)

    async def _send_error(
        self, recorder: "ResponseRecorder", error: ApiError, scope: Scope, receive: Receive
    ) -> None:
        if (cause := error.__cause__) is not None:
            trace = error if isinstance(error, InternalError) else None
            names = (recorder.request_id, error.code, type(cause).__name__)
            error_log.error("request %s: %s, %s", *names, exc_info=trace)
        response = problem(error, recorder.request_id)
        if scope["method"] == "HEAD":
            response.body = b""
        await response(scope, receive, recorder.send)

    def _check_request(self, scope: Scope) -> None:
        """Raise `ApiError` for a URI or headers over the limit, or a foreign Host."""
        query = scope["query_string"]
        uri = len(scope.get("raw_path") or scope["path"]) + len(query) + bool(query)
        if uri > MAX_URI:
            raise UriTooLongError(
                f"Path and query together may have at most {MAX_URI} bytes.",
                [FieldProblem("path", "is too long")],
            )
        header_bytes = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        if header_bytes > MAX_HEADERS:
            raise HeadersTooLargeError(
                f"All headers together may have at most {MAX_HEADERS} bytes."
            )
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or _host_name(hosts[0]) not in self.hosts:
            raise MisdirectedError(
                "The Host header is not a name of this service; its owner can add names to"
                " STUDIOGRAPH_ALLOWED_HOSTS.",
                [FieldProblem("Host", "is not a name of this service")],
            )


class ResponseRecorder:
    """Completes the headers of one response and records what the access log needs."""

    def __init__(self, scope: Scope, send: Send, link: str = "") -> None:
        self.scope = scope
        self.link = link
        self.request_id = secrets.token_hex(8)
        self.status = 0
        self.bytes = 0
        self._send = send
        self._began = time.perf_counter()

    async def send(self, message: Message) -> None:
        """Send a message; complete its headers and count its bytes."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._complete(MutableHeaders(scope=message))
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)

    def _complete(self, headers: MutableHeaders) -> None:
        headers["x-request-id"] = self.request_id
        if self.link:
            headers.setdefault("link", self.link)
        headers["x-content-type-options"] = "nosniff"
        headers["content-security-policy"] = "default-src 'none'; frame-ancestors 'none'; sandbox"
        headers["referrer-policy"] = "no-referrer"
        headers["cross-origin-resource-policy"] = "cross-origin"
        if self.scope["method"] in READS:
            headers["access-control-allow-origin"] = "*"
            headers["access-control-expose-headers"] = EXPOSED
        if self.scope["method"] == "OPTIONS" and self.status < 300:  # noqa: PLR2004 - success
            allowed = headers.get("allow", "").split(", ")
            readable = ", ".join(method for method in allowed if method in READS)
            headers.setdefault("access-control-allow-methods", readable)
            headers.setdefault(
                "access-control-allow-headers", "Accept, Content-Type, If-None-Match"
            )
            headers["access-control-max-age"] = "86400"

    def log(self, address_hasher: "AddressHasher") -> None:
        """Write one JSON line: the route, the status, the time; never a value that was sent."""
        agent = Headers(scope=self.scope).get("user-agent", "")
        client = self.scope.get("client") or ("", 0)
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "route": self.scope.get("studiograph.route", "-"),
            "status": self.status,
            "ms": round((time.perf_counter() - self._began) * 1000, 2),
            "bytes": self.bytes,
            "request_id": self.request_id,
            "address": address_hasher.hash(client[0]),
            "agent": agent.encode("unicode_escape").decode()[:MAX_AGENT],
        }
        access_log.info(orjson.dumps(line).decode())


class AddressHasher:
    """Hashes addresses with HMAC-SHA256 under a key that changes daily and is never stored."""

    def __init__(self) -> None:
        self._day = ""
        self._key = b""

    def hash(self, address: str) -> str:
        """Return the first 8 bytes of the hash in hexadecimal."""
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        if today != self._day:
            self._day, self._key = today, secrets.token_bytes(32)
        return hmac.digest(self._key, address.encode(), "sha256")[:8].hex()


def _to_studio_error(error: Exception) -> ApiError:
    """Return the error itself, or an `InternalError` with it as its cause."""
    if isinstance(error, ApiError):
        return error
    internal = InternalError("Internal error; report the request id to have it looked up.")
    internal.__cause__ = error
    return internal


def _host_name(host: str) -> str:
    """Return the name without its port; empty if it is invalid. Source: RFC 9110 section 7.2."""
    match = _HOST.fullmatch(host.strip().lower())
    return match[1].removesuffix(".") if match else ""
