"""A program that posts to hosts by name and prints every address it connected to.

Its arguments are a DNS resolver and the hosts. Last, it connects to a receiver of its own, to show
that the hook sees connections.
"""

import asyncio
import json
import socket
import sys
from collections import Counter
from typing import Any

from webhook_hosts import Admitted, destination, http, receiver, says

from resolvers.http_client.client import OutboundClient
from resolvers.http_client.errors import OutboundError
from resolvers.http_client.targets import PublicHostsOnly

CONNECTED: list[str] = []


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    """Remember a connection that is begun."""
    if event == "socket.connect" and arguments[0].type & socket.SOCK_STREAM:
        CONNECTED.append(arguments[1][0])


async def work(resolver: str, hosts: list[str]) -> dict[str, Any]:
    """What came of the hosts, and what was connected to."""
    came: Counter[str] = Counter()
    guarded = OutboundClient(PublicHostsOnly(frozenset(), resolver))
    for host in hosts:
        try:
            await guarded.post(destination(443, host), b"", {}, seconds=5, max_bytes=1)
        except OutboundError as fault:
            came[type(fault).__name__] += 1
    before = [*CONNECTED]
    async with receiver(says(http(b""))) as heard:
        own = destination(heard.port, scheme="http")
        answer = await OutboundClient(Admitted()).post(own, b"", {}, seconds=5, max_bytes=1)
    return {"came": came, "before": before, "after": CONNECTED, "status": answer.status}


if __name__ == "__main__":
    sys.addaudithook(hear)
    sys.stdout.write(json.dumps(asyncio.run(work(sys.argv[1], sys.argv[2:]))))
