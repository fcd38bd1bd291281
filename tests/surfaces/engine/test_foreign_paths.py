"""Every method of a path is routed, told by OPTIONS and described; failures have their status."""
# mypy: disable-error-code="untyped-decorator"

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, NewType

import jsonschema
import pytest
import strawberry
from asgi_call import Ask
from foreign_schemas import described, serving, stored
from strawberry.schema.config import StrawberryConfig

from sdl.operations.rules import OperationError
from sdl.running.runner import Operations

Address = NewType("Address", str)
PATH = strawberry.scalar(name="Path", serialize=str, parse_value=str)


@strawberry.type
class Note:
    id: int
    text: str


@strawberry.type
class Missing:
    message: str


@strawberry.type(name="Problem")
class Puzzle:
    """A type whose name the description has for a schema of its own."""

    url: Address


@strawberry.input
class Change:
    text: str | None = strawberry.UNSET


Found = Annotated[Note | Missing, strawberry.union("Found")]
NOTES = [Note(id=1, text="one"), Note(id=2, text="two")]


@strawberry.type
class Query:
    @strawberry.field
    def notes(self) -> list[Note]:
        return NOTES

    @strawberry.field
    def note(self, id: int) -> Note | None:  # noqa: A002 - the schema's word
        return next((note for note in NOTES if note.id == id), None)

    @strawberry.field
    def found(self, id: int) -> Found:  # noqa: A002 - the schema's word
        return next((n for n in NOTES if n.id == id), Missing(message="gone"))

    @strawberry.field
    def puzzle(self) -> Puzzle:
        return Puzzle(url=Address("nowhere"))

    @strawberry.field
    def count(self) -> int:
        return 2

    @strawberry.field
    def some(self) -> list[Note | None]:
        return [NOTES[0], None]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def add(self, text: str) -> Note:
        return Note(id=3, text=text)

    @strawberry.mutation
    def change(self, id: int, change: Change) -> Found:  # noqa: A002 - the schema's word
        if id > 2:
            return Missing(message="gone")
        return Note(id=id, text=f"{change.text}")

    @strawberry.mutation
    def remove(self, id: int) -> bool:  # noqa: A002 - the schema's word
        return id < 3


@strawberry.type
class Tick:
    n: int


@strawberry.type
class News:
    tick: Tick | None = None


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self, first: int) -> AsyncGenerator[Tick, None]:
        yield Tick(n=first)
        yield Tick(n=first + 1)

    @strawberry.subscription
    async def news(self) -> AsyncGenerator[News, None]:
        yield News(tick=Tick(n=1))


CONFIG = StrawberryConfig(scalar_map={Address: PATH})
SCHEMA = strawberry.Schema(Query, Mutation, Subscription, config=CONFIG)
FAILS = '@fails(type: "Missing", status: 404)'
FOUND = "{ kind: __typename ... on Note { id text } ... on Missing { message } }"
ONE = 'path: "/notes/{id}"'
TEXTS = (
    'query ListNotes @rest(path: "/notes") { notes { id text } }',
    f'query GetNote("N." $id: Int!) @rest({ONE}, each: "ListNotes")'
    " { note(id: $id) { id text } }",
    'mutation AddNote("T." $text: String!) @rest(path: "/notes", method: POST, status: 201,'
    ' location: "/notes/{id}") { add(text: $text) { id text } }',
    f'mutation SetNote("N." $id: Int!, "C." $input: Change!) @rest({ONE}, method: PUT) {FAILS}'
    f" {{ change(id: $id, change: $input) {FOUND} }}",
    f'mutation PatchNote("N." $id: Int!, "C." $change: Change!) @rest({ONE}, method: PATCH) {FAILS}'
    f" {{ change(id: $id, change: $change) {FOUND} }}",
    f'mutation EndNote("N." $id: Int!) @rest({ONE}, method: DELETE) {{ remove(id: $id) }}',
    f'query FindNote("N." $id: Int!) @rest(path: "/found") {FAILS} {{ found(id: $id) {FOUND} }}',
    'query GetPuzzle @rest(path: "/puzzle") { puzzle { url } }',
    'query CountNotes @rest(path: "/count") { count }',
    'query ListSome @rest(path: "/some") { some { id } }',
    'subscription Ticks("F." $first: Int!) @rest(path: "/ticks", method: GET, media: [EVENTS])'
    " { ticks(first: $first) { n } }",
    'subscription News @rest(path: "/news", method: POST, media: [EVENTS]) { news { tick { n } } }',
)


@pytest.fixture(scope="module")
def operations(tmp_path_factory: pytest.TempPathFactory) -> Operations:
    return stored(SCHEMA, tmp_path_factory.mktemp("notes"), *TEXTS)


@pytest.fixture(scope="module")
def ask(operations: Operations) -> Ask:
    return serving(operations)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/notes", "GET, HEAD, POST, OPTIONS"),
        ("/notes/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
        ("/ticks", "GET, HEAD, POST, OPTIONS"),
        ("/news", "GET, HEAD, POST, OPTIONS"),
    ],
)
def test_options_and_405_have_every_method(ask: Ask, path: str, allowed: str) -> None:
    assert ask(path, "OPTIONS").headers["allow"] == allowed
    refused = ask(path, "TRACE")
    assert refused.status_code == 405
    assert refused.headers["allow"] == allowed


def test_every_method_of_a_path_answers(ask: Ask) -> None:
    assert (
        ask("/notes").json()
        == ask("/notes.json").json()
        == [
            {"id": 1, "text": "one"},
            {"id": 2, "text": "two"},
        ]
    )
    added = ask("/notes", "POST", json={"text": "two\nlines"})
    assert (added.status_code, added.headers["location"]) == (201, "/notes/3")
    assert added.json() == {"id": 3, "text": "two\nlines"}
    assert ask("/notes/1").json() == ask("/notes/1.json").json() == {"id": 1, "text": "one"}
    assert ask("/notes/1", "PUT", json={"text": "x"}).json() == {
        "kind": "Note",
        "id": 1,
        "text": "x",
    }
    patched = ask("/notes/2", "PATCH", json={"change": {"text": None}})
    assert patched.json()["text"] == "None"
    assert ask("/notes/1", "DELETE").json() is True
    assert ask("/count").json() == 2
    assert ask("/some").json() == [{"id": 1}, None]


def test_a_failure_has_its_status(ask: Ask) -> None:
    failed = ask("/notes/9", "PUT", json={"text": "x"})
    assert (failed.status_code, failed.json()) == (404, {"kind": "Missing", "message": "gone"})
    assert ask("/found?id=1").status_code == 200
    missing = ask("/found?id=9", headers={"if-none-match": "*"})
    assert (missing.status_code, missing.json()) == (404, {"kind": "Missing", "message": "gone"})


def test_the_path_is_no_member_of_the_body(ask: Ask) -> None:
    wrong = ask("/notes/x", "PATCH", json={"id": 1, "change": {}})
    assert wrong.status_code == 400
    assert [(f["path"], f["rule"]) for f in wrong.json()["fields"]] == [
        ("id", "is in the path, so it may not be a member too"),
        ("id", "must be a whole number"),
    ]


def test_events_of_any_shape_are_sent(ask: Ask) -> None:
    accept = {"accept": "text/event-stream"}
    ticks = ask("/ticks?first=4", headers=accept).text
    assert ticks == 'event: next\ndata: {"n":4}\n\nevent: next\ndata: {"n":5}\n\n'
    news = ask("/news", "POST", json={}, headers=accept).text
    assert news == 'event: tick\ndata: {"n":1}\n\n'
    assert ask("/ticks?first=x", headers=accept).status_code == 400
    assert ask("/ticks", "POST", json={"first": 4}, headers=accept).text == ticks


def test_every_method_is_described_and_holds(ask: Ask, operations: Operations) -> None:
    found = described(operations)
    assert {path: [*item] for path, item in found["paths"].items() if "notes" in path} == {
        "/notes": ["get", "post"],
        "/notes/{id}": ["get", "delete", "patch", "put"],
    }
    assert found["paths"]["/notes"]["get"]["operationId"] == "ListNotes"
    put = found["paths"]["/notes/{id}"]["put"]
    assert [(p["name"], p["in"]) for p in put["parameters"]] == [("id", "path")]
    assert {"200", "404"} <= {*put["responses"]}
    bodies = found["components"]["schemas"]
    assert [*bodies["SetNoteBody"]["properties"]] == ["text"]
    assert bodies["SetNoteBody"]["properties"]["text"]["type"] == ["string", "null"]
    assert [*bodies["PatchNoteBody"]["properties"]] == ["change"]
    ticks = found["paths"]["/ticks"]["get"]["parameters"]
    assert [(p["name"], p["in"], p["required"]) for p in ticks] == [("first", "query", True)]
    assert bodies["GetPuzzleProblem"]["properties"]["url"] == {"description": ""}
    asked = (("/found?id=9", "404"), ("/found?id=1", "200"), ("/some", "200"), ("/puzzle", "200"))
    for path, status in asked:
        answers = found["paths"][path.partition("?")[0]]["get"]["responses"]
        schema = answers[status]["content"]["application/json"]["schema"]
        whole = {**schema, "components": found["components"]}
        jsonschema.validate(ask(path).json(), whole)


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (
            (
                TEXTS[5],
                TEXTS[5]
                .replace("EndNote", "Stop")
                .replace("$id", "$note")
                .replace("{id}", "{note}"),
            ),
            r"stop\.graphql:2:33: path: write /notes/\{id\}, as .*/end_note\.graphql:2 has",
        ),
        (
            ('query Get @rest(path: "/x", method: PUT) { count }',),
            r"get\.graphql:2:11: method: only a mutation can have PUT",
        ),
        (
            ('mutation Do @rest(path: "/x") { remove(id: 1) }',),
            "method: a mutation cannot have GET; write POST",
        ),
        (
            (TEXTS[8], TEXTS[10].replace("/ticks", "/count")),
            r"GET /count as JSON is already used by",
        ),
        (
            (TEXTS[8], 'query Page @rest(path: "/count.md", media: [MARKDOWN]) { some { id } }'),
            r"path: /count\.md, a form of it, is the path of another operation",
        ),
        (
            (TEXTS[8].replace("{", '@example(name: "a") @example(name: "a") {', 1),),
            r"example 'a' is already used by \S+/operations/\w+\.graphql:",
        ),
        (
            (TEXTS[2].replace("{id}", "{number}"),),
            "location: the body does not always have 'number'",
        ),
        ((TEXTS[6].replace("kind: __typename", ""),), "fails: select __typename, which says"),
        ((TEXTS[6].replace('"Missing"', '"Lost"'),), r"name one of its types \(Note, Missing\)"),
        ((TEXTS[6].replace("404", "200"),), "status: write an HTTP status from 400 to 599"),
    ],
)
def test_what_cannot_be_routed_is_refused(
    tmp_path: Path, texts: tuple[str, ...], fault: str
) -> None:
    with pytest.raises(OperationError, match=fault):
        stored(SCHEMA, tmp_path, *texts)
