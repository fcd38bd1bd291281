"""Requests of the outbound client to receivers on the loopback."""

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any, NamedTuple, TypeVar

from certificates import Authority
from webhook_hosts import (
    Admitted,
    Loop,
    Manner,
    Receiver,
    destination,
    receiver,
)

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import OutboundError
from resolvers.http_client.targets import TargetUrl

T = TypeVar("T")
Came = OutboundResponse | type[OutboundError]

BODY = b'{"type": "changelog.added"}'
HEADERS = {"content-type": "application/json", "user-agent": "studio-webhooks/2"}
MOST = 4096


class Sent(NamedTuple):
    """What came of a request, what its receiver heard and how long it took."""

    came: Came
    receiver: Receiver
    seconds: float


def run(loop: Loop, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to on an event loop of its own."""
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(work)


async def attempt(outbound: OutboundClient, to: TargetUrl, seconds: float = 5) -> Came:
    """The answer to a POST, or why there is none."""
    try:
        return await outbound.post(to, BODY, HEADERS, seconds=seconds, max_bytes=MOST)
    except OutboundError as fault:
        return type(fault)


def send(
    loop: Loop,
    issuer: Authority,
    manner: Manner,
    tls: ssl.SSLContext | None = None,
    seconds: float = 5,
) -> Sent:
    """What came of a POST to a receiver with this manner, which is not kept waiting afterwards."""

    async def work() -> Sent:
        outbound = OutboundClient(Admitted(), issuer.trusting())
        async with receiver(manner, tls or issuer.serving()) as heard:
            clock = asyncio.get_running_loop().time
            begun = clock()
            came = await attempt(outbound, destination(heard.port), seconds)
            took = clock() - begun
            if heard.connections:
                await asyncio.wait_for(heard.left.wait(), 5)
            return Sent(came, heard, took)

    return run(loop, work())
