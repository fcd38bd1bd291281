"""Pages: documents of the service itself, in one media type or several."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import negotiate
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.http.ready_answers import keepable
from rest_bridge.representations.rendering import JSON, MARKDOWN, TEXT
from rest_bridge.representations.responses import (
    Relations,
    Representation,
    index_path,
    static_headers,
)
from sdl.operations.operation import with_suffix

Forms = Mapping[str, Representation]
"""A document in each of its media types, the default first."""


@dataclass(frozen=True)
class Page(Endpoint):
    """A document and the endpoint of its path."""

    path: str
    forms: Callable[[], Forms]
    """Returns the document as it is now; it is asked for each request. Raises: ApiError."""
    named: bool = False
    """Whether the path's suffix names the form, so that Accept is ignored."""
    is_kept: bool = True
    """Whether an answer stays ready until the content changes."""

    async def answer(self, request: Request) -> Response:
        """Return the form that the caller prefers. Raises: ApiError."""
        check_no_body(request.headers)
        check_no_parameters(request)
        return self.response(request, is_kept=self.is_kept)

    def response(self, request: Request, *, is_kept: bool = True) -> Response:
        """Return the form that the caller prefers; ignore the query. Raises: ApiError."""
        forms = self.forms()
        offered = tuple(forms)
        form = offered[0] if self.named else negotiate(request.headers, offered)
        if is_kept:
            keepable(request.scope, offered)
        return forms[form].response(request.headers, head=request.method == "HEAD")

    def by_suffix(self) -> list[BaseRoute]:
        """Return the routes of its `.md` and `.json` forms."""
        return [self._only(MARKDOWN, ".md"), self._only(JSON, ".json")]

    def _only(self, form: str, suffix: str) -> Route:
        path = with_suffix(self.path, suffix)
        return Route(path, Page(path, lambda: {form: self.forms()[form]}, named=True))


def page_forms(members: Mapping[str, Any], markdown: str, relations: Relations) -> Forms:
    """Return a document in JSON and markdown; a browser gets the markdown as plain text."""
    headers = static_headers(relations)
    index = f"> The index of everything on this service: {index_path(relations)}"
    text = f"{index}\n\n{markdown}".encode()
    return {
        JSON: Representation.build(orjson.dumps(members), JSON, headers),
        MARKDOWN: Representation.build(text, MARKDOWN, headers),
        TEXT: Representation.build(text, TEXT, headers),
    }
