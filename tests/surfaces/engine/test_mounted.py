"""Below a prefix every link leads to what it names, whoever takes the prefix off."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import task_schema as tasks
from asgi_call import Ask, asking
from mcp_messages import message
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from surfaces import Bearer, Licence, Surfaces

FOLDER = Path(__file__).parent / "tasks"
ADA = {"authorization": "Bearer ada-token"}
BASE = "http://localhost/agents"


def service(**options: Any) -> Surfaces:
    """The tasks at an address with a path."""
    context = tasks.context_of(tasks.Store({1: tasks.Task(id=1, title="One", owner_name="ada")}))
    own: dict[str, Any] = {"get_context": context, "url": BASE, "graphql": True, **options}
    return Surfaces(tasks.schema(), FOLDER, name="Tasks", **own)


def mounted(app: ASGIApp) -> ASGIApp:
    """An application in Starlette's, below the prefix."""
    return Starlette(routes=[Mount("/agents", app)])


def with_root(app: Surfaces, path: str = "/agents") -> ASGIApp:
    """An application that has the service below a path, and what callers ask its root for."""
    return Starlette(routes=[Mount(path, app), Mount("/", app.well_known)])


SERVICES: dict[str, Callable[[], ASGIApp]] = {
    "mounted": lambda: mounted(service()),
    "mounted, without the path in its url": lambda: mounted(service(url="http://localhost")),
    "alone": service,
}


@pytest.fixture(params=SERVICES)
def ask(request: pytest.FixtureRequest) -> Ask:
    """Requests to the service, mounted or by itself."""
    return asking(SERVICES[request.param]())


def links_of(ask: Ask, path: str) -> set[str]:
    """What a document and its headers link to."""
    answer = ask(path, headers=ADA)
    assert answer.status_code == 200, path
    found = re.findall(r"<(/[^>]*)>", answer.headers.get("link", ""))
    found += re.findall(r"\]\(([^)]+)\)|<loc>([^<]+)|\"(http://localhost[^\"{]*)\"", answer.text)
    flat = [text for one in found for text in ([one] if isinstance(one, str) else one) if text]
    return {urljoin(BASE, link) for link in flat}


def test_every_link_leads_to_something(ask: Ask) -> None:
    documents = ("llms.txt", "sitemap.xml", "openapi.json", "mcp", "tasks", "tasks.md", "tasks/1")
    known = (".well-known/api-catalog", ".well-known/agent.json", ".well-known/ard.json")
    links = {link for path in (*documents, *known) for link in links_of(ask, f"/agents/{path}")}
    assert len(links) > 20
    assert not {link for link in links if not link.startswith(BASE)}
    assert not {link for link in links if ask(link, headers=ADA).status_code in {404, 405}}


def test_what_is_said_of_paths_has_the_prefix(ask: Ask) -> None:
    made = ask("/agents/tasks", "POST", json={"title": "Two"}, headers=ADA)
    assert (made.status_code, made.headers["location"]) == (201, "/agents/tasks/2")
    assert ask("/agents/tasks/").headers["location"] == "/agents/tasks"
    unknown = ask("/agents/taks").json()
    assert unknown["detail"].endswith("the index is /agents/llms.txt.")
    assert "/agents/tasks" in unknown["didYouMean"]
    refused = ask("/agents/tasks?x=1", "POST", json={})
    assert refused.json()["detail"].startswith("Send POST /agents/tasks")
    tracked = ask("/agents/opened?utm_source=mail").headers.get_list("link")
    assert '</agents/opened>; rel="canonical"' in ", ".join(tracked)
    assert ask("/agents", follow_redirects=True).text == ask("/agents/").text


def test_pages_of_the_service_itself_may_call_tools(ask: Ask) -> None:
    headers = {"accept": "application/json", "origin": "http://localhost"}
    told = ask("/agents/mcp", "POST", json=message("tools/list"), headers=headers)
    assert told.status_code == 200
    assert ask("/agents/openapi.json").json()["servers"] == [{"url": BASE}]


def test_a_proxy_may_have_taken_the_prefix_off() -> None:
    answer = asking(service())("/tasks/1", headers=ADA)
    assert answer.status_code == 200
    assert "</agents/llms.txt>" in answer.headers["link"]


def test_what_needs_no_token_needs_none_below_a_prefix() -> None:
    ask = asking(mounted(service(auth=Bearer(required=True))))
    assert ask("/agents/llms.txt").status_code == 200
    assert ask("/agents/me").status_code == 401


@pytest.mark.parametrize(("site", "status"), [("cross-site", 403), ("none", 201)])
def test_a_write_without_origin_is_judged_by_the_site(ask: Ask, site: str, status: int) -> None:
    headers = {**ADA, "sec-fetch-site": site}
    answer = ask("/agents/tasks", "POST", json={"title": site}, headers=headers)
    assert answer.status_code == status


def test_a_proxy_may_take_off_what_is_before_the_mounted_path() -> None:
    ask = asking(mounted(service(url="http://localhost/api/agents")))
    answer = ask("/agents/tasks/1", headers=ADA)
    assert answer.status_code == 200
    assert "</api/agents/llms.txt>" in answer.headers["link"]
    assert ask("/agents/tasks/").headers["location"] == "/api/agents/tasks"
    assert ask("/agents/labels/a%2Fb", headers=ADA).status_code == 404


def test_one_service_may_be_mounted_twice() -> None:
    app = service(url="http://localhost")
    ask = asking(Starlette(routes=[Mount("/one", app), Mount("/two", app)]))
    for path in ("/one", "/two"):
        index = ask(f"{path}/llms.txt").text
        assert f"http://localhost{path}/tasks" in index
        assert ask("/one/openapi.json").json()["servers"] == [{"url": "http://localhost/one"}]


def test_the_root_of_the_host_has_what_callers_look_for_there() -> None:
    app = service(auth=Bearer(authorization_servers=["https://login.example"]))
    ask = asking(with_root(app))
    known = [own.path for own in app.documents if own.path.startswith("/.well-known/")]
    assert len(known) > 4
    for path in ("/llms.txt", "/robots.txt", *known):
        at_root, below = ask(path), ask(f"/agents{path}")
        assert at_root.status_code == 200, path
        assert (at_root.content, at_root.headers["link"]) == (below.content, below.headers["link"])
    resource = "/.well-known/oauth-protected-resource"
    for path in (resource, f"{resource}/agents"):
        assert ask(path).json()["resource"] == BASE
    # RFC 9728 section 3.3: that of the address it was derived from.
    assert ask(f"{resource}/agents/mcp").json()["resource"] == f"{BASE}/mcp"
    assert ask(f"/agents{resource}/mcp").json()["resource"] == f"{BASE}/mcp"
    assert ask("/agents").content == ask("/agents/").content
    for path in ("/", "/tasks", "/openapi.json", "/.well-known/nothing"):
        assert ask(path).status_code == 404


def test_robots_txt_speaks_of_the_mounted_paths_alone() -> None:
    licence = Licence("CC", "https://licence.example", "Ada", "not-allowed", training="not-allowed")
    rules = asking(with_root(service(licence=licence)))("/robots.txt").text.splitlines()
    assert "Disallow: /agents/" in rules
    assert "Content-Usage: /agents/ search=n, train-ai=n" in rules


def test_without_a_path_the_service_itself_has_the_root() -> None:
    with pytest.raises(ValueError, match="write the path that the service is mounted at"):
        _ = service(url="http://localhost").well_known
