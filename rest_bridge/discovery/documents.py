"""Discovery documents: what one is, what it is built from, and its endpoint."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import Accept, plain_types
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.http.responses import Relations, Representation, http_date
from rest_bridge.http.static import static_headers
from sdl.catalog import IndexEntry
from sdl.runner import CurrentSnapshot, Snapshot

SECTION = "Machine-readable descriptions"


@dataclass(frozen=True)
class DocumentContext:
    """The data that a document is built from."""

    snapshot: Snapshot
    documents: Sequence["Document"]
    relations: Relations
    today: date

    @property
    def directory(self) -> Mapping[str, Any]:
        """The provider, the licensing policy and the index of everything that can be read."""
        return self.snapshot.directory

    def url(self, path: str) -> str:
        """Return the absolute address of a path."""
        return f"{self.directory['baseUrl']}{path}"


@dataclass(frozen=True)
class Document:
    """One document: its path, its media type and the function that builds it."""

    path: str
    media_type: str
    title: str
    note: str
    make: Callable[[DocumentContext], bytes]
    rel: str | None = None
    """The relation of the link to it that every response has; None for no link."""
    parameter: str = ""
    """The parameter of the media type; empty for none."""
    daily: bool = False
    """Whether it changes every day."""
    more_paths: Mapping[str, Any] = field(default_factory=dict)
    """OpenAPI path items of other paths that belong to it."""

    @property
    def media_types(self) -> list[str]:
        """Its own media type, and the general ones it also has (`application/json` for `+json`)."""
        return [self.media_type, *plain_types(self.media_type)]

    @property
    def index_entry(self) -> IndexEntry:
        """The document's entry in the index."""
        return IndexEntry(SECTION, self.title, self.path, self.path, self.note)


@dataclass(frozen=True)
class DocumentEndpoint(Endpoint):
    """The endpoint of one document."""

    document: Document
    documents: Sequence[Document]
    current: CurrentSnapshot
    relations: Relations
    today: Callable[[], date]

    @property
    def path(self) -> str:  # type: ignore[override]
        """The document's path."""
        return self.document.path

    async def answer(self, request: Request) -> Response:
        """Return the document for the current revision and day. Raises: ApiError."""
        check_no_body(request.headers)
        check_no_parameters(request)
        media_type = Accept.parse(request.headers).negotiate(self.document.media_types)
        context = DocumentContext(self.current(), self.documents, self.relations, self.today())
        day = context.today if self.document.daily else None
        representation = context.snapshot.cached(
            (self.path, media_type, day), lambda: self._represent(context, media_type)
        )
        return representation.response(request.headers, head=request.method == "HEAD")

    def _represent(self, context: DocumentContext, media_type: str) -> Representation:
        document, modified = self.document, context.snapshot.modified
        headers = static_headers(self.relations)
        if modified is not None:
            midnight = datetime.combine(context.today, time(), UTC).timestamp()
            newest = max(modified, midnight if document.daily else 0)
            headers["last-modified"] = http_date(newest)
        if document.parameter and media_type == document.media_type:
            headers["content-type"] = f"{media_type}; {document.parameter}"
        return Representation.build(document.make(context), media_type, headers)


def document_routes(
    documents: Sequence[Document],
    current: CurrentSnapshot,
    relations: Relations,
    today: Callable[[], date],
) -> list[BaseRoute]:
    """Return a route for each document."""
    return [
        Route(d.path, DocumentEndpoint(d, documents, current, relations, today)) for d in documents
    ]
