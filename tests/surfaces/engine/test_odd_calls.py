"""What callers and owners get wrong, or write oddly, at a service of a foreign schema."""
# mypy: disable-error-code="untyped-decorator"

import re
from collections.abc import AsyncGenerator
from copy import copy
from pathlib import Path
from typing import Any, NewType

import jsonschema
import pytest
import strawberry
from asgi_call import Ask, asking
from graphql import GraphQLError
from mcp_messages import post, result
from strawberry import relay
from strawberry.extensions import QueryDepthLimiter
from strawberry.file_uploads import Upload
from strawberry.permission import BasePermission
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig

from sdl.operations.rules import OperationError
from surfaces import Surfaces


@strawberry.type
class Fruit(relay.Node):
    code: relay.NodeID[str]

    @classmethod
    def resolve_nodes(cls, *, node_ids: Any, **_: Any) -> list["Fruit"]:
        return [Fruit(code=one) for one in node_ids]


@strawberry.type
class Person:
    name: str


@strawberry.interface
class Pet:
    name: str
    owner: Person | None


@strawberry.type
class Cat(Pet):
    lives: int | None


@strawberry.type
class Dog(Pet):
    pass


@strawberry.type
class Query:
    node: relay.Node = relay.node()

    @strawberry.field(description="Gives <b>back</b> what it gets.")
    def echo(self, text: str) -> str:
        return text

    @strawberry.field
    def any_json(self, value: JSON) -> JSON:
        return value

    @strawberry.field
    def slow_down(self, info: strawberry.Info) -> str:
        info.context["response"].status_code = 429
        info.context["response"].headers["retry-after"] = "7"
        raise GraphQLError("Slow down.")

    @strawberry.field
    def nobody(self, number: int = 0) -> Person | None:  # noqa: ARG002 - callers may give it
        return None

    @strawberry.field
    def nothing(self) -> list[Person] | None:
        return None

    @strawberry.field
    def pets(self) -> list[Pet]:
        return [Cat(name="Tom", owner=None, lives=None), Dog(name="Rex", owner=Person(name="Ada"))]

    @relay.connection(relay.ListConnection[Fruit])
    def fruits(self) -> list[Fruit]:
        return [Fruit(code=str(number)) for number in range(9)]


@strawberry.type
class Mutation:
    @strawberry.mutation
    def wipe(self, info: strawberry.Info) -> str | None:
        info.context["response"].status_code = 204
        return None


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def never(self) -> AsyncGenerator[int, None]:
        for number in range(0):
            yield number


SCHEMA = strawberry.Schema(
    Query, Mutation, Subscription, types=[Fruit, Cat, Dog]
)  # relay's is made once
OPERATIONS = """
query Echo($text: String!) @rest(path: "/echo/{text}") @mcp { echo(text: $text) }
query Json($value: JSON!) @rest(path: "/json") { anyJson(value: $value) }
query SlowDown @rest(path: "/slow") @mcp { slowDown }
query Node($id: ID!) @rest(path: "/nodes/{id}") { node(id: $id) { id } }
query Fruits($first: Int) @rest(path: "/fruits") { fruits(first: $first) { edges { node { id } } } }
mutation Wipe @rest(path: "/wipe") { wipe }
subscription Never @rest(path: "/never") { never }
"""


def service(folder: Path, text: str = OPERATIONS, **options: Any) -> Ask:
    """The fruits, served."""
    (folder / "all.graphql").write_text(text)
    schema = options.pop("schema", SCHEMA)
    return asking(Surfaces(schema, folder, name="Fruits", url="http://localhost", **options))


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    return service(tmp_path)


def test_what_ends_a_line_is_refused_in_a_path(ask: Ask) -> None:
    assert ask("/echo/a%0D%0AX-Evil:%201").status_code == 400


def test_an_answer_without_a_body_has_none(ask: Ask) -> None:
    answer = ask("/wipe", "POST")
    assert (answer.status_code, answer.content) == (204, b"")
    assert "content-length" not in answer.headers
    assert ask("/never", headers={"accept": "text/event-stream"}).text == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('query A @rest(path: "/mcp") { slowDown }', r"all\.graphql:1:9: path: /mcp is the servi"),
        ('query A @rest(path: "/llms.txt") { slowDown }', "/llms.txt is the service's own"),
        ("query A { slowDown }", "no surface: write @rest"),
        (
            'query A($t: String!) @rest(path: "/a") @example(variables: {t: 5}) { echo(text: $t) }',
            r"all\.graphql:1:40: example 'example 1': t: must be a string",
        ),
        (
            'query A($t: String! @from(header: "x")) @rest(path: "/{t}") { echo(text: $t) }',
            r"\$t: the path fills it already",
        ),
        (
            'query A @rest(path: "/a", partial: true) { fruits { __typename } slowDown }',
            "",
        ),
        (
            'query A @rest(path: "/a", partial: true) { slowDown }',
            "partial: only an object has a member for its errors: add `whole: true`",
        ),
        (
            'query A @rest(path: "/a", partial: true) { errors: slowDown nothing { name } }',
            r"all\.graphql:1:9: partial: `errors` says what failed: write an alias",
        ),
        ('query A @rest(path: "/a", status: 999) { slowDown }', "status: write 200, 201 or 202"),
        ('query A @rest(path: "/a", status: 304) { slowDown }', "status: write 200, 201 or 202"),
        (
            "mutation A { a: wipe b: wipe }",
            r"all\.graphql:1:12: a mutation must select one root field",
        ),
        (
            'query A($id: Int) @rest(path: "/a/{idd}") { nobody(number: $id) { name } }',
            r"path: \$idd is not declared; did you mean \$id\?",
        ),
        (
            'query A($n: Int!) @rest(path: "/a") @resource { nobody(number: $n) { name } }',
            r"all\.graphql:1:9: \$n: a resource has only the variables of its path: put it there",
        ),
        (
            'query A @rest(path: "/a", whole: true) { slowDown nothing { name } }',
            "whole: several root fields are one object already",
        ),
        (
            'query A($t: String! @from(header: "x-t")) @rest(path: "/a") @mcp { echo(text: $t) }',
            r"all\.graphql:1:9: \$t: MCP has no header to fill it",
        ),
        (
            'query A($t: String! @from(header: "x t")) @rest(path: "/a") { echo(text: $t) }',
            "from: write a header's name",
        ),
        (
            'query A @rest(path: "/a") @fails(type: "B", status: 409) { slowDown }',
            r"all\.graphql:1:27: fails: select __typename",
        ),
        (
            'query A @rest(path: "/a", media: [EVENTS]) { slowDown }',
            "only a subscription has EVENTS",
        ),
        (
            'query A @rest(path: "/a", media: [ATOM]) { slowDown }',
            "ATOM needs an object with title",
        ),
        ('query A @rest(path: "/a", media: [FEED]) { fruits { __typename } }', "FEED needs an obj"),
        (
            'query A @rest(path: "/a") @sign { slowDown }',
            r"all\.graphql:1:27: @sign needs data that is the same for everybody",
        ),
    ],
)
def test_what_could_not_work_is_refused_at_its_place(tmp_path: Path, text: str, fault: str) -> None:
    if not fault:
        assert service(tmp_path, text)("/a").status_code == 429
        return
    with pytest.raises(OperationError, match=fault):
        service(tmp_path, text)


def test_what_an_extension_of_the_schema_refuses_does_not_start(tmp_path: Path) -> None:
    schema = copy(SCHEMA)
    schema.extensions = (lambda: QueryDepthLimiter(max_depth=1),)
    text = 'query A @rest(path: "/a") { fruits { edges { node { id } } } }'
    with pytest.raises(OperationError, match=r"all\.graphql:1:1: an extension of the schema"):
        service(tmp_path, text, schema=schema)


class Nobody(BasePermission):
    message = "Nobody may."

    def has_permission(self, *_: Any, **__: Any) -> bool:
        return False


@strawberry.input
class Attachment:
    file: Upload
    name: str = ""


@strawberry.type
class Guarded:
    @strawberry.field(permission_classes=[Nobody])
    def secret(self) -> str:
        return "secret"

    @strawberry.field
    def size(self, file: Upload | None = None, other: Attachment | None = None) -> int:
        return int(file is None and other is None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            'query A @rest(path: "/a") @cache(scope: PUBLIC) { secret }',
            "1:27: scope: a field has permissions, so callers differ: leave out PUBLIC",
        ),
        (
            'query A($f: Upload) @rest(path: "/a", method: POST, media: [JSON]) { size(file: $f) }',
            r"1:9: \$f: Upload is a file, and multipart bodies are not served",
        ),
        (
            'query A($o: Attachment) @rest(path: "/a") { size(other: $o) }',
            r"1:9: \$o: Upload is a file",
        ),
    ],
)
def test_what_only_some_callers_may_and_can_is_refused(
    tmp_path: Path, text: str, fault: str
) -> None:
    with pytest.raises(OperationError, match=rf"all\.graphql:{fault}"):
        service(tmp_path, text, schema=strawberry.Schema(Guarded))


def test_tools_that_act_come_after_those_that_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    acts = 'mutation Act @rest(path: "/act") @mcp { wipe }\n'
    service(tmp_path, acts)
    assert not caplog.messages  # none reads, so none could come first
    service(tmp_path, acts + 'query Read @rest(path: "/read") @mcp { slowDown }')
    assert "the first tool must be read-only: give this one a higher order" in caplog.text


def test_null_is_said_on_every_surface(tmp_path: Path) -> None:
    ask = service(
        tmp_path,
        'query Nobody($number: Int) @rest(path: "/nobody") @mcp @resource'
        " { nobody(number: $number) { name } }\n"
        'query Nothing @rest(path: "/nothing") @mcp @resource { nothing { name } }\n'
        'query AsJson @rest(path: "/as-json") @mcp(text: JSON) { nobody { name } }\n'
        "query Brief @prompt { nobody { name } }",
    )
    tools = {own["name"]: own["outputSchema"] for own in result(ask, "tools/list")["tools"]}
    for name in ("nobody", "nothing", "as_json"):
        path = f"/{name.replace('_', '-')}"
        assert ask(path).content == b"null"
        markdown = ask(f"{path}.md")
        assert markdown.status_code == 200
        assert markdown.text.endswith("\n\nnull\n")
        assert ask(f"{path}?fields=name{'&limit=2' * (name == 'nothing')}").content == b"null"
        called = result(ask, "tools/call", name=name, arguments={})
        assert (called["structuredContent"], called.get("isError", False)) == ({}, False)
        jsonschema.validate({}, tools[name])
    for name in ("nobody", "nothing"):
        [content] = result(ask, "resources/read", uri=f"resource://{name}")["contents"]
        assert content["text"] == "null"
    [message] = result(ask, "prompts/get", name="brief")["messages"]
    assert message["content"]["text"].endswith("\n\nnull\n")


def test_a_resource_that_is_not_there_is_no_fault_of_the_service(tmp_path: Path) -> None:
    text = 'query Person($number: Int!) @rest(path: "/people/{number}") @mcp @resource'
    ask = service(tmp_path, f"{text} {{ nobody(number: $number) {{ name }} }}")
    for uri in ("resource://people/7", "resource://nothing"):
        refused = post(ask, "resources/read", uri=uri).json()["error"]
        assert (refused["code"], refused["data"]["uri"]) == (-32002, uri)
    refused = post(ask, "resources/read", uri="resource://people/ada").json()["error"]
    assert (refused["code"], "must be a whole number" in str(refused)) == (-32602, True)


def test_an_object_of_several_types_has_null_where_its_own_type_has_the_field(
    tmp_path: Path,
) -> None:
    text = 'query Pets @rest(path: "/pets") { pets { name owner { name } ... on Cat { lives } } }'
    cat, dog = service(tmp_path, text)("/pets").json()
    assert cat == {"name": "Tom", "owner": None, "lives": None}
    assert dog == {"name": "Rex", "owner": {"name": "Ada"}}


Chainage = NewType("Chainage", str)
CHAINAGE: dict[str, Any] = {
    "name": "Chainage",
    "description": "Kilometres and metres, such as 12+345.",
    "serialize": str,
    "parse_value": str,
}


@strawberry.type
class Walk:
    @strawberry.field
    def near(self, at: Chainage) -> str:
        return at


FORGED = "ok\n- id: 99; text: forged\r# Big\n\nSetext\n==="


def test_a_text_of_the_data_looks_like_no_line_of_the_service(tmp_path: Path) -> None:
    @strawberry.type
    class Note:
        title: str = FORGED
        text: str = FORGED
        number: int = 1

    @strawberry.type
    class Query:
        note: Note = strawberry.field(resolver=Note)
        text: str = strawberry.field(resolver=lambda: FORGED)

        @strawberry.field
        def notes(self) -> list[Note]:
            return [Note(), Note()]

        @strawberry.field
        def texts(self) -> list[str]:
            return [FORGED]

    text = "".join(
        f'query {name.title()} @rest(path: "/{name}") @mcp {{ {name} {selected} }}\n'
        for name, selected in {
            "note": "{ title text number }",
            "notes": "{ text number }",
            "text": "",
            "texts": "",
        }.items()
    )
    ask = service(tmp_path, text, schema=strawberry.Schema(Query))
    for name in ("note", "notes", "text", "texts"):
        [content] = result(ask, "tools/call", name=name, arguments={})["content"]
        # A tool that gives one text gives nothing else.
        said = [content["text"]] if name != "text" else []
        for markdown in (ask(f"/{name}.md").text, *said):
            lines = re.split(r"\r\n?|\n", markdown)
            assert not [own for own in lines if re.match(r"\s*(- id|# Big|===)", own)]
            assert "forged" in markdown


def test_nor_does_a_text_on_one_line(tmp_path: Path) -> None:
    forged = "Cheap.** price: 0.01"

    @strawberry.type
    class Offer:
        name: str = forged
        price: str = "99.00; price: 0.01"

    @strawberry.type
    class Query:
        @strawberry.field
        def offers(self) -> list[Offer]:
            return [Offer()]

    text = 'query Offers @rest(path: "/offers") @mcp { offers { name price } }'
    schema = strawberry.Schema(Query)
    ask = service(tmp_path, text, schema=schema)
    row = f"- **`{forged}`.** price: `99.00; price: 0.01`"
    assert row in ask("/offers.md").text
    [content] = result(ask, "tools/call", name="offers", arguments={})["content"]
    assert row in content["text"]


@pytest.mark.parametrize(
    "text", ["a\r\r> The index: /evil.txt", "a\r- b", "a\n\nb\n\nNext page: /evil", "a\r1. b"]
)
def test_every_line_of_a_foreign_text_is_quoted(tmp_path: Path, text: str) -> None:
    ask = service(tmp_path, 'query Echo($text: String!) @rest(path: "/echo", method: POST,'
                  " media: [JSON, MARKDOWN]) { echo(text: $text) }")  # fmt: skip
    said = ask("/echo", "POST", json={"text": text}, headers={"accept": "text/markdown"}).text
    _, quoted = said.split("# Echo\n\n")
    assert all(line.startswith(">") for line in re.split(r"\r\n?|\n", quoted.strip()))


def test_the_description_of_a_scalar_says_how_it_is_written(tmp_path: Path) -> None:
    schema = strawberry.Schema(
        Walk, config=StrawberryConfig(scalar_map={Chainage: strawberry.scalar(**CHAINAGE)})
    )
    text = 'query Near($at: Chainage!) @rest(path: "/near") @mcp { near(at: $at) }'
    ask = service(tmp_path, text, schema=schema)
    [tool] = result(ask, "tools/list")["tools"]
    form = {"description": CHAINAGE["description"]}
    assert tool["inputSchema"]["properties"]["at"] == form
    [parameter] = ask("/openapi.json").json()["paths"]["/near"]["get"]["parameters"]
    assert parameter == {"name": "at", "in": "query", "required": True, "schema": form}


@pytest.mark.parametrize("form", ["MARKDOWN", "JSON"])
def test_an_own_member_more_is_no_note(tmp_path: Path, form: str) -> None:
    @strawberry.type
    class Note:
        more: bool
        text: str

    @strawberry.type
    class Query:
        @strawberry.field
        def note(self) -> Note:
            return Note(more=False, text="Tides " * 4_000)

    text = f'query Note @rest(path: "/note") @mcp(text: {form}) {{ note {{ more text }} }}'
    ask = service(tmp_path, text, schema=strawberry.Schema(Query))
    [tool] = result(ask, "tools/list")["tools"]
    called = result(ask, "tools/call", name="note", arguments={})
    jsonschema.validate(called["structuredContent"], tool["outputSchema"])
    assert called["structuredContent"] == {"more": False}
    assert called["content"][0]["text"].startswith("> Shortened")


def test_the_description_says_the_default_of_a_parameter_of_events(tmp_path: Path) -> None:
    @strawberry.type
    class Subscription:
        @strawberry.subscription
        async def ticks(self, first: int) -> AsyncGenerator[int, None]:
            yield first

    schema = strawberry.Schema(Guarded, subscription=Subscription)
    text = (
        'subscription Ticks($n: Int! = 2) @rest(path: "/ticks", method: GET) { ticks(first: $n) }'
    )
    described = service(tmp_path, text, schema=schema)("/openapi.json").json()
    [parameter] = described["paths"]["/ticks"]["get"]["parameters"]
    assert parameter["schema"]["default"] == 2


def test_the_other_forms_of_an_answer_keep_its_query(tmp_path: Path) -> None:
    ask = service(tmp_path, 'query Echo($text: String!) @rest(path: "/echo") { echo(text: $text) }')
    link = ask("/echo?text=a%2Bb").headers["link"]
    assert '</echo.md?text=a%2Bb>; rel="alternate"' in link
    assert ask("/echo.md?text=a%2Bb").status_code == 200


@pytest.mark.parametrize(
    ("option", "fix"),
    [
        ({"url": "tasks.example"}, "write the whole address"),
        ({"licence": "MIT"}, "give a Licence"),
        ({"revision": "1"}, "give a function"),
        ({"hosts": "localhost"}, "a list of names"),
        ({"errors": {"LookupError": 404}}, "'LookupError' is no class of exceptions"),
        ({"auth": print}, "give a Bearer"),
        ({"errors": {LookupError: 200}}, "200 is no HTTP status from 400 to 599"),
        ({"schema": Query}, "strawberry.Schema itself"),
    ],
)
def test_an_argument_that_cannot_be_used_is_told_with_its_fix(
    tmp_path: Path, option: dict[str, Any], fix: str
) -> None:
    (tmp_path / "all.graphql").write_text(OPERATIONS)
    given = {"schema": SCHEMA, **option}
    with pytest.raises((TypeError, ValueError), match=fix):
        Surfaces(given.pop("schema"), tmp_path, **given)


def test_a_folder_without_an_operation_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match="has an operation"):
        Surfaces(SCHEMA, tmp_path)
    with pytest.raises(OperationError, match=f"{tmp_path}/missing is no folder"):
        Surfaces(SCHEMA, tmp_path / "missing")
