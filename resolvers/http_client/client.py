"""The HTTP client for hosts that callers name, with limits of bytes and time.

Every request opens a new connection, so that every address is checked. Redirects, proxies, cookies
and content codings are not used.
"""

import asyncio
import ssl
from collections.abc import Mapping

from resolvers.http_client.errors import OutboundTimeoutError
from resolvers.http_client.messages import OutboundRequest, OutboundResponse
from resolvers.http_client.targets import TargetPolicy, TargetUrl


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
            OutboundRequest("POST", target, headers, body), seconds, max_bytes
        )

    async def get(
        self,
        target: TargetUrl,
        headers: Mapping[str, str],
        *,
        seconds: float,
        max_bytes: int,
    ) -> OutboundResponse:
        """Send a GET and return the response. Raises: OutboundError."""
        return await self._request(OutboundRequest("GET", target, headers), seconds, max_bytes)

    async def prepare(self) -> ssl.SSLContext:
        """Load what requests need; call it first if the first request must not lose time."""
        if self._tls is None:
            self._tls = await asyncio.to_thread(_load)
        return self._tls

    async def _request(
        self, request: OutboundRequest, seconds: float, max_bytes: int
    ) -> OutboundResponse:
        tls = await self.prepare()
        from resolvers.http_client.exchange import send  # noqa: PLC0415 - httpcore, 0.03 s

        try:
            async with asyncio.timeout(seconds):
                return await send(request, self.destinations, tls, max_bytes)
        except TimeoutError:
            raise OutboundTimeoutError from None


def _load() -> ssl.SSLContext:
    """Import httpcore, and return a TLS context with the public certificate authorities."""
    from resolvers.http_client.exchange import public_tls  # noqa: PLC0415 - httpcore, 0.03 s

    return public_tls()
