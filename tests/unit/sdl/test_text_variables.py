"""Texts of paths and query strings become the values that operations take."""

import enum
from typing import Any

import pytest
import strawberry

from sdl.arguments.values import variables_from_text
from sdl.errors import InvalidInputError
from sdl.operations.compiler import compile_operations
from sdl.operations.operation import Operation
from sdl.types.declare import enum_type

NUMBER = "must be a whole number"


@enum_type
class Colour(enum.Enum):
    """A colour."""

    DARK_RED = "dark-red"
    BLUE = "blue"


@strawberry.type
class Query:
    """A root that takes every kind of input."""

    @strawberry.field
    def take(
        self,
        number: int | None = None,
        flag: bool | None = None,  # noqa: FBT001 - a GraphQL argument
        colours: list[Colour] | None = None,
        text: str | None = None,
        needed: str = "",
    ) -> str:
        """Takes it."""
        return f"{number}{flag}{colours}{text}{needed}"


@pytest.fixture(scope="module")
def operation(tmp_path_factory: pytest.TempPathFactory) -> Operation:
    """An operation with a variable of each kind."""
    folder = tmp_path_factory.mktemp("sdl")
    for name in ("operations", "fragments"):
        (folder / name).mkdir()
    (folder / "operations" / "take.graphql").write_text(
        '"Takes." query Take("n" $number: Int, "f" $flag: Boolean, "c" $colours: [Colour!],'
        ' "t" $text: String, "x" $needed: String!)'
        " { take(number: $number, flag: $flag, colours: $colours, text: $text, needed: $needed) }"
    )
    return compile_operations(strawberry.Schema(Query)._schema, folder)[0]  # noqa: SLF001 - no public name


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ([("number", "42")], {"number": 42}),
        ([("number", "-7")], {"number": -7}),
        ([("flag", "true")], {"flag": True}),
        ([("flag", "false")], {"flag": False}),
        ([("colours", "dark-red")], {"colours": ["DARK_RED"]}),
        ([("colours", "dark-red,blue")], {"colours": ["DARK_RED", "BLUE"]}),
        ([("colours", "blue"), ("colours", "dark-red")], {"colours": ["BLUE", "DARK_RED"]}),
        ([("text", "a, b")], {"text": "a, b"}),
        ([("text", "")], {"text": ""}),
        ([], {}),
    ],
)
def test_texts_become_values_and_what_is_missing_stays_absent(
    operation: Operation, query: list[tuple[str, str]], values: dict[str, Any]
) -> None:
    given = [*query, ("needed", "x")]
    assert variables_from_text(operation, {}, given) == {**values, "needed": "x"}


@pytest.mark.parametrize(
    ("query", "path", "rule"),
    [
        ([("number", "4.5")], "number", NUMBER),
        ([("number", "")], "number", NUMBER),
        ([("number", "٣")], "number", NUMBER),
        ([("number", "9" * 30)], "number", NUMBER),
        ([("flag", "yes")], "flag", "must be true or false"),
        ([("colours", "red")], "colours", "must be one of the allowed words"),
        ([("colours", "DARK_RED")], "colours", "must be one of the allowed words"),
        ([("text", "a"), ("text", "b")], "text", "must be given once"),
        ([("txet", "a")], "txet", "unknown parameter; did you mean 'text'?"),
        ([("zzz", "a")], "zzz", "unknown parameter"),
    ],
)
def test_what_does_not_fit_is_told_by_its_rule(
    operation: Operation, query: list[tuple[str, str]], path: str, rule: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        variables_from_text(operation, {"needed": "x"}, query)
    fault = caught.value.problems[0]
    assert (fault.path, fault.rule) == (path, rule)


def test_every_fault_is_told_and_the_required_one_too(operation: Operation) -> None:
    query = [("number", "x"), ("flag", "x"), ("colours", "x"), ("unknown", "x")]
    with pytest.raises(InvalidInputError) as caught:
        variables_from_text(operation, {}, query)
    assert {f.path for f in caught.value.problems} == {
        *("number", "flag", "colours", "unknown", "needed")
    }
    words = next(f.allowed for f in caught.value.problems if f.path == "colours")
    assert words == ("dark-red", "blue")


def test_the_path_cannot_be_overruled_by_the_query(operation: Operation) -> None:
    with pytest.raises(InvalidInputError):
        variables_from_text(operation, {"needed": "x"}, [("needed", "y")])
