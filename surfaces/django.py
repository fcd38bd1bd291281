"""Requests pass Django's middleware, and resolvers have Django's request, response and connections.

Django is imported when it is needed: the package does not ask for it.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextvars import copy_context
from functools import partial
from io import BytesIO
from pkgutil import resolve_name
from typing import Any, TypeVar

from anyio import EndOfStream, create_memory_object_stream
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rest_bridge.http.body import read_body
from rest_bridge.http.live import RESPONSE, keep_private
from rest_bridge.http.middleware import CLIENT_CLOSED, ERROR_RESPONSE
from sdl.running.live_errors import REFUSED, Statuses
from sdl.tools.background import cancel_all

_REQUEST, _ANSWER = "surfaces.django.request", "surfaces.django.answer"
"""The keys of Django's request in the scope of the engine, and of the answer in Django's."""
_CORE, _AUTH = "django.core.exceptions", "django.contrib.auth"
_STATUSES = {
    f"{_CORE}:BadRequest": 400,
    f"{_CORE}:ObjectDoesNotExist": 404,
    f"{_CORE}:PermissionDenied": REFUSED,
    f"{_CORE}:ValidationError": 400,
    "django.http:Http404": 404,
}
Result = TypeVar("Result")


class DjangoContext:
    """Makes the context of Strawberry's Django views, from requests that pass Django itself."""

    @property
    def errors(self) -> Statuses:
        """The statuses of Django's exceptions."""
        return {resolve_name(name): status for name, status in _STATUSES.items()}

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return an application in which a request passes `settings.MIDDLEWARE` before `app`."""
        made: list[ASGIApp] = []

        async def within_django(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            if not made:  # now the settings are there, whichever module was imported first
                made.append(_handler(app))
            await made[0](scope, receive, send)

        return within_django

    async def run_sync(self, work: Callable[[], Result]) -> Result:
        """Run what blocks in the thread whose connections Django closes after the request."""
        result: Result = await resolve_name("asgiref.sync:sync_to_async")(work)()
        return result

    async def __call__(self, request: Request | None, response: Any) -> Any:
        """Return the context of one call; on stdio nobody is logged in."""
        if request is None:
            made = await self.run_sync(_anonymous)
            response = _empty_response()
        else:
            made = request.scope[_REQUEST]
            # Read now, as an asynchronous resolver may not ask the database for an attribute.
            await self.run_sync(lambda: bool(getattr(made, "user", None)))
        return resolve_name("strawberry.django.context:StrawberryDjangoContext")(made, response)


get_context = DjangoContext()


def _empty_response() -> Any:
    """Return the response that resolvers get, as Strawberry's Django views make it."""
    response = resolve_name("strawberry.django.views:TemporalHttpResponse")()
    del response.headers["content-type"]
    return response


def _anonymous() -> Any:
    """Return the request of a call that no request has brought."""
    resolve_name("django.db:close_old_connections")()  # no end of a request does it
    made = resolve_name("django.http:HttpRequest")()
    own = ["django.contrib.sessions.middleware:SessionMiddleware"]
    if resolve_name("django.apps:apps").is_installed(_AUTH):
        own.append(f"{_AUTH}.middleware:AuthenticationMiddleware")
    for name in own:
        resolve_name(name)(lambda _: None).process_request(made)
    bool(getattr(made, "user", None))
    return made


class _Answer:
    """What the engine answers to one request, which it does in a task of its own."""

    def __init__(self, app: ASGIApp, scope: Scope, body: bytes, receive: Receive) -> None:
        self.scope, self._app = scope, app
        self._bodies, self._rest = [body], receive
        self._context = copy_context()
        self._sending, self._messages = create_memory_object_stream[Message](0)
        self._task: asyncio.Task[None] | None = None
        self._local = resolve_name("asgiref.sync:AsyncToSync").executors
        self.is_left = self._has_begun = False

    async def begin(self) -> tuple[Message, Message]:
        """Return the start and the first part of the body; of a caller who has left, a stand-in."""
        self._task = asyncio.create_task(self._run())
        try:
            start, first = await self._next(), await self._next()
        except ClientDisconnect:
            start = first = None
        if start is None or first is None:
            self.is_left = True
            return {"status": CLIENT_CLOSED, "headers": ()}, {}
        return start, first

    async def parts(self, message: Message | None) -> AsyncIterator[bytes]:
        """Yield the parts of the body from the first one on."""
        while message is not None:
            yield message.get("body", b"")
            message = await self._next() if message.get("more_body") else None

    async def end(self) -> None:
        """Let the work end with its request."""
        self._sending.close()
        self._messages.close()
        if self._task is not None:
            await cancel_all(self._task)
            if not self._task.cancelled():
                self._task.exception()  # it is told by what waited for it, if anybody did

    async def _next(self) -> Message | None:
        try:
            return await self._messages.receive()
        except EndOfStream:
            if self._task is not None:
                await self._task  # raises what it has raised
            return None

    async def _run(self) -> None:
        async with self._sending:
            try:
                await self._app(self.scope, self._receive, self._send)
            except ClientDisconnect:
                raise
            except Exception as error:
                if self._has_begun or ERROR_RESPONSE not in self.scope:
                    raise
                response = self.scope[ERROR_RESPONSE](self.scope, error)
                await response(self.scope, self._receive, self._send)

    async def _receive(self) -> Message:
        if self._bodies:
            return {"type": "http.request", "body": self._bodies.pop(), "more_body": False}
        # Where the server goes on to read, it keeps the context for what comes on the connection.
        return await asyncio.create_task(self._rest(), context=self._context)  # type: ignore[arg-type]

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            # The thread of synchronous middleware is free from now on, and events go on without it.
            self._has_begun, self._local.current = True, None
        await self._sending.send(message)


def _handler(app: ASGIApp) -> ASGIApp:
    """Return Django's handler, with the engine in the place of its views."""
    sync_to_async = resolve_name("asgiref.sync:sync_to_async")
    thread_of_request = resolve_name("asgiref.sync:ThreadSensitiveContext")
    django_handler: Any = resolve_name("django.core.handlers.asgi:ASGIHandler")
    script_prefix = resolve_name("django.core.handlers.asgi:get_script_prefix")
    set_script_prefix = resolve_name("django.urls:set_script_prefix")
    request_started = resolve_name("django.core.signals:request_started")
    settings = resolve_name("django.conf:settings")
    whole, streaming = map(
        resolve_name, ("django.http:HttpResponse", "django.http:StreamingHttpResponse")
    )

    class Handler(django_handler):  # type: ignore[misc]
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            body = await read_body(Request(scope, receive), sys.maxsize if limit is None else limit)
            scope[RESPONSE] = _empty_response()
            answer = _Answer(app, scope, body, receive)
            # Django's own path is the whole one: its settings and URLs know no prefix of ours.
            prefix, path = scope.get("root_path", ""), scope["path"]
            path = path if f"{path}/".startswith(f"{prefix}/") else prefix + path
            site = scope.get("app_root_path", "")
            seen = {**scope, "path": path, "root_path": site, _ANSWER: answer}
            response = whole()
            async with thread_of_request():
                try:
                    set_script_prefix(script_prefix(seen))
                    await request_started.asend(sender=type(self), scope=seen)
                    request, response = self.create_request(seen, BytesIO(body))
                    if request is not None:
                        response = await self.run_get_response(request)
                    if answer.is_left:
                        raise ClientDisconnect
                    await self.send_response(response, partial(_send_lower, send))
                finally:
                    await answer.end()
                    await sync_to_async((response or whole()).close)()

        async def _get_response_async(self, request: Any) -> Any:
            request.get_host()  # it is a name of ALLOWED_HOSTS, or Django answers 400
            answer = request.scope[_ANSWER]
            answer.scope[_REQUEST] = request
            start, first = await answer.begin()
            headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in start["headers"]}
            is_stream = first.get("more_body", False)
            body = answer.parts(first) if is_stream else first.get("body", b"")
            kind = streaming if is_stream else whole
            response = kind(body, status=start["status"], headers=headers)
            if "content-type" not in headers:
                del response.headers["content-type"]
            response.cookies.update(answer.scope[RESPONSE].cookies)
            return response

    handler: ASGIApp = Handler()
    return handler


async def _send_lower(send: Send, message: Message) -> None:
    """Send a message with headers named as ASGI has them; with a cookie it is for one caller."""
    if "headers" in message:
        headers = MutableHeaders(raw=[(name.lower(), value) for name, value in message["headers"]])
        if "set-cookie" in headers:
            keep_private(headers)
        message["headers"] = headers.raw
    await send(message)
