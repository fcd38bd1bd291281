"""Everything that can go wrong for a caller, each with its status and code. No HTTP here.

StudioError
├── InvalidInputError            400 validation_failed
│   ├── UnknownSectionError      400 unknown_section
│   └── VerificationFailedError  400 verification_failed
├── UnauthorizedError            401 unauthorized
├── ForbiddenError               403 forbidden
├── NotFoundError                404 not_found
├── MethodNotAllowedError        405 method_not_allowed
├── NotAcceptableError           406 not_acceptable
├── TimedOutError                408 timeout
├── TooLargeError                413 too_large
├── UriTooLongError              414 uri_too_long
├── UnsupportedMediaTypeError    415 unsupported_media_type
├── MisdirectedError             421 misdirected
├── RateLimitedError             429 rate_limited
├── HeadersTooLargeError         431 headers_too_large
├── InternalError                500 internal
├── DeliveryFailedError          502 delivery_failed
└── UnavailableError             503 unavailable
    └── AiUnavailableError       503 ai_unavailable
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdl.caller import RateLimitStatus

MAX_PROBLEMS = 10


@dataclass(frozen=True)
class FieldProblem:
    """One thing wrong with the input: where, by which rule, and what is allowed there."""

    path: str
    rule: str
    allowed: tuple[str, ...] = ()


class StudiographError(Exception):
    """The root of everything that this project raises; its text is ours and names the fix."""


class StudioError(StudiographError):
    """A failure with a name. `detail` is our own text, never a value sent or another error's."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something failed here"

    def __init__(self, detail: str, faults: Sequence[FieldProblem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(faults[:MAX_PROBLEMS])


class InvalidInputError(StudioError):
    """The request does not fit what the operation takes."""

    status, code, title = 400, "validation_failed", "The request is not valid"


class UnknownSectionError(InvalidInputError):
    """No signed section has this name."""

    code, title = "unknown_section", "There is no such section"


class VerificationFailedError(InvalidInputError):
    """The address did not prove that it wants what was asked for."""

    code, title = "verification_failed", "The address did not verify"

    def __init__(
        self, detail: str, faults: Sequence[FieldProblem] = (), *, reason: str = "no_echo"
    ) -> None:
        super().__init__(detail, faults)
        self.reason = reason


class UnauthorizedError(StudioError):
    """The caller did not prove the right to do this, or there is nothing to do it to."""

    status, code, title = 401, "unauthorized", "Not authorized"


class ForbiddenError(StudioError):
    """The caller comes from a place that may not ask."""

    status, code, title = 403, "forbidden", "Not allowed from here"


class NotFoundError(StudioError):
    """There is nothing under this name."""

    status, code, title = 404, "not_found", "Not found"


class MethodNotAllowedError(StudioError):
    """The path exists and does not take this method."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"


class NotAcceptableError(StudioError):
    """Nothing that the caller accepts is made here."""

    status, code, title = 406, "not_acceptable", "No acceptable representation"


class TimedOutError(StudioError):
    """The request did not arrive in time."""

    status, code, title = 408, "timeout", "The request took too long"


class TooLargeError(StudioError):
    """The body is larger than this path takes."""

    status, code, title = 413, "too_large", "The body is too large"


class UriTooLongError(StudioError):
    """The address is longer than any of ours."""

    status, code, title = 414, "uri_too_long", "The address is too long"


class UnsupportedMediaTypeError(StudioError):
    """The body is of a type, or in a coding, that is not read here."""

    status, code, title = 415, "unsupported_media_type", "The body's type is not accepted"


class MisdirectedError(StudioError):
    """The Host is not one of this service's names."""

    status, code, title = 421, "misdirected", "This is not that host"


class RateLimitedError(StudioError):
    """The caller's budget for this window is spent."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(
        self,
        detail: str,
        faults: Sequence[FieldProblem] = (),
        *,
        spent: RateLimitStatus | None = None,
    ) -> None:
        super().__init__(detail, faults)
        self.limit_status = spent


class HeadersTooLargeError(StudioError):
    """The header block is larger than any request needs."""

    status, code, title = 431, "headers_too_large", "The headers are too large"


class InternalError(StudioError):
    """Our own fault; the request id finds it in the log."""


class DeliveryFailedError(StudioError):
    """The next station refused what we handed on."""

    status, code, title = 502, "delivery_failed", "Delivery failed"


class UnavailableError(StudioError):
    """Something this operation needs does not answer now."""

    status, code, title = 503, "unavailable", "Not available now"

    def __init__(
        self, detail: str, faults: Sequence[FieldProblem] = (), *, retry_seconds: int | None = None
    ) -> None:
        super().__init__(detail, faults)
        self.retry_seconds = retry_seconds


class AiUnavailableError(UnavailableError):
    """The model does not answer now."""

    code, title = "ai_unavailable", "The model is not available"


def all_errors(root: type[StudioError] = StudioError) -> Iterator[type[StudioError]]:
    """Every error below the root, in the order of the tree."""
    for error in root.__subclasses__():
        yield error
        yield from all_errors(error)
