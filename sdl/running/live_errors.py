"""What a caller gets for an exception in a resolver: a declared status, or a masked 500.

Source: Apollo's error codes; the permissions of Strawberry.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from traceback import walk_tb
from typing import Any

from graphql import GraphQLError
from starlette.exceptions import HTTPException
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
REFUSED = 0
"""Stands for the status of a permission: 401 without credentials, else 403."""
FAILURES = range(400, 600)
MAX_MESSAGE = 1_000
NOTHING: Mapping[str, str] = {}


def check_statuses(statuses: Mapping[Any, Any]) -> None:
    """Raise `TypeError` or `ValueError` for what is no class of exceptions or no status."""
    for kind, status in statuses.items():
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise TypeError(f"errors: {kind!r} is no class of exceptions, such as LookupError.")
        if status not in FAILURES:
            raise ValueError(f"errors: {status!r} is no HTTP status from 400 to 599.")


class ResolverError(ApiError):
    """A resolver refused; its text and its status are the resolver's own."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] = NOTHING, code: str = ""
    ) -> None:
        super().__init__(detail.encode("utf-8", "replace").decode())  # a text may have half a pair
        self.headers = headers
        phrase = HTTPStatus(status).phrase
        known = (error.code for error in all_errors() if error.status == status)
        # An instance has its own: a resolver may choose any status of HTTP.
        self.status = status  # type: ignore[misc]
        self.code = code or next(known, phrase.lower().replace(" ", "_"))  # type: ignore[misc]
        self.title = phrase  # type: ignore[misc]


_DENIED = PermissionExtension._on_unauthorized.__code__  # noqa: SLF001 - a permission may raise anything
"""The one place in Strawberry where permissions refuse."""
_RELAY = "strawberry.relay"


def caller_error(error: Exception, statuses: Statuses, caller: Caller) -> ApiError:
    """Return the error that a caller gets for an exception of a resolver or of `get_context`.

    An `ApiError` stays as it is. The text of another exception goes to callers if its status is
    below 500, else to the log alone.
    """
    raised = error
    while isinstance(raised, GraphQLError) and raised.original_error is not None:
        raised = raised.original_error
    if isinstance(raised, ApiError):
        return raised
    status = _status(raised, statuses, caller) or HTTPStatus.INTERNAL_SERVER_ERROR
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        internal = InternalError("The operation failed; the log has the error.")
        internal.status = status  # type: ignore[misc]
        internal.__cause__ = raised
        return internal
    messages = getattr(raised, "messages", None)  # Django's ValidationError is a list as a text
    said, code = "; ".join(messages) if isinstance(messages, list) else str(raised), ""
    if isinstance(raised, GraphQLError):
        own = (raised.extensions or {}).get("code")
        said = raised.message
        code = own.lower() if isinstance(own, str) and own not in CODES else ""
    elif isinstance(raised, HTTPException):
        said = raised.detail
    headers = {**dict(getattr(caller.response, "headers", NOTHING)), **_headers_of(raised)}
    said = said[:MAX_MESSAGE] or HTTPStatus(status).phrase
    return ResolverError(status, said, headers, code)


def _headers_of(raised: object) -> Mapping[str, str]:
    return (raised.headers or NOTHING) if isinstance(raised, HTTPException) else NOTHING


def partial_errors(
    errors: Sequence[GraphQLError], statuses: Statuses, caller: Caller
) -> list[dict[str, Any]]:
    """Return what failed beside the rest of a body. Shape: `[{path, message}]`."""
    public = [(error, caller_error(error, statuses, caller)) for error in errors]
    return [{"path": list(error.path or ()), "message": own.detail} for error, own in public]


def _status(raised: Exception, statuses: Statuses, caller: Caller) -> int | None:
    """Return the HTTP status of an exception; None if callers must learn nothing of it."""
    code = (raised.extensions or {}).get("code") if isinstance(raised, GraphQLError) else None
    if isinstance(code, str) and code in CODES:
        return CODES[code]
    own = raised.status_code if isinstance(raised, HTTPException) else None
    declared = next((statuses[kind] for kind in type(raised).__mro__ if kind in statuses), own)
    if declared:
        return declared
    if declared == REFUSED or _is_denied(raised):
        return HTTPStatus.FORBIDDEN if _has_credentials(caller) else HTTPStatus.UNAUTHORIZED
    if not isinstance(raised, GraphQLError):
        return HTTPStatus.BAD_REQUEST if _is_of_relay(raised) else None
    # An extension wrote over the error to mask it, or a resolver returned what its type is not.
    if raised.__traceback__ is None or _is_of_result(raised):
        return None
    chosen = getattr(caller.response, "status_code", None) or 0
    return max(chosen, HTTPStatus.BAD_REQUEST)


def _is_denied(raised: Exception) -> bool:
    return any(frame.f_code is _DENIED for frame, _ in walk_tb(raised.__traceback__))


def _is_of_result(raised: Exception) -> bool:
    """Whether graphql-core refused what a resolver returned: a leaf, or the type of an object."""
    names = {frame.f_code.co_name for frame, _ in walk_tb(raised.__traceback__)}
    return not names.isdisjoint(("complete_leaf_value", "complete_abstract_value"))


def _is_of_relay(raised: Exception) -> bool:
    """Whether Strawberry's connections and nodes refused an argument, which only they check."""
    if not isinstance(raised, ValueError | TypeError):
        return False
    frames = [frame for frame, _ in walk_tb(raised.__traceback__)]
    return bool(frames) and frames[-1].f_globals.get("__name__", "").startswith(_RELAY)


def _has_credentials(caller: Caller) -> bool:
    """Whether a request came with a token, or with cookies, one of which may be a session."""
    headers = caller.request.headers if caller.request is not None else {}
    return "authorization" in headers or "cookie" in headers
