"""Answers: validators of a representation, what a caller already has, and the body of a problem."""

import gc
import json
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.responses import Response

from rest_bridge.representations.responses import Representation, problem
from sdl import errors
from sdl.errors import (
    ApiError,
    FieldProblem,
    InvalidInputError,
    PreconditionFailedError,
    UnauthorizedError,
    VerificationFailedError,
    all_errors,
)

CHANGED = "Mon, 02 Nov 2026 10:17:32 GMT"
BODY = b'{"a":1}'
GENERATED_TOOLS = Representation.build(BODY, "application/json", {"last-modified": CHANGED})
TAG = GENERATED_TOOLS.headers["etag"]


KINDS: list[type[ApiError]] = [ApiError, *all_errors()]


def asked(*headers: tuple[str, str], head: bool = False) -> Response:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return GENERATED_TOOLS.response(Headers(raw=raw), head=head)


@pytest.mark.parametrize(
    ("since", "status"),
    [
        (CHANGED, 304),
        ("Mon, 02 Nov 2026 10:17:33 GMT", 304),
        ("Mon, 02 Nov 2026 10:17:31 GMT", 200),
        ("Monday, 02-Nov-26 10:17:32 GMT", 304),
        ("Mon Nov  2 10:17:32 2026", 304),
        ("Mon Nov  2 10:17:31 2026", 200),
        ("Mon, 01 Jan 0001 00:00:00 +2359", 200),
        ("Fri, 31 Dec 9999 23:59:59 -2359", 304),
        ("yesterday", 200),
        ("", 200),
        ("Mon, 99 Nov 2026 10:17:32 GMT", 200),
        ("Mon, 02 Nov 99999 10:17:32 GMT", 200),
        ("Mon, 02 Nov 2026 10:17:32 +9999", 200),
        ("2026-11-02T10:17:32Z", 200),
        (",", 200),
        (":", 200),
        ("0", 200),
    ],
)
def test_a_date_counts_where_it_can_be_read(since: str, status: int) -> None:
    assert asked(("if-modified-since", since)).status_code == status


@pytest.mark.parametrize(
    ("name", "value", "holds"),
    [
        ("if-match", TAG, True),
        ("if-match", f'"other", {TAG}', True),
        ("if-match", "*", True),
        ("if-match", '"other"', False),
        ("if-match", f"W/{TAG}", False),
        ("if-match", "", False),
        ("if-unmodified-since", CHANGED, True),
        ("if-unmodified-since", "Mon, 02 Nov 2026 10:17:33 GMT", True),
        ("if-unmodified-since", "Mon, 02 Nov 2026 10:17:31 GMT", False),
        ("if-unmodified-since", "yesterday", True),
    ],
)
def test_a_precondition_that_does_not_hold_is_refused(
    name: str, value: str, *, holds: bool
) -> None:
    if holds:
        assert asked((name, value)).status_code == 200
        return
    with pytest.raises(PreconditionFailedError) as refused:
        asked((name, value))
    assert refused.value.problems[0].path.lower() == name


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from([*"0159:,-+ ", "Mon", "Nov", "2026", "GMT", "Z", "+0000", "-0000"]),
            max_size=14,
        ).map("".join),
    )
)
def test_no_condition_is_too_odd(value: str) -> None:
    sent = value.encode("utf-8", "replace").decode("latin-1")
    for name in ("if-none-match", "if-modified-since"):
        raw = [(name.encode(), sent.encode("latin-1"))]
        assert GENERATED_TOOLS.response(Headers(raw=raw), head=False).status_code in (200, 304)


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_has_the_one_body(kind: type[ApiError]) -> None:
    faults = [FieldProblem("a.b", "must be x", ("x", "y")), FieldProblem("c", "is required")]
    response = problem(kind("Said calmly.", faults), "0123456789abcdef")
    assert response.status_code == kind.status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    assert list(json.loads(bytes(response.body)).items()) == [
        ("ok", False),
        ("error", kind.code),
        ("title", kind.title),
        ("status", kind.status),
        ("detail", "Said calmly."),
        *([] if kind is UnauthorizedError else [("request_id", "0123456789abcdef")]),
        *([("reason", "no_echo")] if kind is VerificationFailedError else []),
        (
            "fields",
            [
                {"path": "a.b", "rule": "must be x", "allowed": ["x", "y"]},
                {"path": "c", "rule": "is required"},
            ],
        ),
    ]


def test_the_codes_and_statuses_are_those_of_the_drawn_tree() -> None:
    drawn = [line.split()[-3:] for line in (errors.__doc__ or "").splitlines() if "──" in line]
    assert sorted(drawn) == sorted(
        [kind.__name__, str(kind.status), kind.code] for kind in KINDS if kind is not ApiError
    )


def test_at_most_ten_faults_are_named() -> None:
    faults = [FieldProblem(str(number), "is wrong") for number in range(25)]
    fields = json.loads(bytes(problem(InvalidInputError("No.", faults), "0").body))["fields"]
    assert [field["path"] for field in fields] == [str(number) for number in range(10)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_connection_is_closed_where_the_request_cannot_be_read_to_its_end(
    kind: type[ApiError],
) -> None:
    closing = kind.status in (408, 413, 414, 431)
    faults = [FieldProblem("method", "is not taken here", ("GET",))]
    assert (problem(kind("No.", faults), "0").headers.get("connection") == "close") is closing


def test_a_body_in_a_coding_is_freed_with_the_body() -> None:
    body = Representation.build(b"long " * 200, "text/plain", {})
    gc.disable()
    try:
        body.response(Headers({"accept-encoding": "gzip"}), head=False)
        encoded = weakref.ref(body.encoded["gzip"])
        del body
        assert encoded() is None
    finally:
        gc.enable()
