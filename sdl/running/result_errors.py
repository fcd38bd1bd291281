"""The error behind a result of GraphQL, as the operation that was run declares it."""

from typing import Any

from graphql import ExecutionResult, GraphQLError

from sdl.errors import ApiError, InternalError, InvalidInputError
from sdl.operations.operation import Operation


def data_of(result: ExecutionResult, operation: Operation) -> dict[str, Any]:
    """Return the data of a result. Raises: ApiError."""
    for error in result.errors or ():
        raise _cause(error, operation)
    if result.data is None:
        raise InternalError("The operation returned no data.")
    return result.data


def subscription_error(result: ExecutionResult, operation: Operation) -> ApiError:
    """Return the error that kept a subscription from starting. Raises: InternalError."""
    return _cause(next(iter(result.errors or ()), GraphQLError("nothing")), operation)


def _cause(error: GraphQLError, operation: Operation) -> ApiError:
    """Return the error behind a GraphQL error. Raises: InternalError unless it is declared."""
    original = error.original_error
    while isinstance(original, GraphQLError):
        original = original.original_error
    if isinstance(original, ApiError):
        return as_declared(original, operation)
    if error.path is None:
        return InvalidInputError("The variables are not valid.")
    raise InternalError("The operation failed.") from original or error


def as_declared(error: ApiError, operation: Operation) -> ApiError:
    """Return the error if the operation's field declares it. Raises: InternalError if not."""
    if error.code in operation.errors:
        return error
    raise InternalError("The operation failed.") from error
