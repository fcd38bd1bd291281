"""GraphQL requests from callers: checked, and run by a plan or by graphql-core.

A query that is cheap runs at once, if its document is known, or short and surely valid: that takes
a fraction of a millisecond. Everything else, from a long document that was never seen to
introspection, waits for the one thread of the queries, so that nobody's read waits for it. A
response has at most 10 errors and never the text of an exception.
"""

import asyncio
import contextvars
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from typing import Any, TypeVar

from graphql import (
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    execute,
)

from sdl.caller import Caller
from sdl.errors import ApiError, InvalidInputError, UnavailableError
from sdl.running.documents import CheckedDocument, Documents, ListLengths
from sdl.running.plan import Planner
from sdl.running.query_limits import MAX_ERRORS, Lengths
from sdl.running.query_messages import with_what_there_is
from sdl.running.runner import Snapshot

MAX_WAITING = 64
RETRY_SECONDS = 1

Result = TypeVar("Result")


class QueryWorker:
    """Runs one piece of work after the other in a thread of its own."""

    def __init__(self, max_waiting: int = MAX_WAITING, name: str = "graphql") -> None:
        self._max_waiting = max_waiting
        self._waiting = 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what the work returns; it sees the context variables of the caller.

        A caller that is cancelled while it waits has its work dropped. Raises: UnavailableError
        if the queue is full, and whatever the work raises.
        """
        if self._waiting >= self._max_waiting:
            raise UnavailableError(
                "Too many queries are waiting to be run. Try again soon.",
                retry_seconds=RETRY_SECONDS,
            )
        loop = asyncio.get_running_loop()
        self._waiting += 1
        running = self._thread.submit(contextvars.copy_context().run, work)
        running.add_done_callback(lambda _: self._count_down(loop))
        return await asyncio.wrap_future(running)

    def _count_down(self, loop: asyncio.AbstractEventLoop) -> None:
        """Count one less, in the event loop, which may have ended."""
        try:
            loop.call_soon_threadsafe(self._end)
        except RuntimeError:
            self._end()

    def _end(self) -> None:
        self._waiting -= 1


MAX_MESSAGE = 1_000
SHORT_CHARACTERS = 512
"""A document with no more is checked in a fraction of a millisecond, which a hop to the thread and
back costs, too."""
CHEAP = 1_000
"""A query that costs no more is run as quickly."""

_LENGTHS = "list lengths"
Pending = Awaitable[ExecutionResult]

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
    is_lasting: bool = False
    """Whether the same request has the same response as long as the snapshot is served."""


class PublicQueries:
    """Runs the requests of callers on one public schema."""

    def __init__(
        self, schema: GraphQLSchema, max_waiting: int = MAX_WAITING, writes: Sequence[str] = ()
    ) -> None:
        """Take the schema, and the paths at which what it cannot write is posted."""
        self.schema = schema
        self._writes = writes
        self.worker = QueryWorker(max_waiting)
        planner = Planner(schema)
        self._documents = Documents(schema, planner)
        self._list_lengths = ListLengths(schema, planner)

    def prepare(self, snapshot: Snapshot) -> Lengths:
        """Return what requests are weighed by, measured once in a snapshot.

        Until it is measured in the next one, that is weighed by this, too.
        """
        return snapshot.kept(_LENGTHS, snapshot.modified, lambda: self._list_lengths.of(snapshot))

    def at_once(self, snapshot: Snapshot, request: GraphQLRequest) -> GraphQLResponse | None:
        """Return the response if it takes a fraction of a millisecond; None for all others.

        That is the response of a plan, or a refusal that was given before.
        """
        if (lengths := self._lengths(snapshot)) is None:
            return None
        known = self._documents.known(request.query, lengths)
        if known is None and len(request.query) <= SHORT_CHARACTERS:
            known = self._documents.plain(request.query, lengths)
        if known is None or known.cost > CHEAP:
            return None
        return self._refusal(known.errors) if known.errors else _planned(known, snapshot, request)

    async def execute(
        self, snapshot: Snapshot, request: GraphQLRequest, caller: Caller | None = None
    ) -> GraphQLResponse:
        """Run the request beside the event loop; return its response, which has all errors.

        Raises: UnavailableError if too many requests wait.
        """
        del caller  # everybody sees the same
        done = await self.worker.run(partial(self._run, snapshot, request))
        return done if isinstance(done, GraphQLResponse) else self._response(await done)

    def _lengths(self, snapshot: Snapshot) -> Lengths | None:
        """Return the lengths that were measured last; None if none were."""
        measured: tuple[object, Lengths | None] = snapshot.lasting.get(_LENGTHS, (None, None))
        return measured[1]

    def _run(self, snapshot: Snapshot, request: GraphQLRequest) -> GraphQLResponse | Pending:
        """Run the request in the thread, by a plan if it has one.

        Return what is still to be awaited if a field is asynchronous: its service belongs to the
        event loop.
        """
        lengths = self._lengths(snapshot) or self.prepare(snapshot)
        known = self._documents.known(request.query, lengths)
        checked = known or self._documents.check(request.query, lengths)
        if checked.errors:
            return self._refusal(checked.errors)
        if (response := _planned(checked, snapshot, request)) is not None:
            return response
        running = execute(
            self.schema,
            checked.document,
            snapshot.data,
            snapshot.context,
            dict(request.variables or {}),
            request.operation_name,
        )
        return running if isawaitable(running) else self._response(running, is_lasting=True)

    def _response(self, result: ExecutionResult, *, is_lasting: bool = False) -> GraphQLResponse:
        errors = result.errors or []
        if result.data is None and all(_is_of_the_caller(error) for error in errors):
            return self._refusal(errors)
        body: dict[str, Any] = {"data": result.data}
        if errors:
            body["errors"] = self._formatted(errors)
        return GraphQLResponse(body, executed=True, is_lasting=is_lasting and not errors)

    def _refusal(self, errors: Sequence[GraphQLError]) -> GraphQLResponse:
        return GraphQLResponse({"errors": self._formatted(errors)}, executed=False)

    def _formatted(self, errors: Sequence[GraphQLError]) -> list[dict[str, Any]]:
        return [self._format(error) for error in errors[:MAX_ERRORS]]

    def _format(self, error: GraphQLError) -> dict[str, Any]:
        original = error.original_error
        message, code = (
            with_what_there_is(error.message, self.schema.type_map, self._writes),
            "validation_failed",
        )
        if isinstance(original, ApiError):
            lines = [original.detail, *(problem.text for problem in original.problems)]
            message, code = " ".join(lines), original.code
        elif error.path and original is not None and not isinstance(original, GraphQLError):
            log.error("a field failed", exc_info=original)
            message, code = "Internal error in this field; it has been logged.", "internal"
        members: dict[str, Any] = {"message": message[:MAX_MESSAGE]}
        if error.locations:
            members["locations"] = [
                {"line": at.line, "column": at.column} for at in error.locations
            ]
        if error.path:
            members["path"] = error.path
        return {**members, "extensions": {"code": code}}


def _is_of_the_caller(error: GraphQLError) -> bool:
    """Whether a request is wrong in a way that only its caller can mend."""
    original = error.original_error
    is_input = isinstance(original, GraphQLError)  # an input that Strawberry has refused
    return not error.path or is_input or isinstance(original, InvalidInputError)


def _planned(
    known: CheckedDocument, snapshot: Snapshot, request: GraphQLRequest
) -> GraphQLResponse | None:
    """Return the response by a plan; None if graphql-core must run the request."""
    plan = known.plans.get(request.operation_name)
    values = plan.values(request.variables or {}) if plan is not None else None
    if plan is None or values is None:
        return None
    data = plan.run(snapshot.data, snapshot.context, values)
    if data is None:
        return None
    return GraphQLResponse({"data": data}, executed=True, is_lasting=True)
