"""A GraphQL request from outside: bounded, validated, weighed and only then run.

Shape of an answer: GraphQL's response, at most 10 errors, no exception's text.
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
from sdl.errors import StudioError
from sdl.limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, check_limits
from sdl.runner import Snapshot

MAX_MESSAGE = 500

log = logging.getLogger("studiograph.faults")


@dataclass(frozen=True)
class GraphQLRequest:
    """What a caller asks."""

    query: str
    variables: Mapping[str, Any] | None = None
    operation_name: str | None = None


@dataclass(frozen=True)
class GraphQLResponse:
    """GraphQL's response to an inquiry."""

    body: dict[str, Any]
    executed: bool
    """Whether the request itself was good; if not, there is no `data`."""


async def execute_request(
    schema: GraphQLSchema, reading: Snapshot, inquiry: GraphQLRequest
) -> GraphQLResponse:
    """The response. Never raises: whatever is wrong stands in it."""
    try:
        document = _admit(schema, reading, inquiry.query)
    except GraphQLError as error:
        return _refusal([error])
    if isinstance(document, list):
        return _refusal(document)
    running = execute(
        schema,
        document,
        reading.data,
        reading.context,
        dict(inquiry.variables or {}),
        inquiry.operation_name,
    )
    result = await running if isawaitable(running) else running
    errors = result.errors or []
    if result.data is None and not any(error.path for error in errors):
        return _refusal(errors)
    body: dict[str, Any] = {"data": result.data}
    if errors:
        body["errors"] = _formatted(errors)
    return GraphQLResponse(body, executed=True)


def _admit(
    schema: GraphQLSchema, reading: Snapshot, query: str
) -> DocumentNode | list[GraphQLError]:
    document = parse(
        query,
        max_source_length=MAX_CHARACTERS,
        max_tokens=MAX_TOKENS,
        allow_empty_selection_sets=False,
    )
    check_limits(document, costly_fields(schema))
    if errors := validate(schema, document, max_errors=MAX_ERRORS - 1):
        return errors
    lengths = reading.cached("list lengths", lambda: list_lengths(schema, reading))
    check_cost(schema, document, lengths)
    return document


def _refusal(errors: list[GraphQLError]) -> GraphQLResponse:
    return GraphQLResponse({"errors": _formatted(errors)}, executed=False)


def _formatted(errors: list[GraphQLError]) -> list[dict[str, Any]]:
    return [_format(error) for error in errors[:MAX_ERRORS]]


def _format(error: GraphQLError) -> dict[str, Any]:
    original = error.original_error
    message, code = error.message, "validation_failed"
    if isinstance(original, StudioError):
        message, code = original.detail, original.code
    elif error.path and original is not None and not isinstance(original, GraphQLError):
        log.error("a field failed", exc_info=original)
        message, code = "This field failed; the fault is ours.", "internal"
    shown: dict[str, Any] = {"message": message[:MAX_MESSAGE]}
    if error.locations:
        shown["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    if error.path:
        shown["path"] = error.path
    return {**shown, "extensions": {"code": code}}
