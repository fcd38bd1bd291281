"""HTTP to the one address of a model provider: bounded in bytes and in time.

The owner names the address, so it is trusted to be asked; what it answers is not. Nothing of this
machine's environment goes along: no proxy, no redirect, no header that a library would add.
"""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator

import httpx

PLACEHOLDER_KEY = "none"
"""Sent where no key is set: local servers ask for one and take any."""
_SENT = frozenset(
    {"accept", "authorization", "connection", "content-length", "content-type", "host"}
    | {"transfer-encoding", "user-agent"}
)
_AGENT = "studiograph"
_CODED = "the provider's answer is coded, though no coding was asked for"
_LONG = "the provider's answer has more bytes than are read"
_LATE = "the provider's answer takes too long"


def sync_client(most_bytes: int, seconds: float) -> httpx.Client:
    """A client for threads, of whose answers only so much is read and for so long."""
    transport = _Transport(most_bytes, seconds)
    return httpx.Client(transport=transport, timeout=seconds, trust_env=False)


def async_client(most_bytes: int, seconds: float) -> httpx.AsyncClient:
    """A client for an event loop, of whose answers only so much is read and for so long."""
    transport = _AsyncTransport(most_bytes, seconds)
    return httpx.AsyncClient(transport=transport, timeout=seconds, trust_env=False)


class _ByteLimit:
    """How much of one answer may still be read."""

    def __init__(self, most_bytes: int, ends_at: float, clock: Callable[[], float]) -> None:
        self._left = most_bytes
        self._ends_at = ends_at
        self._clock = clock

    def add(self, data: bytes) -> bytes:
        """The data. Raises: httpx.ReadError, httpx.ReadTimeout."""
        self._left -= len(data)
        if self._left < 0:
            raise httpx.ReadError(_LONG)
        if self._clock() > self._ends_at:  # httpx's own limit begins anew with each piece
            raise httpx.ReadTimeout(_LATE)
        return data


class _Body(httpx.SyncByteStream):
    def __init__(self, body: httpx.SyncByteStream, meter: _ByteLimit) -> None:
        self._body = body
        self._meter = meter

    def __iter__(self) -> Iterator[bytes]:
        for data in self._body:
            yield self._meter.add(data)

    def close(self) -> None:
        self._body.close()


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, body: httpx.AsyncByteStream, meter: _ByteLimit) -> None:
        self._body = body
        self._meter = meter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._body:
            yield self._meter.add(data)

    async def aclose(self) -> None:
        # Cancelled amid its closing, a connection would stay in httpcore's pool for ever.
        await asyncio.shield(asyncio.ensure_future(self._body.aclose()))


class _Transport(httpx.HTTPTransport):
    def __init__(self, most_bytes: int, seconds: float) -> None:
        super().__init__(trust_env=False)
        self._bounds = (most_bytes, seconds)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        meter = _meter(*self._bounds)
        response = super().handle_request(_plain(request))
        assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101 - for the types
        response.stream = _Body(response.stream, meter)
        if _is_coded(response):
            response.close()
            raise httpx.DecodingError(_CODED)
        return response


class _AsyncTransport(httpx.AsyncHTTPTransport):
    def __init__(self, most_bytes: int, seconds: float) -> None:
        super().__init__(trust_env=False, limits=httpx.Limits())  # whoever calls counts calls
        self._bounds = (most_bytes, seconds)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        meter = _meter(*self._bounds)
        response = await super().handle_async_request(_plain(request))
        assert isinstance(response.stream, httpx.AsyncByteStream)  # noqa: S101 - for the types
        response.stream = _AsyncBody(response.stream, meter)
        if _is_coded(response):
            await response.aclose()
            raise httpx.DecodingError(_CODED)
        return response


def _meter(most_bytes: int, seconds: float) -> _ByteLimit:
    return _ByteLimit(most_bytes, time.monotonic() + (seconds or math.inf), time.monotonic)


def _plain(request: httpx.Request) -> httpx.Request:
    """The request with the headers that are needed and no others."""
    for name in [*request.headers]:
        if name not in _SENT:
            del request.headers[name]
    request.headers["user-agent"] = _AGENT
    request.headers["accept-encoding"] = "identity"  # a small coded answer may be a huge one
    return request


def _is_coded(response: httpx.Response) -> bool:
    coding: str = response.headers.get("content-encoding", "identity")
    return coding != "identity"
