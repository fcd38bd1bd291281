"""A plan calls a resolver with the arguments that Strawberry would call it with."""

from typing import Any

import pytest
import strawberry
from graphql import GraphQLSchema, execute_sync, parse

from sdl.running.plan import Planner


@strawberry.input
class Place:
    """An input becomes an object."""

    town_name: str = "Leiden"


@strawberry.type
class Query:
    """Each field says what it was called with."""

    @strawberry.field
    def leaves(self, first_name: str, times: int = 1, tag: str | None = "none") -> str:
        return repr((first_name, times, tag))

    @strawberry.field
    def informed(self, info: strawberry.Info, my_number: int = 3) -> str:
        return repr((info.context, my_number))

    @strawberry.field
    def listed(self, names: list[str]) -> str:
        return repr(names)

    @strawberry.field
    def placed(self, place: Place) -> str:
        return place.town_name

    @strawberry.field
    def perhaps(self, tag: strawberry.Maybe[str | None] = None) -> str:
        return repr(tag)


SCHEMA: GraphQLSchema = strawberry.Schema(Query)._schema  # noqa: SLF001 - it has no public name
PLANNER = Planner(SCHEMA)
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ('{ leaves(firstName: "Ada") }', {}),
    ('{ leaves(firstName: "Ada", times: 2, tag: null) }', {}),
    ("query($n: String!, $l: Int) { leaves(firstName: $n, times: $l) }", {"n": "Ada"}),
    ('query($t: String) { a: leaves(firstName: "A", tag: $t) informed }', {"t": None}),
    ('query($i: Int!) { informed(myNumber: $i) leaves(firstName: "B") }', {"i": 4}),
    ('{ listed(names: ["a", "b"]) informed(myNumber: 5) }', {}),
    ("query($t: String!) { placed(place: {townName: $t}) x: placed(place: {}) }", {"t": "Delft"}),
    ("query($t: String) { perhaps(tag: $t) }", {}),
    ("query($t: String) { perhaps(tag: $t) }", {"t": "x"}),
    ("query($t: String) { perhaps(tag: $t) }", {"t": None}),
)


@pytest.mark.parametrize(("text", "variables"), CASES)
def test_a_resolver_gets_the_same_arguments(text: str, variables: dict[str, Any]) -> None:
    document = parse(text)
    plan = PLANNER.only_plan(document)
    values = plan.values(variables)
    assert values is not None
    core = execute_sync(SCHEMA, document, Query(), "context", variables)
    assert core.errors is None
    assert plan.run(Query(), "context", values) == core.data
