"""A request's body is read whole, or refused for its size, its pieces, its pace or its type."""

import asyncio
from collections.abc import Iterator

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from rest_bridge.http.body import (
    MAX_BODY,
    MAX_CHUNKS,
    MAX_UNFINISHED,
    SMALL_BODY,
    content_type,
    read_body,
)
from sdl.errors import ApiError, TimedOutError, TooLargeError, UnsupportedMediaTypeError


def request(pieces: Iterator[bytes], *headers: tuple[bytes, bytes]) -> Request:
    """A request whose body comes in these pieces, and then not at all."""

    async def receive() -> Message:
        for piece in pieces:
            return {"type": "http.request", "body": piece, "more_body": piece != b"."}
        await asyncio.Event().wait()
        raise AssertionError

    scope = {"type": "http", "method": "POST", "path": "/", "headers": list(headers)}
    return Request(scope, receive)


def test_pieces_make_a_body() -> None:
    assert asyncio.run(read_body(request(iter([b"{", b"}", b"."])))) == b"{}."


@pytest.mark.parametrize("size", [MAX_BODY, 7])
def test_a_body_over_the_limit_is_refused_as_soon_as_it_is(size: int) -> None:
    endless = iter(lambda: b"x" * 1_000, b"")
    with pytest.raises(TooLargeError):
        asyncio.run(read_body(request(endless), size))


def test_a_body_in_too_many_pieces_is_refused() -> None:
    with pytest.raises(TooLargeError, match="too many chunks"):
        asyncio.run(read_body(request(iter([b"x"] * (MAX_CHUNKS + 1)))))


def test_large_bodies_that_never_end_have_a_limit_and_small_ones_still_come() -> None:
    large = bytes(SMALL_BODY + 2**20)

    async def crowd() -> list[int]:
        never = [
            asyncio.ensure_future(read_body(request(iter([large])), 2**21, seconds=0.3))
            for _ in range(20)
        ]
        await asyncio.sleep(0)
        assert (
            await read_body(request(iter([bytes(SMALL_BODY - 1), b"."])))
            == bytes(SMALL_BODY - 1) + b"."
        )
        errors = await asyncio.gather(*never, return_exceptions=True)
        assert await read_body(request(iter([large, b"."])), 2**21) == large + b"."
        return [error.status for error in errors if isinstance(error, ApiError)]

    assert asyncio.run(crowd()) == [408] * (MAX_UNFINISHED // 2**20) + [503] * 4


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    with pytest.raises(TimedOutError):
        asyncio.run(read_body(request(iter([b"x"])), seconds=0.05))


def test_a_caller_who_leaves_is_no_body() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    with pytest.raises(ClientDisconnect):
        asyncio.run(read_body(Request(scope, receive)))


@pytest.mark.parametrize(
    ("header", "found"),
    [
        (b"application/json", "application/json"),
        (b"APPLICATION/JSON", "application/json"),
        (b"application/json; charset=utf-8", "application/json"),
        (b'application/json;charset="UTF-8"', "application/json"),
        (b"application/json; charset=latin-1", None),
        (b"application/jsonp", None),
        (b"text/plain", None),
        (b"", None),
    ],
)
def test_the_type_of_a_body_is_one_of_those_read(header: bytes, found: str | None) -> None:
    asked = request(iter([]), (b"content-type", header))
    if found is None:
        with pytest.raises(UnsupportedMediaTypeError):
            content_type(asked, ("application/json",))
    else:
        assert content_type(asked, ("application/json",)) == found
