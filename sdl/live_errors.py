"""What a caller gets for an exception in a resolver: a declared status, or a masked 500.

Source: Apollo's error codes; the permissions of Strawberry.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from graphql import GraphQLError
from strawberry.permission import PermissionExtension

from sdl.caller import Caller
from sdl.errors import ApiError, InternalError, all_errors

Statuses = Mapping[type[Exception], int]
"""The status of each class of exceptions whose text is for callers."""
CODES = {
    "UNAUTHENTICATED": HTTPStatus.UNAUTHORIZED,
    "FORBIDDEN": HTTPStatus.FORBIDDEN,
    "NOT_FOUND": HTTPStatus.NOT_FOUND,
    "CONFLICT": HTTPStatus.CONFLICT,
    "BAD_USER_INPUT": HTTPStatus.BAD_REQUEST,
    "TOO_MANY_REQUESTS": HTTPStatus.TOO_MANY_REQUESTS,
    "INTERNAL_SERVER_ERROR": HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The status of each code that an error may have in its extensions."""
MAX_MESSAGE = 1_000


class ResolverError(ApiError):
    """A resolver refused; its text and its status are the resolver's own."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        phrase = HTTPStatus(status).phrase
        known = (error.code for error in all_errors() if error.status == status)
        # An instance has its own: a resolver may choose any status of HTTP.
        self.status = status  # type: ignore[misc]
        self.code = next(known, phrase.lower().replace(" ", "_"))  # type: ignore[misc]
        self.title = phrase  # type: ignore[misc]


_DENIED = PermissionExtension._on_unauthorized.__code__  # noqa: SLF001 - a permission may raise anything
"""The one place in Strawberry where permissions refuse."""


def caller_error(error: GraphQLError, statuses: Statuses, caller: Caller) -> ApiError:
    """Return an error of a result as a caller gets it: with its own text if that is for callers."""
    raised = error.original_error
    while isinstance(raised, GraphQLError) and raised.original_error is not None:
        raised = raised.original_error
    if isinstance(raised, ApiError):
        return raised
    status = _status(raised or error, statuses, caller)
    if status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        internal = InternalError("The operation failed; the log has the error.")
        internal.__cause__ = raised or error
        return internal
    text = raised.message if isinstance(raised, GraphQLError) else str(raised or error.message)
    return ResolverError(status, text[:MAX_MESSAGE])


def partial_errors(
    errors: Sequence[GraphQLError], statuses: Statuses, caller: Caller
) -> list[dict[str, Any]]:
    """Return what failed beside the rest of a body. Shape: `[{path, message}]`."""
    told = [(error, caller_error(error, statuses, caller)) for error in errors]
    return [{"path": list(error.path or ()), "message": own.detail} for error, own in told]


def _status(raised: Exception, statuses: Statuses, caller: Caller) -> int | None:
    """Return the status of an exception; None if nothing of it is for callers."""
    code = (raised.extensions or {}).get("code") if isinstance(raised, GraphQLError) else None
    if code in CODES:
        return CODES[code]
    declared = next((statuses[own] for own in type(raised).__mro__ if own in statuses), None)
    if declared is not None:
        return declared
    if _is_denied(raised):
        return HTTPStatus.FORBIDDEN if _has_credentials(caller) else HTTPStatus.UNAUTHORIZED
    if not isinstance(raised, GraphQLError):
        return None
    # What an extension wrote over the error, to mask it, was never raised.
    return None if raised.__traceback__ is None else HTTPStatus.BAD_REQUEST


def _is_denied(raised: Exception) -> bool:
    trace = raised.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is _DENIED:
            return True
        trace = trace.tb_next
    return False


def _has_credentials(caller: Caller) -> bool:
    """Whether a request came with a token, or with cookies, one of which may be a session."""
    headers = caller.request.headers if caller.request is not None else {}
    return "authorization" in headers or "cookie" in headers
