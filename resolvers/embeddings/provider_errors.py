"""How the exceptions of a provider's client become a `ModelError`.

A provider's own text is never passed on: it may repeat what was sent to it, keys included.
"""

from dataclasses import dataclass

import httpx

from resolvers.embeddings.errors import ModelError

_REFUSED = (401, 403)
_UNKNOWN = (404, 405, 410)
_TOO_MANY = 429
_FAILED = 500
_AWAY = (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL)


@dataclass(frozen=True)
class Subject:
    """The model that an error is about: its name in a sentence and the prefix of its settings."""

    name: str
    settings: str


LANGUAGE_MODEL = Subject("language model", "STUDIOGRAPH_AI_LLM")
EMBEDDING_MODEL = Subject("embedding model", "STUDIOGRAPH_AI_EMBED")


def map_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that a call to a provider can raise. Imports openai.

    The last ones come from openai, if a response does not have the expected shape.
    """
    import openai  # noqa: PLC0415 - openai takes 0.8 s

    shapes = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
    return (openai.OpenAIError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, *shapes)


def to_model_error(error: Exception, subject: Subject) -> ModelError:
    """Return the error that describes a failure, without the provider's own text."""
    return ModelError(f"The provider of the {subject.name} {_description(error, subject)}")


def _description(error: Exception, subject: Subject) -> str:
    import openai  # noqa: PLC0415 - openai takes 0.8 s

    if isinstance(error, openai.APIStatusError):
        return _describe_status(error.status_code, subject)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, httpx.TimeoutException):
        return "takes too long."
    if isinstance(cause, _AWAY) or (cause is not error and isinstance(cause, ValueError)):
        return f"cannot be reached; check {subject.settings}_BASE_URL, and that the server runs."
    if isinstance(cause, httpx.TransportError):
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
