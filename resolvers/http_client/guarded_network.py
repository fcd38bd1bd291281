"""A network backend for httpcore that connects to checked addresses only.

The name is looked up once for each connection, and the connection goes to the address that was
checked, so a second lookup with another answer (DNS rebinding) cannot happen.
"""

from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import cast

import httpcore

from resolvers.http_client.errors import BlockedTargetError, ConnectionFailedError
from resolvers.http_client.targets import Address, TargetPolicy, TargetUrl

MAX_ADDRESSES = 4
"""How many addresses of a host are tried; they share the time limit for connecting."""


class GuardedNetworkBackend(httpcore.AsyncNetworkBackend):
    """Connects to one target and to nothing else."""

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
