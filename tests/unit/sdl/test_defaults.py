"""What a folder that is not strict leaves out is completed; every fault keeps its place."""
# mypy: disable-error-code="untyped-decorator"

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

import pytest
import strawberry

from sdl.operations.compiler import compile_operations
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationError


@strawberry.input
class Filter:
    name: str | None = strawberry.field(default=None, description="A part of the name.")


@strawberry.type
class Person:
    name: str


@strawberry.type
class Query:
    @strawberry.field(description="People of an age.\n\nThe youngest first.")
    def people(
        self,
        age: Annotated[int, strawberry.argument(description="The age in years.")],
        where: Filter | None = None,
        limit: int = 10,
    ) -> list[Person]:
        return [Person(name=f"{age}{where}")][:limit]

    @strawberry.field
    def person(self, id: strawberry.ID) -> Person | None:  # noqa: A002 - the schema's word
        return Person(name=id)

    @strawberry.field(description=f"A {'very ' * 100}long sentence. Another.")
    def long(self) -> int:
        return 1


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def ticks(self) -> AsyncGenerator[int, None]:
        yield 1


SCHEMA = strawberry.Schema(Query, subscription=Subscription)


def compiled(folder: Path, *, strict: bool = False) -> dict[str, Operation]:
    executable = SCHEMA._schema  # noqa: SLF001 - Strawberry has no public name for it
    return {o.name: o for o in compile_operations(executable, folder, strict=strict)}


def one(folder: Path, text: str) -> Operation:
    (folder / "any name.graphql").write_text(text)
    [operation] = compiled(folder).values()
    return operation


def test_the_names_of_an_operation_are_made_of_its_name(tmp_path: Path) -> None:
    text = 'query GetPeopleByAge($age: Int!) @rest(path: "/people/{age}") @mcp'
    found = one(tmp_path, f"{text} {{ people(age: $age) {{ name }} }}")
    assert found.mcp is not None
    assert (found.mcp.tool, found.mcp.title) == ("get_people_by_age", "Get people by age")
    assert found.llms is not None
    assert found.llms.section == "API"
    assert found.description == "People of an age.\n\nThe youngest first."
    assert found.title == "Get people by age"
    assert found.path_variables == ("age",)


@pytest.mark.parametrize(
    ("name", "tool", "title"),
    [
        ("people", "people", "People"),
        ("listAllPeople", "list_all_people", "List all people"),
        ("list_people", "list_people", "List people"),
        ("GetHTTPStatus", "get_http_status", "Get HTTP status"),
        ("GetFAQEntry", "get_faq_entry", "Get FAQ entry"),
    ],
)
def test_any_spelling_of_a_name_will_do(tmp_path: Path, name: str, tool: str, title: str) -> None:
    mcp = one(tmp_path, f"query {name} @mcp {{ people(age: 1) {{ name }} }}").mcp
    assert mcp is not None
    assert (mcp.tool, mcp.title) == (tool, title)


def test_what_is_written_stands(tmp_path: Path) -> None:
    text = '"Mine." query People("How old." $age: Int!) @rest(path: "/x") @llms(section: "S")'
    found = one(tmp_path, f'{text} @mcp(title: "T") {{ people(age: $age) {{ name }} }}')
    assert (found.description, found.variables[0].description) == ("Mine.", "How old.")
    assert found.mcp is not None
    assert (found.mcp.tool, found.mcp.title) == ("people", "T")
    assert found.llms is not None
    assert found.llms.section == "S"


def test_a_variable_has_the_description_of_what_it_fills(tmp_path: Path) -> None:
    text = "query People($age: Int!, $part: String, $limit: Int!) @mcp"
    filled = "age: $age, where: {name: $part}, limit: $limit"
    found = one(tmp_path, f"{text} {{ people({filled}) {{ name }} }}")
    assert [variable.description for variable in found.variables] == [
        "The age in years.",
        "A part of the name.",
        "",
    ]


def test_an_operation_is_always_described(tmp_path: Path) -> None:
    assert one(tmp_path, "query GetPerson { person(id: 1) { name } }").description == "Get person."
    long = one(tmp_path, "query Long { long }")
    assert long.description.startswith("A very very")
    assert long.description.endswith("Another.")
    assert len(long.summary) <= 400


def test_a_file_may_have_any_number_of_operations_and_fragments(tmp_path: Path) -> None:
    for folder in ("operations", "fragments"):
        (tmp_path / folder).mkdir()
    (tmp_path / "all.graphql").write_text(
        "query A { people(age: 1) { ...Named } } query B { person(id: 1) { ...Other } }"
        " fragment Named on Person { name }"
    )
    (tmp_path / "operations" / "more.graphql").write_text("query C { long }")
    (tmp_path / "fragments" / "x.graphql").write_text("fragment Other on Person { name }")
    assert [*compiled(tmp_path)] == ["A", "B", "C"]
    with pytest.raises(OperationError, match="the file must be named"):
        compiled(tmp_path, strict=True)


def test_events_need_no_media_type(tmp_path: Path) -> None:
    found = one(tmp_path, 'subscription Ticks @rest(path: "/ticks", method: GET) { ticks }')
    assert found.rest is not None
    assert found.rest.media == ["text/event-stream"]
    assert not found.is_read


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("query { long }", r"any name\.graphql:1:1: give the operation a name"),
        ("query A { long }\nquery A { long }", r"any name\.graphql:1:7: There can be only one"),
        ("query A {\n  lang }", r"any name\.graphql:2:3: Cannot query field 'lang'"),
        ("type A { a: Int }", r"any name\.graphql:1:1: a file has operations and fragments"),
        ("query A { long ...F } fragment F on Query { long }", r"1:16: at the root write fields"),
        ("query A {", r"any name\.graphql:1:10: Syntax Error"),
        ("query _1 @mcp { long }", r"any name\.graphql:1:10: tool: write lower-case letters"),
        (
            'query A($age: Int) @rest(path: "/{age}") { long }',
            r"any name\.graphql:1:9: Variable '\$age' is never used",
        ),
        (
            'query A @mcp { long }\nquery B @mcp(tool: "a") { long }',
            r"any name\.graphql:2:9: tool 'a' is already used by .*any name\.graphql:1",
        ),
    ],
)
def test_every_fault_has_its_place(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(OperationError, match=fault):
        one(tmp_path, text)
