"""The arguments of tools, as long as a message may have them."""

from mcp_bridge.tools.arguments import unknown_members
from sdl.errors import MAX_PROBLEMS


def test_of_many_unknown_arguments_no_more_are_compared_than_an_error_shows() -> None:
    problems = unknown_members((f"slg{n}" for n in range(10_000)), ["section", "slug"])
    assert [problem.path for problem in problems] == [f"slg{n}" for n in range(MAX_PROBLEMS)]
    assert problems[0].rule == "unknown member; did you mean 'slug'?"
