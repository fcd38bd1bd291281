"""GraphQL queries of callers on live data: held to the limits, run for their caller.

The length of no list is read to weigh them: each counts as `LIST_LENGTH`.
"""

from collections.abc import Iterator
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLOutputType,
    GraphQLSchema,
    get_named_type,
    get_nullable_type,
    is_abstract_type,
    is_list_type,
    parse,
)

from sdl.caller import Caller, Channel
from sdl.errors import InvalidInputError
from sdl.running.live import LiveSchema
from sdl.running.live_errors import caller_error
from sdl.running.public_query import GraphQLRequest, GraphQLResponse
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, check_limits
from sdl.running.query_worker import QueryWorker
from sdl.running.runner import Snapshot

LIST_LENGTH = 10.0


class LiveQueries:
    """Runs the queries of callers on a live schema, and no mutation."""

    def __init__(self, live: LiveSchema) -> None:
        self.schema: GraphQLSchema = live.executable
        self.worker = QueryWorker()
        self._live = live
        self._lengths = {
            (kind.name, name): dict(_lengths(field.type, self.schema))
            for kind in self.schema.type_map.values()
            for name, field in getattr(kind, "fields", {}).items()
            if hasattr(field, "resolve")
        }

    def at_once(self, snapshot: Snapshot, request: GraphQLRequest) -> GraphQLResponse | None:
        """Return None: nobody knows how long a resolver takes."""
        del snapshot, request
        return None

    async def execute(
        self, snapshot: Snapshot, request: GraphQLRequest, caller: Caller | None
    ) -> GraphQLResponse:
        """Run the query for its caller; return its response, which has all errors."""
        del snapshot
        caller = caller or Caller("", Channel.HTTP)
        try:
            document = parse(request.query, max_source_length=MAX_CHARACTERS, max_tokens=MAX_TOKENS)
            check_limits(self.schema, document, self._lengths)
        except GraphQLError as error:
            return GraphQLResponse({"errors": [self._formatted(error, caller)]}, executed=False)
        variables, name = dict(request.variables or {}), request.operation_name
        result = await self._live.query(request.query, variables, name, caller)
        errors = result.errors or []
        told = [self._formatted(error, caller) for error in errors[:MAX_ERRORS]]
        body = {"data": result.data} | ({"errors": told} if told else {})
        is_refused = result.data is None and not any(error.path for error in errors)
        return GraphQLResponse({"errors": told} if is_refused else body, executed=not is_refused)

    def _formatted(self, error: GraphQLError, caller: Caller) -> dict[str, Any]:
        """Return an error as GraphQL writes it, with the text that its caller may read."""
        own: dict[str, Any] = {**error.formatted, "extensions": {"code": InvalidInputError.code}}
        if error.path:
            told = caller_error(error, self._live.errors, caller)
            own |= {"message": told.detail, "extensions": {"code": told.code}}
        return own


def _lengths(kind: GraphQLOutputType, schema: GraphQLSchema) -> Iterator[tuple[str, float]]:
    """Yield each type that a field returns, with the number of objects that it is weighed by."""
    inner = get_named_type(kind)
    length = LIST_LENGTH if is_list_type(get_nullable_type(kind)) else 1.0
    if not is_abstract_type(inner):
        yield inner.name, length
        return
    possible = schema.get_possible_types(inner)
    yield from ((own.name, length / len(possible)) for own in possible)
