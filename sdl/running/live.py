"""Live data: each call runs the schema as Strawberry's own views do, and nothing of it is kept.

So a schema's extensions, permissions, data loaders and settings hold on every surface. Each call
has a context of its own, made from the HTTP request that brought it.
"""

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from anyio import to_thread
from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLOutputType,
    GraphQLSchema,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    get_named_type,
    get_nullable_type,
    is_abstract_type,
    is_list_type,
    parse,
    print_ast,
    validate,
    visit,
)
from starlette.responses import Response
from starlette.types import ASGIApp
from strawberry import Schema
from strawberry.extensions import AddValidationRules, ParserCache, SchemaExtension, ValidationCache
from strawberry.permission import PermissionExtension
from strawberry.relay.fields import NodeExtension
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types.execution import ExecutionResult
from strawberry.types.graphql import OperationType

from sdl.caller import Caller, Channel
from sdl.errors import InternalError, InvalidInputError, NotFoundError
from sdl.operations.operation import ERRORS, ListedItem, Operation
from sdl.running.live_errors import Statuses, caller_error, check_statuses, partial_errors
from sdl.running.public_query import GraphQLRequest, GraphQLResponse, QueryWorker
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, check_limits
from sdl.running.runner import Snapshot, Value
from sdl.types.shape import to_plain_json

GetContext = Callable[..., Any]
"""Returns the context of resolvers, or a promise of it, from `request` and `response`."""
RunSync = Callable[[Callable[[], ExecutionResult]], Awaitable[ExecutionResult]]


@runtime_checkable
class Framework(Protocol):
    """What a `get_context` has whose calls pass another framework, as in `surfaces.django`."""

    @property
    def errors(self) -> Statuses:
        """The statuses of its exceptions, which those of the service override."""
        ...

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return an application that answers by `app` what passes the framework."""
        ...

    def run_sync(self, work: Callable[[], ExecutionResult]) -> Awaitable[ExecutionResult]:
        """Run synchronous resolvers."""
        ...


_HOOKS = ("on_operation", "on_parse", "on_validate", "on_execute", "resolve", "get_results")
_NEEDS_LOOP = ("failed to complete synchronously", "no current event loop", "no running event loop")
"""What graphql-core and asyncio say of a plain function that returns an awaitable."""


def empty_response() -> Response:
    """Return the response whose status and headers resolvers may set, as Strawberry makes it."""
    response = Response()
    response.status_code = None  # type: ignore[assignment]
    del response.headers["content-length"]
    return response


class LiveSchema:
    """A schema with its context, its root value and the statuses of its exceptions."""

    def __init__(
        self,
        schema: Schema,
        get_context: GetContext | None = None,
        root_value: Any = None,
        errors: Statuses | None = None,
        *,
        threads: bool = True,
    ) -> None:
        """Take what a Strawberry view takes; `errors` are statuses by class of exception.

        With `threads`, an operation whose resolvers are all synchronous runs in a thread, where it
        may block. Raises: TypeError or ValueError for what it cannot use of its arguments.
        """
        check_statuses(errors or {})
        if get_context is not None and not callable(get_context):
            raise TypeError("get_context: give a function of `request` and `response`.")
        self.schema = copy(schema)  # the stranger's own stays as it is
        # Documents are parsed and validated once.
        self.schema.extensions = (*schema.extensions, ParserCache, ValidationCache)
        self.executable: GraphQLSchema = schema._schema  # noqa: SLF001 - it has no public name
        self.errors: Statuses = errors or {}
        self.wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app
        self._run_sync: RunSync = to_thread.run_sync
        if isinstance(get_context, Framework):
            self.wrap, self._run_sync = get_context.wrap, get_context.run_sync
            others = get_context.errors.items()
            kept = {kind: own for kind, own in others if not issubclass(kind, (*self.errors,))}
            self.errors = {**kept, **self.errors}
        self._get_context = get_context
        self._names = _argument_names(get_context) if get_context is not None else []
        self._root_value = root_value
        self._threads = threads
        self._texts: dict[str, str] = {}
        self._awaited: dict[str, bool] = {}
        self._has_awaited_nodes = _has_awaited_nodes(self.executable)

    async def execute(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> ExecutionResult:
        """Run an operation for a caller."""
        arguments = await self._arguments(operation, variables, caller)
        if self._threads and not self.is_awaited(operation):
            result = await self._run_sync(partial(self.schema.execute_sync, *arguments))
            errors = result.errors or ()
            if not any(text in error.message for error in errors for text in _NEEDS_LOOP):
                return result
            self._awaited[operation.name] = True
            if not operation.is_query:  # it has done a part, and must not do it twice
                return result
        return await self.schema.execute(*arguments)

    async def query(
        self, text: str, variables: dict[str, Any], name: str | None, caller: Caller
    ) -> ExecutionResult:
        """Run a query of a caller's own; a mutation is refused."""
        context, root = await self.context(caller), await self._root(caller)
        try:
            return await self.schema.execute(
                text, variables, context, root, name, allowed_operation_types=[OperationType.QUERY]
            )
        except (InvalidOperationTypeError, CannotGetOperationTypeError) as error:
            refused = GraphQLError("This endpoint runs queries; name one that is in the document.")
            refused.__cause__ = error
            return ExecutionResult(data=None, errors=[refused])

    async def stream(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> AsyncGenerator[ExecutionResult, None]:
        """Run a subscription for a caller; yield its results."""
        arguments = await self._arguments(operation, variables, caller)
        async with aclosing(await self.schema.subscribe(*arguments)) as results:
            async for result in results:
                yield result

    def frozen(self) -> tuple[Any, Any]:
        """Return the root value and the context that everybody shares, made for no request."""
        root = self._root_value(None) if callable(self._root_value) else self._root_value
        own = {"request": None, "response": None}
        made = self._get_context(**{n: None for n, _ in self._names}) if self._get_context else own
        if inspect.isawaitable(root) or inspect.isawaitable(made):
            raise TypeError("With `revision`, get_context and root_value must be plain functions.")
        return root, made

    async def context(self, caller: Caller) -> Any:
        """Return the context of one call: the request and the response, and what is made of them.

        Source: the views of Strawberry for ASGI and FastAPI.
        """
        response = caller.response or empty_response()  # over MCP nothing of it is sent
        own = {"request": caller.request, "response": response}
        if self._get_context is None:
            return own
        try:
            made = self._get_context(**{name: own[own_name] for name, own_name in self._names})
            context = await made if inspect.isawaitable(made) else made
        except Exception as error:
            raise caller_error(error, self.errors, caller) from error
        if context is None:
            return own
        if isinstance(context, dict):
            return {**own, **context}
        for name, value in own.items():  # as FastAPI's BaseContext has them
            if getattr(context, name, value) is None:
                setattr(context, name, value)
        return context

    async def _arguments(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> tuple[str, dict[str, Any], Any, Any]:
        if operation.name not in self._texts:
            self._texts[operation.name] = print_ast(operation.document)
        context, root = await self.context(caller), await self._root(caller)
        return self._texts[operation.name], dict(variables), context, root

    async def _root(self, caller: Caller) -> Any:
        if not callable(self._root_value):
            return self._root_value
        made = self._root_value(caller.request)
        return await made if inspect.isawaitable(made) else made

    def refusals(self, operation: Operation) -> list[str]:
        """Return why the schema's own rules of validation refuse an operation."""
        made = [e if isinstance(e, SchemaExtension) else e() for e in self.schema.extensions]
        rules = [r for e in made if isinstance(e, AddValidationRules) for r in e.validation_rules]
        found = validate(self.executable, operation.document, rules) if rules else ()
        return [error.message for error in found]

    def has_permissions(self, operation: Operation) -> bool:
        """Whether a field that it selects has permissions."""
        fields = _Selected.of(self.executable, operation)
        definitions = ((own.extensions or {}).get("strawberry-definition") for own in fields)
        extensions = (e for own in definitions for e in getattr(own, "extensions", ()))
        return any(isinstance(extension, PermissionExtension) for extension in extensions)

    def is_awaited(self, operation: Operation) -> bool:
        """Whether a field that it selects, or an extension of the schema, is asynchronous."""
        if operation.name not in self._awaited:
            fields = _Selected.of(self.executable, operation)
            extensions = map(_extension_class, self.schema.extensions)
            self._awaited[operation.name] = any(
                _is_awaited_field(own, has_awaited_nodes=self._has_awaited_nodes) for own in fields
            ) or any(
                inspect.iscoroutinefunction(hook) or inspect.isasyncgenfunction(hook)
                for extension in extensions
                for hook in (getattr(extension, name, None) for name in _HOOKS)
            )
        return self._awaited[operation.name]


@dataclass(frozen=True)
class LiveSnapshot(Snapshot[None]):
    """The stored operations over data that may change at any time, and differ by caller."""

    live: LiveSchema = field(kw_only=True)

    is_live: ClassVar[bool] = True

    async def made(
        self,
        key: Hashable,
        operation: Operation,
        variables: Mapping[str, Any],
        caller: Caller,
        make: Callable[[Any], Value],
    ) -> Value:
        """Return the result of `make` for the body of a read, made anew. Raises: ApiError."""
        del key
        return make(await self.run_async(operation, variables, caller))

    async def run_async(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> Any:
        """Run an operation for a caller; return its body as plain JSON. Raises: ApiError."""
        result = await self.live.execute(operation, variables, caller)
        return self._body_or_error(operation, result, caller)

    async def stream(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> AsyncGenerator[Any, None]:
        """Run a subscription for a caller; yield its events as plain JSON, or what failed in one.

        Raises: ApiError.
        """
        async with aclosing(self.live.stream(operation, variables, caller)) as results:
            async for result in results:
                body = None if result.data is None else operation.body_in(result.data)
                if result.errors and body is not None:  # a part failed, and the events go on
                    yield caller_error(result.errors[0], self.live.errors, caller)
                else:
                    yield self._body_or_error(operation, result, caller)

    def _body_or_error(self, operation: Operation, result: ExecutionResult, caller: Caller) -> Any:
        errors = result.errors or []
        value = None if result.data is None else operation.body_in(result.data)
        is_partial = operation.rest is not None and operation.rest.partial and value is not None
        if errors and not is_partial:
            raise caller_error(errors[0], self.live.errors, caller)
        if value is None:
            if operation.may_be_null:
                is_whole = operation.rest is not None and operation.rest.whole
                return {operation.root_key: None} if is_whole else None
            raise NotFoundError("Nothing is there for these arguments.")
        if operation.rest is not None and operation.rest.partial:
            value = {**value, ERRORS: partial_errors(errors, self.live.errors, caller) or None}
        return to_plain_json(operation.shape, value)

    def run(self, operation: Operation, *_: Any, **__: Any) -> Any:
        """Raise `InternalError`: live data is read for a caller."""
        raise InternalError(f"{operation.name} cannot run without a caller.")

    def items_of(self, operation: Operation) -> tuple[ListedItem, ...]:
        """Return nothing: the lists of live data are not read to answer about one item."""
        del operation
        return ()

    def addresses(self, operation: Operation, variables: Mapping[str, Any]) -> list[str]:
        """Return nothing, as entries need another read."""
        del operation, variables
        return []

    def check_path(self, operation: Operation, values: Mapping[str, str]) -> None:
        """Let every value pass: the resolver says what is there."""


class _Selected(Visitor):
    """Collects the definition of each field that a document selects."""

    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self.info = info
        self.fields: list[GraphQLField] = []

    @classmethod
    def of(cls, schema: GraphQLSchema, operation: Operation) -> list[GraphQLField]:
        """Return the fields of an operation."""
        info = TypeInfo(schema)
        selected = cls(info)
        visit(operation.document, TypeInfoVisitor(info, selected))
        return selected.fields

    def enter_field(self, *_: FieldNode | object) -> None:
        if (found := self.info.get_field_def()) is not None:
            self.fields.append(found)


def _is_awaited_field(own: GraphQLField, *, has_awaited_nodes: bool) -> bool:
    definition = (own.extensions or {}).get("strawberry-definition")
    extensions = getattr(definition, "extensions", ())
    return (
        inspect.iscoroutinefunction(own.resolve)
        or bool(getattr(definition, "is_async", False))
        or any(e.supports_async and not e.supports_sync for e in extensions)
        or (has_awaited_nodes and any(isinstance(e, NodeExtension) for e in extensions))
    )


def _has_awaited_nodes(schema: GraphQLSchema) -> bool:
    """Whether a type of Relay's nodes is found asynchronously, which no field says."""
    definitions = (
        (t.extensions or {}).get("strawberry-definition") for t in schema.type_map.values()
    )
    return any(
        inspect.iscoroutinefunction(getattr(getattr(own, "origin", None), name, None))
        for own in definitions
        for name in ("resolve_node", "resolve_nodes")
    )


def _extension_class(extension: Any) -> type[SchemaExtension]:
    """Return the class of a schema's extension, which is a class, an instance or a factory."""
    if isinstance(extension, type):
        return extension
    return type(extension if isinstance(extension, SchemaExtension) else extension())


def _argument_names(get_context: GetContext) -> list[tuple[str, str]]:
    """Return the arguments of the function, and what each is given. Raises: TypeError."""
    names: list[tuple[str, str]] = []
    free = ["request", "response"]
    for name, parameter in inspect.signature(get_context).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        own = name if name in free else next(iter(free), "")
        if name not in free and parameter.default is not parameter.empty:
            if type(parameter.default).__name__ != "Depends":
                continue
            own = ""
        if not own or parameter.kind is parameter.POSITIONAL_ONLY:
            raise TypeError(
                f"get_context: nothing is known for its argument {name!r}. Fix: write a function of"
                " `request` and `response`, and call what else it depends on in it."
            )
        free = [f for f in free if f != own]
        names.append((name, own))
    return names


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
        shown = [self._formatted(error, caller) for error in errors[:MAX_ERRORS]]
        body = {"data": result.data} | ({"errors": shown} if shown else {})
        is_refused = result.data is None and not any(error.path for error in errors)
        return GraphQLResponse({"errors": shown} if is_refused else body, executed=not is_refused)

    def _formatted(self, error: GraphQLError, caller: Caller) -> dict[str, Any]:
        """Return an error as GraphQL writes it, with the text that its caller may read."""
        own: dict[str, Any] = {**error.formatted, "extensions": {"code": InvalidInputError.code}}
        if error.path:
            public = caller_error(error, self._live.errors, caller)
            own |= {"message": public.detail, "extensions": {"code": public.code}}
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
