"""Mounted in Starlette, FastAPI and Django, every link answers, and MCP's own client works."""

import asyncio
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
import strawberry
import uvicorn
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from fastapi import FastAPI
from mcp import Client
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from surfaces import Bearer, Licence, Surfaces

OPERATIONS = Path(__file__).parent / "operations"
DOCUMENTS = (
    "llms.txt",
    "robots.txt",
    "sitemap.xml",
    "license.xml",
    "openapi.json",
    "mcp",
    "mcp/server-card",
    "",
)
KNOWN = ("agent.json", "api-catalog", "ard.json", "ai-catalog.json", "agent-skills/index.json")
KNOWN += ("oauth-protected-resource", "security.txt")
AT_ROOT = ("llms.txt", "robots.txt", *(f".well-known/{name}" for name in KNOWN))
AT_ROOT += (".well-known/oauth-protected-resource/agents/mcp",)
SITE = "The site itself."


@strawberry.type
class Book:
    id: int
    title: str


BOOKS = [Book(id=1, title="Salt"), Book(id=2, title="The Tide Table")]


@strawberry.type
class Query:
    @strawberry.field
    def books(self) -> list[Book]:
        return BOOKS

    @strawberry.field
    async def book(self, id: int) -> Book | None:
        return next((book for book in BOOKS if book.id == id), None)


@strawberry.type
class Mutation:
    @strawberry.mutation
    def reserve(self, id: int) -> Book:
        return BOOKS[id - 1]


def service(url: str) -> Surfaces:
    """The shop at an address, with every document that there can be."""
    return Surfaces(
        strawberry.Schema(Query, Mutation),
        OPERATIONS,
        name="Books",
        url=url,
        email="ada@books.example",
        licence=Licence("CC BY 4.0", "https://licence.example", "Ada's books"),
        auth=Bearer(authorization_servers=["https://login.example"]),
        graphql=True,
    )


def in_starlette(address: str) -> Starlette:
    agents = service(f"{address}/agents")
    site = Route("/", lambda _: PlainTextResponse(SITE))
    return Starlette(routes=[site, Mount("/agents", agents), Mount("/", agents.well_known)])


def in_fastapi(address: str) -> FastAPI:
    app = FastAPI()
    agents = service(f"{address}/agents")

    @app.get("/")
    def home() -> PlainTextResponse:
        return PlainTextResponse(SITE)

    app.mount("/agents", agents)
    app.mount("/", agents.well_known)
    return app


def home(_: HttpRequest) -> HttpResponse:
    return HttpResponse(SITE)


urlpatterns = [path("", home)]
settings.configure(SECRET_KEY="only-for-this-test", ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__)


def in_django(address: str) -> object:
    return service(f"{address}/agents").beside(get_asgi_application())


@contextmanager
def served(make: Callable[[str], object]) -> Iterator[str]:
    """The address of a server in a thread."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(make(address), log_level="error"))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield address
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module", params=[in_starlette, in_fastapi, in_django])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    with served(request.param) as address:
        yield address


def links_of(answer: httpx.Response) -> set[str]:
    """What a document and its headers link to, with the variables of templates filled."""
    found = re.findall(r"<(/[^>]*)>", answer.headers.get("link", ""))
    found += re.findall(r"\]\(([^)\s]+)\)", answer.text)
    found += re.findall(r"\b(https?://[^\s\"'<>`)\\]+)", answer.text)
    texts = (text.replace("&amp;", "&").partition("#")[0].rstrip(".,:;") for text in found)
    return {urljoin(str(answer.url), re.sub(r"\{\w+\}", "1", text)) for text in texts}


def test_every_link_of_every_document_answers(address: str) -> None:
    waiting = [f"{address}/agents/{name}" for name in DOCUMENTS]
    waiting += [f"{address}/agents/.well-known/{name}" for name in KNOWN]
    waiting += [f"{address}/{name}" for name in AT_ROOT]
    seen: dict[str, int] = {}
    with httpx.Client(timeout=30, follow_redirects=True) as client:
        for link in waiting:  # which grows meanwhile
            if link not in seen:
                answer = client.get(link)
                seen[link] = answer.status_code
                waiting += sorted(own for own in links_of(answer) if own.startswith(address))
        assert client.get(address).text == SITE
        assert client.get(f"{address}/books").status_code == 404
    assert {link: status for link, status in seen.items() if status != 200} == {}
    own = (f"{address}/agents", *(f"{address}/{name}" for name in AT_ROOT))
    assert [link for link in seen if not link.startswith(own)] == []
    assert len(seen) > 30


def test_the_official_client_of_mcp_calls_tools_and_reads_resources(address: str) -> None:
    async def drive() -> None:
        async with Client(f"{address}/agents/mcp") as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert tools == ["get_book", "list_books", "reserve_book"]
            done = await client.call_tool("get_book", {"id": 2})
            assert done.structured_content == {"id": 2, "title": "The Tide Table"}
            for own in (await client.list_resources()).resources:
                assert (await client.read_resource(str(own.uri))).contents

    asyncio.run(drive())
