"""How the place of a value in a body is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_pointer import at

from resolvers.answers.statements import pointer_of


@pytest.mark.parametrize(
    ("path", "pointer"),
    [((), ""), (("foo", 0), "/foo/0"), (("",), "/"), (("a/b",), "/a~1b"), (("m~n",), "/m~0n")],
)
def test_it_is_written_as_the_standard_shows(path: tuple[str | int, ...], pointer: str) -> None:
    assert pointer_of(path) == pointer  # examples of RFC 6901, section 5


@given(st.lists(st.text("a~/01 "), max_size=4))
def test_it_leads_to_the_value(path: list[str]) -> None:
    body: object = "here"
    for key in reversed(path):
        body = {key: body}
    assert at(body, pointer_of(tuple(path))) == "here"
