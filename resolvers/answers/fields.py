"""The fields that answer questions, and the stored operations that read them.

Everything here comes from the `@asked` of the schema and from the stored operations. So a section
that an owner adds with its type, its questions and its operation is answered from like any other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from graphql import GraphQLSchema, is_object_type

from sdl.operations.answer_template import AnswerTemplate, parse_template
from sdl.operations.catalog import is_answered, kinds_of
from sdl.operations.operation import Operation
from sdl.running.runner import Snapshot
from sdl.types.declare import slug_of
from sdl.types.directives import Asked
from sdl.types.marks import Foreign, Heading, OtherName, Prose
from sdl.types.shape import (
    Field,
    ListShape,
    ObjectShape,
    Shape,
    declared_questions,
    marks_on,
)

Path = tuple[str | int, ...]
"""The keys and positions that lead into a body."""


@dataclass(frozen=True)
class AskedField:
    """One field that answers questions, where one operation reads it."""

    operation: Operation
    path: tuple[str, ...] | None
    """The keys from the body to the object that has the field, through lists to their items;
    `None` if the field is the body itself."""
    owner: ObjectShape
    """The object that has the field."""
    field: Field
    asked: Asked

    @cached_property
    def template(self) -> AnswerTemplate:
        """The sentence that says the field."""
        return parse_template(self.asked.says)

    @cached_property
    def is_prose(self) -> bool:
        """Whether the field is a text of whole paragraphs."""
        return self.field.is_marked(Prose)

    @property
    def is_foreign(self) -> bool:
        """Whether the field holds texts of other people."""
        members = self.item.fields if self.item is not None else (self.field,)
        return any(member.is_marked(Foreign) for member in (self.field, *members))

    @cached_property
    def item(self) -> ObjectShape | None:
        """The objects in the field, if it is a list of objects."""
        inner = self.field.shape.item if isinstance(self.field.shape, ListShape) else None
        return inner if isinstance(inner, ObjectShape) else None


@dataclass(frozen=True)
class Entry:
    """One named object of the content: a project, a term, a certificate."""

    kind: str
    """Its kind in citations, for example `project`."""
    type_name: str
    name: str
    other_names: tuple[str, ...]
    slug: str
    shape: ObjectShape
    value: Mapping[str, Any]
    """The object as it stands in its list, as plain JSON."""
    listing: Operation
    """The operation that lists it."""
    place: Path
    """Where it stands in the body of that operation."""
    single: Operation | None
    """The operation that reads it alone, if there is one."""
    variables: Mapping[str, str]
    """The variables of that operation."""

    @property
    def is_question(self) -> bool:
        """Whether its name is a question, which its text answers."""
        return self.name.endswith("?")

    @property
    def read(self) -> tuple[Operation, Mapping[str, str], Path]:
        """The operation that reads it best, its variables, and the object's place in the body."""
        if self.single is not None:
            return self.single, self.variables, ()
        return self.listing, {}, self.place


class FactTable:
    """Every asked field and every entry of one revision. Immutable, so threads may share it."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.kinds = kinds_of(snapshot.operations.schema)
        """The kinds of entries by the names of their types."""
        reads = [item for item in snapshot.operations if _is_plain_read(item, snapshot)]
        self.fields = tuple(_best_fields(reads, snapshot.operations.schema))
        self.entries = tuple(self._entries(reads))
        own = {item.operation.name: item.operation for item in self.fields}
        self.single_reads = sorted(own.values(), key=_size)
        """The operations that read the fields, small ones first."""
        self._places = {(item.listing.name, item.place): item for item in self.entries}

    @cached_property
    def unanswered(self) -> tuple[str, ...]:
        """The example questions of the fields that have no value in this revision."""
        reads = (own for own in self.single_reads if not own.path_variables)
        said = {key for own in reads for key in _said(own.shape, self.body(own, {}))}
        asked = {True: dict[str, None](), False: dict[str, None]()}
        for kind in self._snapshot.operations.schema.type_map.values():
            for name, field in kind.fields.items() if is_object_type(kind) else ():
                for own in declared_questions(field):
                    asked[(kind.name, name) in said].update(dict.fromkeys(own.questions))
        return tuple(question for question in asked[False] if question not in asked[True])

    def body(self, operation: Operation, variables: Mapping[str, str]) -> Any:
        """Return what the operation reads, as plain JSON."""
        key = ("fact", operation.name, *sorted(variables.items()))
        return self._snapshot.cached(key, lambda: self._snapshot.run(operation, variables))

    def entries_of(self, type_name: str) -> list[Entry]:
        """Return the entries of a type in the order of the content."""
        return [entry for entry in self.entries if entry.type_name == type_name]

    def entry_at(self, operation: Operation, place: Path) -> Entry | None:
        """Return the entry that stands at a place in the body of an operation."""
        return self._places.get((operation.name, place))

    def _entries(self, reads: Sequence[Operation]) -> Iterator[Entry]:
        """Yield each named object that stands in a list, once."""
        single = {_listing(item): item for item in reads if item.path_variables}
        seen: set[tuple[str, str]] = set()
        for operation in sorted(reads, key=_size):
            if operation.path_variables:
                continue
            for path, shape, value in _named(operation, self.body(operation, {})):
                heading = shape.field_marked(Heading)
                name = str(value.get(heading.key, "")) if heading is not None else ""
                if not name or (shape.type_name, name) in seen or not _is_asked(shape):
                    continue
                seen.add((shape.type_name, name))
                member = ".".join(key for key in path if isinstance(key, str))
                own = single.get(f"{operation.name}.{member}" if member else operation.name)
                values = self._address(own, path)
                yield Entry(
                    kind=self.kinds.get(shape.type_name) or _camel(shape.type_name),
                    type_name=shape.type_name,
                    name=name,
                    other_names=tuple(_other_names(shape, value)),
                    slug=str(value.get("slug") or values.get("slug") or slug_of(name)),
                    shape=shape,
                    value=value,
                    listing=operation,
                    place=path,
                    single=own,
                    variables=values,
                )

    def _address(self, own: Operation | None, place: Path) -> Mapping[str, str]:
        """Return the variables of the operation that reads the item at a place of its list."""
        if own is None or not isinstance(place[-1], int):
            return {}
        values = self._snapshot.items_of(own)[place[-1]].values
        return {name: str(value) for name, value in values.items()}


def _said(shape: Shape, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the type and the name of each field that has a value."""
    if isinstance(shape, ListShape):
        for item in value:
            yield from _said(shape.item, item)
    elif isinstance(shape, ObjectShape):
        for member in shape.fields:
            if (inner := value.get(member.key)) not in (None, [], {}):
                yield shape.type_name, member.key
                yield from _said(member.shape, inner)


def _camel(name: str) -> str:
    return name[:1].lower() + name[1:]


def _other_names(shape: ObjectShape, value: Mapping[str, Any]) -> Iterator[str]:
    for member in shape.fields:
        if member.is_marked(OtherName) and (names := value.get(member.key)):
            yield from names if isinstance(names, list) else [names]


def _is_asked(shape: ObjectShape) -> bool:
    return any(asked.questions for field in shape.fields for asked in field.asked)


def _is_plain_read(operation: Operation, snapshot: Snapshot) -> bool:
    """Return whether a GET reads JSON that depends on nothing but its path."""
    return (
        operation.is_read
        and operation.rest is not None
        and "application/json" in operation.rest.media
        and is_answered(operation, snapshot)
        and all(not v.required or v.name in operation.path_variables for v in operation.variables)
    )


def _listing(operation: Operation) -> str:
    return (operation.rest.each or "") if operation.rest is not None else ""


def _size(operation: Operation) -> tuple[int, str]:
    """Sort the operations that select fewest fields first."""
    return _count(operation.shape), operation.name


def _count(shape: Shape) -> int:
    if isinstance(shape, ListShape):
        return _count(shape.item)
    return sum(1 + _count(m.shape) for m in shape.fields) if isinstance(shape, ObjectShape) else 0


def _best_fields(reads: Iterable[Operation], schema: GraphQLSchema) -> Iterator[AskedField]:
    """Yield each asked field, as the operation reads it that has it nearest to its root."""
    best: dict[tuple[Any, ...], tuple[tuple[bool, int, int, str], AskedField]] = {}
    for operation in reads:
        size = _size(operation)
        for item in _asked_fields(operation, schema):
            key = (item.asked.published, *item.asked.questions)
            rank = (bool(operation.path_variables), len(item.path or ()), *size)
            if key not in best or rank < best[key][0]:
                best[key] = (rank, item)
    for _, item in best.values():
        yield item


def _asked_fields(operation: Operation, schema: GraphQLSchema) -> Iterator[AskedField]:
    for owner, root in _root_fields(operation, schema):
        for asked in root.asked:
            if asked.questions:
                yield AskedField(operation, None, owner, root, asked)
    for path, shape in _objects(operation.shape, ()):
        for field in shape.fields:
            for asked in field.asked:
                if asked.questions:
                    yield AskedField(operation, path, shape, field, asked)


def _root_fields(
    operation: Operation, schema: GraphQLSchema
) -> Iterator[tuple[ObjectShape, Field]]:
    """Yield the root field as a field of each type that has one of the same name and type.

    `practice` of the root is the same as `practice` of the studio, and cheaper to read.
    """
    name = operation.root.name.value
    root = schema.query_type.fields.get(name) if schema.query_type is not None else None
    if root is None:
        return
    shape, _ = operation.unwrapped(operation.shape, {operation.root_key: None})
    for kind in schema.type_map.values():
        field = kind.fields.get(name) if is_object_type(kind) else None
        if field is not None and str(field.type).rstrip("!") == str(root.type).rstrip("!"):
            key = operation.root_key
            asked = declared_questions(field)
            marks = marks_on(field)
            member = Field(key, shape, optional=False, description="", marks=marks, asked=asked)
            yield ObjectShape(kind.name, "", (member,)), member


def _objects(shape: Shape, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ObjectShape]]:
    if isinstance(shape, ListShape):
        yield from _objects(shape.item, path)
    elif isinstance(shape, ObjectShape):
        yield path, shape
        for member in shape.fields:
            yield from _objects(member.shape, (*path, member.key))


def _named(
    operation: Operation, body: Any
) -> Iterator[tuple[Path, ObjectShape, Mapping[str, Any]]]:
    """Yield the objects in lists, and flat objects outside of them, with their paths."""

    def walk(shape: Shape, value: Any, path: Path) -> Iterator[tuple[Path, ObjectShape, Any]]:
        if isinstance(shape, ListShape):
            for index, item in enumerate(value or ()):
                if isinstance(shape.item, ObjectShape):
                    yield (*path, index), shape.item, item
                else:
                    yield from walk(shape.item, item, (*path, index))
        elif isinstance(shape, ObjectShape):
            if path and not any(isinstance(m.shape, ListShape | ObjectShape) for m in shape.fields):
                yield path, shape, value
            for member in shape.fields:
                if value.get(member.key) is not None:
                    yield from walk(member.shape, value[member.key], (*path, member.key))

    return walk(operation.shape, body, ())
