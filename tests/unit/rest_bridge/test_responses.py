"""Answers: validators of a representation, what a caller already has, and the body of a problem."""

import gc
import json
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.responses import Response

from rest_bridge.representations.responses import Representation, http_date, problem
from sdl import errors
from sdl.errors import (
    ApiError,
    FieldProblem,
    InvalidInputError,
    MethodNotAllowedError,
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


def test_equal_bytes_of_one_type_have_one_strong_tag() -> None:
    again = Representation.build(BODY, "application/json", {"last-modified": http_date(0)})
    assert again.headers["etag"] == TAG
    assert TAG.startswith('"')
    assert TAG.endswith('"')


def test_another_body_or_another_type_has_another_tag() -> None:
    forms = [
        Representation.build(body, media_type, {}).headers["etag"]
        for body in (BODY, b"{}", b"")
        for media_type in ("application/json", "text/markdown", "text/plain")
    ]
    assert len(set(forms)) == len(forms)


@pytest.mark.parametrize(
    ("media_type", "written"),
    [
        ("text/markdown", "text/markdown; charset=utf-8"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("application/json", "application/json"),
        ("application/feed+json", "application/feed+json"),
    ],
)
def test_text_says_that_it_is_utf8(media_type: str, written: str) -> None:
    assert Representation.build(b"", media_type, {}).headers["content-type"] == written


def test_without_conditions_the_body_comes_whole() -> None:
    response = asked()
    assert (response.status_code, response.body) == (200, BODY)
    assert response.headers["content-length"] == str(len(BODY))
    assert response.headers["vary"] == "Accept, Accept-Encoding"


def test_head_says_the_length_and_sends_nothing() -> None:
    response = asked(head=True)
    assert (response.status_code, response.body) == (200, b"")
    assert dict(response.headers) == dict(asked().headers)


@pytest.mark.parametrize(
    "known",
    [
        TAG,
        f"W/{TAG}",
        f'"other", {TAG}',
        f'W/"other",W/{TAG} , "third"',
        "*",
        f"  {TAG}  ",
        f"{TAG},",
    ],
)
@pytest.mark.parametrize("head", [False, True])
def test_who_has_it_already_gets_304_with_the_validators(known: str, *, head: bool) -> None:
    response = asked(("if-none-match", known), head=head)
    assert (response.status_code, response.body) == (304, b"")
    assert response.headers["etag"] == TAG
    assert response.headers["vary"] == "Accept, Accept-Encoding"
    assert "content-length" not in response.headers


@pytest.mark.parametrize(
    "known", ['"other"', TAG.strip('"'), f"w/{TAG}", "", ",,,", '"', f"{TAG}x", "**", '"*"']
)
def test_another_tag_gets_the_body(known: str) -> None:
    assert asked(("if-none-match", known)).status_code == 200


def test_a_header_in_several_lines_is_one_list() -> None:
    response = asked(("if-none-match", '"other"'), ("if-none-match", TAG))
    assert response.status_code == 304


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


@pytest.mark.parametrize(("tag", "status"), [('"other"', 200), (TAG, 304)])
@pytest.mark.parametrize("since", [CHANGED, "Thu, 01 Jan 1970 00:00:00 GMT", "never"])
def test_a_tag_outweighs_a_date(tag: str, since: str, status: int) -> None:
    response = asked(("if-modified-since", since), ("if-none-match", tag))
    assert response.status_code == status


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


def test_without_faults_there_are_no_fields() -> None:
    assert "fields" not in json.loads(bytes(problem(InvalidInputError("No."), "0").body))


def test_at_most_ten_faults_are_named() -> None:
    faults = [FieldProblem(str(number), "is wrong") for number in range(25)]
    fields = json.loads(bytes(problem(InvalidInputError("No.", faults), "0").body))["fields"]
    assert [field["path"] for field in fields] == [str(number) for number in range(10)]


def test_405_names_the_methods_that_are_taken() -> None:
    fault = FieldProblem("method", "is not taken here", ("GET", "HEAD"))
    assert problem(MethodNotAllowedError("No.", [fault]), "0").headers["allow"] == "GET, HEAD"


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
