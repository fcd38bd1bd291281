"""Documents larger than documents may be are refused before anything of them runs."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest
from graphql import GraphQLSchema
from offenders import offenders
from oversized import CASES, nested, too_many

from resolvers.executable_schema import public_schema
from sdl.running.public_query import GraphQLRequest, GraphQLResponse, PublicQueries
from sdl.running.runner import Snapshot


class Untouched:
    """A root whose every field is a failure: nothing of a refused document may run."""

    def __getattr__(self, name: str) -> Any:
        pytest.fail(f"a resolver ran: {name}")


def name_in(document: str) -> str | None:
    """The operation to choose, where a document has several named ones."""
    return next((name for name in ("A", "Q0") if f"query {name} " in document), None)


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    """The public schema."""
    return public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it


@pytest.fixture(scope="module")
def untouched(reading: Snapshot, schema: GraphQLSchema) -> Snapshot:
    """A reading that knows how long the lists are and whose root must not be asked."""
    asyncio.run(PublicQueries(schema).execute(reading, GraphQLRequest("{ __typename }")))
    return replace(reading, data=Untouched())


def test_there_are_at_least_a_hundred_cases() -> None:
    assert len(CASES) >= 100
    assert len({name for name, _ in CASES}) == len(CASES)


def test_it_is_refused_and_nothing_runs(schema: GraphQLSchema, untouched: Snapshot) -> None:
    def check(document: str) -> None:
        began = time.process_time()
        found = asyncio.run(
            PublicQueries(schema).execute(
                untouched, GraphQLRequest(document, operation_name=name_in(document))
            )
        )
        spent = time.process_time() - began
        assert not found.executed
        assert "data" not in found.body
        assert 1 <= len(found.body["errors"]) <= 10
        assert all(error["message"] for error in found.body["errors"])
        assert spent < 1.0, "far more than any of these may take"

    assert offenders(check, [d for _, d in CASES]) == []


def ask(schema: GraphQLSchema, reading: Snapshot, query: str, **options: Any) -> GraphQLResponse:
    """The answer to a query."""
    return asyncio.run(PublicQueries(schema).execute(reading, GraphQLRequest(query, **options)))


@pytest.mark.parametrize(
    "document",
    [
        "{ " + too_many(15, "a%: thesis") + " }",
        "{ " + "thesis " * 30 + "}",
        "{ projects { " + nested("related { domains {", "slug", 0) + " slug } }",
        "{ thesis " + "@include(if: true) " * 1 + "}",
        too_many(10, "query Q% { thesis }"),
        "query __schema { thesis }",
        "{ ...__type } fragment __type on Query { thesis }",
        "#\n" * 900 + "{ thesis }",
        "{" + " " * 9_000 + "thesis }",
    ],
)
def test_what_is_just_within_the_limits_runs(
    schema: GraphQLSchema, reading: Snapshot, document: str
) -> None:
    name = "Q0" if "Q0" in document else None
    found = ask(schema, reading, document, operation_name=name)
    assert found.executed, found.body


def test_the_cost_is_that_of_the_content(schema: GraphQLSchema, reading: Snapshot) -> None:
    everything = "{ glossary { slug term definition aliases related relatedTerms { term } } }"
    assert ask(schema, reading, everything).executed


@pytest.mark.parametrize(
    "document",
    ["{ %s }", "{ ... { %s } }", "{ ... @include(if: true) { %s } }", "{ ... on Query { %s } }"],
)
def test_a_selection_costs_the_same_in_a_fragment_that_always_applies(
    schema: GraphQLSchema, reading: Snapshot, document: str
) -> None:
    costly = "glossary { " + nested("relatedTerms", "slug term", 8) + " }"
    found = ask(schema, reading, document % costly)
    assert found.body["errors"][0]["message"].startswith("The document costs more than 5000")
    assert not found.executed


@pytest.mark.parametrize(
    ("document", "levels"),
    [
        (
            "{ __schema { directives { args { type { ...T } } } types { "
            + nested("ofType", "...T", 12)
            + " } } } fragment T on __Type { "
            + nested("ofType", "name", 7)
            + " }",
            20,
        ),
        (
            '{ project(slug: "tidebook") { ...P } projects { '
            + nested("related", "...P", 6)
            + " } } fragment P on Project { "
            + nested("related", "slug", 6)
            + " }",
            12,
        ),
    ],
    ids=["introspection", "content"],
)
def test_a_fragment_is_measured_wherever_it_is_spread(
    schema: GraphQLSchema, reading: Snapshot, document: str, levels: int
) -> None:
    found = ask(schema, reading, document)
    assert not found.executed
    assert found.body["errors"][0]["message"] == (
        f"The document is nested deeper than {levels} levels."
    )
