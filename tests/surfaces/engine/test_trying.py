"""What `surfaces test` says of examples: a problem where there is one, and nothing else."""
# mypy: disable-error-code="untyped-decorator"

import asyncio
import enum
from collections.abc import Mapping
from pathlib import Path

import pytest
import strawberry
from strawberry.scalars import JSON

from surfaces import Surfaces
from surfaces.trying import try_examples

NO_HEADERS: Mapping[str, str] = {}


@strawberry.enum
class Direction(enum.Enum):
    ASC = "asc"
    DESC = "desc"


@strawberry.input
class Order:
    price: Direction


@strawberry.type
class Page:
    more: bool
    text: str


@strawberry.type
class Query:
    @strawberry.field
    def units(self) -> list[str]:
        return ["KG"]

    @strawberry.field
    def facts(self) -> JSON:
        return JSON({"a": 1, "ids": None})

    @strawberry.field
    def greet(self, language: str | None = None, times: int = 4) -> str:
        return f"{language} {times}"

    @strawberry.field
    def ordered(self, by: list[Order]) -> list[str]:
        return [own.price.name for own in by]

    @strawberry.field
    def page(self) -> Page:
        return Page(more=True, text="Tides")

    @strawberry.field
    def path(self, info: strawberry.Info) -> str:
        return "a" * 500 + str(info.context["request"].url.path) + "b" * 500


SCHEMA = strawberry.Schema(Query)


def problems(folder: Path, text: str, headers: Mapping[str, str] = NO_HEADERS) -> list[str]:
    """What is told of the examples of a file."""
    (folder / "all.graphql").write_text(text)
    service = Surfaces(SCHEMA, folder, graphql=True)
    tried = asyncio.run(try_examples(service, headers, writes=False))
    assert tried.examples
    return [problem.message for problem in tried.problems]


@pytest.mark.parametrize(
    "text",
    [
        'query A @rest(path: "/a", whole: true) @mcp @example { units }',
        'query A @rest(path: "/a", whole: true, partial: true) @mcp @example { units }',
        'query A @rest(path: "/a") @mcp @example { facts }',
        'query A @rest(path: "/a") @mcp @example { page { more text } }',
        "query A($by: [Order!]!)"
        ' @rest(path: "/a") @mcp @example(variables: {by: [{price: DESC}]}) { ordered(by: $by) }',
    ],
)
def test_answers_that_are_the_same_are_no_problem(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text) == []


def test_what_headers_fill_is_compared_where_there_are_headers(tmp_path: Path) -> None:
    text = (
        'query A($language: String @from(header: "accept-language"), $times: Int! = 4'
        ' @from(header: "x-times")) @rest(path: "/a") @mcp'
        ' @example @example(name: "often", variables: {language: "de", times: 7})'
        " { greet(language: $language, times: $times) }"
    )
    assert problems(tmp_path, text) == []
    assert problems(tmp_path, text, {"Accept-Language": "fr"}) == []


def test_a_problem_says_what_came_and_what_was_awaited(tmp_path: Path) -> None:
    text = 'query A @rest(path: "/a") @mcp @example(status: 404) { units }'
    found = problems(tmp_path, text)
    assert "example 'example 1': HTTP GET /a answered 200, not 404: [\"KG\"]" in found
    assert "example 'example 1': the tool answered without an error, not 404: [\"KG\"]" in found


def test_of_long_answers_the_difference_is_shown(tmp_path: Path) -> None:
    found = problems(tmp_path, 'query A @rest(path: "/a") @mcp @example { path }')
    [told] = [text for text in found if "the tool answers otherwise" in text]
    assert "… aaa" in told
    assert all(f"a{path}b" in told for path in ("/mcp", "/a"))
    assert told.endswith("bbb …'")
