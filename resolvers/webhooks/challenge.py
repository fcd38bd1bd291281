"""How a host proves that it wants what is sent to it: it answers with what only it was told.

An answer that merely holds the challenge somewhere proves nothing: a page that repeats whatever
comes would pass. Sends nothing itself.

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
"""How much of an answer is read."""
_SPACE = b" \t\r\n"
_NAME = "challenge"


def make_token(random: Callable[[int], bytes]) -> str:
    """A new challenge, to be used once: letters and digits, so that no coding changes it."""
    return random(TOKEN_BYTES).hex()


def challenge_body(token: str, timestamp: str, data: Mapping[str, Any]) -> bytes:
    """What is sent by POST. Shape: a JSON object with `type`, `challenge`, `timestamp`, `data`."""
    document = {
        "type": "url_verification",
        _NAME: token,
        "timestamp": timestamp,
        "data": dict(data),
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def find_token(destination: TargetUrl, topic: str, token: str) -> TargetUrl:
    """Where the challenge is sent by GET: the same URL with the three members of WebSub."""
    members = {"hub.mode": "subscribe", "hub.topic": topic, "hub.challenge": token}
    joint = "&" if "?" in destination.target else "?"
    return replace(destination, target=f"{destination.target}{joint}{urlencode(members)}")


def is_echo(token: str, sent: bytes, answer: OutboundResponse) -> bool:
    """Whether an answer is the challenge: as text, JSON or a form, and nothing beside it.

    `sent` is the body that it answers; the same body sent back is no answer.
    """
    body = answer.body
    if not 200 <= answer.status <= 299 or not answer.is_complete or body == sent:  # noqa: PLR2004 - success
        return False
    text = body.strip(_SPACE)
    forms = (text, text.removeprefix(f"{_NAME}=".encode()), _in_json(body))
    expected = token.encode("ascii")
    return any(hmac.compare_digest(form, expected) for form in forms)


def _in_json(body: bytes) -> bytes:
    """The JSON string, or the one member of the object; else nothing."""
    try:
        value = read_json(body)
    except InvalidInputError:
        return b""
    if isinstance(value, dict) and [*value] == [_NAME]:
        value = value[_NAME]
    return value.encode() if isinstance(value, str) else b""
