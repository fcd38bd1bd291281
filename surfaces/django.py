"""The context of resolvers that need Django's request: its session and its user."""

from io import BytesIO
from pkgutil import resolve_name  # Django is imported when it is needed, and then it is there
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

_SEEN_BY = (
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
)


async def get_context(request: Request | None, response: Response) -> Any:
    """Return the context that Strawberry's Django views make: a Django request, and `response`.

    Sessions and authentication in `settings.MIDDLEWARE`, or what is derived from them, have seen
    the request; on stdio it is an anonymous one. A session is read, and not written.
    """
    if request is None:
        made = resolve_name("django.http:HttpRequest")()
        made.user = resolve_name("django.contrib.auth.models:AnonymousUser")()
    else:
        made = resolve_name("django.core.handlers.asgi:ASGIRequest")(request.scope, BytesIO())
        seen_by: Any = tuple(map(resolve_name, _SEEN_BY))
        for own in map(resolve_name, resolve_name("django.conf:settings").MIDDLEWARE):
            if isinstance(own, type) and issubclass(own, seen_by):
                own(lambda _: None).process_request(made)
        made.user = await made.auser()  # the attribute would ask the database in the event loop
    return resolve_name("strawberry.django.context:StrawberryDjangoContext")(made, response)
