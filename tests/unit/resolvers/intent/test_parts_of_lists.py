"""Which part of a list a request asks for, and which values of its filters."""

from dataclasses import replace

import pytest
from sample_operations import CERTIFICATES, CHANGES, SEARCH

from resolvers.intent.operation import Parameter, RoutableOperation
from resolvers.intent.request_builder import PreparedRequest, build_request


def filled(post: RoutableOperation, goal: str) -> PreparedRequest:
    """The request of one goal in which no path is named."""
    return build_request(post, goal, {})


@pytest.mark.parametrize(
    ("goal", "kinds"),
    [("search only projects for tides", ["project"]), ("search the FAQ and projects", None)],
)
def test_of_two_parameters_for_the_same_choice_the_list_is_filled(
    goal: str, kinds: list[str] | None
) -> None:
    words = dict(SEARCH.parameters[2].words)
    several = Parameter("kinds", "body", schema={"type": "array"}, words=words)
    made = filled(replace(SEARCH, parameters=(*SEARCH.parameters, several)), goal)
    assert made.request.body is not None
    assert (made.request.body["kinds"], made.requires) == (kinds or ["faq", "project"], ())
    assert "kind" not in made.request.body


PAGED = replace(
    CHANGES,
    parameters=(
        *CHANGES.parameters,
        Parameter("limit", "query", schema={"type": "integer", "minimum": 1, "maximum": 200}),
        Parameter("offset", "query", schema={"type": "integer", "minimum": 0}),
    ),
)


@pytest.mark.parametrize(
    ("goal", "query"),
    [
        ("the first three entries of the changelog", "limit=3"),
        ("the latest five entries", "limit=5"),
        ("the latest two announcements", "kind=announced&limit=2"),
        ("the changelog, limit 5, offset 10", "limit=5&offset=10"),
        ("changelog, only entries of kind removed", "kind=removed"),
    ],
)
def test_a_part_of_a_list_is_asked_for_by_number_and_by_field(goal: str, query: str) -> None:
    made = filled(PAGED, goal)
    assert (made.request.path, made.requires) == (f"/api/changelog?{query}", ())
    assert made.is_exact


def test_the_newest_are_the_first_only_of_a_list_that_says_so() -> None:
    unordered = replace(PAGED, description="What changed.")
    assert filled(unordered, "the latest five entries").request.path == "/api/changelog"
    assert not filled(unordered, "the latest five entries").is_exact


@pytest.mark.parametrize(
    ("goal", "requires"),
    [
        ("certificates in AI or data", ("category",)),
        ("certificates in AI", ()),
    ],
)
def test_two_values_of_a_filter_are_not_read_as_none(goal: str, requires: tuple[str, ...]) -> None:
    assert filled(CERTIFICATES, goal).requires == requires
