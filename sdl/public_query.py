"""GraphQL requests from callers: checked against limits, validated, and then run.

A response has at most 10 errors and never the text of an exception.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    execute,
    parse,
    validate,
)

from sdl.cost import check_cost, costly_fields, list_lengths
from sdl.errors import ApiError
from sdl.limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, check_limits
from sdl.runner import Snapshot

MAX_MESSAGE = 500

log = logging.getLogger("studiograph.faults")


@dataclass(frozen=True)
class GraphQLRequest:
    """A GraphQL request from a caller."""

    query: str
    variables: Mapping[str, Any] | None = None
    operation_name: str | None = None


@dataclass(frozen=True)
class GraphQLResponse:
    """The response to a GraphQL request."""

    body: dict[str, Any]
    executed: bool
    """Whether the query was run; if not, there is no `data`."""


async def execute_request(
    schema: GraphQLSchema, snapshot: Snapshot, request: GraphQLRequest
) -> GraphQLResponse:
    """Run the request and return its response, which has all errors; never raises."""
    try:
        document = _checked_document(schema, snapshot, request.query)
    except GraphQLError as error:
        return _refusal([error])
    if isinstance(document, list):
        return _refusal(document)
    running = execute(
        schema,
        document,
        snapshot.data,
        snapshot.context,
        dict(request.variables or {}),
        request.operation_name,
    )
    result = await running if isawaitable(running) else running
    errors = result.errors or []
    if result.data is None and not any(error.path for error in errors):
        return _refusal(errors)
    body: dict[str, Any] = {"data": result.data}
    if errors:
        body["errors"] = _formatted(errors)
    return GraphQLResponse(body, executed=True)


def _checked_document(
    schema: GraphQLSchema, snapshot: Snapshot, query: str
) -> DocumentNode | list[GraphQLError]:
    """Return the parsed query, or its validation errors. Raises: GraphQLError over a limit."""
    document = parse(
        query,
        max_source_length=MAX_CHARACTERS,
        max_tokens=MAX_TOKENS,
        allow_empty_selection_sets=False,
    )
    check_limits(document, costly_fields(schema))
    if errors := validate(schema, document, max_errors=MAX_ERRORS - 1):
        return errors
    lengths = snapshot.cached("list lengths", lambda: list_lengths(schema, snapshot))
    check_cost(schema, document, lengths)
    return document


def _refusal(errors: list[GraphQLError]) -> GraphQLResponse:
    return GraphQLResponse({"errors": _formatted(errors)}, executed=False)


def _formatted(errors: list[GraphQLError]) -> list[dict[str, Any]]:
    return [_format(error) for error in errors[:MAX_ERRORS]]


def _format(error: GraphQLError) -> dict[str, Any]:
    original = error.original_error
    message, code = error.message, "validation_failed"
    if isinstance(original, ApiError):
        message, code = original.detail, original.code
    elif error.path and original is not None and not isinstance(original, GraphQLError):
        log.error("a field failed", exc_info=original)
        message, code = "Internal error in this field; it has been logged.", "internal"
    members: dict[str, Any] = {"message": message[:MAX_MESSAGE]}
    if error.locations:
        members["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    if error.path:
        members["path"] = error.path
    return {**members, "extensions": {"code": code}}
