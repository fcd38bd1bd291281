"""Docstrings of attributes, read from one parse of each file."""

from enum import Enum

from pydantic import Field

from sdl.types.declare import Output, attribute_docs


class Shelf(Output):
    """A shelf of the tests."""

    height: int
    """How high it hangs.
    Units: centimetres."""
    room: str
    "The room."
    colour: str = "red"

    class Inner(Output):
        """A type in a type."""

        height: int
        """Of the inner one."""


class Wide(Shelf):
    """A shelf with another width."""

    width: int = Field(1, description="As the field itself says.")
    """Not read, because the field has a description."""


def test_each_attribute_has_the_docstring_below_it() -> None:
    assert attribute_docs(Shelf) == {
        "height": "How high it hangs.\nUnits: centimetres.",
        "room": "The room.",
    }
    assert attribute_docs(Shelf.Inner) == {"height": "Of the inner one."}


def test_docstrings_describe_the_fields_of_a_type_and_of_its_json_schema() -> None:
    described = {name: info.description for name, info in Wide.model_fields.items()}
    assert described == {
        "height": "How high it hangs.\nUnits: centimetres.",
        "room": "The room.",
        "colour": None,
        "width": "As the field itself says.",
    }
    properties = Wide.model_json_schema()["properties"]
    assert properties["room"]["description"] == "The room."
    assert properties["width"]["description"] == "As the field itself says."


def test_a_class_in_a_function_has_its_own_docstrings() -> None:
    class Shelf(Enum):
        """Another one of this name."""

        LOW = "low"
        """Near the ground."""

    assert attribute_docs(Shelf) == {"LOW": "Near the ground."}


def test_of_two_classes_with_one_name_none_gets_the_words_of_the_other() -> None:
    found = []
    for wanted in (1, 2):
        if wanted == 1:

            class Twice:
                """The first."""

                one: int
                """Of the first."""

        else:

            class Twice:  # type: ignore[no-redef]
                """The second."""

                one: int
                """Of the second."""

        found.append(attribute_docs(Twice))
    assert found == [{}, {}]


def test_a_class_without_a_file_has_no_docstrings() -> None:
    made: dict[str, type] = {}
    exec('class Odd:\n    one: int\n    """Of no file."""', {"__name__": "nowhere"}, made)  # noqa: S102 - the point
    assert attribute_docs(made["Odd"]) == {}
