"""Discovery documents: what one is, what it is built from, and its endpoint."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import partial
from typing import Any

from starlette.routing import BaseRoute, Route

from rest_bridge.http.negotiation import plain_types
from rest_bridge.representations.pages import Forms, Page
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


def sentence(text: str) -> str:
    """Return an owner's line with a stop at its end, so that more can follow it."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def document_routes(
    documents: Sequence[Document],
    current: CurrentSnapshot,
    relations: Relations,
    today: Callable[[], date],
) -> list[BaseRoute]:
    """Return a route for each document, which is made once for a revision, or for a day."""

    def forms(document: Document) -> Forms:
        snapshot = current()
        if not document.is_there(snapshot):
            raise NotFoundError(snapshot.words.no_document)
        known = [own for own in documents if own.is_there(snapshot)]
        context = DocumentContext(snapshot, known, relations, today())
        day = context.today if document.daily else None
        return snapshot.cached((document.path, day), lambda: _forms(document, context))

    return [Route(d.path, Page(d.path, partial(forms, d), is_kept=not d.daily)) for d in documents]


def _forms(document: Document, context: DocumentContext) -> Forms:
    """Return the document for the revision and the day."""
    headers, modified = static_headers(context.relations), context.snapshot.modified
    if modified is not None:
        midnight = datetime.combine(context.today, time(), UTC).timestamp()
        headers["last-modified"] = http_date(max(modified, midnight if document.daily else 0))
    parameter = f"; {document.parameter}" if document.parameter else ""
    own = {"content-type": f"{document.media_type}{parameter}"} if parameter else {}
    text = document.made(context)
    return {
        name: Representation.build(
            text, name, headers | (own if name == document.media_type else {})
        )
        for name in document.media_types
    }
