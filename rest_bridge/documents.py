"""Documents about the service, made of what stored operations and other documents say."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from rest_bridge.body import refuse_body
from rest_bridge.fixed_page import fresh_headers
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import negotiate, plain_types
from rest_bridge.parameters import refuse_parameters
from rest_bridge.replies import Relations, Representation, http_date
from sdl.cards import Card
from sdl.runner import Now, Reading

SECTION = "Machine-readable descriptions"


@dataclass(frozen=True)
class Facts:
    """What a document is made of."""

    reading: Reading
    documents: Sequence["Document"]
    relations: Relations
    today: date

    @cached_property
    def directory(self) -> Mapping[str, Any]:
        """Who answers here, under which terms, and everything that can be read."""
        found: Mapping[str, Any] = self.reading.read("GetDirectory")
        return found

    def url(self, path: str) -> str:
        """The absolute address of a path."""
        return f"{self.directory['baseUrl']}{path}"


@dataclass(frozen=True)
class Document:
    """One document: where it is, what it is, and how it is made."""

    path: str
    media_type: str
    title: str
    note: str
    make: Callable[[Facts], bytes]
    rel: str | None = None
    """The link relation under which every answer points to it."""
    parameter: str = ""
    """The parameter of the media type, where it has one."""
    daily: bool = False
    """Whether it changes from day to day."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Paths that belong to it, as OpenAPI describes them."""

    @property
    def media_types(self) -> list[str]:
        """Its own media type, and the plain ones that it is a case of."""
        return [self.media_type, *plain_types(self.media_type)]

    @property
    def card(self) -> Card:
        """The document as the index shows it."""
        return Card(SECTION, self.title, self.path, self.path, self.note)


@dataclass(frozen=True)
class Page:
    """The ASGI application of one document."""

    document: Document
    documents: Sequence[Document]
    now: Now
    relations: Relations
    today: Callable[[], date]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = self.document.path
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        check_method(request)
        if request.method == "OPTIONS":
            return options()
        refuse_body(request.headers)
        refuse_parameters(request)
        media_type = negotiate(request.headers, self.document.media_types)
        return self._keep(media_type).reply(request.headers, head=request.method == "HEAD")

    def _keep(self, media_type: str) -> Representation:
        """The document of this reading and this day."""
        reading, today, key = self.now(), self.today(), (self.document.path, media_type)
        kept: tuple[date, Representation] | None = reading.kept.get(key)
        if kept is None or kept[0] != today:
            facts = Facts(reading, self.documents, self.relations, today)
            kept = reading.kept[key] = (today, self._represent(facts, media_type))
        return kept[1]

    def _represent(self, facts: Facts, media_type: str) -> Representation:
        document = self.document
        day = datetime.combine(facts.today, time(), UTC).timestamp()
        midnight = day if document.daily else 0
        headers = {
            **fresh_headers(self.relations),
            "last-modified": http_date(max(facts.reading.modified, midnight)),
        }
        if document.parameter and media_type == document.media_type:
            headers["content-type"] = f"{media_type}; {document.parameter}"
        return Representation.of(document.make(facts), media_type, headers)


def document_routes(
    documents: Sequence[Document], now: Now, relations: Relations, today: Callable[[], date]
) -> list[BaseRoute]:
    """A route for each document."""
    return [Route(d.path, Page(d, documents, now, relations, today)) for d in documents]
