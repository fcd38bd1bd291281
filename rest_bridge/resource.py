"""One path: the operations that answer there, in which forms, to which methods."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rest_bridge.atom import ATOM, atom_document
from rest_bridge.body import refuse_body
from rest_bridge.markdown import markdown_document
from rest_bridge.methods import check_method, options
from rest_bridge.negotiation import accepted, choose, negotiate, parse_accept, plain_types
from rest_bridge.parameters import plain_parameters
from rest_bridge.replies import Relations, Representation, http_date, index_path, links
from schema.directives import MEDIA_TYPES
from sdl.cards import suffixed
from sdl.narrowing import Narrowing, read_parameters
from sdl.operation import Operation
from sdl.runner import Now, Reading
from sdl.shape import Shape

JSON, MARKDOWN, TEXT = (MEDIA_TYPES[word] for word in ("JSON", "MARKDOWN", "TEXT"))
SUFFIXES = {MARKDOWN: ".md", JSON: ".json"}


@dataclass(frozen=True)
class Resource:
    """The ASGI application of one path."""

    path: str
    forms: Mapping[str, Operation]
    """The operation behind each media type, the default first."""
    now: Now
    relations: Relations
    only: str | None = None
    """The media type, where the path's suffix names it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises: StudioError."""
        scope["studiograph.route"] = self.path
        response = self._answer(Request(scope))
        await response(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        check_method(request)
        if request.method == "OPTIONS":
            return options()
        refuse_body(request.headers)
        media_type = self.only or self._negotiate(request.headers)
        operation = self.forms[self._form(media_type)]
        reading = self.now()
        reading.check_path(operation, request.path_params)
        given = plain_parameters(request)
        variables, wanted = read_parameters(operation, request.path_params, given)
        if wanted or set(variables) != set(operation.path_variables):
            representation = self._render(reading, operation, media_type, variables, wanted)
        else:
            representation = self._keep(reading, operation, media_type, variables)
        return representation.reply(request.headers, head=request.method == "HEAD")

    def _form(self, media_type: str) -> str:
        """The form behind a media type, which may be a plainer name of it."""
        if media_type in self.forms:
            return media_type
        named = (form for form in self.forms if media_type in plain_types(form))
        return next(named, MARKDOWN)

    def _negotiate(self, headers: Headers) -> str:
        offered = [*self.forms, *([TEXT] if MARKDOWN in self.forms else [])]
        offered += [
            name for form in self.forms for name in plain_types(form) if name not in offered
        ]
        chosen, accept = negotiate(headers, offered), accepted(headers)
        named = [f"{found.kind}/{found.subkind}" for found in parse_accept(accept) if found.quality]
        in_browser = "text/html" in named and MARKDOWN not in named
        shown = chosen == MARKDOWN and in_browser and choose(accept, [TEXT]) is not None
        return TEXT if shown else chosen

    def _keep(
        self, reading: Reading, operation: Operation, media_type: str, variables: Mapping[str, Any]
    ) -> Representation:
        key = (operation.name, self.path, media_type, *sorted(variables.items()))
        kept: Representation | None = reading.kept.get(key)
        if kept is None:
            kept = self._render(reading, operation, media_type, variables, Narrowing())
            reading.kept[key] = kept
        return kept

    def _render(
        self,
        reading: Reading,
        operation: Operation,
        media_type: str,
        variables: Mapping[str, Any],
        wanted: Narrowing,
    ) -> Representation:
        shape = wanted.shape(operation.shape)
        body = wanted.body(shape, reading.run(operation, variables))
        headers = reading_headers(reading, operation, self._links(media_type, variables))
        form = self._form(media_type)
        data = written(operation, shape, body, form, index_path(self.relations))
        if form in (MARKDOWN, TEXT) and not isinstance(body, str):
            headers["x-markdown-tokens"] = str(len(data.decode()) // 4)
        return Representation.of(data, media_type, headers)

    def _links(self, media_type: str, variables: Mapping[str, Any]) -> Iterator[str]:
        path = self.path.removesuffix(SUFFIXES[self.only]) if self.only else self.path
        for name, value in variables.items():
            path = path.replace(f"{{{name}}}", str(value))
        for form in self.forms if len(self.forms) > 1 else ():
            if form != media_type and form in SUFFIXES:
                yield f'<{suffixed(path, SUFFIXES[form])}>; rel="alternate"; type="{form}"'
        yield from links(self.relations)


def written(operation: Operation, shape: Shape, body: Any, form: str, index: str) -> bytes:
    """The body in one of its forms; markdown begins with the path of the index."""
    if form == ATOM:
        return atom_document(body)
    if form == TEXT and isinstance(body, str):
        return body.encode()
    if form not in (MARKDOWN, TEXT):
        return orjson.dumps(body)
    text = markdown_document(operation.title, *operation.inner(shape, body))
    if operation.rest is None or TEXT in operation.rest.media:
        return text.encode()
    return f"> The index of everything on this service: {index}\n\n{text}".encode()


def reading_headers(
    reading: Reading, operation: Operation, pointers: Iterable[str]
) -> dict[str, str]:
    """The headers of an answer made from a reading."""
    cache = operation.cache
    stale = "must-revalidate" if cache.must_revalidate else "stale-while-revalidate=86400"
    return {
        "cache-control": f"public, max-age={cache.max_age}, {stale}",
        "last-modified": http_date(reading.modified),
        "link": ", ".join(pointers),
    }
