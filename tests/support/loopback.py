"""The target policy that also allows receivers at 127.0.0.1."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address

from resolvers.http_client.targets import Address, PublicHostsOnly, TargetPolicy, TargetUrl

HOST = "127.0.0.1"
_URL = re.compile(rf"(https?)://{re.escape(HOST)}:([0-9]{{1,5}})(/[!-~]*)?")


@dataclass(frozen=True)
class Loopback:
    """Receivers at 127.0.0.1 by its number, on any port; everything else is left to the guard."""

    guarded: TargetPolicy = field(default_factory=lambda: PublicHostsOnly(frozenset()))

    def parse(self, text: str) -> TargetUrl:
        """The destination that a URL names. Raises: InvalidInput."""
        found = _URL.fullmatch(text)
        if found is None:
            return self.guarded.parse(text)
        owner = f"{HOST}:{found[2]}"  # each receiver is somebody of its own
        return TargetUrl(HOST, int(found[2]), found[3] or "/", owner, found[1])

    async def addresses(self, destination: TargetUrl) -> Sequence[Address]:
        """Every address to connect to. Raises: Blocked, Unreachable."""
        if destination.host == HOST:
            return (ip_address(HOST),)
        return await self.guarded.addresses(destination)
