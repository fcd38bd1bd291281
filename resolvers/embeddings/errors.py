"""The error of all models, and how the exceptions of a provider's client become one.

A provider's own text is never passed on: it may repeat what was sent to it, keys included.
"""

from dataclasses import dataclass

import httpx

from sdl.errors import StudiographError

_REFUSED = (401, 403)
_UNKNOWN = (404, 405, 410)
_TOO_MANY = 429
_FAILED = 500
_AWAY = (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL)


class ModelError(StudiographError):
    """A model cannot be used now; the text is our own and says what to do about it."""


@dataclass(frozen=True)
class Subject:
    """Whom a fault is about: its name in a sentence, and how the names of its settings begin."""

    name: str
    settings: str


LANGUAGE_MODEL = Subject("language model", "STUDIOGRAPH_AI_LLM")
EMBEDDING_MODEL = Subject("embedding model", "STUDIOGRAPH_AI_EMBED")


def map_errors() -> tuple[type[Exception], ...]:
    """What a call may raise because of a provider; llama-index is loaded by then.

    What does not have the promised shape meets code of others, which stumbles as it likes.
    """
    import openai  # noqa: PLC0415 - heavy

    shapes = (ValueError, TypeError, LookupError, AttributeError, RecursionError)
    return (openai.OpenAIError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, *shapes)


def to_model_error(error: Exception, subject: Subject) -> ModelError:
    """The fault that a failure is."""
    return ModelError(f"The provider of the {subject.name} {_told(error, subject)}")


def _told(error: Exception, subject: Subject) -> str:
    import openai  # noqa: PLC0415 - heavy

    if isinstance(error, openai.APIStatusError):
        return _status(error.status_code, subject)
    cause = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    if isinstance(cause, httpx.TimeoutException):
        return "takes too long."
    if isinstance(cause, _AWAY) or (cause is not error and isinstance(cause, ValueError)):
        return f"cannot be reached; check {subject.settings}_BASE_URL, and that it runs."
    if isinstance(cause, httpx.TransportError):
        return "broke the connection off, or sent more than is read."
    return "answered with something else than an answer."


def _status(status: int, subject: Subject) -> str:
    if status in _REFUSED:
        return f"refuses the key ({status}); check {subject.settings}_API_KEY."
    if status in _UNKNOWN:
        names = f"{subject.settings}_BASE_URL and {subject.settings}_MODEL"
        return f"knows no such address or model ({status}); check {names}."
    if status == _TOO_MANY:
        return f"takes no more calls for now ({status})."
    if status >= _FAILED:
        return f"failed ({status})."
    return f"refuses the call ({status}); check {subject.settings}_MODEL and its limits."
