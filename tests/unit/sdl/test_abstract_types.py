"""An interface or a union is one object: what not every possible type has is optional."""
# mypy: disable-error-code="untyped-decorator"

from pathlib import Path
from typing import Any

import jsonschema
import pytest
import strawberry
from foreign_schemas import one, snapshot, stored

from sdl.operations.rules import OperationError
from sdl.types.shape import ObjectShape, json_schema

AT = '@rest(path: "/pets")'


@strawberry.interface
class Animal:
    name: str


@strawberry.type
class Dog(Animal):
    bark: int

    @strawberry.field
    def mate(self) -> Animal:
        return Cat(name="Salt", lives=None)


@strawberry.type
class Cat(Animal):
    lives: int | None

    @strawberry.field
    def mate(self) -> "Cat":
        return self


@strawberry.interface
class Nobody:
    name: str


@strawberry.type
class Query:
    @strawberry.field
    def pets(self) -> list[Animal]:
        return [Dog(name="Rex", bark=3), Cat(name="Salt", lives=None), Cat(name="Oil", lives=9)]

    @strawberry.field
    def pet(self) -> Dog | Cat:
        return Cat(name="Salt", lives=9)

    @strawberry.field
    def dog(self) -> Dog:
        return Dog(name="Rex", bark=3)

    @strawberry.field
    def nobody(self) -> Nobody | None:
        return None


SCHEMA = strawberry.Schema(Query, types=[Dog, Cat])


def answered(folder: Path, text: str) -> tuple[dict[str, Any], Any]:
    """The schema of an operation's body, and its body, which fits the schema."""
    operations = stored(SCHEMA, folder, text)
    [operation] = operations
    schema = json_schema(operation.shape)
    body = snapshot(operations).run(operation)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(body, json_schema(operation.shape, nulls=True))
    return schema, body


def test_members_of_every_possible_type_are_required_and_the_others_optional(
    tmp_path: Path,
) -> None:
    selection = "{ kind: __typename name ... on Dog { bark } ... on Cat { lives } }"
    schema, body = answered(tmp_path, f"query Pets {AT} {{ pets {selection} }}")
    assert schema["items"]["required"] == ["kind", "name"]
    assert [*schema["items"]["properties"]] == ["kind", "name", "bark", "lives"]
    assert schema["items"]["properties"]["kind"]["enum"] == ["Dog", "Cat"]
    assert body == [
        {"kind": "Dog", "name": "Rex", "bark": 3},
        {"kind": "Cat", "name": "Salt", "lives": None},
        {"kind": "Cat", "name": "Oil", "lives": 9},
    ]


def test_a_key_that_two_types_select_in_different_ways_has_the_members_of_both(
    tmp_path: Path,
) -> None:
    selection = "{ ... on Dog { mate { name } } ... on Cat { mate { lives } } }"
    schema, body = answered(tmp_path, f"query Pet {AT} {{ pet {selection} }}")
    mate = schema["properties"]["mate"]
    assert [*mate["properties"]] == ["name", "lives"]
    assert mate["required"] == []
    assert schema["required"] == ["mate"]
    assert body == {"mate": {"lives": 9}}


def test_a_key_that_is_the_type_of_one_and_a_text_of_another_is_a_text(tmp_path: Path) -> None:
    selection = "{ ... on Dog { x: __typename } ... on Cat { x: name } }"
    schema, body = answered(tmp_path, f"query Pet {AT} {{ pet {selection} }}")
    assert schema["properties"]["x"]["type"] == "string"
    assert "enum" not in schema["properties"]["x"]
    assert schema["required"] == ["x"]
    assert body == {"x": "Salt"}


def test_a_fragment_on_an_interface_is_part_of_an_object(tmp_path: Path) -> None:
    text = f"query Dog {AT} {{ dog {{ __typename ... on Animal {{ name }} bark }} }}"
    schema, body = answered(tmp_path, text)
    assert schema["required"] == ["__typename", "name", "bark"]
    assert schema["properties"]["__typename"]["enum"] == ["Dog"]
    assert body == {"__typename": "Dog", "name": "Rex", "bark": 3}


def test_a_named_fragment_on_an_interface_is_shared(tmp_path: Path) -> None:
    (tmp_path / "fragments").mkdir()
    fragment = "fragment Named on Animal { name ... on Dog { bark } }"
    (tmp_path / "fragments" / "named.graphql").write_text(fragment)
    schema, body = answered(tmp_path, f"query Pets {AT} {{ pets {{ ...Named }} }}")
    assert schema["items"]["required"] == ["name"]
    assert body[0] == {"name": "Rex", "bark": 3}
    operation = one(SCHEMA, tmp_path, f"query Pets {AT} {{ pets {{ ...Named }} }}")
    shapes = stored(SCHEMA, tmp_path, f"query Pets {AT} {{ pets {{ ...Named }} }}").fragments
    assert isinstance(shapes["Animal"], ObjectShape)
    assert operation.list_item_shape("") == shapes["Animal"]


@pytest.mark.parametrize(
    ("selection", "fault"),
    [
        ("{ __typename }", r"pets\.graphql:2:33: an operation must select one root field"),
        ("{ __schema { types { name } } }", r"pets\.graphql:2:35: .* a __ field"),
        ("{ nobody { name } }", r"pets\.graphql:2:44: Nobody: no type of the schema is one"),
        ("{ pet { name } }", r"pets\.graphql:2:41: Cannot query field 'name'"),
    ],
)
def test_what_cannot_be_served_is_refused_at_its_place(
    tmp_path: Path, selection: str, fault: str
) -> None:
    with pytest.raises(OperationError, match=fault):
        stored(SCHEMA, tmp_path, f"query Pets {AT} {selection}")
