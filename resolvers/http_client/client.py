"""The HTTP client for hosts that callers name, with limits of bytes and time.

Every request opens a new connection, so that every address is checked: the name is looked up once
for it, and the connection goes to the address that was checked, so a second lookup with another
answer (DNS rebinding) cannot happen. Redirects, proxies, cookies and content codings are not used.
"""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import cast

import anyio
import httpcore

from resolvers.http_client.errors import (
    BlockedTargetError,
    ConnectionFailedError,
    InvalidResponseError,
    OutboundTimeoutError,
)
from resolvers.http_client.targets import Address, TargetPolicy, TargetUrl

CONNECT_SECONDS = 5
"""The time limit for a connection, and again for its TLS handshake."""
MAX_ADDRESSES = 4
"""How many addresses of a host are tried; they share the time limit for connecting."""

_FIXED_HEADERS = (("accept-encoding", "identity"), ("connection", "close"))


@dataclass(frozen=True)
class OutboundResponse:
    """The response of a host, cut at the byte limit."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """By lower-case name; values of a repeated header are joined by commas."""
    body: bytes = field(repr=False)
    is_complete: bool = True


class OutboundClient:
    """A client for the hosts that a policy allows.

    It trusts the public certificate authorities, unless `tls` is given.
    """

    def __init__(self, destinations: TargetPolicy, tls: ssl.SSLContext | None = None) -> None:
        self.destinations = destinations
        self._tls = tls

    async def post(
        self,
        target: TargetUrl,
        body: bytes,
        headers: Mapping[str, str],
        *,
        seconds: float,
        max_bytes: int,
    ) -> OutboundResponse:
        """Send a POST and return the response. Raises: OutboundError."""
        return await self._request(
            "POST", target, headers, body, seconds=seconds, max_bytes=max_bytes
        )

    async def get(
        self, target: TargetUrl, headers: Mapping[str, str], *, seconds: float, max_bytes: int
    ) -> OutboundResponse:
        """Send a GET and return the response. Raises: OutboundError."""
        return await self._request(
            "GET", target, headers, None, seconds=seconds, max_bytes=max_bytes
        )

    async def prepare(self) -> ssl.SSLContext:
        """Load what requests need; call it first if the first request must not lose time."""
        if self._tls is None:
            self._tls = await asyncio.to_thread(_public_tls)
        return self._tls

    async def _request(  # noqa: PLR0913 - what a request is made of
        self,
        method: str,
        target: TargetUrl,
        headers: Mapping[str, str],
        body: bytes | None,
        *,
        seconds: float,
        max_bytes: int,
    ) -> OutboundResponse:
        """Send a request on a new connection and return the response. Raises: OutboundError."""
        tls = await self.prepare()
        # The URL of its checked parts, so that no other parser reads it again.
        url = httpcore.URL(
            scheme=target.scheme, host=target.host, port=target.port, target=target.target
        )
        try:
            async with (
                asyncio.timeout(seconds),
                aclosing(GuardedNetworkBackend(self.destinations, target)) as network,
                httpcore.AsyncConnectionPool(tls, network_backend=network) as pool,
                pool.stream(
                    method,
                    url,
                    headers=[*headers.items(), *_FIXED_HEADERS],
                    content=body,
                    extensions={"timeout": {"connect": CONNECT_SECONDS}},
                ) as response,
            ):
                return await _read_response(response, max_bytes)
        except TimeoutError:  # which is an OSError, too
            raise OutboundTimeoutError from None
        except (httpcore.NetworkError, httpcore.TimeoutException, anyio.EndOfStream, OSError):
            raise ConnectionFailedError from None
        except httpcore.ProtocolError:
            raise InvalidResponseError from None


class GuardedNetworkBackend(httpcore.AsyncNetworkBackend):
    """Connects to checked addresses of one target and to nothing else."""

    def __init__(self, destinations: TargetPolicy, target: TargetUrl) -> None:
        self._destinations = destinations
        self._target = target
        self._streams: list[httpcore.AsyncNetworkStream] = []

    async def aclose(self) -> None:
        """Close every stream: httpcore leaks one that is cancelled during its TLS handshake."""
        for stream in self._streams:
            await stream.aclose()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to an address of the target.

        Raises: BlockedTargetError, ConnectionFailedError.
        """
        if (host, port) != (self._target.host, self._target.port):
            raise BlockedTargetError
        addresses = (await self._destinations.addresses(self._target))[:MAX_ADDRESSES]
        seconds = timeout / len(addresses) if timeout and addresses else None
        network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())
        for address in addresses:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                stream = await network.connect_tcp(
                    str(address), port, seconds, local_address, socket_options
                )
                self._streams.append(stream)
                _check_peer(stream, address)
                return stream
        raise ConnectionFailedError


def _check_peer(stream: httpcore.AsyncNetworkStream, address: Address) -> None:
    """Check that the other end is this address.

    Raises: BlockedTargetError, ConnectionFailedError.
    """
    try:
        peer = stream.get_extra_info("socket").getpeername()[0]
    except OSError:  # the other end has closed already
        raise ConnectionFailedError from None
    if ip_address(peer) != address:
        raise BlockedTargetError


def _public_tls() -> ssl.SSLContext:
    """Return a TLS context (1.2 or later) that trusts the public certificate authorities."""
    import httpx  # noqa: PLC0415 - 0.1 s, only where a request goes out

    context = httpx.create_ssl_context(trust_env=False)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


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
