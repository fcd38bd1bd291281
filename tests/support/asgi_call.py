"""Helpers that send one request to an ASGI application and collect log lines."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rest_bridge.http.access_log import access_log

HOSTS = ("localhost", "127.0.0.1", "[::1]", "Studio.Example")

Ask = Callable[..., httpx.Response]
"""A request: `ask(path, method="GET", headers=...)`."""
Headers = list[tuple[bytes, bytes]]
JSON_HEADERS = {"content-type": "application/json"}


async def well(scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers."""
    scope["studiograph.route"] = "/things/{name}"
    headers = {"allow": "GET, HEAD, OPTIONS"} if scope["method"] == "OPTIONS" else {}
    await Response(b"fine", headers=headers)(scope, receive, send)


def raising(error: Exception) -> ASGIApp:
    """An application that does not answer."""

    async def fail(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise error

    return fail


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def take(self, message: Message) -> None:
        """Add a message."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {k.decode(): v.decode() for k, v in message["headers"]}
        else:
            self.body += message.get("body", b"")

    def json(self) -> dict[str, Any]:
        """The body."""
        read: dict[str, Any] = json.loads(self.body)
        return read


def ask(app: ASGIApp, headers: Headers | None = None, **changes: object) -> Answer:
    """One request: `Host: localhost`, unless headers are given."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    return _exchange(app, receive, headers, changes)


def post_and_leave(
    app: ASGIApp, path: str, body: object, headers: Mapping[str, str] = JSON_HEADERS
) -> Answer:
    """A POST of JSON by a caller who has left when the body is read: status 0 is no answer."""
    messages: list[Message] = [{"type": "http.request", "body": json.dumps(body).encode()}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    changes = {"method": "POST", "path": path, "raw_path": path.encode()}
    return _exchange(app, receive, [(b"host", b"localhost"), *raw], changes)


def _exchange(
    app: ASGIApp, receive: Receive, headers: Headers | None, changes: Mapping[str, object]
) -> Answer:
    answer = Answer()
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"",
        "headers": [(b"host", b"localhost")] if headers is None else headers,
        "client": ("192.0.2.1", 4711),
        **changes,
    }

    async def send(message: Message) -> None:
        answer.take(message)

    async def once() -> None:
        await app(scope, receive, send)

    try:
        asyncio.run(once())
    finally:
        access_log.flush()
    return answer


class Kept(logging.Handler):
    """Keeps the lines of a log, formatted."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.lines.append(self.format(record))


@contextmanager
def keeping(name: str) -> Iterator[list[str]]:
    """The lines of a log."""
    access_log.flush()  # what earlier tests left waiting
    logger, kept = logging.getLogger(name), Kept()
    level = logger.level
    logger.addHandler(kept)
    logger.setLevel(logging.INFO)
    yield kept.lines
    access_log.flush()
    logger.setLevel(level)
    logger.removeHandler(kept)


def asking(service: ASGIApp) -> Ask:
    """Requests to a service, answered in this process."""

    async def once(path: str, method: str, **options: object) -> httpx.Response:
        transport = httpx.ASGITransport(service, raise_app_exceptions=False)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost", headers={"accept": "*/*"}
        ) as client:
            return await client.request(method, path, **options)  # type: ignore[arg-type]

    def request(path: str, method: str = "GET", **options: object) -> httpx.Response:
        return asyncio.run(once(path, method, **options))

    return request
