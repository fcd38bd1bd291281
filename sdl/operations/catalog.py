"""The catalogue: an index entry for every address of the service."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import orjson
from graphql import (
    GraphQLInputType,
    GraphQLSchema,
    get_named_type,
    is_object_type,
)

from sdl.arguments.input_schemas import argument_types, is_json_text, needed_arguments
from sdl.errors import ApiError, UnavailableError
from sdl.operations.operation import Operation, as_text, filled, section_of, with_suffix
from sdl.running.runner import Operations, Snapshot
from sdl.types.directives import MEDIA_TYPES
from sdl.types.marks import Citable
from sdl.types.shape import ListShape, ObjectShape, Shape, marks_on

OPTIONAL = "Optional"
"""The index section that short-context readers may skip. Source: the llms.txt proposal."""

_MARKDOWN = MEDIA_TYPES["MARKDOWN"]


@dataclass(frozen=True)
class IndexEntry:
    """The index entry of one address."""

    section: str
    title: str
    path: str
    reading_path: str
    note: str
    goals: tuple[str, ...] = ()
    """Example goals in callers' words, if no stored operation answers at the address."""
    minor: bool = False
    """Whether the short index leaves it out: another form or a part of what it lists."""
    body: tuple[str, ...] = ()
    """The members of the body that is sent there; empty for a read."""
    operation: Operation | None = None
    """The stored operation that answers at the address; None for a document."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The variables of the operation that the path fills."""

    @property
    def method(self) -> str:
        """The method that its address is asked with."""
        rest = self.operation.rest if self.operation is not None else None
        return rest.method if rest is not None else "GET"

    @property
    def is_link(self) -> bool:
        """Whether a GET of its path answers, as no variable is left open in it."""
        return "{" not in self.path and self.method in ("GET", "POST")

    @property
    def name(self) -> str:
        """The name that the OpenAPI description gives to a GET of a discovery document."""
        return "Get" + "".join(re.findall(r"[A-Za-z0-9]+", self.title.title()))


def catalog_of(snapshot: Snapshot) -> tuple[IndexEntry, ...]:
    """Return the entries of all `@llms` operations, by section and order.

    An operation with variables in its path has an entry for each item that fills them, or one with
    the path as it is written where nothing lists its items.
    """
    listed = [
        operation
        for operation in snapshot.operations
        if operation.llms is not None and operation.is_listed and is_answered(operation, snapshot)
    ]
    rank: dict[str, int] = {}
    for operation in listed:
        if operation.llms is not None:
            section, order = operation.llms.section, operation.llms.order
            rank[section] = min(order, rank.get(section, order))
    pairs = [(operation, entry) for operation in listed for entry in _entries(operation, snapshot)]
    pairs.sort(key=lambda pair: (rank[pair[1].section], pair[1].section, _order(pair[0])))
    return tuple(entry for _, entry in pairs)


def signed_entries(snapshot: Snapshot) -> tuple[IndexEntry, ...]:
    """Return an entry for each signed form."""
    signed = [operation for operation in snapshot.operations if operation.sign is not None]
    return tuple(_signed_entry(operation) for operation in sorted(signed, key=_order))


def is_answered(operation: Operation, snapshot: Snapshot) -> bool:
    """Whether an operation is available now; runs it only if it declares `UnavailableError`."""
    if not snapshot.has(operation):
        return False
    if UnavailableError.code not in operation.errors or not operation.is_read or snapshot.is_live:
        return True
    try:
        snapshot.run(operation)
    except ApiError:
        return False
    return True


def empty_reads(snapshot: Snapshot) -> frozenset[str]:
    """Return the names of the tools and resources that read nothing here.

    They answer, as callers were promised, but no index, signature or goal leads to them.
    """
    return frozenset(o.name for o in snapshot.operations if _is_empty(o, snapshot))


def _is_empty(operation: Operation, snapshot: Snapshot) -> bool:
    if not (operation.mcp or operation.resource) or operation.rest is None or not operation.is_read:
        return False
    if operation.path_variables:
        return not snapshot.items_of(operation)
    if any(variable.required for variable in operation.variables) or operation.errors:
        return False
    if not _may_be_empty(operation.shape):
        return False
    value = snapshot.body(operation)
    members = value.values() if isinstance(value, dict) else ()
    return value == [] or (bool(members) and all(member == [] for member in members))


def _may_be_empty(shape: Shape) -> bool:
    """Whether a body of this shape is a list, or an object of nothing but lists and options."""
    if isinstance(shape, ObjectShape):
        return all(field.optional or isinstance(field.shape, ListShape) for field in shape.fields)
    return isinstance(shape, ListShape)


def _order(operation: Operation) -> tuple[int, str]:
    return (operation.llms.order if operation.llms else 0, operation.name)


def _entries(operation: Operation, snapshot: Snapshot) -> Iterator[IndexEntry]:
    if operation.llms is None or operation.rest is None:
        return
    llms, path = operation.llms, operation.rest.path
    read = {o.rest.path for o in snapshot.operations if o.rest and o.rest.method == "GET"}
    entry = IndexEntry(
        llms.section,
        operation.title,
        path,
        _reading_path(operation, path, read),
        operation.summary,
        minor=llms.minor,
        body=_body(operation),
        operation=operation,
    )
    is_open = operation.is_read and operation.rest.each is None
    if is_open and (snapshot.is_live or operation.path_variables):
        path = example_path(operation) or _template(operation, path)
        yield replace(entry, path=path, reading_path=path)
    elif not operation.path_variables or operation.rest.each is None:
        yield entry
    for item in snapshot.items_of(operation):
        item_path = item.path(path)
        yield replace(
            entry,
            title=item.title,
            path=item_path,
            reading_path=_reading_path(operation, item_path, read),
            note=item.note,
            values=item.values,
        )


def example_path(operation: Operation) -> str | None:
    """Return the path and query of the first example that succeeds; None if there is none.

    An operation that needs no variable has one without an example.
    """
    needed = {variable.name for variable in operation.variables if variable.required}
    good = (e.variables for e in operation.examples if e.status < HTTPStatus.BAD_REQUEST)
    values = next((v for v in good if needed <= {*v}), None if needed else {})
    return None if values is None else address(operation, values)


def address(operation: Operation, values: Mapping[str, Any]) -> str:
    """Return the path and query of a read with these values of its variables, as JSON has them.

    What is null, and what a header says, is left out.
    """
    template = operation.rest.path if operation.rest is not None else ""
    sent = texts_of(operation, values)
    query = {name: own for name, own in sent.items() if name not in operation.path_variables}
    path = filled(template, sent)
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def texts_of(operation: Operation, values: Mapping[str, Any]) -> dict[str, str | list[str]]:
    """Return the texts that values of variables have in an address, those of lists in lists.

    An object, a list of them and any value of a JSON scalar is one text.
    """
    types, members = argument_types(operation), operation.members(values)
    return {n: _texts(types.get(n), value) for n, value in members.items() if value is not None}


def _texts(kind: GraphQLInputType | None, value: Any) -> str | list[str]:
    if kind is not None and is_json_text(kind):
        return orjson.dumps(value).decode()
    return [as_text(item) for item in value] if isinstance(value, list) else as_text(value)


def _template(operation: Operation, path: str) -> str:
    """Return a path with its needed query, whose values are open. Source: RFC 6570."""
    needed = needed_arguments(operation)
    query = [f"{name}={{{name}}}" for name in needed if name not in operation.path_variables]
    return f"{path}?{'&'.join(query)}" if query else path


def _body(operation: Operation) -> tuple[str, ...]:
    """Return the members of the body of the first example; none if the operation is a read."""
    if operation.is_read or not operation.examples:
        return ()
    sent = operation.examples[0].variables
    nested = next(iter(sent.values()), None)
    return tuple(nested if len(sent) == 1 and isinstance(nested, dict) else sent)


def _signed_entry(operation: Operation) -> IndexEntry:
    path = operation.signed_path or ""
    if operation.sign is not None and operation.sign.section is not None:
        path = f"{path}?section={operation.sign.section}"
    title = f"{operation.title}, signed"
    return IndexEntry(OPTIONAL, title, path, path, operation.summary, minor=True)


def _reading_path(operation: Operation, path: str, read: Collection[str]) -> str:
    """Return the address of a markdown form, which a POST has for its description."""
    media = operation.rest.media if operation.rest else []
    is_described = operation.rest is not None and operation.rest.method == "POST"
    is_described = is_described and path not in read
    has_markdown = (_MARKDOWN in media and len(media) > 1 and operation.is_read) or is_described
    return with_suffix(path, ".md") if has_markdown else path


def kinds_of(schema: GraphQLSchema) -> dict[str, str]:
    """Return the kind in the citations of each type, by its name: `{"Project": "project"}`."""
    types = [kind for kind in schema.type_map.values() if is_object_type(kind)]
    return {
        get_named_type(field.type).name: mark.kind
        for kind in types
        for field in kind.fields.values()
        for mark in marks_on(field)
        if isinstance(mark, Citable)
    }


@lru_cache(2)  # all operations, and those of a revision
def entry_reads(operations: Operations) -> dict[str, Operation]:
    """Return the operation that reads one entry, by the kind that such entries are cited by."""
    kinds, query = kinds_of(operations.schema), operations.schema.query_type
    found = dict[str, Operation]()
    for operation in operations:
        if operation.rest is None or operation.rest.each is None or query is None:
            continue
        entry = get_named_type(query.fields[operation.root.name.value].type)
        if entry.name in kinds:
            found[kinds[entry.name]] = operation
    return found


def own_name(name: str, operations: Operations) -> str:
    """Return the name of an entry's statement, also for how it is cited: `project/tidebook`."""
    kind, _, slug = name.partition("/")
    read = entry_reads(operations).get(kind)
    if not slug or read is None or read.rest is None:
        return name
    return f"{section_of(read.rest.path)}/{slug}"


READ, FETCH, VERIFY = "read", "fetch", "verify"
SECTION, SLUG, PARAMETERS = "section", "slug", "parameters"


def read_arguments_of(
    section: str, path: Mapping[str, Any], query: Mapping[str, Any]
) -> dict[str, str]:
    """Return the arguments of `read` for a section, the values of its path and its parameters."""
    arguments = {SECTION: section}
    for slug in path.values():
        arguments[SLUG] = str(slug)
    if query:
        arguments[PARAMETERS] = urlencode(query)
    return arguments
