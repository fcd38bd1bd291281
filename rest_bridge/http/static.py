"""Documents that do not depend on the content, in one media type or several."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import Accept
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.http.ready import repeatable
from rest_bridge.http.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.http.responses import Relations, Representation, index_path, links
from sdl.catalog import with_suffix


@dataclass(frozen=True)
class StaticDocument(Endpoint):
    """A document and the endpoint of its path."""

    path: str
    forms: Mapping[str, Representation]
    named: bool = False
    """Whether the path's suffix names the form, so that Accept is ignored."""

    async def answer(self, request: Request) -> Response:
        """Return the form that the caller prefers. Raises: ApiError."""
        check_no_body(request.headers)
        check_no_parameters(request)
        repeatable(request.scope)
        return self.response(request)

    def response(self, request: Request) -> Response:
        """Return the form that the caller prefers; ignore the query. Raises: ApiError."""
        offered = [*self.forms]
        form = offered[0] if self.named else Accept.parse(request.headers).negotiate(offered)
        return self.forms[form].response(request.headers, head=request.method == "HEAD")

    def by_suffix(self) -> list[BaseRoute]:
        """Return the routes of its `.md` and `.json` forms."""
        return [
            Route(path, StaticDocument(path, {form: self.forms[form]}, named=True))
            for form, suffix in ((MARKDOWN, ".md"), (JSON, ".json"))
            for path in [with_suffix(self.path, suffix)]
        ]


def static_document(
    path: str, json_body: bytes, markdown: str, relations: Relations
) -> StaticDocument:
    """Return a document in JSON and markdown; a browser gets the markdown as plain text."""
    headers = static_headers(relations)
    index = f"> The index of everything on this service: {index_path(relations)}"
    text = f"{index}\n\n{markdown}".encode()
    return StaticDocument(
        path,
        {
            JSON: Representation.build(json_body, JSON, headers),
            MARKDOWN: Representation.build(text, MARKDOWN, headers),
            TEXT: Representation.build(text, TEXT, headers),
        },
    )


def static_headers(relations: Relations) -> dict[str, str]:
    """Return the headers of a response that any cache may store for five minutes."""
    return {
        "cache-control": "public, max-age=300, stale-while-revalidate=86400",
        "link": ", ".join(links(relations)),
    }
