"""The one way out to hosts that callers name: guarded, verified, bounded in bytes and in time.

Every request has a connection of its own, so every one is checked. There are no redirects, no
proxies, no cookies and no content codings. What an answer means is judged elsewhere.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

from resolvers.http_client.errors import OutboundTimeoutError
from resolvers.http_client.targets import TargetPolicy, TargetUrl


@dataclass(frozen=True)
class OutboundRequest:
    """What is asked of a host."""

    method: str
    destination: TargetUrl
    headers: Mapping[str, str]
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class OutboundResponse:
    """What a host answered, up to the bytes that were asked for."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """By name in lower case; what stands several times is joined by commas."""
    body: bytes = field(repr=False)
    is_complete: bool = True


class OutboundClient:
    """The client."""

    def __init__(self, destinations: TargetPolicy, tls: ssl.SSLContext | None = None) -> None:
        """With the public authorities, unless `tls` says whom to trust."""
        self.destinations = destinations
        self._tls = tls

    async def post(
        self,
        destination: TargetUrl,
        body: bytes,
        headers: Mapping[str, str],
        *,
        seconds: float,
        most_bytes: int,
    ) -> OutboundResponse:
        """The answer to a POST within the time. Raises: OutboundFault."""
        return await self._ask(
            OutboundRequest("POST", destination, headers, body), seconds, most_bytes
        )

    async def get(
        self,
        destination: TargetUrl,
        headers: Mapping[str, str],
        *,
        seconds: float,
        most_bytes: int,
    ) -> OutboundResponse:
        """The answer to a GET within the time. Raises: OutboundFault."""
        return await self._ask(OutboundRequest("GET", destination, headers), seconds, most_bytes)

    async def prepare(self) -> ssl.SSLContext:
        """What every request needs; the first one, if it has no time to lose, is asked for it."""
        if self._tls is None:
            self._tls = await asyncio.to_thread(_prepared)
        return self._tls

    async def _ask(
        self, request: OutboundRequest, seconds: float, most_bytes: int
    ) -> OutboundResponse:
        tls = await self.prepare()
        from resolvers.http_client.exchange import send  # noqa: PLC0415 - brings httpcore

        try:
            async with asyncio.timeout(seconds):
                return await send(request, self.destinations, tls, most_bytes)
        except TimeoutError:
            raise OutboundTimeoutError from None


def _prepared() -> ssl.SSLContext:
    """The public authorities, which are read from files; what asks is imported on the way."""
    from resolvers.http_client.exchange import public_tls  # noqa: PLC0415 - brings httpcore

    return public_tls()
