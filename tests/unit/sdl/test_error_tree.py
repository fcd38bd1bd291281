"""Every error has a status and a code of its own, as the drawn tree and the contract say."""

import re
from collections.abc import Iterator

import pytest

from sdl import errors
from sdl.errors import (
    MAX_PROBLEMS,
    ApiError,
    FieldProblem,
    InternalError,
    InvalidInputError,
    NotFoundError,
)

CONTRACT = {
    "validation_failed": 400,
    "unknown_section": 400,
    "verification_failed": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "timeout": 408,
    "precondition_failed": 412,
    "too_large": 413,
    "uri_too_long": 414,
    "unsupported_media_type": 415,
    "misdirected": 421,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal": 500,
    "delivery_failed": 502,
    "unavailable": 503,
    "ai_unavailable": 503,
}
BRANCH = re.compile(r"(?P<indent>[│ ]*)[├└]── (?P<name>\w+) +(?P<status>\d{3}) (?P<code>[a-z_]+)")


def kinds(parent: type[ApiError] = ApiError) -> Iterator[type[ApiError]]:
    """Every error below one, in the order of their declaration."""
    for child in parent.__subclasses__():
        if child.__module__ == errors.__name__:
            yield child
            yield from kinds(child)


KINDS = list(kinds())


def drawn() -> dict[str, tuple[str, int, str]]:
    """What the drawing says of each error: its parent, status and code."""
    lines = (errors.__doc__ or "").splitlines()
    above = [lines[lines.index("ApiError")]]
    found: dict[str, tuple[str, int, str]] = {}
    for line in lines[lines.index("ApiError") + 1 :]:
        branch = BRANCH.fullmatch(line)
        assert branch, line
        depth = len(branch["indent"]) // 4 + 1
        above[depth:] = [branch["name"]]
        found[branch["name"]] = (above[depth - 1], int(branch["status"]), branch["code"])
    return found


def test_the_drawn_tree_is_the_tree() -> None:
    assert drawn() == {
        kind.__name__: (kind.__bases__[0].__name__, kind.status, kind.code) for kind in KINDS
    }


def test_the_drawing_keeps_the_order_of_the_file() -> None:
    assert list(drawn()) == [kind.__name__ for kind in KINDS]


def test_codes_and_statuses_are_those_of_the_contract() -> None:
    assert {kind.code: kind.status for kind in KINDS} == CONTRACT


def test_no_two_errors_share_a_code() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_the_root_of_the_tree_answers_as_our_own_fault() -> None:
    assert (ApiError.status, ApiError.code) == (InternalError.status, InternalError.code)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_described_and_titled_in_words_of_its_own(kind: type[ApiError]) -> None:
    assert kind.__doc__
    assert kind.__doc__.endswith(".")
    assert re.fullmatch(r"[A-Z][^.]+", kind.title)
    assert kind is InternalError or "title" in vars(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_says_its_detail_and_nothing_else(kind: type[ApiError]) -> None:
    error = kind("The detail.")
    assert (str(error), error.detail, error.problems) == ("The detail.", "The detail.", ())


def test_an_error_carries_at_most_ten_faults_the_first_ones() -> None:
    faults = [
        FieldProblem(f"field {number}", "must be there") for number in range(MAX_PROBLEMS + 5)
    ]
    assert InvalidInputError("Faults.", faults).problems == tuple(faults[:10])


def test_an_error_can_be_caught_by_its_kind() -> None:
    with pytest.raises(InvalidInputError):
        raise errors.UnknownSectionError("There is no such section.")
    with pytest.raises(errors.UnavailableError):
        raise errors.AiUnavailableError("The model does not answer.")
    with pytest.raises(ApiError):
        raise NotFoundError("There is no such project.")
