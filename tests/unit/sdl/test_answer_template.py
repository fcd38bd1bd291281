"""The sentence of a field: its values, its optional and its repeated parts, its faults."""

import pytest

from sdl.operations.answer_template import parse_template
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape

PROJECT = {
    "name": "Tidebook",
    "version": None,
    "active": True,
    "client": {"name": "The Trust"},
    "stack": ["Rust", "Python"],
    "parts": [{"label": "one", "note": "a"}, {"label": "two"}],
    "empty": [],
}


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("{name} is made with {stack}.", "Tidebook is made with Rust, Python."),
        ("{name}[, version {version}].", "Tidebook."),
        ("{name}[ for {client.name}].", "Tidebook for The Trust."),
        ("{active?offered|not offered}", "offered"),
        ("{active?| (no new work)}x", "x"),
        ("{#stack} tools", "2 tools"),
        ("[{parts.label}[ ({parts.note})]].", "one (a); two."),
        ("[1: {parts.label}]", "one"),
        ("Parts: [{empty.label}]", "Parts:"),
    ],
)
def test_values_stand_in_their_places(template: str, sentence: str) -> None:
    assert parse_template(template).fill(PROJECT) == sentence


@pytest.mark.parametrize("template", ["{version}", "{client.role}", "{empty}", "{#name}"])
def test_without_its_value_nothing_is_said(template: str) -> None:
    assert parse_template(template).fill(PROJECT) is None


def test_a_value_that_ends_a_sentence_gets_no_second_stop() -> None:
    assert parse_template("{a}. {a}.").fill({"a": "It ends."}) == "It ends. It ends."


def test_items_with_commas_are_told_apart() -> None:
    assert parse_template("{a}").fill({"a": ["one, two", "three"]}) == "one, two; three"


@pytest.mark.parametrize("template", ["[{a}", "{a}]", "{a b}", "{}", "{a?yes}"])
def test_a_faulty_template_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"bracket|write"):
        parse_template(template)


def test_names_that_the_type_does_not_have_are_listed() -> None:
    def field(key: str, shape: Shape) -> Field:
        return Field(key, shape, optional=False, description="", marks=())

    text = ScalarShape("Line")
    part = ObjectShape("Part", "", (field("label", text),))
    shape = ObjectShape("T", "", (field("name", text), field("parts", ListShape(part))))
    template = parse_template("{name} [{parts.label} {parts.size}] {nothing} {name.inner}")
    assert list(template.problems(shape)) == ["parts.size", "nothing", "name.inner"]
