"""What a foreign schema takes: enums by name, any objects, JSON, null where it is allowed."""
# mypy: disable-error-code="untyped-decorator"

import enum
from pathlib import Path
from typing import Any, NewType

import jsonschema
import pytest
import strawberry
from foreign_schemas import one
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig

from sdl.arguments.input_schemas import arguments_schema
from sdl.arguments.projection import read_parameters
from sdl.arguments.values import read_arguments, variables_from_text
from sdl.errors import InvalidInputError
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationError

Even = NewType("Even", int)


def even(value: Any) -> int:
    """The value. Raises: ValueError if it is odd."""
    if int(value) % 2:
        raise ValueError("is odd")
    return int(value)


@strawberry.enum
class Level(enum.Enum):
    LOW = 1
    HIGH = 2


@strawberry.input
class Inner:
    n: int = 3
    note: str | None = None
    level: Level = Level.LOW


@strawberry.input
class Outer:
    name: str
    inner: Inner | None = None
    many: list[Inner] | None = None


@strawberry.input(one_of=True)
class By:
    id: int | None = strawberry.UNSET
    slug: str | None = strawberry.UNSET


@strawberry.input
class Filter:
    name: str | None = None
    both: list["Filter"] | None = None


@strawberry.type
class Query:
    @strawberry.field
    def find(  # noqa: PLR0913, PLR0917 - one of each
        self,
        by: By | None = None,
        where: Outer | None = None,
        filter: Filter | None = None,  # noqa: A002 - the schema's word
        level: Level | None = None,
        many: list[Level] | None = None,
        json: JSON | None = None,
        even: Even | None = None,
        id: strawberry.ID | None = None,  # noqa: A002 - the schema's word
        page: int = 1,
    ) -> str:
        return f"{by}{where}{filter}{level}{many}{json}{even}{id}{page}"


@strawberry.type
class Mutation:
    @strawberry.mutation
    def save(self, a: Outer, b: Inner | None = None, note: str | None = None) -> str:
        return f"{a}{b}{note}"


SCALAR = strawberry.scalar(name="Even", parse_value=even)
SCHEMA = strawberry.Schema(Query, Mutation, config=StrawberryConfig(scalar_map={Even: SCALAR}))
POST = '@rest(path: "/x", method: POST, media: [JSON])'


def taking(folder: Path, kind: str, argument: str, rest: str = POST, name: str = "a") -> Operation:
    """An operation with one variable."""
    text = f'query Find("It." ${name}: {kind}) {rest} {{ find({argument}: ${name}) }}'
    return one(SCHEMA, folder, text)


def faults(operation: Operation, given: dict[str, Any]) -> dict[str, str]:
    """What is wrong, by its path."""
    with pytest.raises(InvalidInputError) as refused:
        read_arguments(operation, given)
    return {fault.path: fault.rule for fault in refused.value.problems}


def test_an_enum_is_its_names_whatever_python_has_for_values(tmp_path: Path) -> None:
    operation = taking(tmp_path, "[Level!]", "many")
    assert arguments_schema(operation)["properties"]["a"]["items"]["enum"] == ["LOW", "HIGH"]
    assert read_arguments(operation, {"a": ["HIGH"]}) == {"a": ["HIGH"]}
    assert faults(operation, {"a": ["LOW", 2]}) == {"a.1": "must be a string"}
    asked = taking(tmp_path, "Level", "level", '@rest(path: "/x")')
    assert variables_from_text(asked, {}, [("a", "HIGH")]) == {"a": "HIGH"}
    with pytest.raises(InvalidInputError, match="parameters"):
        variables_from_text(asked, {}, [("a", "2")])


def test_the_default_of_an_enum_is_its_word(tmp_path: Path) -> None:
    text = f'query Find("O." $where: Outer, "L." $level: Level = HIGH) {POST}'
    operation = one(SCHEMA, tmp_path, f"{text} {{ find(where: $where, level: $level) }}")
    members = arguments_schema(operation)["properties"]
    assert members["level"]["default"] == "HIGH"
    assert members["where"]["properties"]["inner"]["properties"]["level"]["default"] == "LOW"


def test_objects_are_members_by_their_own_names(tmp_path: Path) -> None:
    text = f'mutation Save("A." $a: Outer!, "B." $b: Inner) {POST} {{ save(a: $a, b: $b) }}'
    operation = one(SCHEMA, tmp_path, text)
    given = {"a": {"name": "x", "inner": {"level": "HIGH"}, "many": [{}]}, "b": None}
    assert read_arguments(operation, given) == given
    jsonschema.validate(given, arguments_schema(operation, with_null=True))
    assert arguments_schema(operation)["required"] == ["a"]
    wrong = {"a": {"inner": {"n": "z"}, "many": [{"levle": "LOW"}, {"n": None}, 1]}, "c": 1}
    assert faults(operation, wrong) == {
        "c": "unknown member",
        "a.name": "is required",
        "a.inner.n": "must be a whole number",
        "a.many.0.levle": "unknown member; did you mean 'level'?",
        "a.many.1.n": "must not be null",
        "a.many.2": "must be an object",
    }
    assert faults(operation, {"a": None}) == {"a": "must not be null"}


def test_an_object_named_input_is_spread_beside_the_others(tmp_path: Path) -> None:
    text = f'query Find("I." $input: Outer, "P." $page: Int! = 2) {POST}'
    operation = one(SCHEMA, tmp_path, f"{text} {{ find(where: $input, page: $page) }}")
    assert read_arguments(operation, {"name": "x", "page": 3}) == {
        "input": {"name": "x"},
        "page": 3,
    }
    assert read_arguments(operation, {}) == {}
    assert arguments_schema(operation)["properties"]["page"]["default"] == 2


def test_null_is_passed_on_where_the_type_allows_it(tmp_path: Path) -> None:
    text = f'mutation Save("A." $a: Outer!, "N." $note: String) {POST}'
    operation = one(SCHEMA, tmp_path, f"{text} {{ save(a: $a, note: $note) }}")
    given = {"a": {"name": "x", "inner": None}, "note": None}
    assert read_arguments(operation, given) == given
    assert not jsonschema.Draft202012Validator(arguments_schema(operation)).is_valid(given)
    jsonschema.validate(given, arguments_schema(operation, with_null=True))
    assert read_arguments(operation, {**given, "note": "two\nlines"})["note"] == "two\nlines"
    assert faults(operation, {**given, "note": "\x07"}) == {
        "note": "must contain no control characters"
    }


def test_one_of_several_has_exactly_one(tmp_path: Path) -> None:
    operation = taking(tmp_path, "By!", "by", name="input")
    schema = jsonschema.Draft202012Validator(arguments_schema(operation))
    for good in ({"id": 1}, {"slug": "x"}):
        assert read_arguments(operation, good) == {"input": good}
        assert schema.is_valid(good)
    for bad in ({}, {"id": 1, "slug": "x"}, {"id": None}):
        assert [*faults(operation, bad).values()] == ["must have exactly one member"]
        assert not schema.is_valid(bad)


def test_an_input_in_itself_ends_in_any_object(tmp_path: Path) -> None:
    operation = taking(tmp_path, "Filter", "filter")
    schema = arguments_schema(operation)["properties"]["a"]
    assert schema["properties"]["both"]["items"] == {"type": "object"}
    deep = {"both": [{"both": [{"name": "x"}]}]}
    assert read_arguments(operation, {"a": deep}) == {"a": deep}
    assert [*faults(operation, {"a": {"both": [{"both": [{"nam": 1}]}]}})] == [
        "a.both.0.both.0.nam"
    ]


@pytest.mark.parametrize("value", [{"a": [1, None]}, [], 5, "text", True])
def test_json_is_taken_as_it_is(tmp_path: Path, value: Any) -> None:
    operation = taking(tmp_path, "JSON", "json")
    assert read_arguments(operation, {"a": value}) == {"a": value}
    assert arguments_schema(operation)["properties"]["a"] == {"description": "It."}


def test_json_in_a_query_string_is_json(tmp_path: Path) -> None:
    operation = taking(tmp_path, "JSON", "json", '@rest(path: "/x")')
    assert variables_from_text(operation, {}, [("a", '{"b": [1]}')]) == {"a": {"b": [1]}}
    with pytest.raises(InvalidInputError) as refused:
        variables_from_text(operation, {}, [("a", "{")])
    assert "must be JSON" in refused.value.problems[0].rule


def test_a_scalar_says_itself_what_it_takes(tmp_path: Path) -> None:
    operation = taking(tmp_path, "Even", "even")
    assert read_arguments(operation, {"a": 4}) == {"a": 4}
    assert faults(operation, {"a": 5}) == {"a": "is odd"}
    asked = taking(tmp_path, "Even", "even", '@rest(path: "/x")')
    assert variables_from_text(asked, {}, [("a", "6")]) == {"a": "6"}


@pytest.mark.parametrize(
    ("value", "is_taken"), [(7, True), ("7", True), (True, False), (1.5, False)]
)
def test_an_id_may_be_a_number(tmp_path: Path, value: Any, is_taken: bool) -> None:  # noqa: FBT001 - a case
    operation = taking(tmp_path, "ID", "id")
    if is_taken:
        assert read_arguments(operation, {"a": value}) == {"a": value}
    else:
        assert faults(operation, {"a": value}) == {"a": "must be a string"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            f'query Find("I." $input: Outer!, "N." $name: JSON) {POST}'
            " { find(where: $input, json: $name) }",
            r"find\.graphql:2:33: \$name: \$input has a field of this name",
        ),
        (
            'query Find("A." $a: Outer) @prompt(name: "find", title: "Find") { find(where: $a) }',
            "fits no path, no header and no prompt",
        ),
    ],
)
def test_what_no_call_could_fill_is_refused_at_its_place(
    tmp_path: Path, text: str, fault: str
) -> None:
    with pytest.raises(OperationError, match=fault):
        one(SCHEMA, tmp_path, text)


def test_a_query_string_has_the_fields_of_an_input_and_other_objects_as_json(
    tmp_path: Path,
) -> None:
    operation = one(
        SCHEMA,
        tmp_path,
        'query Find("I." $input: Outer!) @rest(path: "/x") { find(where: $input) }',
    )
    variables, _ = read_parameters(operation, {}, [("name", "a"), ("inner", '{"n": 4}')])
    assert variables == {"input": {"name": "a", "inner": {"n": 4}}}
    with pytest.raises(InvalidInputError) as refused:
        read_parameters(operation, {}, [("name", "a"), ("inner", "{"), ("nam", "x")])
    assert {problem.path for problem in refused.value.problems} == {"inner", "nam"}
    text = 'query Seek("A." $many: [Inner!]) @rest(path: "/y") {'
    seek = one(SCHEMA, _new(tmp_path, "b"), text + ' find(where: {name: "", many: $many}) }')
    variables, _ = read_parameters(seek, {}, [("many", '[{"n": 1}, {"n": 2}]')])
    assert variables == {"many": [{"n": 1}, {"n": 2}]}


def _new(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name
