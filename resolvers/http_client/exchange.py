"""Sends one request over httpcore; the caller limits the time."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import anyio
import httpcore
import httpx

from resolvers.http_client.errors import ConnectionFailedError, InvalidResponseError
from resolvers.http_client.guarded_network import GuardedNetworkBackend
from resolvers.http_client.messages import OutboundRequest, OutboundResponse
from resolvers.http_client.targets import TargetPolicy

CONNECT_SECONDS = 5
"""The time limit for a connection, and again for its TLS handshake."""

_FIXED_HEADERS = (("accept-encoding", "identity"), ("connection", "close"))


async def send(
    request: OutboundRequest, destinations: TargetPolicy, tls: ssl.SSLContext, max_bytes: int
) -> OutboundResponse:
    """Send a request on a new connection and return the response. Raises: OutboundError."""
    try:
        async with (
            aclosing(GuardedNetworkBackend(destinations, request.target)) as network,
            httpcore.AsyncConnectionPool(tls, network_backend=network) as pool,
            pool.stream(
                request.method,
                _url(request),
                headers=[*request.headers.items(), *_FIXED_HEADERS],
                content=request.body,
                extensions={"timeout": {"connect": CONNECT_SECONDS}},
            ) as response,
        ):
            return await _read_response(response, max_bytes)
    except (httpcore.NetworkError, httpcore.TimeoutException, anyio.EndOfStream, OSError):
        raise ConnectionFailedError from None
    except httpcore.ProtocolError:
        raise InvalidResponseError from None


def public_tls() -> ssl.SSLContext:
    """Return a TLS context (1.2 or later) that trusts the public certificate authorities."""
    context = httpx.create_ssl_context(trust_env=False)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _url(request: OutboundRequest) -> httpcore.URL:
    """Return the URL from its checked parts, so that no other parser reads it again."""
    target = request.target
    return httpcore.URL(
        scheme=target.scheme, host=target.host, port=target.port, target=target.target
    )


async def _read_response(response: httpcore.Response, max_bytes: int) -> OutboundResponse:
    headers = _headers(response)
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise InvalidResponseError
    body = bytearray()
    stream = cast("AsyncGenerator[bytes, None]", response.aiter_stream())
    async with aclosing(stream) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > max_bytes:
                break
    return OutboundResponse(
        response.status, headers, bytes(body[:max_bytes]), len(body) <= max_bytes
    )


def _headers(response: httpcore.Response) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw in response.headers:
        name, value = raw_name.decode("ascii").lower(), raw.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
