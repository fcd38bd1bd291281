"""The law of `@asked`, on small schemas."""

from typing import Annotated

import pytest

from resolvers.asked_rules import asked_rules
from sdl.types.declare import Output, asked
from sdl.types.marks import Section
from sdl.types.scalar_types import Line
from sdl.types.scalars import build_schema


def _problems(query: type) -> list[str]:
    schema = build_schema(query)._schema  # noqa: SLF001 - Strawberry has no public name for it
    return [problem.message for problem in asked_rules(schema)]


def test_a_section_whose_fields_all_declare_their_questions_is_sound() -> None:
    class Show(Output):
        """A show."""

        title: Annotated[Line, asked()]
        """The title."""
        place: Annotated[Line, asked("where is the show", says="{title} is at {place}.")]
        """The place."""

    class Query(Output):
        """The root."""

        show: Annotated[Show, Section(), asked()]
        """The show."""

    assert _problems(Query) == []


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        (Section(), "Hall.place: declare the questions that it answers, or `asked()` for none"),
        (asked("where"), "Hall.place: questions and the sentence that answers them go together"),
        (asked("where", says="{palce}"), "Hall.place: '{palce}': Hall has no 'palce'"),
        (asked("where", says="[{place}"), "Hall.place: '[{place}': a bracket is not closed"),
    ],
)
def test_a_field_that_breaks_the_law_is_named(mark: object, problem: str) -> None:
    class Hall(Output):
        """A hall."""

        name: Annotated[Line, asked("what is it called", says="{name}")]
        """The name."""
        place: Annotated[Line, mark]
        """The place."""

    class Root(Output):
        """The root."""

        hall: Annotated[Hall, Section(), asked()]
        """The hall."""

    assert _problems(Root) == [problem]


def test_a_section_itself_must_declare() -> None:
    class Desk(Output):
        """A desk."""

        name: Line
        """The name."""

    class Base(Output):
        """The root."""

        desk: Annotated[Desk, Section()]
        """The desk."""

    message = "Base.desk: declare the questions that it answers, or `asked()` for none"
    assert _problems(Base) == [message]


def test_what_is_in_no_section_needs_no_questions() -> None:
    class Other(Output):
        """Something."""

        name: Annotated[Line, asked("who", says="{name}")]
        """The name."""
        rest: Line
        """The rest."""

    class Top(Output):
        """The root."""

        other: Other
        """It."""

    assert _problems(Top) == []
