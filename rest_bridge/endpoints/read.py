"""The endpoint of reads: stored operations that answer a GET of a path in several media types."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from rest_bridge.http.body import check_no_body
from rest_bridge.http.content_signal import content_signal
from rest_bridge.http.endpoint import Endpoint
from rest_bridge.http.negotiation import Accept, plain_types
from rest_bridge.http.query_string import plain_parameters
from rest_bridge.http.ready import repeatable
from rest_bridge.http.rendering import JSON, LINKED_DATA, MARKDOWN, TEXT, rendered
from rest_bridge.http.responses import Relations, Representation, http_date, index_path, links
from rest_bridge.http.similar_paths import similarly_spelled
from sdl.byte_cache import ByteCache
from sdl.catalog import with_suffix
from sdl.errors import ApiError, NotFoundError
from sdl.operation import Operation
from sdl.projection import Projection, read_parameters
from sdl.runner import CurrentSnapshot, Snapshot
from sdl.shape import ObjectShape

NARROWED_BYTES = 8 * 1024 * 1024
"""What the answers to reads with parameters may take, for one revision."""
ENTRY_BYTES = 3_000
"""What an answer takes besides its bodies, about: its key and its headers."""
SUFFIXES = {MARKDOWN: ".md", JSON: ".json", LINKED_DATA: ".jsonld"}


@dataclass(frozen=True)
class ReadEndpoint(Endpoint):
    """The endpoint of one read path."""

    path: str
    forms: Mapping[str, Operation]
    """The operation behind each media type, the default first."""
    current: CurrentSnapshot
    relations: Relations
    only: str | None = None
    """The media type that the path's suffix names; None for a path without a suffix."""

    async def answer(self, request: Request) -> Response:
        """Return the body in the media type that the caller prefers. Raises: ApiError."""
        check_no_body(request.headers)
        media_type = self.only or self._negotiate(Accept.parse(request.headers))
        operation = self.forms[self._form(media_type)]
        snapshot = self.current()
        snapshot.check_path(operation, request.path_params)
        parameters = plain_parameters(request)
        variables, projection = read_parameters(operation, request.path_params, parameters)

        key = (operation.name, self.path, media_type, repr(sorted(variables.items())))

        def render() -> Representation:
            return self._rendered(snapshot, operation, media_type, variables, projection)

        if projection or set(variables) != set(operation.path_variables):
            representation = _remembered(snapshot, (*key, projection.key), render)
        else:
            representation = snapshot.cached(key, render)
        repeatable(request.scope)
        return representation.response(request.headers, head=request.method == "HEAD")

    def error_response(self, error: ApiError, request: Request) -> ASGIApp:
        """Raise the error; for an unknown item, with the paths that are spelled alike."""
        if isinstance(error, NotFoundError) and request.path_params:
            meant = similarly_spelled(request.url.path, self.current())
            raise NotFoundError(error.detail, error.problems, did_you_mean=meant) from None
        raise error

    def _form(self, media_type: str) -> str:
        """Return the form that serves a media type, which may be a general name of it."""
        if media_type in self.forms:
            return media_type
        text = MARKDOWN if MARKDOWN in self.forms else TEXT
        return next((form for form in self.forms if media_type in plain_types(form)), text)

    def _negotiate(self, accept: Accept) -> str:
        offered = [*self.forms]
        for form, operation in self.forms.items():
            offered += text_types(form, operation)
        offered += [
            name for form in self.forms for name in plain_types(form) if name not in offered
        ]
        choice = accept.negotiate(offered)
        in_browser = accept.names("text/html") and not accept.names(MARKDOWN)
        # A browser shows plain text; markdown it would only offer as a download.
        as_text = choice == MARKDOWN and in_browser and accept.choose([TEXT]) is not None
        return TEXT if as_text else choice

    def _rendered(
        self,
        snapshot: Snapshot,
        operation: Operation,
        media_type: str,
        variables: Mapping[str, Any],
        projection: Projection,
    ) -> Representation:
        shape = projection.shape(operation.shape)
        body = projection.body(shape, snapshot.run(operation, variables))
        headers = cache_headers(snapshot, operation, self._links(media_type, variables))
        form = self._form(media_type)
        data = rendered(operation, shape, body, form, index_path(self.relations))
        if form in (MARKDOWN, TEXT) and not isinstance(body, str):
            headers["x-markdown-tokens"] = str(len(data.decode()) // 4)
        return Representation.build(data, media_type, headers)

    def _links(self, media_type: str, variables: Mapping[str, Any]) -> Iterator[str]:
        path = self.path.removesuffix(SUFFIXES[self.only]) if self.only else self.path
        for name, value in variables.items():
            path = path.replace(f"{{{name}}}", str(value))
        for form in self.forms if len(self.forms) > 1 else ():
            if form != media_type and form in SUFFIXES:
                yield f'<{with_suffix(path, SUFFIXES[form])}>; rel="alternate"; type="{form}"'
        yield from links(self.relations)


def text_types(form: str, operation: Operation) -> list[str]:
    """Return the further media types of a form: markdown is text, and a document as text markdown.

    A body that is one string, such as a checkpoint, is no document.
    """
    if form == MARKDOWN:
        return [TEXT]
    return [MARKDOWN] if form == TEXT and isinstance(operation.shape, ObjectShape) else []


def _remembered(
    snapshot: Snapshot, key: Hashable, render: Callable[[], Representation]
) -> Representation:
    """Return what was rendered before for these parameters, if it is still kept."""
    recent: ByteCache[Representation] = snapshot.cached(
        "narrowed reads", lambda: ByteCache(NARROWED_BYTES)
    )
    representation = recent.get(key)
    if representation is None:
        representation = render()
        # the codings of a body are made later, and are shorter than it together
        recent.add(key, representation, ENTRY_BYTES + 2 * len(representation.body))
    return representation


def cache_headers(snapshot: Snapshot, operation: Operation, links: Iterable[str]) -> dict[str, str]:
    """Return the headers of a response by which caches and crawlers go, with these `links`.

    A snapshot without a time of change gets `no-cache`.
    """
    if snapshot.modified is None:
        return {"cache-control": "no-cache", "link": ", ".join(links)}
    cache = operation.cache
    stale = "must-revalidate" if cache.must_revalidate else "stale-while-revalidate=86400"
    signal = snapshot.cached(
        "content signal", lambda: content_signal(snapshot.directory.get("licensing"))
    )
    return {
        **({"content-signal": signal} if signal else {}),
        "cache-control": f"public, max-age={cache.max_age}, {stale}",
        "last-modified": http_date(snapshot.modified),
        "link": ", ".join(links),
    }
