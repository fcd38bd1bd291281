"""Routes of stored operations: an endpoint for each path and for each suffix."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.discovery.documents import Document
from rest_bridge.endpoints.read import ReadEndpoint
from rest_bridge.endpoints.signed import SignedEndpoint
from rest_bridge.endpoints.write import (
    AgentOf,
    CallerOf,
    WriteEndpoint,
    first_operation,
    rest_directive,
)
from rest_bridge.http.endpoint import SAFE_METHODS, Endpoint
from rest_bridge.http.query_string import route_path
from rest_bridge.openapi.description import Limits, MoreMembers, description_page
from rest_bridge.representations.responses import LinkTarget, Relations, index_path
from rest_bridge.representations.similar_paths import similar_paths
from sdl.errors import NotFoundError
from sdl.operations.catalog import own_name
from sdl.operations.operation import Operation, form_paths
from sdl.running.public_query import QueryWorker
from sdl.running.runner import CurrentSnapshot, Operations


def _takes_any_path(route: Route) -> bool:
    return any(isinstance(own, AnyPath) for own in route.param_convertors.values())


class PathRouter(Router):
    """A router that finds a path without variables at once, and tries only the others in turn."""

    def __init__(self, routes: Sequence[BaseRoute], default: ASGIApp) -> None:
        super().__init__(routes, redirect_slashes=False, default=default)
        own = [route for route in routes if isinstance(route, Route)]
        self._fixed = {route.path: route.app for route in reversed(own) if "{" not in route.path}
        self._variable = sorted((r for r in own if r.param_convertors), key=_takes_any_path)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request to the endpoint of its path."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        path = route_path(scope)
        app = self._fixed.get(path) or self._by_variables(path, scope)
        if app is self.default and path.endswith("/"):
            app = self._without_slash(path, scope)
        await app(scope, receive, send)

    def _without_slash(self, path: str, scope: Scope) -> ASGIApp:
        """Return what leads a read to its path without a slash behind, if that is there.

        A POST is served there: few clients of MCP would send it again.
        """
        path = f"/{path.strip('/')}"
        tried = {"method": scope["method"]}
        found = self._fixed.get(path) or self._by_variables(path, tried)
        if found is self.default or scope["method"] == "POST":
            scope["path_params"] = tried.get("path_params", {})
            return found
        if scope["method"] not in ("GET", "HEAD"):
            return self.default
        return _moved(path, scope)

    def _by_variables(self, path: str, scope: Scope) -> ASGIApp:
        """Return the endpoint of a path with variables, whose values are put into the scope."""
        sent = scope.get("raw_path") or b""
        has_slash = b"%2f" in sent.lower()  # in a value, which must not end its segment
        if has_slash:
            path = sent.decode("latin-1").removeprefix(quote(scope.get("root_path", "")))
        app, method = self.default, scope.get("method")
        for route in self._variable:
            # A form is only read: an id that ends as its path does is written at the path itself.
            is_form = isinstance(route.app, ReadEndpoint) and route.app.only is not None
            may_be = app is self.default or not is_form
            if may_be and (found := route.path_regex.match(path)):
                values = found.groupdict()
                scope["path_params"] = (
                    {name: unquote(text) for name, text in values.items()} if has_slash else values
                )
                if not is_form or method in SAFE_METHODS:
                    return route.app
                app = route.app
        return app


_API = "/api/"
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

MAX_NARROWED = 100_000
"""How many reads may wait for the thread: as many as there can be connections."""


class AnyPath(StringConvertor):
    """A path variable that also matches slashes and line breaks."""

    regex = r"[\s\S]+"


register_url_convertor("anything", AnyPath())


def router(
    operations: Operations,
    current: CurrentSnapshot,
    relations: Relations,
    extra_routes: Sequence[BaseRoute] = (),
) -> Router:
    """Return the router of all read and signed paths, and of the routes in `extra_routes`."""
    routes = [*_joined([*extra_routes, *_read_routes(operations, current, relations)])]
    for path, sections in operations.signed_forms.items():
        routes.append(Route(path, SignedEndpoint(path, sections, current, relations)))
    return PathRouter(routes, _not_found(current, relations))


def write_routes(  # noqa: PLR0913 - the assembly names each
    operations: Operations,
    current: CurrentSnapshot,
    caller_of: CallerOf,
    limits: Limits,
    relations: Relations,
    *,
    more_members: Mapping[str, MoreMembers],
    agent_of: AgentOf | None = None,
) -> Iterator[BaseRoute]:
    """Yield the routes of writes; a GET of a POST path returns its description, if none reads it.

    `more_members` adds members to descriptions, by the name of the operation. `agent_of` verifies
    who signed a request, at the paths that ask for it.
    """
    read = {o.rest.path for o in operations if o.rest is not None and o.rest.method == "GET"}
    for (path, method), forms in operations.write_operations.items():
        if method == "POST" and path not in read:
            document = description_page(forms, limits, relations, more_members)
            asks = rest_directive(first_operation(forms)).asks_signature
            endpoint = WriteEndpoint(
                *(path, method, forms, current, caller_of, relations, document),
                agent_of=agent_of if asks else None,
            )
            yield Route(path, endpoint)
            yield from document.by_suffix()
        else:
            endpoint = WriteEndpoint(path, method, forms, current, caller_of, relations)
            yield Route(path, endpoint) if path in read else _any_path_route(path, endpoint)
        if method == "GET" and (path, "POST") not in operations.write_operations:
            # what it needs may be too long for an address
            yield Route(path, WriteEndpoint(path, "POST", forms, current, caller_of, relations))


def relations_of(
    operations: Operations, documents: Iterable[Document] = (), prefix: str = ""
) -> Relations:
    """Return the targets that every response links to, by link relation; each below a prefix."""
    directives = [operation.rest for operation in operations if operation.rest is not None]
    targets = [(d.rel, d.path, d.media_type) for d in documents]
    targets += [(rest.rel, rest.path, rest.media[0]) for rest in directives]
    return {rel: LinkTarget(path, form, prefix) for rel, path, form in targets if rel}


def _read_routes(
    operations: Operations, current: CurrentSnapshot, relations: Relations
) -> Iterator[BaseRoute]:
    """Yield the route of each read path, and of its `.json` and `.md` forms."""
    worker = QueryWorker(MAX_NARROWED, "reads")
    forms_of: defaultdict[str, dict[str, Operation]] = defaultdict(dict)
    for operation in operations:
        if operation.rest is not None and operation.is_read:
            forms_of[operation.rest.path].update(dict.fromkeys(operation.rest.media, operation))
    for path, forms in forms_of.items():
        for media_type, suffixed in form_paths(path, forms).items():
            endpoint = ReadEndpoint(suffixed, forms, current, relations, worker, media_type)
            yield Route(suffixed, endpoint)
        yield Route(path, ReadEndpoint(path, forms, current, relations, worker))


@dataclass(frozen=True)
class MethodsEndpoint(Endpoint):
    """The endpoint of a path that several stored operations have, each by methods of its own."""

    path: str
    by_method: Mapping[str, Endpoint]

    @property
    def methods(self) -> tuple[str, ...]:
        """The allowed methods."""
        return (*self.by_method, "OPTIONS")

    async def answer(self, request: Request) -> ASGIApp:
        """Return the endpoint of the request's method."""
        return self.by_method[request.method]


def _joined(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Yield the routes; those of one path are one, where the last of them is.

    So a read stays behind its suffixes, which its variables would match.
    """
    same: defaultdict[str, list[Endpoint]] = defaultdict(list)
    listed = [*routes]
    for route in listed:
        if isinstance(route, Route) and isinstance(route.app, ReadEndpoint | WriteEndpoint):
            same[route.path].append(route.app)
    for route in listed:
        endpoints = same[route.path] if isinstance(route, Route) else []
        if len(endpoints) < 2 or not isinstance(route, Route):  # noqa: PLR2004 - several
            yield route
        elif route.app is endpoints[-1]:
            methods = {method: each for each in endpoints for method in each.methods}
            ordered = {name: methods[name] for name in _METHODS if name in methods}
            route.app = MethodsEndpoint(route.path, ordered)
            yield route


def _moved(path: str, scope: Scope) -> Response:
    """Return what leads a request to another path of this service."""
    query = scope["query_string"].decode("latin-1")
    path = scope.get("root_path", "") + path
    return Response(None, 308, {"location": quote(path) + (f"?{query}" if query else "")})


def _any_path_route(path: str, endpoint: WriteEndpoint) -> Route:
    """Return a route whose last variable also matches slashes.

    So every name reaches the endpoint and gets its answer for an unknown name.
    """
    route = Route(path.removesuffix("}") + ":anything}" if path.endswith("}") else path, endpoint)
    route.path = path  # descriptions show the path without the converter
    return route


def _not_found(current: CurrentSnapshot, relations: Relations) -> ASGIApp:
    async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
        path, snapshot = route_path(scope), current()
        cited = path.removeprefix(_API)
        if (own := own_name(cited, snapshot.operations)) != cited:
            await _moved(f"{_API}{own}", scope)(scope, receive, send)
            return
        detail = f"There is nothing at this path; the index is {index_path(relations)}."
        similar = similar_paths(path, snapshot)
        raise NotFoundError(detail, did_you_mean=tuple(map(snapshot.path, similar)))

    return not_found
