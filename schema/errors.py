"""Everything that can go wrong for a caller, each with its status and code. No HTTP here.

StudioError
├── InvalidInput            400 validation_failed
│   ├── UnknownSection      400 unknown_section
│   └── VerificationFailed  400 verification_failed
├── Unauthorized            401 unauthorized
├── Forbidden               403 forbidden
├── NotFound                404 not_found
├── MethodNotAllowed        405 method_not_allowed
├── NotAcceptable           406 not_acceptable
├── TimedOut                408 timeout
├── TooLarge                413 too_large
├── UriTooLong              414 uri_too_long
├── UnsupportedMediaType    415 unsupported_media_type
├── Misdirected             421 misdirected
├── RateLimited             429 rate_limited
├── HeadersTooLarge         431 headers_too_large
├── Internal                500 internal
├── DeliveryFailed          502 delivery_failed
└── Unavailable             503 unavailable
    └── AiUnavailable       503 ai_unavailable
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from schema.caller import Spent

MAX_FAULTS = 10


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the input: where, by which rule, and what is allowed there."""

    path: str
    rule: str
    allowed: tuple[str, ...] = ()


class StudioError(Exception):
    """A failure with a name. `detail` is our own text, never a value sent or another error's."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something failed here"

    def __init__(self, detail: str, faults: Sequence[Fault] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults = tuple(faults[:MAX_FAULTS])


class InvalidInput(StudioError):
    """The request does not fit what the operation takes."""

    status, code, title = 400, "validation_failed", "The request is not valid"


class UnknownSection(InvalidInput):
    """No signed section has this name."""

    code, title = "unknown_section", "There is no such section"


class VerificationFailed(InvalidInput):
    """The address did not prove that it wants what was asked for."""

    code, title = "verification_failed", "The address did not verify"

    def __init__(
        self, detail: str, faults: Sequence[Fault] = (), *, reason: str = "no_echo"
    ) -> None:
        super().__init__(detail, faults)
        self.reason = reason


class Unauthorized(StudioError):
    """The caller did not prove the right to do this, or there is nothing to do it to."""

    status, code, title = 401, "unauthorized", "Not authorized"


class Forbidden(StudioError):
    """The caller comes from a place that may not ask."""

    status, code, title = 403, "forbidden", "Not allowed from here"


class NotFound(StudioError):
    """There is nothing under this name."""

    status, code, title = 404, "not_found", "Not found"


class MethodNotAllowed(StudioError):
    """The path exists and does not take this method."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"


class NotAcceptable(StudioError):
    """Nothing that the caller accepts is made here."""

    status, code, title = 406, "not_acceptable", "No acceptable representation"


class TimedOut(StudioError):
    """The request did not arrive in time."""

    status, code, title = 408, "timeout", "The request took too long"


class TooLarge(StudioError):
    """The body is larger than this path takes."""

    status, code, title = 413, "too_large", "The body is too large"


class UriTooLong(StudioError):
    """The address is longer than any of ours."""

    status, code, title = 414, "uri_too_long", "The address is too long"


class UnsupportedMediaType(StudioError):
    """The body is of a type, or in a coding, that is not read here."""

    status, code, title = 415, "unsupported_media_type", "The body's type is not accepted"


class Misdirected(StudioError):
    """The Host is not one of this service's names."""

    status, code, title = 421, "misdirected", "This is not that host"


class RateLimited(StudioError):
    """The caller's budget for this window is spent."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(
        self, detail: str, faults: Sequence[Fault] = (), *, spent: Spent | None = None
    ) -> None:
        super().__init__(detail, faults)
        self.spent = spent


class HeadersTooLarge(StudioError):
    """The header block is larger than any request needs."""

    status, code, title = 431, "headers_too_large", "The headers are too large"


class Internal(StudioError):
    """Our own fault; the request id finds it in the log."""


class DeliveryFailed(StudioError):
    """The next station refused what we handed on."""

    status, code, title = 502, "delivery_failed", "Delivery failed"


class Unavailable(StudioError):
    """Something this operation needs does not answer now."""

    status, code, title = 503, "unavailable", "Not available now"

    def __init__(
        self, detail: str, faults: Sequence[Fault] = (), *, retry_seconds: int | None = None
    ) -> None:
        super().__init__(detail, faults)
        self.retry_seconds = retry_seconds


class AiUnavailable(Unavailable):
    """The model does not answer now."""

    code, title = "ai_unavailable", "The model is not available"


def all_errors(root: type[StudioError] = StudioError) -> Iterator[type[StudioError]]:
    """Every error below the root, in the order of the tree."""
    for error in root.__subclasses__():
        yield error
        yield from all_errors(error)
