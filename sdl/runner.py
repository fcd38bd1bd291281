"""How stored operations run: always through the GraphQL executor, always to plain JSON.

A `Reading` binds the operations to one revision of the content; what bridges derive from that
revision is kept with it and gone with it.
"""

import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import cached_property
from inspect import isawaitable
from textwrap import shorten
from typing import Any, Protocol, cast
from urllib.parse import quote

from graphql import (
    ExecutionResult,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    execute,
    execute_sync,
    subscribe,
)

from schema.caller import Caller
from schema.errors import Fault, Internal, InvalidInput, NotFound, StudioError
from schema.marks import Heading, Prose, Summary
from sdl.operation import Operation
from sdl.shape import Fields, plain, shape_of

MAX_NOTE = 300

Seal = Callable[[str | None, Any], dict[str, Any]]
"""From a section, if it is one, and a body to the signed envelope."""


class Operations:
    """Every stored operation of a schema, by name."""

    def __init__(self, schema: GraphQLSchema, operations: Iterable[Operation]) -> None:
        self.schema = schema
        self.by_name = {operation.name: operation for operation in operations}

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.by_name.values())

    @property
    def signed_forms(self) -> dict[str, dict[str | None, Operation]]:
        """The operations behind each path of signed forms, by section."""
        found: dict[str, dict[str | None, Operation]] = {}
        for operation in self:
            if operation.sign is not None and operation.signed_path is not None:
                found.setdefault(operation.signed_path, {})[operation.sign.section] = operation
        return found

    @property
    def acting(self) -> dict[tuple[str, str], dict[str, Operation]]:
        """What acts, by path and method, in each form; JSON first."""
        found: dict[tuple[str, str], dict[str, Operation]] = {}
        for operation in self:
            rest = operation.rest
            if rest is not None and not operation.is_read:
                found.setdefault((rest.path, rest.method), {})[rest.media[0]] = operation
        return {key: dict(sorted(forms.items())) for key, forms in found.items()}

    @cached_property
    def fragments(self) -> dict[str, Fields]:
        """The shapes of the shared selections, by the name of their type."""
        found: dict[str, Fields] = {}
        for operation in self:
            _, *definitions = operation.document.definitions
            nodes = {n.name.value: n for n in definitions if isinstance(n, FragmentDefinitionNode)}
            for node in nodes.values():
                name = node.type_condition.name.value
                shape = shape_of(self.schema.type_map[name], node.selection_set, nodes)  # type: ignore[arg-type]
                if isinstance(shape, Fields):
                    found.setdefault(name, shape)
        return found

    def path(self, name: str) -> str:
        """The HTTP path of the operation with this name; the root's, where there is none."""
        operation = self.by_name.get(name)
        return operation.rest.path if operation is not None and operation.rest is not None else "/"


class Context(Protocol):
    """What resolvers are handed."""

    def of(self, caller: Caller) -> object:
        """The same for one caller."""


@dataclass(frozen=True)
class Reading:
    """Stored operations asked of one revision of the content."""

    operations: Operations
    root: object
    context: Context
    modified: float
    """When the content last changed. Units: seconds since 1970."""
    seal: Seal | None = None
    """What signs bodies, where something does."""
    kept: dict[Any, Any] = field(default_factory=dict)
    """What was derived from this revision, by whoever derived it."""

    def run(self, operation: Operation, variables: Mapping[str, Any] | None = None) -> Any:
        """The body as plain JSON. Raises: StudioError."""
        result = execute_sync(
            self.operations.schema,
            operation.document,
            self.root,
            self.context,
            dict(variables or {}),
        )
        return self._body(operation, result)

    async def perform(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> Any:
        """The body of any operation, run for a caller, as plain JSON. Raises: StudioError."""
        running = execute(
            self.operations.schema,
            operation.document,
            self.root,
            self.context.of(caller),
            dict(variables),
        )
        return self._body(operation, await running if isawaitable(running) else running)

    async def stream(
        self, operation: Operation, variables: Mapping[str, Any], caller: Caller
    ) -> AsyncGenerator[Any, None]:
        """The events of a subscription, run for a caller, as plain JSON. Raises: StudioError."""
        running = subscribe(
            self.operations.schema,
            operation.document,
            self.root,
            self.context.of(caller),
            dict(variables),
        )
        found = await running if isawaitable(running) else running
        if isinstance(found, ExecutionResult):
            raise _refused(found, operation)
        async with aclosing(cast("AsyncGenerator[ExecutionResult, None]", found)) as results:
            try:
                async for result in results:
                    yield self._body(operation, result)
            except StudioError as error:  # the source of the events raises as it is
                raise _declared(error, operation)  # noqa: B904 - it keeps the cause it has

    def _body(self, operation: Operation, result: ExecutionResult) -> Any:
        value = _data(result, operation)[operation.root_key]
        if value is None:
            raise self._nothing(operation)
        whole = operation.rest is not None and operation.rest.whole
        return plain(operation.shape, {operation.root_key: value} if whole else value)

    def read(self, name: str, **variables: Any) -> Any:
        """The body of the operation with this name."""
        return self.run(self.operations.by_name[name], variables)

    def signed(self, operation: Operation) -> dict[str, Any]:
        """The signed envelope of the operation's body."""
        key = ("signed", operation.name)
        if key not in self.kept:
            if self.seal is None or operation.sign is None:
                raise TypeError(operation.name)
            self.kept[key] = self.seal(operation.sign.section, self.run(operation))
        found: dict[str, Any] = self.kept[key]
        return found

    def each(self, operation: Operation) -> tuple["Item", ...]:
        """The items whose values fill the operation's path, one address each."""
        key = ("each", operation.name)
        if key not in self.kept:
            self.kept[key] = tuple(self._items(operation))
        found: tuple[Item, ...] = self.kept[key]
        return found

    def _items(self, operation: Operation) -> Iterator["Item"]:
        rest = operation.rest
        if rest is None or rest.each is None:
            return
        name, _, member = rest.each.partition(".")
        source = self.operations.by_name[name]
        shape = source.items(member)
        if shape is None:
            return
        body = self.run(source)
        for item in body[member] if member else body:
            yield Item(
                values={variable: item[variable] for variable in operation.path_variables},
                title=_marked(shape, item, Heading) or operation.title,
                note=_marked(shape, item, Summary)
                or _first_sentence(_marked(shape, item, Prose))
                or operation.summary,
            )

    def check_path(self, operation: Operation, values: Mapping[str, str]) -> None:
        """Nothing, for values that name one of the items. Raises: NotFound."""
        if values and not any(item.values == values for item in self.each(operation)):
            raise self._nothing(operation)

    def _nothing(self, operation: Operation) -> NotFound:
        items = self.each(operation)
        faults = [
            Fault(name, "is not known", tuple(str(item.values[name]) for item in items))
            for name in operation.path_variables
        ]
        return NotFound(f"{operation.title}: nothing has this name.", faults)


@dataclass(frozen=True)
class Item:
    """One of the things that an operation with variables in its path can be asked for."""

    values: Mapping[str, str]
    title: str
    note: str

    def path(self, template: str) -> str:
        """The path with the item's values in it."""
        for name, value in self.values.items():
            template = template.replace(f"{{{name}}}", quote(value, safe=""))
        return template


def _data(result: ExecutionResult, operation: Operation) -> dict[str, Any]:
    for error in result.errors or ():
        raise _cause(error, operation)
    if result.data is None:
        raise Internal("The operation gave no data.")
    return result.data


def _refused(result: ExecutionResult, operation: Operation) -> StudioError:
    """Why a subscription did not begin."""
    return _cause(next(iter(result.errors or ()), GraphQLError("nothing")), operation)


def _cause(error: GraphQLError, operation: Operation) -> StudioError:
    """The error that a field declares by `@fails`; whatever else happens is our own fault."""
    original = error.original_error
    while isinstance(original, GraphQLError):
        original = original.original_error
    if isinstance(original, StudioError):
        return _declared(original, operation)
    if error.path is None:
        return InvalidInput("The variables do not fit this operation.")
    raise Internal("The operation failed.") from original or error


def _declared(error: StudioError, operation: Operation) -> StudioError:
    """The error, if the operation's field says that it can meet it. Raises: Internal."""
    if error.code in operation.errors:
        return error
    raise Internal("The operation failed.") from error


def _marked(shape: Fields, value: dict[str, Any], mark: type) -> str | None:
    member = shape.marked(mark)
    return value.get(member.key) if member is not None else None


def _first_sentence(text: str | None) -> str | None:
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0] if text else ""
    return shorten(sentence, MAX_NOTE, placeholder=" …") or None


Now = Callable[[], Reading]
"""The reading of the current revision: asked once a request."""
