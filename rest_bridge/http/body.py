"""Request bodies: what may arrive, how much of it and for how long."""

import asyncio
from collections.abc import Mapping

from starlette.requests import Request

from sdl.errors import FieldProblem, TimedOutError, TooLargeError, UnsupportedMediaTypeError

MAX_BODY = 64 * 1024
MAX_CHUNKS = 1_000
BODY_SECONDS = 10


def check_no_body(headers: Mapping[str, str], longest: int = MAX_BODY) -> None:
    """Nothing, for a body whose declared length and coding are acceptable. Raises: StudioError."""
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length[:20]) > longest:
        raise _too_large(longest)
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMediaTypeError(
            "A body must not be encoded.", [FieldProblem("Content-Encoding", "must be absent")]
        )


async def read_body(
    request: Request, longest: int = MAX_BODY, seconds: float = BODY_SECONDS
) -> bytes:
    """The whole body. Raises: StudioError, ClientDisconnect. Units: bytes."""
    check_no_body(request.headers, longest)
    body = bytearray()
    chunks = 0
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                chunks += 1
                if len(body) > longest:
                    raise _too_large(longest)
                if chunks > MAX_CHUNKS:
                    fault = FieldProblem("body", f"must come in at most {MAX_CHUNKS} chunks")
                    raise TooLargeError("The body came in too many pieces.", [fault])
    except TimeoutError:
        raise TimedOutError(f"The body did not arrive within {seconds} s.") from None
    return bytes(body)


def content_type(request: Request, accepted: tuple[str, ...]) -> str:
    """The body's media type, one of those accepted here. Raises: UnsupportedMediaType."""
    if len(request.headers.getlist("content-type")) > 1:
        fault = FieldProblem("Content-Type", "must be given once")
        raise UnsupportedMediaTypeError("A body has one type.", [fault])
    name, _, parameters = request.headers.get("content-type", "").partition(";")
    found = name.strip().lower()
    charset = parameters.lower().replace(" ", "").replace('"', "").partition("charset=")[2]
    if found not in accepted:
        raise UnsupportedMediaTypeError(
            "The body's type is not read here.",
            [FieldProblem("Content-Type", "is not one of those read here", accepted)],
        )
    if charset and charset.partition(";")[0] not in ("utf-8", "utf8"):
        raise UnsupportedMediaTypeError(
            "A body must be UTF-8.",
            [FieldProblem("Content-Type", "must have no charset but utf-8")],
        )
    return found


def _too_large(longest: int) -> TooLargeError:
    return TooLargeError(
        f"A body here may have at most {longest} bytes.",
        [FieldProblem("Content-Length", f"must be at most {longest}")],
    )
