"""Documents that do not depend on the content, in one media type or several.

They are written when somebody first asks, or in the background: most readers ask for other things.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
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
from sdl.operations.catalog import with_suffix


@dataclass(frozen=True)
class StaticDocument(Endpoint):
    """A document and the endpoint of its path."""

    path: str
    write: Callable[[], Mapping[str, Representation]]
    """Returns the forms, by media type."""
    named: bool = False
    """Whether the path's suffix names the form, so that Accept is ignored."""

    @cached_property
    def forms(self) -> Mapping[str, Representation]:
        """The document in each of its media types."""
        return self.write()

    async def answer(self, request: Request) -> Response:
        """Return the form that the caller prefers. Raises: ApiError."""
        check_no_body(request.headers)
        check_no_parameters(request)
        keepable(request.scope, tuple(self.forms))
        return self.response(request)

    def response(self, request: Request) -> Response:
        """Return the form that the caller prefers; ignore the query. Raises: ApiError."""
        offered = tuple(self.forms)
        form = offered[0] if self.named else negotiate(request.headers, offered)
        return self.forms[form].response(request.headers, head=request.method == "HEAD")

    def by_suffix(self) -> list[BaseRoute]:
        """Return the routes of its `.md` and `.json` forms."""
        return [
            Route(with_suffix(self.path, suffix), self.only(form, with_suffix(self.path, suffix)))
            for form, suffix in ((MARKDOWN, ".md"), (JSON, ".json"))
        ]

    def only(self, form: str, path: str) -> "StaticDocument":
        """Return the document in one form, at a path that names it."""
        return StaticDocument(path, lambda: {form: self.forms[form]}, named=True)


def static_document(
    path: str,
    members: Callable[[], dict[str, Any]],
    markdown: Callable[[dict[str, Any]], str],
    relations: Relations,
) -> StaticDocument:
    """Return a document in JSON and markdown; a browser gets the markdown as plain text."""

    def write() -> Mapping[str, Representation]:
        document, headers = members(), static_headers(relations)
        index = f"> The index of everything on this service: {index_path(relations)}"
        text = f"{index}\n\n{markdown(document)}".encode()
        return {
            JSON: Representation.build(orjson.dumps(document), JSON, headers),
            MARKDOWN: Representation.build(text, MARKDOWN, headers),
            TEXT: Representation.build(text, TEXT, headers),
        }

    return StaticDocument(path, write)
