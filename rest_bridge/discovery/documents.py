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
from rest_bridge.http.negotiation import negotiate, plain_types
from rest_bridge.http.query_string import check_no_parameters
from rest_bridge.http.ready_answers import keepable
from rest_bridge.representations.responses import (
    Relations,
    Representation,
    http_date,
    static_headers,
)
from sdl.errors import NotFoundError
from sdl.operations.catalog import IndexEntry
from sdl.operations.operation import Operation
from sdl.running.runner import CurrentSnapshot, Snapshot

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
class AgentInterface:
    """What the catalog for agents needs to know of a document that describes an interface."""

    name: str
    """The last part of its identifier."""
    reaches: Callable[[Operation], bool]
    """Whether a stored operation can be called through it."""
    capabilities: Callable[[Snapshot], Sequence[str]]
    """Return the names of its tools, or of what it does beyond reading."""


@dataclass(frozen=True)
class Document:
    """One document: its path, its media type and the function that builds it."""

    path: str
    media_type: str
    title: str
    note: str
    make: Callable[[DocumentContext], bytes]
    goals: tuple[str, ...] = ()
    """Example goals in callers' words, for the answers to goals."""
    rel: str | None = None
    """The relation of the link to it that every response has; None for no link."""
    parameter: str = ""
    """The parameter of the media type; empty for none."""
    daily: bool = False
    """Whether it changes every day."""
    minor: bool = False
    """Whether the short index leaves it out: its readers know the path, or another one has it."""
    more_paths: Mapping[str, Any] = field(default_factory=dict)
    """OpenAPI path items of other paths that belong to it."""
    more_components: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The components that those refer to, by kind and name."""
    interface: AgentInterface | None = None
    """The interface that it describes; None if it describes none."""
    needs: str = ""
    """The fact of the directory without which there is no such document; empty for none."""

    @property
    def media_types(self) -> list[str]:
        """Its own media type, and the general ones it also has (`application/json` for `+json`)."""
        return [self.media_type, *plain_types(self.media_type)]

    def made(self, context: DocumentContext) -> bytes:
        """Return its text, which is built once for a snapshot unless it changes every day."""
        if self.daily:
            return self.make(context)
        return context.snapshot.cached(("document", self.path), lambda: self.make(context))

    def is_there(self, snapshot: Snapshot) -> bool:
        """Return whether the content has what it is made of."""
        return not self.needs or self.needs in snapshot.directory

    @property
    def index_entry(self) -> IndexEntry:
        """The document's entry in the index."""
        return IndexEntry(
            SECTION, self.title, self.path, self.path, self.note, self.goals, minor=self.minor
        )


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
        offered = tuple(self.document.media_types)
        media_type = negotiate(request.headers, offered)
        snapshot = self.current()
        if not self.document.is_there(snapshot):
            raise NotFoundError(snapshot.words.no_document)
        documents = [document for document in self.documents if document.is_there(snapshot)]
        context = DocumentContext(snapshot, documents, self.relations, self.today())
        day = context.today if self.document.daily else None
        representation = context.snapshot.cached(
            (self.path, media_type, day), lambda: self._represent(context, media_type)
        )
        if day is None:
            keepable(request.scope, offered)
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
        return Representation.build(document.made(context), media_type, headers)


def sentence(text: str) -> str:
    """Return an owner's line with a stop at its end, so that more can follow it."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


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
