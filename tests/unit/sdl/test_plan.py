"""A plan answers as graphql-core does, byte for byte, or leaves the query to it."""

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import orjson
import pytest
from graphql import GraphQLSchema, execute_sync, parse, validate
from hypothesis import HealthCheck, assume, given, settings
from random_queries import RandomQuery, random_queries

from resolvers.executable_schema import public_schema
from sdl.errors import ApiError
from sdl.running.plan import Planner
from sdl.running.public_query import GraphQLRequest, GraphQLResponse, PublicQueries
from sdl.running.runner import Snapshot

SCHEMA: GraphQLSchema = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name
PLANNER = Planner(SCHEMA)
QUERIES = PublicQueries(SCHEMA)
UNHURRIED = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture]


def planned(snapshot: Snapshot, query: str, variables: dict[str, Any]) -> dict[str, Any] | None:
    """The data of a query by its plan; None if graphql-core must run it."""
    plan = PLANNER.only_plan(parse(query))
    values = plan.values(variables)
    return plan.run(snapshot.data, snapshot.context, values) if values is not None else None


def told(error: Any) -> dict[str, Any]:
    """What a caller is told of an error."""
    cause = error.original_error
    message = error.message
    if isinstance(cause, ApiError):
        message = " ".join([cause.detail, *(problem.text for problem in cause.problems)])
    members = {"message": message[:1000]}
    if error.locations:
        members["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    if error.path:
        members["path"] = error.path
    code = cause.code if isinstance(cause, ApiError) else "validation_failed"
    return {**members, "extensions": {"code": code}}


def expected(snapshot: Snapshot, query: RandomQuery) -> GraphQLResponse:
    """What graphql-core answers to a valid query."""
    document = parse(query.text)
    result = execute_sync(SCHEMA, document, snapshot.data, snapshot.context, query.variables)
    errors = [told(error) for error in result.errors or ()][:10]
    executed = result.data is not None or any(
        "path" in error and error["extensions"]["code"] != "validation_failed" for error in errors
    )
    body = {"data": result.data} if executed else {}
    return GraphQLResponse({**body, **({"errors": errors} if errors else {})}, executed)


@pytest.fixture(scope="module")
def seen() -> Counter[str]:
    """How many queries were answered in which way."""
    return Counter()


class TestRandomQueries:
    """Random queries."""

    @given(query=random_queries(SCHEMA))
    @settings(suppress_health_check=UNHURRIED)
    def test_are_answered_as_graphql_core_answers_them(
        self, reading: Snapshot, seen: Counter[str], query: RandomQuery
    ) -> None:
        assume(not validate(SCHEMA, parse(query.text)))
        core = expected(reading, query)
        data = planned(reading, query.text, query.variables)
        seen["planned" if data is not None else "left to graphql-core"] += 1
        if data is not None:
            assert orjson.dumps({"data": data}) == orjson.dumps(core.body)
        request = GraphQLRequest(query.text, query.variables)
        QUERIES.prepare(reading)
        for _ in range(2):  # as a new document and as a known one
            at_once = QUERIES.at_once(reading, request)
            answer = asyncio.run(QUERIES.execute(reading, request))
            if answer.executed or not is_over_a_limit(answer):
                assert orjson.dumps(answer.body) == orjson.dumps(core.body)
            assert at_once is None or orjson.dumps(at_once.body) == orjson.dumps(answer.body)

    def test_have_plans_in_some_cases(self, seen: Counter[str]) -> None:
        assert seen["planned"]


CONDITIONS = (
    "query($v: Boolean!) { studio { name tagline @include(if: $v) } }",
    "query($v: Boolean!) { studio { name @skip(if: $v) tagline } }",
    "query($v: Boolean!) { studio { ...F name } } fragment F on Studio { url @include(if: $v) }",
    "query($v: Boolean!) { studio { name ...F @skip(if: $v) } } fragment F on Studio { tagline }",
    "query($v: Boolean!) { studio { ... on Studio @include(if: $v) { tagline } name } }",
)


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_document_that_is_kept_looks_at_its_conditions_each_time(
    reading: Snapshot, text: str
) -> None:
    QUERIES.prepare(reading)
    for _ in range(4):
        for value in (True, False):
            variables = {"v": value}
            core = expected(reading, RandomQuery(text, variables))
            assert "errors" not in core.body
            answer = asyncio.run(QUERIES.execute(reading, GraphQLRequest(text, variables)))
            assert orjson.dumps(answer.body) == orjson.dumps(core.body)


def test_a_new_revision_is_weighed_by_the_last_one_until_it_is_measured(reading: Snapshot) -> None:
    queries, request = PublicQueries(SCHEMA), GraphQLRequest("{ projects { slug } }")
    first = replace(reading, lasting={})
    assert queries.at_once(first, request) is None
    queries.prepare(first)
    following = replace(first, modified=(first.modified or 0) + 1)
    weighed = queries.at_once(following, request)
    queries.prepare(following)
    assert weighed == queries.at_once(following, request) is not None


def is_over_a_limit(answer: GraphQLResponse) -> bool:
    """Whether a query was refused for its size, which graphql-core alone would not do."""
    return "The document " in str(answer.body["errors"][0]["message"])
