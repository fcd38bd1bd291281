"""Runs stored operations through the GraphQL executor and returns plain JSON.

A `Snapshot` binds the operations to one revision of the data, and caches what is derived from it.
"""

from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cached_property
from inspect import isawaitable
from typing import Any, ClassVar, Generic, Protocol, cast
from urllib.parse import urlsplit

from graphql import (
    DocumentNode,
    ExecutionResult,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    execute,
    execute_sync,
    subscribe,
)
from typing_extensions import TypeVar

from sdl.caller import Caller, Channel
from sdl.errors import ApiError, FieldProblem, InternalError, InvalidInputError, NotFoundError
from sdl.operations.operation import ListedItem, Operation, filled, first_sentence
from sdl.running.live_errors import Statuses, caller_error
from sdl.running.plan import Plan, Planner
from sdl.types.marks import Heading, Prose, Summary
from sdl.types.shape import Fragments, ListShape, ObjectShape, Writer, shape_of, to_plain_json


@dataclass(frozen=True)
class Words:
    """The words of one service."""

    noun: str = "service"
    """What provides it: the name of a server whose own name cannot be one."""
    nothing: str = "There is nothing in `{section}`. {index} lists what there is."
    """The text of a 404 for a section without content."""
    no_document: str = "There is no such document here."
    access: str = ""
    """The sentence of the OpenAPI description on credentials."""
    prefix: str = "surfaces"
    """The prefix of its keys in the `_meta` of MCP."""
    acting: str = "They change something"
    """The beginning of the sentence on tools that act, in the instructions of the MCP server."""
    reading: str = "Reading changes nothing."
    """The sentence on reading in the instructions of the MCP server."""


WORDS = Words()


def data_of(
    result: ExecutionResult, operation: Operation, statuses: Statuses | None = None
) -> dict[str, Any]:
    """Return the data of a result; `statuses` are those of exceptions. Raises: ApiError."""
    for error in result.errors or ():
        if statuses is not None and error.path is not None:
            raise caller_error(error, statuses, Caller("", Channel.HTTP))
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


INDEX_REL = "service-doc"
"""The relation of the read that lists everything."""

Data = TypeVar("Data", default=Any)
Value = TypeVar("Value")

Signer = Callable[[Sequence[tuple[str | None, Any]]], Sequence[dict[str, Any]]]
"""Returns a signed envelope for each pair of a section's name (or None) and a body."""


class Operations:
    """Every stored operation of a schema, by name."""

    def __init__(
        self,
        schema: GraphQLSchema,
        operations: Iterable[Operation],
        plans: Mapping[str, Plan] | None = None,
    ) -> None:
        """Take the operations, and their plans if they were made before."""
        self.schema = schema
        self.by_name = {operation.name: operation for operation in operations}
        self._planner = planner = Planner(schema)
        self._plans = plans or {own.name: planner.plan(own.document, own.node) for own in self}
        self._selecting: dict[tuple[str, str, tuple[str, ...]], tuple[DocumentNode, Plan]] = {}

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.by_name.values())

    @property
    def signed_forms(self) -> dict[str, dict[str | None, Operation]]:
        """The signed operations by path and section."""
        forms: dict[str, dict[str | None, Operation]] = {}
        for operation in self:
            if operation.sign is not None and operation.signed_path is not None:
                forms.setdefault(operation.signed_path, {})[operation.sign.section] = operation
        return forms

    @property
    def write_operations(self) -> dict[tuple[str, str], dict[str, Operation]]:
        """The operations of POST and DELETE, by path and method, then by media type, JSON first."""
        writes: dict[tuple[str, str], dict[str, Operation]] = {}
        for operation in self:
            rest = operation.rest
            if rest is not None and not operation.is_read:
                forms = writes.setdefault((rest.path, rest.method), {})
                forms.update(dict.fromkeys(rest.media, operation))
        return {key: dict(sorted(forms.items())) for key, forms in writes.items()}

    def without(self, names: Collection[str], unlisted: Collection[str] = ()) -> "Operations":
        """Return the operations but those with these names; `unlisted` ones only answer."""
        if not names and not unlisted:
            return self
        kept = (o.unlisted() if o.name in unlisted else o for o in self if o.name not in names)
        return Operations(self.schema, kept, self._plans)

    @cached_property
    def fragments(self) -> dict[str, ObjectShape]:
        """The shapes of the fragments, by the name of their type."""
        shapes: dict[str, ObjectShape] = {}
        for operation in self:
            _, *definitions = operation.document.definitions
            found = (n for n in definitions if isinstance(n, FragmentDefinitionNode))
            nodes = Fragments(self.schema, {node.name.value: node for node in found})
            for node in nodes.values():
                if (name := node.type_condition.name.value) not in shapes:
                    kind = self.schema.type_map[name]
                    shapes[name] = shape_of(kind, node.selection_set, nodes)  # type: ignore[arg-type, assignment]
        return shapes

    def plan_of(self, operation: Operation) -> Plan:
        """Return the plan by which an operation is run."""
        return self._plans[operation.name]

    def selecting(
        self, source: Operation, member: str, names: tuple[str, ...]
    ) -> tuple[DocumentNode, Plan]:
        """Return what `Operation.selecting` does, with its plan; made once."""
        key = (source.name, member, names)
        if key not in self._selecting:
            document = source.selecting(member, names)
            self._selecting[key] = (document, self._planner.only_plan(document))
        return self._selecting[key]

    def path(self, name: str) -> str:
        """Return the HTTP path of the operation with this name, or `/` if there is none."""
        operation = self.by_name.get(name)
        return operation.rest.path if operation is not None and operation.rest is not None else "/"


Facts = Callable[["Snapshot"], Mapping[str, Any]]
"""Returns the directory of a snapshot."""


class Context(Protocol):
    """The GraphQL context of resolvers."""

    def for_caller(self, caller: Caller) -> object:
        """Return the context for one caller."""


@dataclass(frozen=True)
class Snapshot(Generic[Data]):
    """The stored operations bound to one revision of the data, and a cache of derived values."""

    operations: Operations
    data: Data
    context: Context | Any
    """What resolvers get; one that knows no callers is the same for all."""
    modified: float | None = None
    """When the data last changed; None disables the cache, as the data may change at any time.
    Units: seconds since 1970."""
    signer: Signer | None = None
    """Signs bodies; None if no operation has `@sign`."""
    revision: str | None = None
    """The digest of the data; None if it may change at any time."""
    lasting: dict[Hashable, tuple[Any, Any]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """What outlives the snapshot, each with what it was made of; the next one takes it over."""
    facts: "Facts | None" = None
    """Returns who provides the service; see `directory`."""
    words: Words = WORDS
    extras: Collection[str] = ()
    """The paths that are served besides those of operations and documents."""
    statuses: Statuses | None = None
    """The statuses of exceptions, of any schema; None if each field declares its errors."""
    unpublished: tuple[Operation, ...] = ()
    """The signed sections that the data does not have, which are signed as empty ones."""
    _cache: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    is_live: ClassVar[bool] = False
    """Whether each call runs for its caller, so that nothing that it returns may be kept."""

    def cached(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of `make`, called once per key, or twice if a thread asks meanwhile."""
        try:
            value: Value = self._cache[key]
        except KeyError:
            value = self._cache[key] = make()
        return value

    def forget(self) -> None:
        """Let go of what was cached; whoever still holds the snapshot has it made again.

        Much of that holds the snapshot in turn, and so would last until garbage is collected.
        """
        while self._cache:  # one by one, so that requests need not wait until all is freed
            self._cache.popitem()

    def kept(self, key: Hashable, sources: Any, make: Callable[[], Value]) -> Value:
        """Return the value of `make`, called again when its sources differ from the last ones.

        `make` reads nothing else, so the value is right for every snapshot with equal sources.
        """
        known = self.lasting.get(key)
        if known is None or known[0] != sources:
            known = self.lasting[key] = (sources, make())
        value: Value = known[1]
        return value

    def body(self, operation: Operation) -> Any:
        """Return the body of an operation without variables, run once. Raises: ApiError."""
        return self.cached(("body", operation.name), lambda: self.run(operation))

    def run(
        self,
        operation: Operation,
        variables: Mapping[str, Any] | None = None,
        write: Writer | None = None,
    ) -> Any:
        """Run an operation without a caller; return its body as plain JSON. Raises: ApiError.

        `write` makes the body of the result, by default a whole one.
        """
        plan = self.operations.plan_of(operation)
        data = self._data(operation, operation.document, plan, variables or {})
        return self._body_of(operation, data, write)

    def _data(
        self, operation: Operation, document: DocumentNode, plan: Plan, variables: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return the data of a document without a caller, by its plan if it has one."""
        values = plan.values(variables)
        data = None if values is None else plan.run(self.data, self.context, values)
        if data is not None:
            return data
        schema, sent = self.operations.schema, dict(variables)
        result = execute_sync(schema, document, self.data, self.context, sent)
        return data_of(result, operation, self.statuses)

    async def made(
        self,
        key: Hashable,
        operation: Operation,
        variables: Mapping[str, Any],
        caller: Caller,
        make: Callable[[Any], Value],
    ) -> Value:
        """Return the result of `make` for the body of a read. Raises: ApiError.

        It is kept by `key`, and made again only if the key is new or None.
        """
        del caller  # what is frozen is the same for everybody
        if key is None:
            return make(self.run(operation, variables))
        return self.cached(key, lambda: make(self.run(operation, variables)))

    async def run_async(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> Any:
        """Run an operation for a caller; return its body as plain JSON. Raises: ApiError."""
        context, plan = self._context_of(caller), self.operations.plan_of(operation)
        values = plan.values(variables)
        data = None if values is None else plan.run(self.data, context, values)
        if data is not None:
            return self._body_of(operation, data)
        running = execute(
            self.operations.schema, operation.document, self.data, context, dict(variables)
        )
        return self._body(operation, await running if isawaitable(running) else running)

    def _context_of(self, caller: Caller) -> object:
        """Return the context for one caller."""
        for_caller = getattr(self.context, "for_caller", None)
        return self.context if for_caller is None else for_caller(caller)

    async def stream(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> AsyncGenerator[Any, None]:
        """Run a subscription for a caller; yield its events as plain JSON. Raises: ApiError."""
        running = subscribe(
            self.operations.schema,
            operation.document,
            self.data,
            self._context_of(caller),
            dict(variables),
        )
        source = await running if isawaitable(running) else running
        if isinstance(source, ExecutionResult):
            raise subscription_error(source, operation)
        async with aclosing(cast("AsyncGenerator[ExecutionResult, None]", source)) as results:
            try:
                async for result in results:
                    yield self._body(operation, result)
            except ApiError as error:  # graphql-core does not wrap errors of the source
                raise as_declared(error, operation)  # noqa: B904 - it keeps the cause it has

    def _body(self, operation: Operation, result: ExecutionResult) -> Any:
        return self._body_of(operation, data_of(result, operation, self.statuses))

    def _body_of(
        self, operation: Operation, data: Mapping[str, Any], write: Writer | None = None
    ) -> Any:
        result = operation.body_in(data)
        if result is None:
            raise self._not_found(operation)
        return to_plain_json(operation.shape, result) if write is None else write(result)

    def read(self, name: str, **variables: Any) -> Any:
        """Run the operation with this name and return its body. Raises: ApiError."""
        return self.run(self.operations.by_name[name], variables)

    @property
    def directory(self) -> Mapping[str, Any]:
        """The provider, the licensing policy and the index of everything that can be read.

        Shape: `{name, summary, baseUrl, version, studioUrl?, owner?, email?, language?,
        languageNote?, licensing?, licensingUrl?, notices, sections: [{title, links: [{title, path,
        url, readingUrl, note}]}]}`. Raises: LookupError if nobody says it.
        """
        if self.facts is None:
            raise LookupError("nothing says who provides this service")
        facts = self.facts
        return self.cached("directory", lambda: facts(self))

    def path(self, path: str) -> str:
        """Return the path that callers use for one of this service: below that of its address."""
        return self.cached("prefix", self._prefix) + path

    def _prefix(self) -> str:
        known = self.facts is not None
        return urlsplit(str(self.directory["baseUrl"])).path.rstrip("/") if known else ""

    def signed(self, operation: Operation) -> dict[str, Any]:
        """Return the signed envelope of the operation's body."""
        return self.sign_all()[operation.name]

    def sign_all(self) -> Mapping[str, dict[str, Any]]:
        """Return the envelopes of all signed operations, by name, made once for a revision."""
        return self.cached("envelopes", self._sign_all)

    def _sign_all(self) -> dict[str, dict[str, Any]]:
        if self.signer is None:
            raise TypeError("this snapshot has no signer")
        signed = {o.name: (o.sign.section, self.body(o)) for o in self.operations if o.sign}
        for own in self.unpublished:
            section = own.sign.section if own.sign is not None else None
            signed[own.name] = (section, [] if isinstance(own.shape, ListShape) else {})
        return dict(zip(signed, self.signer(list(signed.values())), strict=True))

    def items_of(self, operation: Operation) -> tuple[ListedItem, ...]:
        """Return the items whose values fill the variables of the operation's path."""
        return self.cached(("items", operation.name), lambda: tuple(self._list_items(operation)))

    def _list_items(self, operation: Operation) -> Iterator[ListedItem]:
        rest = operation.rest
        if rest is None or rest.each is None:
            return
        name, _, member = rest.each.partition(".")
        source = self.operations.by_name[name]
        shape = source.list_item_shape(member)
        if shape is None:
            return
        try:
            body = self.body(source)
        except NotFoundError:
            return
        items = body.get(member, ()) if member else body
        keys = {field.key for field in shape.fields}
        names = operation.path_variables
        unread = [name for name in names if name not in keys]
        heading, summary, prose = (_key_marked(shape, mark) for mark in (Heading, Summary, Prose))
        found = self._values(source, member, unread) if unread else [{} for _ in items]
        for item, more in zip(items, found, strict=True):
            yield ListedItem(
                values={name: item[name] if name in item else more[name] for name in names},
                title=item.get(heading) or operation.title,
                note=item.get(summary) or first_sentence(item.get(prose)) or operation.summary,
            )

    def addresses(self, operation: Operation, variables: Mapping[str, Any]) -> list[str]:
        """Return the addresses of the entries that a read gives, in its order.

        They are absolute. A list whose entries have no read of their own gives none.
        """
        base, rest = str(self.directory["baseUrl"]), operation.rest
        if rest is not None and rest.each is not None:
            return [f"{base}{filled(rest.path, variables)}"]
        entry = next((o for o in self.operations if o.rest and o.rest.each == operation.name), None)
        if entry is None or entry.rest is None:
            return []
        found = self._values(operation, "", entry.path_variables, variables)
        return [f"{base}{filled(entry.rest.path, values)}" for values in found]

    def _values(
        self,
        source: Operation,
        member: str,
        names: Sequence[str],
        variables: Mapping[str, Any] | None = None,
    ) -> Sequence[Mapping[str, Any]]:
        """Return these fields of each item, which the list need not select."""
        document, plan = self.operations.selecting(source, member, tuple(names))
        data = self._data(source, document, plan, variables or {})
        value = data[source.root_key]
        found: Sequence[Mapping[str, Any]] = value[member] if member else value
        return found

    def absent(self) -> frozenset[str]:
        """Return the names of the reads of what the data does not have.

        Their value is null or an empty list, or their list has no item to read. What is also a
        tool or a resource is always there, and what may be unavailable only for now.
        """
        return frozenset(o.name for o in self.operations if self._is_absent(o))

    def _is_absent(self, operation: Operation) -> bool:
        if operation.mcp or operation.resource or not operation.is_optional:
            return False
        if operation.path_variables:
            return not self.items_of(operation)
        if any(variable.required for variable in operation.variables):
            return False
        try:
            _, value = operation.unwrapped(operation.shape, self.body(operation))
        except NotFoundError:
            return True
        return bool(value == [])

    def has(self, operation: Operation) -> bool:
        """Whether the data has what an operation reads."""
        return operation.name in self.operations.by_name

    def check_path(self, operation: Operation, values: Mapping[str, str]) -> None:
        """Raise `NotFoundError` for what the data does not have, or if no item has these values.

        In the latter case it lists the known values.
        """
        if not self.has(operation):
            raise not_published(operation, self)
        is_listed = operation.rest is not None and operation.rest.each is not None
        if is_listed and values and not any(i.has(values) for i in self.items_of(operation)):
            raise self._not_found(operation)

    def _not_found(self, operation: Operation) -> NotFoundError:
        items = self.items_of(operation)
        if not items:
            return not_published(operation, self)
        problems = [
            FieldProblem(name, "is not known", tuple(str(item.values[name]) for item in items))
            for name in operation.path_variables
        ]
        return NotFoundError("Nothing has this name; `allowed` lists those there are.", problems)


def not_published(operation: Operation, snapshot: Snapshot) -> NotFoundError:
    """Return the error of a read of what the data does not have, with where the rest is listed."""
    indexes = (o.rest.path for o in snapshot.operations if o.rest and o.rest.rel == INDEX_REL)
    index = next(indexes, "The index")
    section = operation.section or operation.title
    return NotFoundError(snapshot.words.nothing.format(section=section, index=index))


def _key_marked(shape: ObjectShape, mark: type) -> str | None:
    """Return the key of the first field with this mark; None if no field has it."""
    member = shape.field_marked(mark)
    return member.key if member is not None else None


CurrentSnapshot = Callable[[], Snapshot]
"""Returns the snapshot of the current revision; called once per request."""
