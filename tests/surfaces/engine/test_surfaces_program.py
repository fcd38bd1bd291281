"""The command line `surfaces`, in this process: what it prints, and how it ends."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from graphql import build_schema, parse
from graphql import validate as graphql_errors
from openapi_spec_validator import validate

import surfaces
from surfaces.cli import main

Run = Callable[..., tuple[int, str, str]]
SHOP = """
import itertools
import strawberry
from strawberry.permission import BasePermission

TURNS = itertools.count()

class Owner(BasePermission):
    message = "Owners alone."

    def has_permission(self, source, info, **_):
        return info.context["request"].headers.get("authorization") == "Bearer owner"

@strawberry.type
class Book:
    id: strawberry.ID
    title: str
    price: float | None = None

BOOKS = {"1": Book(id="1", title="Salt & <Tides>", price=9.5), "2": Book(id="2", title="Two")}

@strawberry.type
class Query:
    @strawberry.field(description="All books.")
    async def books(self, limit: int = 10) -> list[Book]:
        return [*BOOKS.values()][:limit]

    @strawberry.field
    def book(self, id: strawberry.ID) -> Book | None:
        return BOOKS.get(id)

    @strawberry.field(permission_classes=[Owner])
    def income(self) -> int:
        return 7

    @strawberry.field
    def turn(self) -> int:
        return next(TURNS)

    @strawberry.field
    def place(self, info: strawberry.Info) -> str:
        return info.context["request"].url.path

@strawberry.type
class Mutation:
    @strawberry.mutation
    def add(self, title: str) -> Book:
        book = Book(id=str(len(BOOKS) + 1), title=title)
        BOOKS[book.id] = book
        return book

schema = strawberry.Schema(Query, Mutation)
number = 7
"""
OPERATIONS = """
query GetBook($id: ID!) @rest(path: "/books/{id}") @mcp @resource(name: "books/{id}")
@example(variables: { id: "1" })
@example(variables: { id: "9" }, status: 404) {
  book(id: $id) { id title price }
}
query ListBooks($limit: Int) @rest(path: "/books") @mcp @resource
@example @example(name: "one", variables: { limit: 1 }) { books(limit: $limit) { title price } }
query Turn @rest(path: "/turn") @mcp @example { turn }
query Read @prompt @example { books { title } }
query Income @rest(path: "/income") @mcp @example { income }
mutation Add($title: String!) @rest(path: "/books", status: 201) @mcp(order: 200)
@example(variables: { title: "Ebb" }, status: 201) { add(title: $title) { id title } }
"""


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """One call of the program in a folder with a shop; its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations/shop.graphql").write_text(dedent(OPERATIONS))

    def once(*words: str) -> tuple[int, str, str]:
        code = main(words)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    yield once
    for name in ("shop", "served", "broken", "missing"):
        sys.modules.pop(name, None)


def test_a_schema_is_drafted_and_checked(run: Run, tmp_path: Path) -> None:
    code, told, _ = run("draft", "shop:schema", "first")
    assert (code, told.count("wrote first/")) == (0, 6)
    code, told, _ = run("draft", "shop:schema", "first")
    assert (code, told.count("left ")) == (0, 6)
    assert run("check", "shop:schema", "first")[0] == 0
    assert (tmp_path / "first/book.graphql").exists()
    assert "wrote place.graphql" in run("draft", "shop:schema", ".")[1]  # operations/ has others
    assert run("check", "shop:schema", ".")[0] == 0


@pytest.mark.parametrize("address", ["served:schema", "served:agents"])
def test_the_module_of_the_application_is_drafted(run: Run, tmp_path: Path, address: str) -> None:
    text = f"from shop import schema\nfrom {surfaces.__name__} import Surfaces\n\n"
    (tmp_path / "served.py").write_text(f'{text}agents = Surfaces(schema, "agents")\n')
    code, told, _ = run("check", address)
    assert (code, "`surfaces draft module:schema` with this folder writes" in told) == (1, True)
    assert f"{tmp_path}/agents is no folder; a path begins at the working directory" in told
    code, printed, _ = run("draft", address)
    assert (code, "wrote agents/books.graphql" in printed) == (0, True)
    assert run("check", "served:agents")[0] == 0


def test_check_prints_a_table_of_operations_by_surfaces(run: Run) -> None:
    code, told, _ = run("check", "shop:schema")
    rows = [" ".join(row.split()) for row in told.splitlines()]
    assert code == 0
    assert rows == [
        "operation route answers tool also marks",
        "GetBook GET /books/{id} json, markdown get_book resource books/{id} undocumented",
        "ListBooks GET /books json, markdown list_books resource books async",
        "Turn GET /turn json, markdown turn undocumented",
        "Read prompt read async",
        "Income GET /income json, markdown income permissions, undocumented",
        "Add POST /books json add acts, undocumented",
    ]


def test_check_prints_all_faults_with_their_places(run: Run, tmp_path: Path) -> None:
    (tmp_path / "operations/bad.graphql").write_text(
        'query A @rest(path: "/mcp") { books { title } }\nquery B { turn }\n'
    )
    code, told, _ = run("check", "shop:schema", "operations/")
    assert code == 1
    assert told.splitlines() == [
        "operations/bad.graphql:1:9: path: /mcp is the service's own",
        "operations/bad.graphql:2:1: no surface: write @rest, @mcp, @resource or @prompt",
    ]


def test_a_lock_is_written_when_that_is_asked(run: Run, tmp_path: Path) -> None:
    lock, file = tmp_path / "surfaces.lock", tmp_path / "operations/shop.graphql"
    check = ("check", "shop:schema", "--lock", "surfaces.lock")
    code, _, wrong = run(*check)
    assert (code, wrong) == (
        1,
        "surfaces.lock is not there. Fix: write it with --update, and commit it.\n",
    )
    assert run(*check, "--update")[0] == 0
    assert run(*check)[0] == 0
    file.write_text(file.read_text().replace("id title price", "id title"))
    code, told, _ = run(*check)
    assert code == 1
    assert (
        "operations/shop.graphql:2:1: GetBook: the member price was number or null and is gone"
        in told
    )
    written = lock.read_text()
    assert run(*check, "--update")[0] == 0
    assert lock.read_text() != written
    file.write_text(file.read_text() + 'query New @rest(path: "/new") { turn }')
    code, told, _ = run(*check)
    assert (code, told.splitlines()[-1]) == (
        0,
        "No caller breaks. surfaces.lock does not have all of it yet: add --update.",
    )
    lock.write_text("{")
    assert run(*check)[0] == 1
    assert run("check", "shop:schema", "--graphql", "--lock", "q.lock", "--update")[0] == 0
    assert json.loads((tmp_path / "q.lock").read_text())["schema"][0].startswith("type Book")


def test_examples_are_run_on_every_surface(run: Run) -> None:
    code, told, _ = run("test", "shop:schema", "-H", "Authorization: Bearer owner")
    assert told.splitlines() == [
        "not run: Add: it acts; --writes runs its examples, each once",
        "examples: 7, answers: 29, problems: 0",
    ]
    assert code == 0
    assert run("test", "shop:schema", "-H", "Authorization: Bearer owner", "--writes")[0] == 0
    shop = sys.modules["shop"]
    assert [book.title for book in shop.BOOKS.values()][2:] == ["Ebb"]  # it was added once


def test_an_answer_that_differs_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "operations/place.graphql").write_text(
        'query Place @rest(path: "/place") @mcp\n@example { place }'
    )
    code, told, _ = run("test", "shop:schema")
    assert code == 1
    place = "operations/place.graphql:2:1: example 'example 1':"
    assert f"{place} the tool answers otherwise than HTTP GET /place: '/mcp' and '/place'" in told
    assert "example 'example 1': HTTP GET /income as text/markdown answered 401, not 200" in told
    assert "example 'example 1': the tool answered an error, not 200: Owners alone." in told


def test_documents_are_exported(run: Run, tmp_path: Path) -> None:
    code, told, _ = run(
        "export", "shop:schema", "operations", "openapi", "--url", "https://a.example"
    )
    document = json.loads(told)
    validate(document)
    assert (code, document["info"]["title"]) == (0, "Shop")
    assert document["servers"] == [{"url": "https://a.example"}]
    assert run("export", "shop:schema", "tools", "--output", "tools.json")[0] == 0
    tools = json.loads((tmp_path / "tools.json").read_text())
    assert [tool["name"] for tool in tools][-1] == "add"
    offered = {tool["name"]: [*tool["inputSchema"]["properties"]] for tool in tools}
    assert offered["list_books"] == ["limit", "fields"]  # no offset into what its limit has left
    assert run("export", "shop:schema", "llms", "--name", "Books")[1].startswith("# Books\n")
    known = build_schema(run("export", "shop:schema", "sdl")[1])
    for file in (tmp_path / "operations").glob("*.graphql"):
        assert graphql_errors(known, parse(file.read_text())) == []


def test_an_application_has_its_own_settings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "served.py").write_text(
        f"from shop import schema\nfrom {surfaces.__name__} import Bearer, Surfaces\n"
        'app = Surfaces(schema, "operations", name="Mine", auth=Bearer(required=True))\n'
    )
    assert run("export", "served:app", "llms")[1].startswith("# Mine\n")
    assert json.loads(run("export", "served:app", "operations/", "tools")[1])
    assert run("check", "served:app")[0] == 0
    assert run("draft", "served:app")[1].endswith("surfaces check served:app\n")
    assert "left  " in run("draft", "served:app")[1]
    code, _, wrong = run("check", "served:app", "--name", "Other")
    assert (code, wrong) == (
        2,
        "surfaces: --name: served:app is a Surfaces; write it there, as an argument.\n",
    )
    assert run("check", "served:app", "elsewhere")[0] == 2


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("check shop:shema", 1, "shop:shema is not there. shop has shop:schema (Schema)."),
        ("check shop", 1, "shop names no attribute. shop has shop:schema (Schema)."),
        ("check shop:number", 1, "shop:number is a int. shop has shop:schema (Schema)."),
        ("check shpo:schema", 1, "No module 'shpo'. In {here} there are: broken, missing, shop."),
        (
            "check shop.py:schema",
            1,
            "shop.py is a file. Write the module, and not its file: shop:s",
        ),
        (
            "check broken:schema",
            1,
            "broken cannot be imported: ZeroDivisionError: division by zero",
        ),
        ("check missing:schema", 1, "missing cannot be imported: ModuleNotFoundError: No module"),
        ("check :schema", 1, "Write module:attribute, such as shop:schema."),
        ("check shop:schema nowhere", 1, "{here}/nowhere is no folder. Fix: surfaces draft shop:s"),
        ("check shop:schema --update", 2, "surfaces: --update: name the file with --lock FILE."),
        ("check shop:schema --url shop", 2, "surfaces: url: write the whole address, such as"),
        ("test shop:schema -H x", 2, "surfaces: --header: write 'Name: value', not 'x'."),
        ("serve shop:schema --port 99999", 1, "cannot listen on 127.0.0.1:99999: no such port."),
        ("serve shop:schema --host 192.0.2.1", 1, "cannot listen on 192.0.2.1:8000: Cannot assign"),
        ("export shop:schema xml", 2, "argument form: invalid choice: 'xml'"),
        ("", 2, "the following arguments are required: COMMAND"),
    ],
)
def test_a_wrong_call_says_what_to_write(
    run: Run, tmp_path: Path, words: str, code: int, told: str
) -> None:
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "missing.py").write_text("import not_there_at_all")
    ended, _, wrong = run(*words.split())
    assert (ended, told.format(here=tmp_path) in wrong) == (code, True), wrong


def test_serving_needs_a_server(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, wrong = run("serve", "shop:schema")
    assert code == 1
    assert "pip install 'strawberry-surfaces[serve]'" in wrong
