"""Arguments of an operation from a query string."""

import pytest

from sdl.arguments.values import variables_from_text
from sdl.errors import InvalidInputError
from sdl.running.runner import Operations

NAMES = ["query", "kind", "kinds", "limit"]


def test_texts_become_the_variables_that_a_body_gives(operations: Operations) -> None:
    query = [("query", "tides, ledgers"), ("limit", "3"), ("kinds", "faq,project")]
    assert variables_from_text(operations.by_name["SearchContent"], {}, query, names=NAMES) == {
        "input": {"query": "tides, ledgers", "limit": 3, "kinds": ["FAQ", "PROJECT"]}
    }


@pytest.mark.parametrize("limit", ["", "x", "1.5", "21", "99999999999", "0x1", "٣"])
def test_what_is_no_number_is_refused_by_the_rule_of_the_body(
    operations: Operations, limit: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        variables_from_text(
            operations.by_name["SearchContent"],
            {},
            [("query", "tides"), ("limit", limit)],
            names=NAMES,
        )
    (problem,) = caught.value.problems
    assert (problem.path, problem.rule) == ("limit", "must be a whole number from 1 to 20")
