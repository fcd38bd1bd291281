"""Connections to checked addresses alone, for httpcore. Speaks no HTTP.

The name is looked up once for a connection, and what was checked is what is connected to: no
second lookup can answer otherwise.
"""

from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import cast

import httpcore

from resolvers.http_client.errors import BlockedTargetError, ConnectionFailedError
from resolvers.http_client.targets import Address, TargetPolicy, TargetUrl

MAX_TRIED = 4
"""How many addresses of a host are tried, which share the time there is to connect."""


class GuardedNetworkBackend(httpcore.AsyncNetworkBackend):
    """What connects to one destination, and to nothing else."""

    def __init__(self, destinations: TargetPolicy, destination: TargetUrl) -> None:
        self._destinations = destinations
        self._destination = destination
        self._opened: list[httpcore.AsyncNetworkStream] = []

    async def aclose(self) -> None:
        """Nothing is left open: httpcore forgets a connection that is cancelled amid its TLS."""
        for stream in self._opened:
            await stream.aclose()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to an address of the destination. Raises: Blocked, Unreachable."""
        if (host, port) != (self._destination.host, self._destination.port):
            raise BlockedTargetError
        tried = (await self._destinations.addresses(self._destination))[:MAX_TRIED]
        each = timeout / len(tried) if timeout and tried else None
        network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())
        for address in tried:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                stream = await network.connect_tcp(
                    str(address), port, each, local_address, socket_options
                )
                self._opened.append(stream)
                _check(stream, address)
                return stream
        raise ConnectionFailedError


def _check(stream: httpcore.AsyncNetworkStream, address: Address) -> None:
    """Nothing, where the other end is that very address. Raises: Blocked, Unreachable."""
    try:
        peer = stream.get_extra_info("socket").getpeername()[0]
    except OSError:  # it has left already
        raise ConnectionFailedError from None
    if ip_address(peer) != address:
        raise BlockedTargetError
