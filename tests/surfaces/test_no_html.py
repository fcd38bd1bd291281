"""No HTML for the world: no path of the service answers any, whatever is asked for."""

import re
from collections.abc import Iterable

from local_service import Ask, asking
from offenders import offenders
from starlette.responses import HTMLResponse
from starlette.routing import Route, Router

from rest_bridge.http.middleware import RequestGuard
from sdl.running.runner import Snapshot
from studiograph.commands.export import targets_of
from studiograph.settings import LOCAL_HOSTS

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ELSEWHERE = ("/nowhere", "/api/nowhere", "/index.html", "/api/faq/", "/api/faq.html", "/%00", "//")


def routes_of(service: RequestGuard) -> list[Route]:
    """Return the routes of a service; each of them is a path."""
    assert isinstance(service.app, Router)
    routes = [route for route in service.app.routes if isinstance(route, Route)]
    assert len(routes) == len(service.app.routes) > 150
    return routes


def answering_html(ask: Ask, asked: Iterable[tuple[str, str]]) -> list[str]:
    """Return which requests, each a method and a path, are answered with HTML."""

    def check(method: str, path: str, accept: str) -> None:
        answer = ask(path, method, headers={"accept": accept})
        assert "html" not in answer.headers.get("content-type", "")

    return offenders(check, asked, (("text/html",), (BROWSER,)))


def test_no_path_answers_html(service: RequestGuard, reading: Snapshot, ask: Ask) -> None:
    routed = [re.sub(r"\{[^}]*\}", "x", route.path) for route in routes_of(service)]
    listed = [path for path in targets_of(reading) if "proof" not in path]
    assert len(listed) > 300
    asked = [("GET", path) for path in dict.fromkeys([*routed, *listed, *ELSEWHERE])]
    asked += [(method, path) for path in routed for method in ("POST", "DELETE", "OPTIONS")]
    assert answering_html(ask, asked) == []


def test_html_would_be_found() -> None:
    planted = Route("/", lambda _: HTMLResponse("<p>"))
    ask = asking(RequestGuard(Router([planted]), LOCAL_HOSTS))
    assert len(answering_html(ask, [("GET", "/"), ("GET", "/else")])) == 2
