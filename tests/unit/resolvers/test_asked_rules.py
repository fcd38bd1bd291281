"""The law of `@asked`, on small schemas whose questions stand in `questions.toml` beside them."""

from typing import Annotated

import pytest

from resolvers.asked_rules import asked_rules
from sdl.types.declare import Output
from sdl.types.marks import Says, Section
from sdl.types.scalar_types import Line
from sdl.types.scalars import build_schema


def _problems(query: type) -> list[str]:
    schema = build_schema(query)._schema  # noqa: SLF001 - Strawberry has no public name for it
    return [problem.message for problem in asked_rules(schema)]


def test_a_section_whose_questions_have_their_sentences_is_sound() -> None:
    class Show(Output):
        """A show."""

        title: Line
        """The title."""
        place: Annotated[Line, Says("{title} is at {place}.")]
        """The place."""

    class Query(Output):
        """The root."""

        show: Annotated[Show, Section()]
        """The show."""

    assert _problems(Query) == []


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        (Section(), "Hall.place: `Says` and the questions in questions.toml go together"),
        (Says("{palce}"), "Hall.place: '{palce}': Hall has no 'palce'"),
        (Says("[{place}"), "Hall.place: '[{place}': a bracket is not closed"),
    ],
)
def test_a_field_that_breaks_the_law_is_named(mark: object, problem: str) -> None:
    class Hall(Output):
        """A hall."""

        name: Annotated[Line, Says("{name}")]
        """The name."""
        place: Annotated[Line, mark]
        """The place."""

    class Root(Output):
        """The root."""

        hall: Annotated[Hall, Section()]
        """The hall."""

    assert _problems(Root) == [problem]


def test_a_sentence_without_questions_is_named() -> None:
    class Desk(Output):
        """A desk, of which the file says nothing."""

        name: Annotated[Line, Says("{name}")]
        """The name."""

    class Base(Output):
        """The root."""

        desk: Annotated[Desk, Section()]
        """The desk."""

    message = "Desk.name: `Says` and the questions in questions.toml go together"
    assert _problems(Base) == [message]
