"""The errors that callers can get, each with its status and code.

ApiError
├── InvalidInputError            400 validation_failed
│   ├── UnknownSectionError      400 unknown_section
│   └── VerificationFailedError  400 verification_failed
├── UnauthorizedError            401 unauthorized
├── ForbiddenError               403 forbidden
├── NotFoundError                404 not_found
├── MethodNotAllowedError        405 method_not_allowed
├── NotAcceptableError           406 not_acceptable
├── TimedOutError                408 timeout
├── PreconditionFailedError      412 precondition_failed
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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from sdl.caller import RateLimitStatus

MAX_PROBLEMS = 10


@dataclass(frozen=True)
class FieldProblem:
    """One problem of the input: its place, the broken rule and the allowed values."""

    path: str
    rule: str
    allowed: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is wrong as a line, with what is allowed."""
        allowed = f" (allowed: {', '.join(self.allowed)})" if self.allowed else ""
        return f"{self.path}: {self.rule}{allowed}"


class StudiographError(Exception):
    """The root of the errors that callers or the owner see; its text is ours and names the fix."""


class ApiError(StudiographError):
    """An error for a caller. `detail` is our own text, never a sent value or another error's."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Something failed here"
    retry_seconds: int = 0
    """When to try again; 0 where that does not help, or nobody knows when it does."""
    headers: Mapping[str, str] = {}
    """Headers of its response over HTTP."""

    def __init__(self, detail: str, problems: Sequence[FieldProblem] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.problems = tuple(problems[:MAX_PROBLEMS])


class InvalidInputError(ApiError):
    """The input of the request is not valid."""

    status, code, title = 400, "validation_failed", "The request is not valid"


class UnknownSectionError(InvalidInputError):
    """No signed section has this name."""

    code, title = "unknown_section", "There is no such section"


class VerificationFailedError(InvalidInputError):
    """The webhook address did not confirm the subscription."""

    code, title = "verification_failed", "The address did not verify"

    def __init__(
        self, detail: str, problems: Sequence[FieldProblem] = (), *, reason: str = "no_echo"
    ) -> None:
        super().__init__(detail, problems)
        self.reason = reason


class UnauthorizedError(ApiError):
    """The credentials are wrong, or the resource does not exist."""

    status, code, title = 401, "unauthorized", "Not authorized"


class ForbiddenError(ApiError):
    """Requests from this origin are not allowed."""

    status, code, title = 403, "forbidden", "Not allowed from here"


class NotFoundError(ApiError):
    """Nothing has this name."""

    status, code, title = 404, "not_found", "Not found"

    def __init__(
        self,
        detail: str,
        problems: Sequence[FieldProblem] = (),
        *,
        did_you_mean: Sequence[str] = (),
    ) -> None:
        super().__init__(detail, problems)
        self.did_you_mean = tuple(did_you_mean)
        """Paths that the caller may have meant, the likeliest first."""


class MethodNotAllowedError(ApiError):
    """The path does not allow this method."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"


class NotAcceptableError(ApiError):
    """The path has no media type that the Accept header allows."""

    status, code, title = 406, "not_acceptable", "No acceptable representation"


class TimedOutError(ApiError):
    """The request did not arrive in time."""

    status, code, title = 408, "timeout", "The request took too long"


class PreconditionFailedError(ApiError):
    """The state of what is read is not the one that the caller's condition names."""

    status, code, title = 412, "precondition_failed", "A precondition does not hold"


class TooLargeError(ApiError):
    """The body is larger than this path allows."""

    status, code, title = 413, "too_large", "The body is too large"


class UriTooLongError(ApiError):
    """The URI is too long."""

    status, code, title = 414, "uri_too_long", "The address is too long"


class UnsupportedMediaTypeError(ApiError):
    """The media type or the coding of the body is not accepted."""

    status, code, title = 415, "unsupported_media_type", "The body's type is not accepted"


class MisdirectedError(ApiError):
    """The Host header is not a name of this service."""

    status, code, title = 421, "misdirected", "This is not that host"


class RateLimitedError(ApiError):
    """The caller has used all calls of this window."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(
        self,
        detail: str,
        problems: Sequence[FieldProblem] = (),
        *,
        spent: RateLimitStatus | None = None,
    ) -> None:
        super().__init__(detail, problems)
        self.limit_status = spent
        self.retry_seconds = spent.reset_seconds if spent is not None else 0


class HeadersTooLargeError(ApiError):
    """The headers together are too large."""

    status, code, title = 431, "headers_too_large", "The headers are too large"


class InternalError(ApiError):
    """Internal error; the log has it under the request id."""


class DeliveryFailedError(ApiError):
    """The receiving server refused the message."""

    status, code, title = 502, "delivery_failed", "Delivery failed"


RETRY_SECONDS = 5
"""When to try again after a 503, where nothing better is known."""


class UnavailableError(ApiError):
    """Something that this operation needs is not available now."""

    status, code, title = 503, "unavailable", "Not available now"

    def __init__(
        self,
        detail: str,
        problems: Sequence[FieldProblem] = (),
        *,
        retry_seconds: int = RETRY_SECONDS,
    ) -> None:
        super().__init__(detail, problems)
        self.retry_seconds = retry_seconds


class AiUnavailableError(UnavailableError):
    """The model is not available now."""

    code, title = "ai_unavailable", "The model is not available"


def all_errors(root: type[ApiError] = ApiError) -> Iterator[type[ApiError]]:
    """Yield every error below the root, in the order of the tree."""
    for error in root.__subclasses__():
        if error.__module__ == __name__:  # what a resolver of live data says has any status
            yield error
            yield from all_errors(error)
