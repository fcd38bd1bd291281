"""Challenges a receiver, by POST and then by GET, before one deadline."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from resolvers.http_client.client import OutboundClient
from resolvers.http_client.errors import InvalidResponseError, OutboundError, OutboundTimeoutError
from resolvers.http_client.targets import TargetUrl
from resolvers.webhooks.challenge import MAX_BYTES, challenge_body, is_echo, make_token, with_token
from sdl.errors import FieldProblem, VerificationFailedError

SECONDS = 5.0
"""How long the whole verification may take."""
MIN_SECONDS = 0.3
"""How long it takes at least if the host is unreachable: the time must not tell why."""
Reason = Literal["no_echo", "unreachable"]
NO_ECHO: Final = "no_echo"
UNREACHABLE: Final = "unreachable"

_DETAILS = {
    NO_ECHO: "The address answered without the challenge.",
    UNREACHABLE: "The address could not be reached in time.",
}


@dataclass(frozen=True)
class ChallengeRequest:
    """The content of a challenge."""

    topic: str
    """The URL of the changelog."""
    timestamp: str
    data: Mapping[str, Any]


class EndpointVerifier:
    """Verifies receivers. `agent` is the User-Agent."""

    def __init__(
        self, outbound: OutboundClient, random: Callable[[int], bytes], agent: str
    ) -> None:
        self._outbound = outbound
        self._random = random
        self._agent = agent

    async def verify(self, target: TargetUrl, challenge: ChallengeRequest) -> None:
        """Check that the receiver sends the challenge back. Raises: VerificationFailedError."""
        await self._outbound.prepare()
        clock = asyncio.get_running_loop().time
        started = clock()
        reason = await self._challenge(target, challenge, started + SECONDS)
        if reason is None:
            return
        if reason == UNREACHABLE:
            await asyncio.sleep(started + MIN_SECONDS - clock())
        raise to_error(reason)

    async def _challenge(
        self, target: TargetUrl, challenge: ChallengeRequest, deadline: float
    ) -> Reason | None:
        """Return why the receiver failed the challenge, or None if it passed."""
        agent = {"user-agent": self._agent}
        token = make_token(self._random)
        body = challenge_body(token, challenge.timestamp, challenge.data)
        try:
            response = await self._outbound.post(
                target,
                body,
                {"content-type": "application/json", **agent},
                seconds=_seconds_left(deadline),
                most_bytes=MAX_BYTES,
            )
            if is_echo(token, body, response):
                return None
        except InvalidResponseError:
            pass  # the GET may be answered better
        except OutboundError:
            return UNREACHABLE
        token = make_token(self._random)  # a new one, unknown to those who saw the first
        url = with_token(target, challenge.topic, token)
        try:
            response = await self._outbound.get(
                url, agent, seconds=_seconds_left(deadline), most_bytes=MAX_BYTES
            )
        except OutboundError:
            return NO_ECHO  # the host is reachable: it has answered the POST
        return None if is_echo(token, b"", response) else NO_ECHO


def to_error(reason: Reason) -> VerificationFailedError:
    """Return the error for the caller, with nothing of the receiver's response."""
    detail = _DETAILS[reason]
    return VerificationFailedError(detail, [FieldProblem("url", detail)], reason=reason)


def _seconds_left(deadline: float) -> float:
    """Return the seconds until the deadline. Raises: OutboundTimeoutError if there are none."""
    left = deadline - asyncio.get_running_loop().time()
    if left <= 0:
        raise OutboundTimeoutError
    return left
