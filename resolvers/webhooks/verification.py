"""Verifies by a challenge that a receiver wants deliveries: it must echo a random token.

A response that only contains the token somewhere is not accepted: a page that repeats its input
would pass.

Source: Slack's `url_verification`, and WebSub section 5.3 for the GET.
"""

import asyncio
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import urlencode

from resolvers.http_client.client import OutboundClient, OutboundResponse
from resolvers.http_client.errors import InvalidResponseError, OutboundError, OutboundTimeoutError
from resolvers.http_client.targets import TargetUrl
from sdl.arguments.strict_json import read_json
from sdl.errors import FieldProblem, InvalidInputError, VerificationFailedError

SECONDS = 5.0
"""How long the whole verification may take."""
MIN_SECONDS = 0.3
"""The minimum duration if the host is unreachable, so that it does not reveal the reason."""
TOKEN_BYTES = 32
MAX_BYTES = 4096
"""How much of a response is read."""
Reason = Literal["no_echo", "unreachable"]
NO_ECHO: Final = "no_echo"
UNREACHABLE: Final = "unreachable"

_DETAILS = {
    NO_ECHO: "The address answered without the challenge.",
    UNREACHABLE: "The address did not answer: no such host, no connection, or too slow. Nothing was"
    " stored.",
}
_WHITESPACE = b" \t\r\n"
_MEMBER = "challenge"


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
        detail = _DETAILS[reason]
        raise VerificationFailedError(detail, [FieldProblem("url", detail)], reason=reason)

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
                max_bytes=MAX_BYTES,
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
                url, agent, seconds=_seconds_left(deadline), max_bytes=MAX_BYTES
            )
        except OutboundError:
            return NO_ECHO  # the host is reachable: it has answered the POST
        return None if is_echo(token, b"", response) else NO_ECHO


def _seconds_left(deadline: float) -> float:
    """Return the seconds until the deadline. Raises: OutboundTimeoutError if there are none."""
    remaining = deadline - asyncio.get_running_loop().time()
    if remaining <= 0:
        raise OutboundTimeoutError
    return remaining


def make_token(random: Callable[[int], bytes]) -> str:
    """Return a new token for one challenge, of letters and digits that no encoding changes."""
    return random(TOKEN_BYTES).hex()


def challenge_body(token: str, timestamp: str, data: Mapping[str, Any]) -> bytes:
    """Return the body of the POST, an object with `type`, `challenge`, `timestamp`, `data`."""
    event = {"type": "url_verification", _MEMBER: token, "timestamp": timestamp, "data": {**data}}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()


def with_token(target: TargetUrl, topic: str, token: str) -> TargetUrl:
    """Return the URL of the GET: the same with the three query parameters of WebSub."""
    parameters = {"hub.mode": "subscribe", "hub.topic": topic, "hub.challenge": token}
    separator = "&" if "?" in target.target else "?"
    return replace(target, target=f"{target.target}{separator}{urlencode(parameters)}")


def is_echo(token: str, sent: bytes, response: OutboundResponse) -> bool:
    """Return whether a response is the token alone: as text, JSON or a form.

    `sent` is the body of the request. The same body sent back is not an echo.
    """
    body = response.body
    if not 200 <= response.status <= 299 or not response.is_complete or body == sent:  # noqa: PLR2004 - success
        return False
    text = body.strip(_WHITESPACE)
    candidates = (text, text.removeprefix(f"{_MEMBER}=".encode()), _json_token(body))
    expected = token.encode("ascii")
    return any(hmac.compare_digest(candidate, expected) for candidate in candidates)


def _json_token(body: bytes) -> bytes:
    """Return a JSON string, or the string in an object with this one member; else b""."""
    try:
        value = read_json(body)
    except InvalidInputError:
        return b""
    if isinstance(value, dict) and [*value] == [_MEMBER]:
        value = value[_MEMBER]
    return value.encode() if isinstance(value, str) else b""
