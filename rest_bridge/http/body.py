"""Request bodies: limits on size, chunks, time, coding and media type.

`MAX_BODY` is the limit of a GraphQL request. A stored operation's limit is `maxBytes` of its
`@rest`, with a default in `sdl/types/directives.py`; MCP's is `MAX_BODY` of its `description.py`.
"""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request

from sdl.errors import (
    FieldProblem,
    InvalidInputError,
    TimedOutError,
    TooLargeError,
    UnavailableError,
    UnsupportedMediaTypeError,
)

MAX_BODY = 64 * 1024
MAX_CHUNKS = 1_000
BODY_SECONDS = 10
SMALL_BODY, MAX_UNFINISHED = 16 * 1024, 16 * 1024 * 1024
"""What a body may always have, and what all unfinished ones may have beyond that together.

So many large bodies that never end take no more memory, and small ones still come. Units: bytes.
"""
_ABOUT_BODIES = frozenset((b"content-length", b"transfer-encoding", b"content-encoding"))
_unfinished = 0
"""What the unfinished bodies of this process have beyond `SMALL_BODY` now."""


def check_no_body(headers: Headers, max_bytes: int = MAX_BODY) -> None:
    """Raise `ApiError` if the declared length or a coding of the body is not accepted."""
    if _ABOUT_BODIES.isdisjoint([name for name, _ in headers.raw]):
        return
    length = headers.get("content-length", "0")
    digits = length.lstrip("0")[:20] or "0"  # Python reads no number of thousands of digits
    if not length.isascii() or not length.isdigit() or int(digits) > max_bytes:
        raise _too_large(max_bytes)
    # The parser takes a body for chunked whatever is listed before, and decodes nothing of it.
    if [*map(str.lower, headers.getlist("transfer-encoding"))] not in ([], ["chunked"]):
        raise InvalidInputError(
            "The only transfer coding is chunked; send the body in chunks, or with Content-Length.",
            [FieldProblem("Transfer-Encoding", "must be absent, or chunked alone")],
        )
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError(
            "Encoded bodies are not accepted; send the body as it is.",
            [FieldProblem("Content-Encoding", "must be absent")],
        )


async def read_body(
    request: Request, max_bytes: int = MAX_BODY, seconds: float = BODY_SECONDS
) -> bytes:
    """Return the body. Raises: ApiError, ClientDisconnect. Units: bytes, seconds."""
    check_no_body(request.headers, max_bytes)
    global _unfinished  # noqa: PLW0603 - one count for all connections of the event loop
    body = bytearray()
    chunks = counted = 0
    try:
        async with asyncio.timeout(seconds):
            while True:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                chunks += 1
                if len(body) > max_bytes:
                    raise _too_large(max_bytes)
                if chunks > MAX_CHUNKS:
                    rule = f"must come in at most {MAX_CHUNKS} chunks"
                    raise TooLargeError(
                        "The body came in too many chunks.", [FieldProblem("body", rule)]
                    )
                more = max(len(body) - SMALL_BODY, 0) - counted
                if _unfinished + more > MAX_UNFINISHED:
                    raise UnavailableError("Too many large bodies are arriving. Try again soon.")
                _unfinished += more
                counted += more
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        raise TimedOutError(f"The body did not arrive within {seconds} s.") from None
    finally:
        _unfinished -= counted
    return bytes(body)


def content_type(request: Request, accepted: tuple[str, ...]) -> str:
    """Return the media type of the body. Raises: UnsupportedMediaTypeError unless accepted."""
    if len(request.headers.getlist("content-type")) > 1:
        problem = FieldProblem("Content-Type", "must be given once")
        raise UnsupportedMediaTypeError("The body has several media types.", [problem])
    name, _, parameters = request.headers.get("content-type", "").partition(";")
    media_type = name.strip().lower()
    charset = parameters.lower().replace(" ", "").replace('"', "").partition("charset=")[2]
    if media_type not in accepted:
        raise UnsupportedMediaTypeError(
            "The media type of the body is not accepted here.",
            [FieldProblem("Content-Type", "is not an accepted media type", accepted)],
        )
    if charset and charset.partition(";")[0] not in ("utf-8", "utf8"):
        raise UnsupportedMediaTypeError(
            "The body must be UTF-8.",
            [FieldProblem("Content-Type", "must have the charset utf-8, or none")],
        )
    return media_type


def _too_large(max_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"The body may have at most {max_bytes} bytes.",
        [FieldProblem("Content-Length", f"must be at most {max_bytes}")],
    )
