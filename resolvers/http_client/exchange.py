"""One request and its answer, over httpcore. Waits without end: the caller holds the clock."""

import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

import anyio
import httpcore
import httpx

from resolvers.http_client.client import OutboundRequest, OutboundResponse
from resolvers.http_client.errors import ConnectionFailedError, InvalidResponseError
from resolvers.http_client.guarded_network import GuardedNetworkBackend
from resolvers.http_client.targets import TargetPolicy

CONNECT_SECONDS = 5
"""How long a connection may take, and how long its TLS."""

_ALWAYS = (("accept-encoding", "identity"), ("connection", "close"))


async def send(
    request: OutboundRequest, destinations: TargetPolicy, tls: ssl.SSLContext, most_bytes: int
) -> OutboundResponse:
    """The answer to a request, on a connection of its own. Raises: OutboundFault."""
    try:
        async with (
            aclosing(GuardedNetworkBackend(destinations, request.destination)) as dial,
            httpcore.AsyncConnectionPool(tls, network_backend=dial) as pool,
            pool.stream(
                request.method,
                _url(request),
                headers=[*request.headers.items(), *_ALWAYS],
                content=request.body,
                extensions={"timeout": {"connect": CONNECT_SECONDS}},
            ) as response,
        ):
            return await _read(response, most_bytes)
    except (httpcore.NetworkError, httpcore.TimeoutException, anyio.EndOfStream, OSError):
        raise ConnectionFailedError from None
    except httpcore.ProtocolError:
        raise InvalidResponseError from None


def public_tls() -> ssl.SSLContext:
    """What a client needs that trusts the public authorities, from TLS 1.2 on."""
    context = httpx.create_ssl_context(trust_env=False)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _url(request: OutboundRequest) -> httpcore.URL:
    """The parts as they were checked: nothing reads a text again."""
    to = request.destination
    return httpcore.URL(scheme=to.scheme, host=to.host, port=to.port, target=to.target)


async def _read(response: httpcore.Response, most_bytes: int) -> OutboundResponse:
    headers = _headers(response)
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise InvalidResponseError
    body = bytearray()
    stream = cast("AsyncGenerator[bytes, None]", response.aiter_stream())
    async with aclosing(stream) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > most_bytes:
                break
    return OutboundResponse(
        response.status, headers, bytes(body[:most_bytes]), len(body) <= most_bytes
    )


def _headers(response: httpcore.Response) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw in response.headers:
        name, value = raw_name.decode("ascii").lower(), raw.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
