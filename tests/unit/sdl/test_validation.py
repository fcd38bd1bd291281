"""graphql-core finds no error in a document that `is_surely_valid` accepts."""

from collections import Counter

import pytest
from graphql import DocumentNode, GraphQLError, GraphQLSchema, parse, validate
from hypothesis import HealthCheck, given, settings
from random_queries import RandomQuery, broken_queries, random_queries

from resolvers.executable_schema import public_schema
from sdl.running.documents import is_surely_valid

SCHEMA: GraphQLSchema = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]

INVALID = [
    "{ thesis nothing }",
    "{ a: thesis a: scheduling { timezone } }",
    "{ projects { a: slug } projects { a: name } }",
    "{ projects }",
    "{ thesis { text } }",
    "{ project { slug } }",
    "{ project(slug: 1) { slug } }",
    '{ project(slug: "tidebook", slug: "tidebook") { slug } }',
    '{ project(slug: "tidebook", name: "x") { slug } }',
    "{ project(slug: $slug) { slug } }",
    "query ($slug: Slug) { project(slug: $slug) { slug } }",
    "query ($slug: String!) { project(slug: $slug) { slug } }",
    "query ($slug: [Slug!]!) { project(slug: $slug) { slug } }",
    "query ($slug: Slug!, $slug: Slug!) { project(slug: $slug) { slug } }",
    "query ($slug: Slug!, $other: Slug!) { project(slug: $slug) { slug } }",
    "query ($slug: Nothing!) { project(slug: $slug) { slug } }",
    "query ($slug: Project!) { project(slug: $slug) { slug } }",
    "query ($slug: Slug! = 1) { project(slug: $slug) { slug } }",
    "query ($slug: Slug! @skip(if: true)) { project(slug: $slug) { slug } }",
    "{ project(slug: {a: 1, a: 2}) { slug } }",
    "{ project(slug: [$slug]) { slug } }",
    "{ __typename { name } }",
    "{ __typename(a: 1) }",
    "{ thesis @skip }",
    "query @skip(if: true) { thesis }",
    "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }",
    "mutation { thesis }",
    "subscription { thesis }",
    "{ thesis } { thesis }",
    "query A { thesis } query A { thesis }",
    "{ ...A }",
    "{ thesis } fragment A on Query { thesis }",
    "{ ...A } fragment A on Query { ...A }",
    "{ ...A } fragment A on Query { thesis } fragment A on Query { thesis }",
    "{ ... on Project { slug } }",
    "{ ... on Nothing { slug } }",
    "{ ... on Slug { slug } }",
    "type Query { thesis: String } { thesis }",
    "extend type Query @a @a { thesis: String @deprecated(reason: 1) }",
    "directive @a(a: Int = true) on FIELD { thesis @a(b: 1) }",
    "scalar Slug @specifiedBy",
]


def assert_judged_as_by_graphql_core(document: DocumentNode) -> tuple[bool, bool]:
    """Return whether graphql-core finds it valid, and whether that was surely known."""
    errors = validate(SCHEMA, document, max_errors=9)
    sure = is_surely_valid(SCHEMA, document)
    assert not (sure and errors)
    return not errors, sure


@pytest.fixture(scope="module")
def seen() -> Counter[tuple[bool, bool]]:
    """How many documents were valid, and surely valid."""
    return Counter()


class TestRandomQueries:
    """Random queries, as they are and with a mistake."""

    @given(plain=random_queries(SCHEMA, plain=True), other=random_queries(SCHEMA))
    @settings(suppress_health_check=UNHURRIED)
    def test_are_judged_as_by_graphql_core(
        self, seen: Counter[tuple[bool, bool]], plain: RandomQuery, other: RandomQuery
    ) -> None:
        for query in (plain, other):
            seen[assert_judged_as_by_graphql_core(parse(query.text))] += 1

    @given(text=broken_queries(SCHEMA))
    # Of 30 queries there was no invalid one in one run of six.
    @settings(max_examples=150, suppress_health_check=UNHURRIED)
    def test_with_a_mistake_are_judged_as_by_graphql_core(
        self, seen: Counter[tuple[bool, bool]], text: str
    ) -> None:
        try:
            document = parse(text)
        except GraphQLError:
            return
        seen[assert_judged_as_by_graphql_core(document)] += 1

    def test_were_of_every_kind(self, seen: Counter[tuple[bool, bool]]) -> None:
        assert seen[True, True]
        assert seen[True, False]
        assert seen[False, False]


@pytest.mark.parametrize("text", INVALID)
def test_an_invalid_document_has_all_its_errors(text: str) -> None:
    is_valid, _ = assert_judged_as_by_graphql_core(parse(text))
    assert not is_valid


@pytest.mark.parametrize(
    "text",
    [
        "{ thesis }",
        "query Q { __typename t: thesis scheduling { timezone __typename } }",
        '{ project(slug: "tidebook") { slug domains { slug } } }',
        "query ($slug: Slug!) { project(slug: $slug) { slug } a: project(slug: $slug) { slug } }",
    ],
)
def test_a_plain_query_is_surely_valid(text: str) -> None:
    assert is_surely_valid(SCHEMA, parse(text))
    assert assert_judged_as_by_graphql_core(parse(text)) == (True, True)
