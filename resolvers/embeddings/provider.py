"""Calls to a model provider over HTTP, and how their failures become a `ModelError`.

The owner configures the URL, so requests to it are trusted; its responses are not: each is bounded
in bytes and time. The clients use no proxy from the environment and follow no redirect. A
provider's own text is never passed on: it may repeat what was sent to it, keys included.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from resolvers.embeddings.errors import ModelError

PLACEHOLDER_KEY = "none"
"""Sent if no key is configured: local servers require a key and accept any."""
_REFUSED = (401, 403)
_UNKNOWN = (404, 405, 410)
_TOO_MANY = 429
_FAILED = 500
FAILURES = (
    *(httpx.HTTPError, httpx.InvalidURL, httpx.StreamError),
    *(ValueError, TypeError, LookupError, AttributeError, RecursionError),
)
"""What a call to a provider can raise; the last five where a response has another shape."""


@dataclass(frozen=True)
class Subject:
    """The model that an error is about: its name in a sentence and the prefix of its settings."""

    name: str
    settings: str


LANGUAGE_MODEL = Subject("language model", "STUDIOGRAPH_AI_LLM")
EMBEDDING_MODEL = Subject("embedding model", "STUDIOGRAPH_AI_EMBED")


def client_options(api_key: str, seconds: float) -> dict[str, Any]:
    """Return how an HTTP client of httpx is made for a provider with this key."""
    return {
        "timeout": seconds,
        "trust_env": False,
        "headers": {
            "accept": "application/json",
            # A compressed response may unpack to a huge one.
            "accept-encoding": "identity",
            "authorization": f"Bearer {api_key or PLACEHOLDER_KEY}",
            "user-agent": "studiograph",
        },
    }


def check_response(response: httpx.Response, max_bytes: int) -> Callable[[bytes], bytes]:
    """Return a function that counts the bytes of a response, piece by piece, and returns them.

    Raises: httpx.HTTPStatusError, httpx.DecodingError; the function raises httpx.ReadError.
    """
    response.raise_for_status()
    if response.headers.get("content-encoding", "identity") != "identity":
        raise httpx.DecodingError("the provider's response is compressed, although not requested")
    left = max_bytes

    def count(piece: bytes) -> bytes:
        nonlocal left
        left -= len(piece)
        if left < 0:
            raise httpx.ReadError("the provider's response is too large")
        return piece

    return count


def to_model_error(error: Exception, subject: Subject) -> ModelError:
    """Return the error that describes a failure, without the provider's own text."""
    return ModelError(f"The provider of the {subject.name} {_description(error, subject)}")


def _description(error: Exception, subject: Subject) -> str:
    if isinstance(error, httpx.HTTPStatusError):
        return _describe_status(error.response.status_code, subject)
    if isinstance(error, httpx.TimeoutException):
        return "takes too long."
    if isinstance(error, httpx.ConnectError | httpx.UnsupportedProtocol | httpx.InvalidURL):
        return f"cannot be reached; check {subject.settings}_BASE_URL, and that the server runs."
    if isinstance(error, httpx.TransportError):
        return "closed the connection, or sent more than the limit."
    return "returned an invalid response."


def _describe_status(status: int, subject: Subject) -> str:
    if status in _REFUSED:
        return f"rejects the key ({status}); check {subject.settings}_API_KEY."
    if status in _UNKNOWN:
        names = f"{subject.settings}_BASE_URL and {subject.settings}_MODEL"
        return f"does not know the URL or the model ({status}); check {names}."
    if status == _TOO_MANY:
        return f"accepts no more calls at the moment ({status})."
    if status >= _FAILED:
        return f"failed ({status})."
    return f"rejects the call ({status}); check {subject.settings}_MODEL and its limits."
