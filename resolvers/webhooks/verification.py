"""Asking a host whether it wants what is to be sent to it, within one deadline. Stores nothing."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import InvalidResponseError, OutboundError, OutboundTimeoutError
from resolvers.http_client.targets import TargetUrl
from resolvers.webhooks.challenge import MAX_BYTES, challenge_body, find_token, is_echo, make_token
from sdl.errors import FieldProblem, VerificationFailedError

SECONDS = 5.0
"""How long a host has for all of it."""
MIN_SECONDS = 0.3
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
class ChallengeRequest:
    """What a host is asked."""

    topic: str
    """The address of what it would be told of."""
    timestamp: str
    data: Mapping[str, Any]


class EndpointVerifier:
    """Asks hosts. `agent` is the User-Agent."""

    def __init__(
        self, outbound: OutboundClient, random: Callable[[int], bytes], agent: str
    ) -> None:
        self._outbound = outbound
        self._random = random
        self._agent = agent

    async def verify(self, destination: TargetUrl, question: ChallengeRequest) -> None:
        """Nothing, once the host has sent the challenge back. Raises: VerificationFailed."""
        await self._outbound.prepare()
        clock = asyncio.get_running_loop().time
        begun = clock()
        reason = await self._asked(destination, question, begun + SECONDS)
        if reason is None:
            return
        if reason == UNREACHABLE:
            await asyncio.sleep(begun + MIN_SECONDS - clock())
        raise to_error(reason)

    async def _asked(
        self, destination: TargetUrl, question: ChallengeRequest, deadline: float
    ) -> Reason | None:
        """Why the host is not proven, if it is not."""
        token = make_token(self._random)
        body = challenge_body(token, question.timestamp, question.data)
        headers = {"content-type": "application/json", "user-agent": self._agent}
        try:
            answer = await self._posted(destination, body, headers, deadline)
        except OutboundError:
            return UNREACHABLE
        if answer is not None and is_echo(token, body, answer):
            return None
        token = make_token(self._random)  # whoever saw the first one could not know it
        asked = find_token(destination, question.topic, token)
        try:
            again = await self._got(asked, {"user-agent": self._agent}, deadline)
        except OutboundError:
            return NO_ECHO  # it has answered once
        return None if again is not None and is_echo(token, b"", again) else NO_ECHO

    async def _posted(
        self, to: TargetUrl, body: bytes, headers: Mapping[str, str], deadline: float
    ) -> OutboundResponse | None:
        """The answer, or nothing for one that cannot be read. Raises: OutboundFault."""
        left = _left(deadline)
        try:
            return await self._outbound.post(to, body, headers, seconds=left, max_bytes=MAX_BYTES)
        except InvalidResponseError:
            return None

    async def _got(
        self, to: TargetUrl, headers: Mapping[str, str], deadline: float
    ) -> OutboundResponse | None:
        """The same for a GET. Raises: OutboundFault."""
        return await self._outbound.get(to, headers, seconds=_left(deadline), max_bytes=MAX_BYTES)


def to_error(reason: Reason) -> VerificationFailedError:
    """What the caller is told; nothing of what the host has said."""
    return VerificationFailedError(
        _TOLD[reason], [FieldProblem("url", _TOLD[reason])], reason=reason
    )


def _left(deadline: float) -> float:
    """The seconds until the deadline. Raises: TooSlow."""
    left = deadline - asyncio.get_running_loop().time()
    if left <= 0:
        raise OutboundTimeoutError
    return left
