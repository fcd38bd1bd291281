"""The documentation of a schema has a kind for each type, and the words that answers have."""

from enum import Enum

import strawberry

from sdl.operations.documentation import documentation


@strawberry.interface
class Named:
    name: str


@strawberry.enum
class Level(Enum):
    LOW = 1


@strawberry.type
class Ship(Named):
    level: Level


@strawberry.type
class Fleet:
    flagship: Named


def test_an_interface_has_fields_and_a_value_its_name() -> None:
    schema = strawberry.Schema(Fleet, types=[Ship])._schema  # noqa: SLF001 - it has no public name
    types = {kind["name"]: kind for kind in documentation(schema)["types"]}
    assert types["Named"]["kind"] == "interface"
    assert [field["name"] for field in types["Named"]["fields"]] == ["name"]
    assert [(own["name"], own["word"]) for own in types["Level"]["values"]] == [("LOW", "LOW")]
