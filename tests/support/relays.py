"""Deliveries to mail servers of the test's own process, on either event loop."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from ssl import SSLContext
from typing import Any, TypeVar

import pytest
import uvloop
from mail_samples import HUMAN, MAILBOX
from mail_servers import Answer, Sink, rude, sink

from resolvers.contact.smtp import SmtpTransport
from resolvers.contact.transport import MailTransport
from sdl.errors import ApiError

T = TypeVar("T")
Loop = Callable[[], asyncio.AbstractEventLoop]
Outcome = tuple[int, str]

EVERY_LOOP = pytest.mark.parametrize(
    "loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
DONE = (200, "")
REFUSED = (502, "The mail server refused the message or took too long.")
UNUSABLE = (503, "No mail can be sent now.")
SECONDS = 0.4
OFFERS_TLS = b"250-relay.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN\r\n"
SHORT = b"Subject: Hello\r\n\r\nHello.\r\n"


@dataclass(frozen=True)
class Meeting:
    """What became of a delivery to a rude server, and what the server heard."""

    outcome: Outcome
    lines: list[bytes]
    seconds: float


def run(loop: Loop, work: Coroutine[Any, Any, T]) -> T:
    """What the work comes to on an event loop of its own."""
    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(work)


def to(
    port: int,
    scheme: str = "smtp",
    login: str = "",
    seconds: float | None = SECONDS,
    trust: SSLContext | None = None,
) -> MailTransport:
    """A relay to a server of this process; with its own time if none is given."""
    where = f"{scheme}://{login}127.0.0.1:{port}"
    limit = {} if seconds is None else {"seconds": seconds}
    return SmtpTransport(where, MAILBOX, HUMAN, tls_context=trust, **limit)


async def outcome(relay: MailTransport, message: bytes = SHORT, **envelope: str) -> Outcome:
    """The status and text of a delivery."""
    try:
        await relay.deliver(message, "key", **envelope)
    except ApiError as error:
        return error.status, error.detail
    return DONE


def meet(
    loop: Loop,
    answers: Mapping[str, Answer],
    message: bytes = SHORT,
    pace_seconds: float = 0,
    tls: SSLContext | None = None,
    **options: Any,
) -> Meeting:
    """What becomes of a delivery to a rude server, once the server has been left."""

    async def once() -> Meeting:
        async with rude(answers, pace_seconds, tls) as (port, server):
            start = time.monotonic()
            found = await outcome(to(port, **options), message)
            seconds = time.monotonic() - start
            await asyncio.wait_for(server.left.wait(), 5)
            return Meeting(found, server.lines, seconds)

    return run(loop, once())


def give(
    loop: Loop,
    *messages: bytes,
    serving: Mapping[str, Any] | None = None,
    envelope: Mapping[str, str] | None = None,
    **options: Any,
) -> tuple[list[Outcome], Sink]:
    """What becomes of deliveries to a server that takes mail, and what it took."""

    async def each() -> tuple[list[Outcome], Sink]:
        async with sink(**(serving or {})) as (port, given):
            relay = to(port, **options)
            return [await outcome(relay, one, **(envelope or {})) for one in messages], given

    return run(loop, each())
