"""HTTP clients for a model provider, with limits on the bytes and the time of each response.

The owner configures the URL, so requests to it are trusted; its responses are not. The clients use
no proxy from the environment, follow no redirect and send no header that a library adds.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator

import httpx

PLACEHOLDER_KEY = "none"
"""Sent if no key is configured: local servers require a key and accept any."""
_ALLOWED_HEADERS = frozenset(
    {"accept", "authorization", "connection", "content-length", "content-type", "host"}
    | {"transfer-encoding", "user-agent"}
)
_ENDS_AT = "studiograph.ends_at"
"""Where a request has the time at which its response must be complete."""


def sync_client(max_bytes: int, seconds: float) -> httpx.Client:
    """Return a client for threads that reads each response only to these limits."""

    def begin(request: httpx.Request) -> None:
        _begin(request, seconds)

    def bound(response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - for the types
        response.stream = _Body(response.stream, _limit(response, max_bytes))

    return httpx.Client(
        timeout=seconds,
        trust_env=False,
        event_hooks={"request": [begin], "response": [bound]},
    )


def async_client(max_bytes: int, seconds: float) -> httpx.AsyncClient:
    """Return a client for an event loop that reads each response only to these limits."""

    async def begin(request: httpx.Request) -> None:
        _begin(request, seconds)

    async def bound(response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - for the types
        response.stream = _AsyncBody(response.stream, _limit(response, max_bytes))

    return httpx.AsyncClient(
        timeout=seconds,
        trust_env=False,
        limits=httpx.Limits(),  # the caller counts calls
        event_hooks={"request": [begin], "response": [bound]},
    )


class _Limit:
    """The limits of one response."""

    def __init__(self, max_bytes: int, ends_at: float) -> None:
        self._left = max_bytes
        self._ends_at = ends_at

    def add(self, data: bytes) -> bytes:
        """Count the data and return it. Raises: httpx.ReadError, httpx.ReadTimeout."""
        self._left -= len(data)
        if self._left < 0:
            raise httpx.ReadError("the provider's response is too large")
        if time.monotonic() > self._ends_at:  # httpx's timeout starts again with each piece
            raise httpx.ReadTimeout("the provider's response takes too long")
        return data


class _Body(httpx.SyncByteStream):
    def __init__(self, body: httpx.SyncByteStream, limit: _Limit) -> None:
        self._body = body
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        for data in self._body:
            yield self._limit.add(data)

    def close(self) -> None:
        self._body.close()


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, body: httpx.AsyncByteStream, limit: _Limit) -> None:
        self._body = body
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._body:
            yield self._limit.add(data)

    async def aclose(self) -> None:
        # If closing were cancelled, the connection would stay in httpcore's pool forever.
        await asyncio.shield(asyncio.ensure_future(self._body.aclose()))


def _begin(request: httpx.Request, seconds: float) -> None:
    """Remove all headers that are not needed, and begin to count the time."""
    for name in [*request.headers]:
        if name not in _ALLOWED_HEADERS:
            del request.headers[name]
    request.headers["user-agent"] = "studiograph"
    # A compressed response may unpack to a huge one.
    request.headers["accept-encoding"] = "identity"
    request.extensions = {**request.extensions, _ENDS_AT: time.monotonic() + (seconds or math.inf)}


def _limit(response: httpx.Response, max_bytes: int) -> _Limit:
    """Return the limits of a response. Raises: httpx.DecodingError if it is compressed."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx.DecodingError("the provider's response is compressed, although not requested")
    return _Limit(max_bytes, response.request.extensions[_ENDS_AT])
