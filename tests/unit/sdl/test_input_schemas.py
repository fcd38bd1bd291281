"""What an operation takes as JSON Schema: the same values as the reader of requests takes."""

from typing import Any

import jsonschema
import pytest
from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    GraphQLString,
)
from hypothesis import given
from hypothesis import strategies as st
from local_service import stored_operations

from sdl.arguments.input_schemas import (
    MAX_INT,
    MAX_LIMIT,
    MAX_OFFSET,
    MIN_INT,
    PAGE_PARAMETERS,
    field_paths,
    input_schema,
)
from sdl.arguments.projection import names, read_parameters
from sdl.errors import InvalidInputError
from sdl.operations.operation import Operation
from sdl.running.runner import Operations
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape

KIND = GraphQLEnumType(
    "Kind", {"IN_PRODUCTION": GraphQLEnumValue("in-production"), "OLD": GraphQLEnumValue("old")}
)
TAKING = [o for o in stored_operations() if o.variables and o.is_read]
NARROWED = [o for o in stored_operations() if "fields" in names(o)]
ODD_TEXTS = [
    *("", " ", "0", "-1", "1", "+1", "1.0", "1e3", "2147483647", "2147483648", "-2147483648"),
    *("true", "True", "added", "ADDED", "deleted", "tidebook", "Not_A_Slug", "a" * 64, "a" * 65),
    *("2026-06-01T00:00:00Z", "2026-06-01t00:00:00z", "2026-06-01", "2026-02-30T00:00:00Z"),
    *("2026-06-01T00:00:00+02:00", "2026-06-01T00:00:00", "yesterday", "finance", "x" * 300),
]


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a value fits a schema, formats included."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    return bool(jsonschema.Draft202012Validator(schema, format_checker=checker).is_valid(value))


def takes(operation: Operation, name: str, text: str) -> bool:
    """Whether the reader of requests takes a text for a variable, whatever else is missing."""
    path = dict.fromkeys(operation.path_variables, "a")
    given = [] if name in path else [(name, text)]
    try:
        read_parameters(operation, {**path, **({name: text} if name in path else {})}, given)
    except InvalidInputError as error:
        return not any(fault.path == name for fault in error.problems)
    return True


def value_of(schema: dict[str, Any], text: str) -> Any:
    """The text as a value of the schema's type, where it is one."""
    number = text.removeprefix("-")
    whole = schema["type"] == "integer" and number.isascii() and number.isdigit()
    return int(text) if whole else text


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (GraphQLInt, [0, MIN_INT, MAX_INT], ["1", 1.5, MIN_INT - 1, MAX_INT + 1, True]),
        (GraphQLBoolean, [True, False], ["true", 1]),
        (GraphQLString, ["", "a b", "é", "\N{PILE OF POO}"], ["a\nb", "\x00", "\x7f", "\u2028", 1]),
        (KIND, ["IN_PRODUCTION", "OLD"], ["in-production", "old", ""]),
        (GraphQLList(GraphQLNonNull(KIND)), [[], ["OLD"]], [["old"], "OLD"]),
    ],
    ids=str,
)
def test_values_fit_as_they_are_taken(
    kind: GraphQLScalarType | GraphQLEnumType, good: list[Any], bad: list[Any]
) -> None:
    schema = input_schema(kind)
    assert input_schema(GraphQLNonNull(kind)) == schema
    assert all(fits(schema, value) for value in good)
    assert not any(fits(schema, value) for value in bad)


@pytest.mark.parametrize("operation", TAKING, ids=lambda o: o.name)
def test_a_text_fits_the_schema_where_the_reader_takes_it(operation: Operation) -> None:
    for variable in operation.variables:
        schema = input_schema(variable.type)
        for text in ODD_TEXTS:
            taken = takes(operation, variable.name, text)
            assert fits(schema, value_of(schema, text)) is taken, (variable.name, text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=20))
def test_any_text_fits_the_schema_where_the_reader_takes_it(text: str) -> None:
    for operation in TAKING:
        for variable in operation.variables:
            schema = input_schema(variable.type)
            if takes(operation, variable.name, text):
                assert fits(schema, value_of(schema, text)), (operation.name, variable.name)


@pytest.mark.parametrize(
    ("name", "least", "most"), [("limit", 1, MAX_LIMIT), ("offset", 0, MAX_OFFSET)]
)
def test_the_ends_of_a_list_s_parameters_are_those_of_the_reader(
    operations: Operations, name: str, least: int, most: int
) -> None:
    listing, (described, schema) = operations.by_name["ListFaq"], PAGE_PARAMETERS[name]
    assert described.endswith(".")
    for value in (least - 1, least, most, most + 1):
        assert fits(schema, value) is takes(listing, name, str(value))


@pytest.mark.parametrize("operation", NARROWED, ids=lambda o: o.name)
def test_every_path_of_fields_is_taken_and_no_other(operation: Operation) -> None:
    paths = list(field_paths(operation.shape))
    assert paths
    for path in paths:
        assert takes(operation, "fields", path)
        assert not takes(operation, "fields", f"{path}.nothing")
        assert not takes(operation, "fields", f"{path.rpartition('.')[0]}.")


def test_the_outer_fields_stand_before_the_inner_ones() -> None:
    inner = ObjectShape("Inner", "", (Field("b", ScalarShape("String"), False, "", ()),))
    members = (
        Field("a", ListShape(inner), False, "", ()),
        Field("c", ScalarShape("Int"), True, "", ()),
    )
    shape = ListShape(ObjectShape("Outer", "", members))
    assert list(field_paths(shape)) == ["a", "c", "a.b"]
    assert list(field_paths(ScalarShape("Int"))) == []
