"""The endpoint of reads: stored operations that answer a GET of a path in several media types."""

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from rest_bridge.http.body import check_no_body
from rest_bridge.http.endpoint import Endpoint, run_until_disconnect
from rest_bridge.http.live import as_set, live_caller, live_headers
from rest_bridge.http.negotiation import negotiate, plain_types
from rest_bridge.http.query_string import check_one_line, plain_parameters, route_path
from rest_bridge.http.ready_answers import keepable
from rest_bridge.representations.rendering import (
    LINKED_DATA,
    MARKDOWN,
    TEXT,
    Places,
    rendered,
)
from rest_bridge.representations.responses import (
    Relations,
    Representation,
    cache_headers,
    index_path,
    links,
)
from rest_bridge.representations.similar_paths import similarly_spelled
from sdl.arguments.projection import Projection, read_parameters
from sdl.errors import ApiError, NotFoundError
from sdl.operations.operation import (
    AFTER,
    ERRORS,
    SUFFIXES,
    Operation,
    filled,
    form_paths,
    next_page,
)
from sdl.running.public_query import QueryWorker
from sdl.running.runner import CurrentSnapshot, Snapshot
from sdl.tools.byte_cache import ByteCache
from sdl.types.shape import ObjectShape

NARROWED_BYTES = 8 * 1024 * 1024
"""What the answers to reads with parameters may take, for one revision."""
ENTRY_BYTES = 3_000
"""What an answer takes besides its bodies, about: its key and its headers."""
LONG_SECONDS = 0.0005
"""What takes longer is made in a thread from then on, which costs a tenth of a millisecond."""


@dataclass(frozen=True)
class ReadEndpoint(Endpoint):
    """The endpoint of one read path."""

    path: str
    forms: Mapping[str, Operation]
    """The operation behind each media type, the default first."""
    current: CurrentSnapshot
    relations: Relations
    worker: QueryWorker
    """Makes what takes long beside the event loop."""
    only: str | None = None
    """The media type that the path's suffix names; None for a path without a suffix."""

    async def answer(self, request: Request) -> Response:
        """Return the body in the media type that the caller prefers. Raises: ApiError."""
        check_no_body(request.headers)
        media_type = self.only or negotiate(request.headers, self.offered)
        operation = self.forms[self.served[media_type]]
        snapshot = self.current()
        check_one_line(request.path_params)
        snapshot.check_path(operation, request.path_params)
        parameters = plain_parameters(request, self._parameters)
        texts = {**request.path_params, **values_from_headers(operation, request.headers)}
        variables, projection = read_parameters(operation, texts, parameters)
        if snapshot.is_live:
            return await self._live(
                request, snapshot, operation, media_type, variables, projection, parameters
            )

        key = (operation.name, self.path, media_type, repr(sorted(variables.items())))

        def render() -> Representation:
            links = self._links(snapshot, media_type, request.path_params, parameters)
            return self._rendered(snapshot, operation, media_type, variables, projection, links)

        # Only paths that a list fills are as many as its items; of others anybody makes more.
        is_finite = operation.rest is not None and operation.rest.each is not None
        is_one = set(variables) == set(operation.path_variables)
        if projection or not is_one or (variables and not is_finite):
            representation = await _narrowed(snapshot, (*key, projection.key), render, self.worker)
        else:
            representation = snapshot.cached(key, render)
        keepable(request.scope, self.offered)
        return representation.response(request.headers, head=request.method == "HEAD")

    async def _live(  # noqa: PLR0913, PLR0917 - what one read is
        self,
        request: Request,
        snapshot: Snapshot,
        operation: Operation,
        media_type: str,
        variables: Mapping[str, Any],
        projection: Projection,
        parameters: Sequence[tuple[str, str]],
    ) -> Response:
        """Return the body as it is now for this caller, under which nothing is kept."""
        caller = live_caller(request)
        running = snapshot.run_async(operation, variables, caller)
        body = await run_until_disconnect(request, running)
        shape, following = projection.shape(operation.shape), next_page(operation, body)
        if projection:
            body = projection.body(shape, body)
        links = [*self._links(snapshot, media_type, request.path_params, parameters)]
        form = self.served[media_type]
        data = rendered(operation, shape, body, form, self._places())
        if following is not None:
            again = [(name, text) for name, text in parameters if name != AFTER]
            query = urlencode([*again, (AFTER, following)])
            path = f"{snapshot.path(filled(self.path, request.path_params))}?{query}"
            links.append(f'<{path}>; rel="next"')
            data += f"\nNext page: {path}\n".encode() if form == MARKDOWN else b""
        status = operation.status_of(body)
        is_whole = status < HTTPStatus.BAD_REQUEST and not (
            isinstance(body, dict) and body.get(ERRORS)
        )
        headers = live_headers(operation, links, is_whole=is_whole)
        representation = Representation.build(data, media_type, headers, status)
        is_head = request.method == "HEAD"
        return as_set(representation.response(request.headers, head=is_head), caller)

    def _places(self, addresses: Sequence[str] = ()) -> Places:
        return Places(index_path(self.relations), addresses)

    @cached_property
    def _parameters(self) -> frozenset[str]:
        """The names that the operations themselves have for parameters."""
        own = (variable.name for form in self.forms.values() for variable in form.variables)
        return frozenset(own)

    def error_response(self, error: ApiError, request: Request) -> ASGIApp:
        """Raise the error; for an unknown item, with the paths that are spelled alike."""
        if isinstance(error, NotFoundError) and request.path_params:
            snapshot = self.current()
            meant = map(snapshot.path, similarly_spelled(route_path(request.scope), snapshot))
            raise NotFoundError(error.detail, error.problems, did_you_mean=tuple(meant)) from None
        raise error

    @cached_property
    def served(self) -> Mapping[str, str]:
        """The form behind each media type that a caller may ask for, the default first."""
        if self.only is not None:
            return {self.only: self.only}
        served = {form: form for form in self.forms}
        texts = [(name, form) for form, o in self.forms.items() for name in text_types(form, o)]
        general = [(name, form) for form in self.forms for name in plain_types(form)]
        for name, form in (*texts, *general):
            served.setdefault(name, form)
        return served

    @cached_property
    def offered(self) -> tuple[str, ...]:
        """The media types that a caller may ask for, the default first."""
        return tuple(self.served)

    def _rendered(  # noqa: PLR0913, PLR0917 - what one read is
        self,
        snapshot: Snapshot,
        operation: Operation,
        media_type: str,
        variables: Mapping[str, Any],
        projection: Projection,
        links: Iterable[str],
    ) -> Representation:
        shape = projection.shape(operation.shape)
        body = snapshot.run(operation, variables, partial(projection.write, shape))
        headers, form = cache_headers(snapshot, operation, links), self.served[media_type]
        addresses: Sequence[str] = ()
        if form in (MARKDOWN, LINKED_DATA):
            all_of = snapshot.addresses(operation, variables)
            addresses = projection.sliced(operation.shape, all_of)
        data = rendered(operation, shape, body, form, self._places(addresses))
        if form in (MARKDOWN, TEXT) and not isinstance(body, str):
            headers["x-markdown-tokens"] = str(len(data.decode()) // 4)
        return Representation.build(data, media_type, headers, operation.status_of(body))

    def _links(
        self,
        snapshot: Snapshot,
        media_type: str,
        values: Mapping[str, str],
        parameters: Sequence[tuple[str, str]],
    ) -> Iterator[str]:
        """Yield the links of an answer: to the same in its other forms, and of every answer."""
        path = self.path.removesuffix(SUFFIXES[self.only]) if self.only else self.path
        path, query = snapshot.path(filled(path, values)), urlencode(parameters)
        paths = form_paths(path, self.forms)
        for form in self.forms:
            if form != media_type and form in paths:
                target = f"{paths[form]}?{query}" if query else paths[form]
                yield f'<{target}>; rel="alternate"; type="{form}"'
        yield from links(self.relations)


def header_texts(operation: Operation, headers: Headers) -> dict[str, str]:
    """Return the headers that fill variables; joins repeated ones. Source: RFC 9110 5.3."""
    names = [variable.header for variable in operation.variables if variable.header is not None]
    return {name: ", ".join(headers.getlist(name)) for name in names if name in headers}


def values_from_headers(operation: Operation, headers: Headers) -> dict[str, str]:
    """Return the texts of the variables that headers fill."""
    texts = header_texts(operation, headers)
    return {own.name: texts[own.header] for own in operation.variables if own.header in texts}


def text_types(form: str, operation: Operation) -> list[str]:
    """Return the other types of a form: text for markdown, and markdown for a document as text.

    A body that is one string, such as a checkpoint, is no document.
    """
    if form == MARKDOWN:
        return [TEXT]
    return [MARKDOWN] if form == TEXT and isinstance(operation.shape, ObjectShape) else []


async def _narrowed(
    snapshot: Snapshot,
    key: tuple[Hashable, ...],
    render: Callable[[], Representation],
    worker: QueryWorker,
) -> Representation:
    """Return what was rendered before for these parameters, or render it.

    Where that takes long for an operation, whose name begins the key, others are not to wait.
    """
    recent, long = snapshot.cached("narrowed reads", _no_reads)
    representation: Representation | None = recent.get(key)
    if representation is None:
        if key[0] in long:
            representation = await worker.run(render)
        else:
            began = time.perf_counter()
            representation = render()
            if time.perf_counter() - began > LONG_SECONDS:
                long.add(key[0])
        # the codings of a body are made later, and are shorter than it together
        recent.add(key, representation, ENTRY_BYTES + 2 * len(representation.body))
    return representation


def _no_reads() -> tuple[ByteCache[Representation], set[Hashable]]:
    """Return a cache of reads with parameters, and the operations of which one took long."""
    return ByteCache(NARROWED_BYTES), set()
