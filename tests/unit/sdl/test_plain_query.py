"""What the quick reader takes for a plain query is one, and is run as graphql-core runs it."""

from collections import Counter

import orjson
import pytest
from graphql import GraphQLSchema, OperationDefinitionNode, execute_sync, parse, validate
from hypothesis import HealthCheck, given, settings
from oversized import CASES
from random_queries import RandomQuery, broken_queries, random_queries
from test_validation import INVALID

from resolvers.executable_schema import public_schema
from sdl import plan
from sdl.cost import Lengths, ListLengths, check_cost, costly_fields
from sdl.plain_query import PlainQuery, PlainReader
from sdl.plan import NO_VARIABLES, Planner
from sdl.plan_tree import Selection, TreeBuilder
from sdl.query_limits import MAX_CHARACTERS, MAX_TOKENS, check_limits
from sdl.runner import Snapshot

SCHEMA: GraphQLSchema = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name
PLANNER = Planner(SCHEMA)
COSTLY = costly_fields(SCHEMA)
READER = PlainReader(SCHEMA, COSTLY)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]
NOT_PLAIN = [
    "",
    "{",
    "{}",
    "{ }",
    "{ thesis } }",
    "{ thesis",
    "{ thesis { } }",
    "query",
    "query Q",
    "query Q() { thesis }",
    "query Q ($) { thesis }",
    "query 1Q { thesis }",
    "query \u00e9 { thesis }",
    "query ($slug: Slug! # $slug: Slug!\n) { project(slug: $slug) { slug } }",
    'query ($slug: Slug! = "a") { project(slug: $slug) { slug } }',
    "query ($slug: \u00a0Slug!) { project(slug: $slug) { slug } }",
    "{ thesis # }",
    "{ thesis\u00a0}",
    "{ thesis\u000b}",
    "{ \u00e9: thesis }",
    "{ thesis() }",
    "{ a b: thesis }",
    "{ a: b: thesis }",
    "{ thesis: }",
    "{ : thesis }",
    "{ thesis: thesis: }",
    '{ thesis "" }',
    '{ project(slug: """tidebook""") { slug } }',
    '{ project(slug: "tide" "book") { slug } }',
    '{ project(slug: "tide\\u0062ook") { slug } }',
    '{ project(slug: "tidebook) { slug } }',
    "{ project(slug: null) { slug } }",
    "{ project(slug: true) { slug } }",
    "{ project(slug: $) { slug } }",
    "{ project(slug) { slug } }",
    "{ changes(kind: 1) { slug } }",
    "{ ...on Query { thesis } }",
    "{ thesis @skip(if: true) }",
    "{ __schema { types { name } } }",
    '{ search(input: {query: "a"}) { hits { __typename } } }',
]
"""What only graphql-core may judge."""
PLAIN = [
    "{thesis}",
    "{thesis,}",
    "query query { query: thesis }",
    "query on { on: thesis __typename }",
    "{ thesis\r\n\tscheduling{timezone}}",
    "{ projects { slug name domains { slug } } }",
    "{ a: __typename b: projects { __typename x: slug } }",
    '{ project(slug: "tidebook") { slug } }',
    "query ($slug: Slug!) { project(slug: $slug) { name } a: project(slug: $slug) { slug } }",
    "{ project(slug: tidebook) { slug } }",
    "{ changes(kind: ADDED) { title } }",
]


@pytest.fixture(scope="module")
def lengths(reading: Snapshot) -> Lengths:
    """The lengths of the sample's lists."""
    return ListLengths(SCHEMA, PLANNER).of(reading)


@pytest.fixture(scope="module")
def seen() -> Counter[bool]:
    """How many queries were plain."""
    return Counter()


def outline(selection: Selection) -> object:
    """All that decides what a plan does with a selection, but its arguments."""
    return (
        selection.kind.name,
        selection.stored,
        [
            (own.key, own.field, own.attribute, [outline(each) for each in own.selections])
            for own in selection.members
        ],
    )


def read_as_by_graphql_core(text: str, lengths: Lengths) -> PlainQuery | None:
    """A plain query, which graphql-core reads, judges and weighs alike; None for another text."""
    found = READER.read(text, lengths) if len(text) <= MAX_CHARACTERS else None
    if found is None:
        return None
    document = parse(text, max_tokens=MAX_TOKENS, allow_empty_selection_sets=False)
    assert validate(SCHEMA, document) == []
    check_limits(document, COSTLY)
    check_cost(SCHEMA, document, lengths)
    [operation] = document.definitions
    assert isinstance(operation, OperationDefinitionNode)
    assert found.name == (operation.name.value if operation.name else None)
    theirs = TreeBuilder(SCHEMA, operation, [], NO_VARIABLES).root()
    assert outline(found.tree) == outline(theirs)
    return found


def run_as_by_graphql_core(query: RandomQuery, found: PlainQuery, reading: Snapshot) -> None:
    """Hold both forms of a plan against graphql-core."""
    core = execute_sync(
        SCHEMA, parse(query.text), reading.data, reading.context, dict(query.variables)
    )
    own = PLANNER.plain_plan(found.definitions, found.tree)
    values = own.values(query.variables)
    if values is None:
        assert core.errors
        return
    for is_compiled in (False, True):
        bound = own.bound(reading.data, reading.context, values)
        if bound is None:  # an argument has no value that it may have
            assert core.errors
            continue
        assert bound.is_compiled == (is_compiled or plan.WALKED_RUNS == 0)
        if core.errors:
            assert own.run(reading.data, reading.context, values) is None
        else:
            for _ in range(2):
                assert orjson.dumps(bound.run()) == orjson.dumps(core.data)


class TestRandomQueries:
    """Random queries, plain and not, and with mistakes."""

    @given(plain=random_queries(SCHEMA, plain=True), other=random_queries(SCHEMA))
    @settings(suppress_health_check=UNHURRIED)
    def test_are_read_and_run_as_by_graphql_core(
        self,
        reading: Snapshot,
        lengths: Lengths,
        seen: Counter[bool],
        plain: RandomQuery,
        other: RandomQuery,
    ) -> None:
        for query in (plain, other):
            found = read_as_by_graphql_core(query.text, lengths)
            seen[found is not None] += 1
            if found is not None:
                run_as_by_graphql_core(query, found, reading)

    @given(text=broken_queries(SCHEMA))
    @settings(suppress_health_check=UNHURRIED)
    def test_with_a_mistake_are_read_as_by_graphql_core(self, lengths: Lengths, text: str) -> None:
        read_as_by_graphql_core(text, lengths)

    def test_were_plain_in_some_cases(self, seen: Counter[bool]) -> None:
        assert seen[True]
        assert seen[False]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_query_is_read(text: str, lengths: Lengths) -> None:
    assert read_as_by_graphql_core(text, lengths) is not None


@pytest.mark.parametrize("text", [*NOT_PLAIN, *INVALID])
def test_any_other_text_is_left_to_graphql_core(text: str, lengths: Lengths) -> None:
    assert READER.read(text, lengths) is None


def test_what_is_over_a_limit_is_left_to_graphql_core(lengths: Lengths) -> None:
    for _, text in CASES:
        read_as_by_graphql_core(text, lengths)


def test_a_field_that_a_model_computes_is_left_to_graphql_core(lengths: Lengths) -> None:
    reader = PlainReader(SCHEMA, ["thesis", "projects"])
    assert reader.read("{ scheduling { timezone } }", lengths) is not None
    for text in (
        "{ thesis }",
        "{ a: thesis }",
        "{ projects { slug } }",
        "{ a: projects { slug } }",
    ):
        assert reader.read(text, lengths) is None


def test_a_document_is_walked_once_and_then_compiled(reading: Snapshot, lengths: Lengths) -> None:
    found = READER.read("{ thesis }", lengths)
    assert found is not None
    own = PLANNER.plain_plan(found.definitions, found.tree)
    bound = [own.bound(reading.data, reading.context, NO_VARIABLES) for _ in range(3)]
    compiled = [each.is_compiled for each in bound if each is not None]
    assert compiled == [number >= plan.WALKED_RUNS for number in range(3)]


def test_a_plan_that_is_not_ready_is_made_only_where_that_is_allowed(
    reading: Snapshot, lengths: Lengths
) -> None:
    found = READER.read("{ thesis }", lengths)
    assert found is not None
    own = PLANNER.plain_plan(found.definitions, found.tree)
    at = (reading.data, reading.context, NO_VARIABLES)
    assert own.bound(*at, may_walk=False, may_compile=False) is None
    for _ in range(plan.WALKED_RUNS):
        assert own.bound(*at, may_compile=False) is not None
    assert own.bound(*at, may_compile=False) is None
    assert own.bound(*at) is not None
    assert own.bound(*at, may_walk=False, may_compile=False) is not None
