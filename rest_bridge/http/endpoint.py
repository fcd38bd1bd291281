"""The base of all endpoints: the route for the log, the method check, OPTIONS and errors."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import ClassVar, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sdl.errors import ApiError, FieldProblem, MethodNotAllowedError
from sdl.tools.background import cancel_all

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
ROUTE = "studiograph.route"
"""The key in the scope of the path that stands for the request in the log."""
ASKS_SIGNATURE = "studiograph.asks_signature"
"""The key in the scope of a path whose callers may sign their requests."""
VERIFIED_AGENT = "studiograph.verified_agent"
"""The key in the scope of the host of the agent that signed the request."""
CALLER_NAME = "studiograph.caller"
"""The key in the scope of the name that the caller gives itself in the body."""
Result = TypeVar("Result")


class Endpoint(ABC):
    """The ASGI application of one path; subclasses implement `answer`."""

    path: str
    from_anywhere: ClassVar[bool] = False
    """Whether pages of any origin may use every method."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: ApiError."""
        scope[ROUTE] = self.path
        request = Request(scope, receive)
        try:
            response = await self.respond(request)
        except ApiError as error:
            response = self.error_response(error, request)
        await response(scope, receive, send)

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        return SAFE_METHODS

    async def respond(self, request: Request) -> ASGIApp:
        """Return the response to one request. Raises: ApiError."""
        if request.method not in self.methods:
            raise MethodNotAllowedError(
                "This path does not allow this method.",
                [FieldProblem("method", "is not allowed here", self.methods)],
            )
        if request.method == "OPTIONS":
            allowed = ", ".join(self.methods)
            cors = {"access-control-allow-methods": allowed} if self.from_anywhere else {}
            return Response(status_code=204, headers={"allow": allowed, **cors})
        return await self.answer(request)

    @abstractmethod
    async def answer(self, request: Request) -> ASGIApp:
        """Return the response to a request with an allowed method. Raises: ApiError."""

    def error_response(self, error: ApiError, request: Request) -> ASGIApp:
        """Raise the error; override it to return errors in a form of the path's own."""
        del request
        raise error


async def run_until_disconnect(request: Request, work: Coroutine[object, object, Result]) -> Result:
    """Return the result of the work; cancel it as soon as the caller disconnects.

    The body must have been read. Raises: ClientDisconnect.
    """
    working = asyncio.ensure_future(work)
    disconnecting = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait([working, disconnecting], return_when=asyncio.FIRST_COMPLETED)
        if disconnecting.done():
            raise ClientDisconnect
        return working.result()
    finally:
        await cancel_all(working, disconnecting)


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
