"""The fields that say what is left, read as structured fields."""

import re

import pytest

from rest_bridge.representations.responses import error_headers, rate_headers
from sdl.caller import RateLimitStatus
from sdl.errors import RateLimitedError

CONTACT = RateLimitStatus("contact", 20, 3600, 19, 3580)
SEARCH = RateLimitStatus("search-2", 60, 60, 0, 1)

Item = tuple[str, dict[str, int]]


def read(field: str) -> list[Item]:
    """A list of strings with whole numbers as parameters. Source: RFC 9651, section 4.2."""
    items: list[Item] = []
    while field:
        name = re.match(r'"((?:[ !#-\[\]-~]|\\["\\])*)"', field)
        assert name is not None, field
        parameters = re.match(r"(?:; *[a-z*][a-z0-9_.*-]*=-?[0-9]{1,15})*", field[name.end() :])
        assert parameters is not None
        pairs = (pair.strip().split("=") for pair in parameters[0].split(";")[1:])
        items.append((name[1], {key: int(value) for key, value in pairs}))
        field = field[name.end() + parameters.end() :]
        if field:
            comma = re.match(r"[ \t]*,[ \t]*(?=.)", field)
            assert comma is not None, field
            field = field[comma.end() :]
    return items


def test_every_budget_is_a_member_of_the_lists() -> None:
    headers = rate_headers([CONTACT, SEARCH])
    assert read(headers["RateLimit-Policy"]) == [
        ("contact", {"q": 20, "w": 3600}),
        ("search-2", {"q": 60, "w": 60}),
    ]
    assert read(headers["RateLimit"]) == [
        ("contact", {"r": 19, "t": 3580}),
        ("search-2", {"r": 0, "t": 1}),
    ]


def test_a_budget_that_was_spent_twice_is_told_once_as_it_stands_now() -> None:
    later = RateLimitStatus("contact", 20, 3600, 18, 3580)
    headers = rate_headers([CONTACT, SEARCH, later])
    assert [name for name, _ in read(headers["RateLimit-Policy"])] == ["contact", "search-2"]
    assert read(headers["RateLimit"])[0] == ("contact", {"r": 18, "t": 3580})


@pytest.mark.parametrize("spent", [CONTACT, SEARCH])
def test_who_is_refused_is_told_to_wait_no_less_than_the_window_lasts(
    spent: RateLimitStatus,
) -> None:
    headers = error_headers(RateLimitedError("Wait.", spent=spent))
    seconds = headers["Retry-After"]
    assert re.fullmatch("[0-9]+", seconds)
    assert [int(seconds)] == [left["t"] for _, left in read(headers["RateLimit"])]
