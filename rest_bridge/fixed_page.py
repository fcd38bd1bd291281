"""A document that is the same whatever the content is, in one form or several."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from rest_bridge.body import refuse_body
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import negotiate
from rest_bridge.parameters import refuse_parameters
from rest_bridge.replies import Relations, Representation, index_path, links
from schema.directives import MEDIA_TYPES
from sdl.cards import suffixed

JSON, MARKDOWN, TEXT = (MEDIA_TYPES[word] for word in ("JSON", "MARKDOWN", "TEXT"))


@dataclass(frozen=True)
class FixedPage:
    """The ASGI application of one path."""

    path: str
    forms: Mapping[str, Representation]
    named: bool = False
    """Whether the path names the form, so that Accept does not matter."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = self.path
        request = Request(scope)
        check_method(request)
        refuse_body(request.headers)
        refuse_parameters(request)
        response = options() if request.method == "OPTIONS" else self.reply(request)
        await response(scope, receive, send)

    def reply(self, request: Request) -> Response:
        """The form that the caller likes best. Raises: NotAcceptable."""
        form = next(iter(self.forms)) if self.named else negotiate(request.headers, [*self.forms])
        return self.forms[form].reply(request.headers, head=request.method == "HEAD")

    def by_suffix(self) -> list[BaseRoute]:
        """The routes of its forms, each under a path of its own."""
        return [
            Route(named, FixedPage(named, {form: self.forms[form]}, named=True))
            for form, suffix in ((MARKDOWN, ".md"), (JSON, ".json"))
            for named in [suffixed(self.path, suffix)]
        ]


def fixed_page(path: str, told: bytes, markdown: str, relations: Relations) -> FixedPage:
    """A page in JSON and markdown, which a browser gets as plain text."""
    fresh = fresh_headers(relations)
    index = f"> The index of everything on this service: {index_path(relations)}"
    shown = f"{index}\n\n{markdown}".encode()
    return FixedPage(
        path,
        {
            JSON: Representation.of(told, JSON, fresh),
            MARKDOWN: Representation.of(shown, MARKDOWN, fresh),
            TEXT: Representation.of(shown, TEXT, fresh),
        },
    )


def fresh_headers(relations: Relations) -> dict[str, str]:
    """The headers of what every caller may keep for a while."""
    return {
        "cache-control": "public, max-age=300, stale-while-revalidate=86400",
        "link": ", ".join(links(relations)),
    }
