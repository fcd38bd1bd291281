"""The engine knows no studio: it serves a bookshop whose data changes under it."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from asgi_call import Ask, asking
from bookshop import URL, bookshop
from mcp_messages import result
from openapi_spec_validator import OpenAPIV31SpecValidator

HERE = Path(__file__).parent
STUDIO = ("schema", "content", "resolvers", "studiograph")
BOOKS = [
    (1, "The Tide Table", "A harbour master counts the tides.", "novel", 12.5, "2024-05-01", 3),
    (2, "Salt", "A ship comes home without its crew.", "sea-story", 9.0, "2021-01-09", 0),
]


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """The shop's books, in memory."""
    found = sqlite3.connect(":memory:", check_same_thread=False)
    found.execute(
        "CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, description TEXT, genre TEXT,"
        " price REAL, published TEXT, stock INTEGER)"
    )
    found.executemany("INSERT INTO books VALUES (?, ?, ?, ?, ?, ?, ?)", BOOKS)
    found.commit()
    yield found
    found.close()


@pytest.fixture
def ask(database: sqlite3.Connection) -> Ask:
    """Requests to the shop."""
    return asking(bookshop(database))


def test_nothing_of_the_studio_is_imported() -> None:
    script = "import sys, bookshop; print(*{name.partition('.')[0] for name in sys.modules})"
    paths = [str(HERE), str(HERE.parents[2])]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; {script}"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert {*done.stdout.split()}.isdisjoint(STUDIO)
    assert "bookshop" in done.stdout.split()


def test_a_path_answers_json_and_markdown(ask: Ask) -> None:
    assert ask("/books/1").json() == {
        "id": 1,
        "title": "The Tide Table",
        "description": "A harbour master counts the tides.",
        "genre": "NOVEL",
        "price": 12.5,
        "published": "2024-05-01",
        "available": True,
    }
    markdown = ask("/books/1.md").text
    assert "# The Tide Table\n\n> A harbour master counts the tides.\n\n- ID: 1" in markdown
    assert ask("/books?genre=SEA_STORY&fields=title").json() == [{"title": "Salt"}]
    assert ask("/books/7").status_code == 404


def test_the_other_surfaces_say_the_same(ask: Ask) -> None:
    books = ask("/books").json()
    graphql = ask("/graphql", "POST", json={"query": "{ books { id title price } }"}).json()
    assert graphql["data"]["books"] == [{k: b[k] for k in ("id", "title", "price")} for b in books]
    called = result(ask, "tools/call", name="list_books", arguments={})
    assert called["structuredContent"]["items"] == books
    assert called["content"][0]["text"] in ask("/books.md").text
    one = result(ask, "tools/call", name="get_book", arguments={"id": 2})
    assert one["structuredContent"] == books[1]
    read = result(ask, "resources/read", uri="resource://books/2")
    assert "Salt" in read["contents"][0]["text"]


def test_documents_are_made_of_the_operations(ask: Ask) -> None:
    index = ask("/llms.txt").text
    assert index.startswith("# Lantern Books\n")
    links = re.findall(r"(?m)^- \[(.+)\]\((.+?)\)", index)
    assert [title for title, _ in links][:2] == ["List books", "Get book"]
    assert [ask(url.removeprefix(URL)).status_code for _, url in links] == [200] * len(links)
    description = ask("/openapi.json").json()
    assert list(OpenAPIV31SpecValidator(description).iter_errors()) == []
    assert {"/books", "/books/{id}", "/orders"} <= {*description["paths"]}
    order = description["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]
    body = description["components"]["schemas"][order["schema"]["$ref"].rpartition("/")[2]]
    assert body["required"] == ["book"]
    assert body["properties"]["genre"]["enum"] == ["NOVEL", "SEA_STORY", None]


def test_what_changes_in_the_database_is_said_at_once(ask: Ask) -> None:
    before = ask("/books/1")
    assert before.headers["cache-control"] == "private, no-cache"
    assert "Authorization" in before.headers["vary"]
    assert "last-modified" not in before.headers
    orders = [ask("/orders", "POST", json={"book": 1, "genre": "NOVEL"}) for _ in range(3)]
    assert [order.status_code for order in orders] == [201] * 3
    assert orders[-1].json() == {"id": 1, "title": "The Tide Table", "stock": 0}
    known = {"if-none-match": before.headers["etag"]}
    assert (
        ask("/books/2", headers={"if-none-match": ask("/books/2").headers["etag"]}).content == b""
    )
    assert ask("/books/1", headers=known).json()["available"] is False
    called = result(ask, "tools/call", name="get_book", arguments={"id": 1})
    assert called["structuredContent"]["available"] is False


def test_one_row_costs_what_its_resolver_runs(ask: Ask, database: sqlite3.Connection) -> None:
    many = ((n, f"T{n}", "d", "novel", 1.0, "2024-05-01", 3) for n in range(3, 10_003))
    database.executemany("INSERT INTO books VALUES (?, ?, ?, ?, ?, ?, ?)", many)
    database.commit()
    found: list[str] = []
    database.set_trace_callback(found.append)

    def statements(call: Callable[[], object]) -> list[str]:
        found.clear()
        call()
        return [*found]

    one = ["SELECT * FROM books WHERE id = 500"]
    assert statements(lambda: ask("/books/500")) == one
    assert statements(lambda: ask("/books/500.md")) == one
    assert statements(lambda: result(ask, "tools/call", name="get_book", arguments={"id": 500}))
    assert found == one
    query = {"query": "{ book(id: 500) { title } }"}
    assert statements(lambda: ask("/graphql", "POST", json=query)) == one
    assert len(statements(lambda: ask("/books/99999"))) == 1
    for path in ("/robots.txt", "/llms.txt", "/openapi.json", "/sitemap.xml", "/mcp", "/nothing"):
        assert statements(partial(ask, path)) == []
    assert statements(lambda: result(ask, "tools/list")) == []
    assert statements(lambda: result(ask, "resources/templates/list")) == []


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "book"),
        ({"book": "1"}, "book"),
        ({"book": 1, "genre": "poem"}, "genre"),
        ({"book": 1, "genre": "novel"}, "genre"),
        ({"book": 1, "copies": None}, "copies"),
        ({"book": 1, "copie": 2}, "copie"),
        ({"book": 1, "copies": 1.5}, "copies"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(ask: Ask, body: object, path: str) -> None:
    refused = ask("/orders", "POST", json=body)
    assert refused.status_code == 400
    assert [problem["path"] for problem in refused.json()["fields"]] == [path]
    assert ask("/orders", "POST", json={"book": 2}).status_code == 404
