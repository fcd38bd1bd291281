"""Asking a host whether it wants what is to be sent to it, within one deadline. Stores nothing."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from resolvers.letters.challenge import (
    MOST_BYTES,
    challenge_body,
    echoes,
    fallback,
    make_token,
)
from resolvers.letters.destinations import Destination
from resolvers.letters.faults import OutboundFault, TooSlow, Unreadable
from resolvers.outbound import Answer, Outbound
from schema.errors import Fault, VerificationFailed

SECONDS = 5.0
"""How long a host has for all of it."""
SOONEST_SECONDS = 0.3
"""How soon it is told, at the soonest, that a host cannot be reached: the time says nothing of
why."""
Reason = Literal["no_echo", "unreachable"]
NO_ECHO: Final = "no_echo"
UNREACHABLE: Final = "unreachable"

_TOLD = {
    NO_ECHO: "The address answered without the challenge.",
    UNREACHABLE: "The address could not be reached in time.",
}


@dataclass(frozen=True)
class Question:
    """What a host is asked."""

    topic: str
    """The address of what it would be told of."""
    timestamp: str
    data: Mapping[str, Any]


class Proving:
    """Asks hosts. `agent` is the User-Agent."""

    def __init__(self, outbound: Outbound, random: Callable[[int], bytes], agent: str) -> None:
        self._outbound = outbound
        self._random = random
        self._agent = agent

    async def prove(self, destination: Destination, question: Question) -> None:
        """Nothing, once the host has sent the challenge back. Raises: VerificationFailed."""
        await self._outbound.prepare()
        clock = asyncio.get_running_loop().time
        begun = clock()
        reason = await self._asked(destination, question, begun + SECONDS)
        if reason is None:
            return
        if reason == UNREACHABLE:
            await asyncio.sleep(begun + SOONEST_SECONDS - clock())
        raise failure(reason)

    async def _asked(
        self, destination: Destination, question: Question, deadline: float
    ) -> Reason | None:
        """Why the host is not proven, if it is not."""
        token = make_token(self._random)
        body = challenge_body(token, question.timestamp, question.data)
        headers = {"content-type": "application/json", "user-agent": self._agent}
        try:
            answer = await self._posted(destination, body, headers, deadline)
        except OutboundFault:
            return UNREACHABLE
        if answer is not None and echoes(token, body, answer):
            return None
        token = make_token(self._random)  # whoever saw the first one could not know it
        asked = fallback(destination, question.topic, token)
        try:
            again = await self._got(asked, {"user-agent": self._agent}, deadline)
        except OutboundFault:
            return NO_ECHO  # it has answered once
        return None if again is not None and echoes(token, b"", again) else NO_ECHO

    async def _posted(
        self, to: Destination, body: bytes, headers: Mapping[str, str], deadline: float
    ) -> Answer | None:
        """The answer, or nothing for one that cannot be read. Raises: OutboundFault."""
        left = _left(deadline)
        try:
            return await self._outbound.post(to, body, headers, seconds=left, most_bytes=MOST_BYTES)
        except Unreadable:
            return None

    async def _got(
        self, to: Destination, headers: Mapping[str, str], deadline: float
    ) -> Answer | None:
        """The same for a GET. Raises: OutboundFault."""
        return await self._outbound.get(to, headers, seconds=_left(deadline), most_bytes=MOST_BYTES)


def failure(reason: Reason) -> VerificationFailed:
    """What the caller is told; nothing of what the host has said."""
    return VerificationFailed(_TOLD[reason], [Fault("url", _TOLD[reason])], reason=reason)


def _left(deadline: float) -> float:
    """The seconds until the deadline. Raises: TooSlow."""
    left = deadline - asyncio.get_running_loop().time()
    if left <= 0:
        raise TooSlow
    return left
