"""The one way out to hosts that callers name: guarded, verified, bounded in bytes and in time.

Every request has a connection of its own, so every one is checked. There are no redirects, no
proxies, no cookies and no content codings. What an answer means is judged elsewhere.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

from resolvers.letters.destinations import Destination, Destinations
from resolvers.letters.faults import TooSlow


@dataclass(frozen=True)
class Request:
    """What is asked of a host."""

    method: str
    destination: Destination
    headers: Mapping[str, str]
    body: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Answer:
    """What a host answered, up to the bytes that were asked for."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    """By name in lower case; what stands several times is joined by commas."""
    body: bytes = field(repr=False)
    is_whole: bool = True


class Outbound:
    """The client."""

    def __init__(self, destinations: Destinations, tls: ssl.SSLContext | None = None) -> None:
        """With the public authorities, unless `tls` says whom to trust."""
        self.destinations = destinations
        self._tls = tls

    async def post(
        self,
        destination: Destination,
        body: bytes,
        headers: Mapping[str, str],
        *,
        seconds: float,
        most_bytes: int,
    ) -> Answer:
        """The answer to a POST within the time. Raises: OutboundFault."""
        return await self._ask(Request("POST", destination, headers, body), seconds, most_bytes)

    async def get(
        self,
        destination: Destination,
        headers: Mapping[str, str],
        *,
        seconds: float,
        most_bytes: int,
    ) -> Answer:
        """The answer to a GET within the time. Raises: OutboundFault."""
        return await self._ask(Request("GET", destination, headers), seconds, most_bytes)

    async def prepare(self) -> ssl.SSLContext:
        """What every request needs; the first one, if it has no time to lose, is asked for it."""
        if self._tls is None:
            self._tls = await asyncio.to_thread(_prepared)
        return self._tls

    async def _ask(self, request: Request, seconds: float, most_bytes: int) -> Answer:
        tls = await self.prepare()
        from resolvers.exchange import exchange  # noqa: PLC0415 - brings httpcore

        try:
            async with asyncio.timeout(seconds):
                return await exchange(request, self.destinations, tls, most_bytes)
        except TimeoutError:
            raise TooSlow from None


def _prepared() -> ssl.SSLContext:
    """The public authorities, which are read from files; what asks is imported on the way."""
    from resolvers.exchange import public_tls  # noqa: PLC0415 - brings httpcore

    return public_tls()
