"""Documents are checked once, and what remembers them is bounded in bytes."""

import gc
import tracemalloc
from typing import Any

import pytest
from graphql import GraphQLSchema

from resolvers.executable_schema import public_schema
from sdl.running.documents import Documents, ListLengths
from sdl.running.plan import NO_VARIABLES, Planner
from sdl.running.query_limits import Lengths
from sdl.running.runner import Snapshot

MAX_BYTES = 400_000


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    """The public schema."""
    return public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it


@pytest.fixture(scope="module")
def planner(schema: GraphQLSchema) -> Planner:
    """The planner of the schema."""
    return Planner(schema)


@pytest.fixture(scope="module")
def lengths(reading: Snapshot, schema: GraphQLSchema, planner: Planner) -> Lengths:
    """The lengths of the sample's lists."""
    return ListLengths(schema, planner).of(reading)


def test_a_document_is_known_once_it_was_checked(planner: Planner, lengths: Lengths) -> None:
    documents = Documents(planner.schema, planner)
    assert documents.known("{ thesis }", lengths) is None
    checked = documents.check("{ thesis }", lengths)
    assert documents.known("{ thesis }", lengths) is checked
    assert documents.known("{ thesis}", lengths) is None


@pytest.mark.parametrize("text", ["{ nothing }", "{", "{ a: b" + " " * 10_000 + "}"])
def test_a_refused_document_is_known_with_its_errors(
    planner: Planner, lengths: Lengths, text: str
) -> None:
    documents = Documents(planner.schema, planner)
    assert documents.check(text, lengths).errors
    known = documents.known(text, lengths)
    assert known is not None
    assert known.errors


def test_a_document_is_weighed_anew_when_lists_have_grown(
    planner: Planner, lengths: Lengths
) -> None:
    documents = Documents(planner.schema, planner)
    text = "{ projects { slug name tagline } }"
    checked = documents.check(text, lengths)
    assert not checked.errors
    equal = {key: dict(types) for key, types in lengths.items()}
    assert documents.known(text, equal) is checked
    longer: dict[tuple[str, str], Any] = {**lengths, ("Query", "projects"): {"Project": 20}}
    again = documents.known(text, longer)
    assert again is not None
    assert again.plans is checked.plans
    assert documents.known(text, longer) is again
    too_long: dict[tuple[str, str], Any] = {**lengths, ("Query", "projects"): {"Project": 2_000}}
    assert documents.known(text, too_long) is None
    [error] = documents.check(text, too_long).errors
    assert "costs more" in error.message
    assert documents.known(text, too_long) is not None
    assert documents.known(text, lengths) is None
    assert not documents.check(text, lengths).errors


def test_ever_new_documents_take_no_more_memory_than_the_cache_may(
    planner: Planner, lengths: Lengths
) -> None:
    def ask(documents: Documents, number: int) -> None:
        text = f"query Q{number} {{ projects {{ slug name }} faq {{ q a }} }}"
        for _ in range(2):  # the second time it is run by its plan, and kept
            checked = documents.known(text, lengths) or documents.check(text, lengths)
            checked.plans[None].run(None, None, NO_VARIABLES)

    def taken(max_bytes: int) -> int:
        documents = Documents(planner.schema, planner, max_bytes)
        before, _ = tracemalloc.get_traced_memory()
        for number in range(150):
            ask(documents, number)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        assert documents.known("query Q1 { projects { slug name } faq { q a } }", lengths) is None
        return after - before

    tracemalloc.start()
    try:
        taken(0)  # what graphql-core and the planner keep once and for all
        assert 0 < taken(MAX_BYTES) < MAX_BYTES
    finally:
        tracemalloc.stop()
