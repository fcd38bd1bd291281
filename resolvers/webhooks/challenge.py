"""The challenge by which a receiver proves that it wants deliveries: it echoes a random token.

A response that only contains the token somewhere is not accepted: a page that repeats its input
would pass.

Source: Slack's `url_verification`, and WebSub section 5.3 for the GET.
"""

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from resolvers.http_client.client import OutboundResponse
from resolvers.http_client.targets import TargetUrl
from sdl.errors import InvalidInputError
from sdl.strict_json import read_json

TOKEN_BYTES = 32
MAX_BYTES = 4096
"""How much of a response is read."""
_WHITESPACE = b" \t\r\n"
_MEMBER = "challenge"


def make_token(random: Callable[[int], bytes]) -> str:
    """Return a new token for one challenge, of letters and digits that no encoding changes."""
    return random(TOKEN_BYTES).hex()


def challenge_body(token: str, timestamp: str, data: Mapping[str, Any]) -> bytes:
    """Return the body of the POST, an object with `type`, `challenge`, `timestamp`, `data`."""
    document = {
        "type": "url_verification",
        _MEMBER: token,
        "timestamp": timestamp,
        "data": dict(data),
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


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
