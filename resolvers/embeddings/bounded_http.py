"""HTTP clients for a model provider, with limits on the bytes and the time of each response.

The owner configures the URL, so requests to it are trusted; its responses are not. The clients use
no proxy from the environment, follow no redirect and send no header that a library adds.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator

import httpx

PLACEHOLDER_KEY = "none"
"""Sent if no key is configured: local servers require a key and accept any."""
_ALLOWED_HEADERS = frozenset(
    {"accept", "authorization", "connection", "content-length", "content-type", "host"}
    | {"transfer-encoding", "user-agent"}
)
_AGENT = "studiograph"
_COMPRESSED = "the provider's response is compressed, although that was not requested"
_TOO_LARGE = "the provider's response is too large"
_TOO_SLOW = "the provider's response takes too long"


def sync_client(max_bytes: int, seconds: float) -> httpx.Client:
    """Return a client for threads that reads each response only to these limits."""
    transport = _Transport(max_bytes, seconds)
    return httpx.Client(transport=transport, timeout=seconds, trust_env=False)


def async_client(max_bytes: int, seconds: float) -> httpx.AsyncClient:
    """Return a client for an event loop that reads each response only to these limits."""
    transport = _AsyncTransport(max_bytes, seconds)
    return httpx.AsyncClient(transport=transport, timeout=seconds, trust_env=False)


class _ByteLimit:
    """The limits of one response."""

    def __init__(self, max_bytes: int, ends_at: float, clock: Callable[[], float]) -> None:
        self._left = max_bytes
        self._ends_at = ends_at
        self._clock = clock

    def add(self, data: bytes) -> bytes:
        """Count the data and return it. Raises: httpx.ReadError, httpx.ReadTimeout."""
        self._left -= len(data)
        if self._left < 0:
            raise httpx.ReadError(_TOO_LARGE)
        if self._clock() > self._ends_at:  # httpx's timeout starts again with each piece
            raise httpx.ReadTimeout(_TOO_SLOW)
        return data


class _Body(httpx.SyncByteStream):
    def __init__(self, body: httpx.SyncByteStream, limit: _ByteLimit) -> None:
        self._body = body
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        for data in self._body:
            yield self._limit.add(data)

    def close(self) -> None:
        self._body.close()


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, body: httpx.AsyncByteStream, limit: _ByteLimit) -> None:
        self._body = body
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._body:
            yield self._limit.add(data)

    async def aclose(self) -> None:
        # If closing were cancelled, the connection would stay in httpcore's pool forever.
        await asyncio.shield(asyncio.ensure_future(self._body.aclose()))


class _Transport(httpx.HTTPTransport):
    def __init__(self, max_bytes: int, seconds: float) -> None:
        super().__init__(trust_env=False)
        self._bounds = (max_bytes, seconds)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        limit = _limit(*self._bounds)
        response = super().handle_request(_clean(request))
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - for the types
        response.stream = _Body(response.stream, limit)
        if _is_compressed(response):
            response.close()
            raise httpx.DecodingError(_COMPRESSED)
        return response


class _AsyncTransport(httpx.AsyncHTTPTransport):
    def __init__(self, max_bytes: int, seconds: float) -> None:
        super().__init__(trust_env=False, limits=httpx.Limits())  # the caller counts calls
        self._bounds = (max_bytes, seconds)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        limit = _limit(*self._bounds)
        response = await super().handle_async_request(_clean(request))
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - for the types
        response.stream = _AsyncBody(response.stream, limit)
        if _is_compressed(response):
            await response.aclose()
            raise httpx.DecodingError(_COMPRESSED)
        return response


def _limit(max_bytes: int, seconds: float) -> _ByteLimit:
    return _ByteLimit(max_bytes, time.monotonic() + (seconds or math.inf), time.monotonic)


def _clean(request: httpx.Request) -> httpx.Request:
    """Remove all headers that are not needed."""
    for name in [*request.headers]:
        if name not in _ALLOWED_HEADERS:
            del request.headers[name]
    request.headers["user-agent"] = _AGENT
    request.headers["accept-encoding"] = (
        "identity"  # a compressed response may unpack to a huge one
    )
    return request


def _is_compressed(response: httpx.Response) -> bool:
    coding: str = response.headers.get("content-encoding", "identity")
    return coding != "identity"
