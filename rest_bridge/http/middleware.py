"""The one layer in front of everything: limits, Host, errors, headers, one log line a request.

Nothing of an exception is ever sent. What a caller did wrong is one log line; what we did wrong is
a traceback in the log, beside the request's id.
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
    FieldProblem,
    HeadersTooLargeError,
    InternalError,
    MisdirectedError,
    StudioError,
    UriTooLongError,
)

MAX_URI = 8 * 1024
MAX_HEADERS = 16 * 1024
MAX_AGENT = 120
CLIENT_CLOSED = 499
"""Logged, never sent: the caller left before the request was whole."""
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, X-Markdown-Tokens, X-Request-Id"

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[^\s:/@\[\]]+)(?::[0-9]{1,5})?")

access_log = logging.getLogger("studiograph.access")
error_log = logging.getLogger("studiograph.faults")


@dataclass
class RequestGuard:
    """The outermost ASGI application."""

    app: ASGIApp
    hosts: Iterable[str]
    link: str = ""
    """The Link header of answers that have none of their own."""

    def __post_init__(self) -> None:
        self.hosts = frozenset(host.lower() for host in self.hosts)
        self.pseudonyms = AddressHasher()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever it is."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = ResponseRecorder(scope, send, self.link)
        try:
            self._admit(scope)
            await self.app(scope, receive, exchange.send)
        except ClientDisconnect:
            exchange.status = CLIENT_CLOSED
        except Exception as error:
            if exchange.status:  # too late for another answer
                error_log.exception("request %s failed amid its answer", exchange.request_id)
                raise
            await self._refuse(exchange, _named(error), scope, receive)
        finally:
            exchange.log(self.pseudonyms)

    async def _refuse(
        self, exchange: "ResponseRecorder", error: StudioError, scope: Scope, receive: Receive
    ) -> None:
        if (cause := error.__cause__) is not None:
            trace = error if isinstance(error, InternalError) else None
            named = (exchange.request_id, error.code, type(cause).__name__)
            error_log.error("request %s: %s, %s", *named, exc_info=trace)
        response = problem(error, exchange.request_id)
        if scope["method"] == "HEAD":
            response.body = b""
        await response(scope, receive, exchange.send)

    def _admit(self, scope: Scope) -> None:
        query = scope["query_string"]
        uri = len(scope.get("raw_path") or scope["path"]) + len(query) + bool(query)
        if uri > MAX_URI:
            raise UriTooLongError(
                f"An address here has at most {MAX_URI} bytes.",
                [FieldProblem("path", "is too long")],
            )
        block = sum(len(name) + len(value) + 4 for name, value in scope["headers"])
        if block > MAX_HEADERS:
            raise HeadersTooLargeError(
                f"All headers together may have at most {MAX_HEADERS} bytes."
            )
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or _host_name(hosts[0]) not in self.hosts:
            raise MisdirectedError(
                "The Host header names another service; the owner lists names in"
                " STUDIOGRAPH_ALLOWED_HOSTS.",
                [FieldProblem("Host", "is not one of this service's names")],
            )


class ResponseRecorder:
    """One request and its answer: completes the headers, remembers what the log says."""

    def __init__(self, scope: Scope, send: Send, link: str = "") -> None:
        self.scope = scope
        self.link = link
        self.request_id = secrets.token_hex(8)
        self.status = 0
        self.bytes = 0
        self._send = send
        self._began = time.perf_counter()

    async def send(self, message: Message) -> None:
        """Pass a message on, counted and completed."""
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

    def log(self, pseudonyms: "AddressHasher") -> None:
        """One JSON line: what was asked by its route, how it went, never what was sent."""
        agent = Headers(scope=self.scope).get("user-agent", "")
        client = self.scope.get("client") or ("", 0)
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "route": self.scope.get("studiograph.route", "-"),
            "status": self.status,
            "ms": round((time.perf_counter() - self._began) * 1000, 2),
            "bytes": self.bytes,
            "request_id": self.request_id,
            "address": pseudonyms.hash(client[0]),
            "agent": agent.encode("unicode_escape").decode()[:MAX_AGENT],
        }
        access_log.info(orjson.dumps(line).decode())


class AddressHasher:
    """Addresses as HMAC-SHA256 under a key that lives for one day and in memory alone."""

    def __init__(self) -> None:
        self._day = ""
        self._key = b""

    def hash(self, address: str) -> str:
        """The first 8 bytes, as hexadecimal digits."""
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        if today != self._day:
            self._day, self._key = today, secrets.token_bytes(32)
        return hmac.digest(self._key, address.encode(), "sha256")[:8].hex()


def _named(error: Exception) -> StudioError:
    """The error, or our own fault with it as the cause."""
    if isinstance(error, StudioError):
        return error
    internal = InternalError("The fault is ours; the log knows it by this request's id.")
    internal.__cause__ = error
    return internal


def _host_name(host: str) -> str:
    """The name without its port; empty for what is no host. Source: RFC 9110 section 7.2."""
    found = _HOST.fullmatch(host.strip().lower())
    return found[1].removesuffix(".") if found else ""
