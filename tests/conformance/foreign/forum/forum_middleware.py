"""What the site does with each request: asynchronously, in Django's own way, and as a function."""

from contextvars import ContextVar
from typing import Any

from asgiref.sync import markcoroutinefunction
from django.contrib.auth.models import AnonymousUser, Group, User
from django.http import HttpResponse
from django.utils.deprecation import MiddlewareMixin

WHO: ContextVar[str] = ContextVar("who", default="nobody")
"""What a site may keep of a request, such as a tenant."""


class maintenance:  # noqa: N801 - it is written as a function elsewhere
    async_capable, sync_capable = True, False

    def __init__(self, get_response: Any) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: Any) -> Any:
        if "X-Maintenance" in request.headers:
            return HttpResponse("Back at noon.", status=503, headers={"Retry-After": "60"})
        before = WHO.get()
        if "X-Who" in request.headers:
            WHO.set(request.headers["X-Who"])
        response = await self.get_response(request)
        response["X-Before"] = before
        response["X-Seen"] = f"{request.path} {response.status_code}"
        return response


class TenantMiddleware(MiddlewareMixin):
    def process_request(self, request: Any) -> None:
        request.tenant = Group.objects.get(name="readers").name
        request.read_before = request.body


def stand_in(get_response: Any) -> Any:
    """Let callers be others, or nobody; its database is asked synchronously."""

    def middleware(request: Any) -> Any:
        if name := request.headers.get("X-As"):
            request.user = User.objects.filter(username=name).first() or AnonymousUser()
        return get_response(request)

    return middleware
