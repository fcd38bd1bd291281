"""From operations to routes: one resource a path, and one a suffix. Holds no path of its own."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from starlette.convertors import StringConvertor, register_url_convertor
from starlette.routing import BaseRoute, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from rest_bridge.action import Action, Callers
from rest_bridge.action_items import Facts, Limits, description_page
from rest_bridge.documents import Document
from rest_bridge.envelope import Envelopes
from rest_bridge.replies import Pointer, Relations, index_path
from rest_bridge.resource import JSON, MARKDOWN, SUFFIXES, Resource
from schema.errors import Fault, NotFound
from sdl.cards import suffixed
from sdl.operation import Operation
from sdl.runner import Now, Operations


class Anything(StringConvertor):
    """The rest of a path, with every slash and line break that is in it."""

    regex = r"[\s\S]+"


register_url_convertor("anything", Anything())


def router(
    operations: Operations, now: Now, relations: Relations, more: Sequence[BaseRoute] = ()
) -> Router:
    """The application that answers every path of the operations, and the routes besides."""
    forms: defaultdict[str, dict[str, Operation]] = defaultdict(dict)
    for operation in operations:
        if operation.rest is not None and operation.is_read:
            forms[operation.rest.path].update(dict.fromkeys(operation.rest.media, operation))
    routes = [*more]
    for path, found in forms.items():
        if {JSON, MARKDOWN} <= set(found):
            for media_type in (JSON, MARKDOWN):
                named = suffixed(path, SUFFIXES[media_type])
                routes.append(Route(named, Resource(named, found, now, relations, media_type)))
        routes.append(Route(path, Resource(path, found, now, relations)))
    for path, sections in operations.signed_forms.items():
        routes.append(Route(path, Envelopes(path, sections, now, relations)))
    routes.sort(key=lambda route: isinstance(route, Route) and "{" in route.path)
    return Router(
        routes,
        redirect_slashes=False,
        default=_nowhere([route.path for route in routes if isinstance(route, Route)], relations),
    )


def action_routes(  # noqa: PLR0913 - the assembly names each
    operations: Operations,
    now: Now,
    callers: Callers,
    limits: Limits,
    relations: Relations,
    *,
    facts: Facts,
) -> Iterator[BaseRoute]:
    """The routes of what acts; what is posted to has a description, with the facts about it."""
    for (path, method), forms in operations.acting.items():
        if method == "POST":
            described = description_page(forms, limits, relations, facts)
            yield Route(path, Action(path, method, forms, now, callers, described))
            yield from described.by_suffix()
        else:
            yield _of_anything(path, Action(path, method, forms, now, callers))


def relations_of(operations: Operations, documents: Iterable[Document] = ()) -> Relations:
    """What every answer points to."""
    rests = [operation.rest for operation in operations if operation.rest is not None]
    found = {rest.rel: Pointer(rest.path, rest.media[0]) for rest in rests if rest.rel is not None}
    rels = {d.rel: Pointer(d.path, d.media_type) for d in documents if d.rel is not None}
    return {**rels, **found}


def _of_anything(path: str, action: Action) -> Route:
    """The route of whatever is named at the end of a path: slashes in it tell nothing apart."""
    route = Route(path.removesuffix("}") + ":anything}" if path.endswith("}") else path, action)
    route.path = path  # as it is told
    return route


def _nowhere(paths: list[str], relations: Relations) -> ASGIApp:
    async def nowhere(scope: Scope, _receive: Receive, _send: Send) -> None:
        close = difflib.get_close_matches(scope["path"][:200], paths, n=3)
        faults = [Fault("path", "is not one of this service's", tuple(close))] if close else []
        where = index_path(relations)
        raise NotFound(f"There is nothing at this path; {where} lists what there is.", faults)

    return nowhere
