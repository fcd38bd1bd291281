"""Below a prefix every link leads to what it names, whoever takes the prefix off."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
import task_schema as tasks
from local_service import Ask, asking
from mcp_messages import message
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp

from surfaces import Bearer, Surfaces

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


@pytest.fixture(params=[mounted, lambda app: app], ids=["mounted", "alone"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Requests to the service, mounted or by itself."""
    return asking(request.param(service()))


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
