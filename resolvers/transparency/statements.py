"""What a revision says: one statement for each read of its content, and for each stored document.

Which reads are statements follows from the schema: those whose root field has a type that a section
of the manifest holds. So a new section has statements as soon as an operation reads it, and what
comes from elsewhere, such as GitHub, has none.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from graphql import (
    FragmentDefinitionNode,
    GraphQLNamedType,
    GraphQLSchema,
    get_named_type,
    is_object_type,
)

from sdl.operations.catalog import is_answered
from sdl.operations.operation import Operation, section_of
from sdl.running.runner import Operations, Snapshot
from sdl.types.marks import Section
from sdl.types.shape import marks_on

_MANIFEST, _JSON = "Manifest", "application/json"
_IDENTIFIERS = ("slug", "id")
"""The keys that name an item of a list."""


_OPERATION, _FRAGMENT = "operation/", "fragment/"
TOOL, PROMPT, RESOURCE, DOCUMENT = "tool/", "prompt/", "resource/", "document/"
INTERFACE = (_OPERATION, _FRAGMENT, TOOL, PROMPT, RESOURCE, DOCUMENT)
"""How the names of those statements begin that are no content."""


class Statement(NamedTuple):
    """One thing that is said, under one name."""

    name: str
    """The path of its read without `/api/`, such as `faq/who-owns-the-code`; or, for what is no
    content, its kind and name, such as `operation/ListFaq`."""
    data: Any
    """What the read answers, as plain JSON."""


def content_statements(snapshot: Snapshot) -> Iterator[Statement]:
    """Yield a statement for each read of content, and for each named item of a list."""
    reads = content_reads(snapshot.operations)
    listings = {o.rest.each for o in reads if o.rest is not None}
    for operation in reads:
        if not is_answered(operation, snapshot):
            continue
        if operation.path_variables and operation.rest is not None:
            for item in snapshot.items_of(operation):
                path = item.path(operation.rest.path)
                yield Statement(section_of(path), snapshot.run(operation, item.values))
            continue
        name, body = operation.section or "", snapshot.body(operation)
        yield Statement(name, body)
        if operation.name not in listings:
            yield from named_items(name, body)


@lru_cache(1)  # most revisions have the operations of the one before
def content_reads(operations: Operations) -> tuple[Operation, ...]:
    """Return the operations whose answers are statements."""
    types = _content_types(operations.schema)
    return tuple(o for o in operations if _is_content(o, operations.schema, types))


def named_items(name: str, body: Any) -> Iterator[Statement]:
    """Yield a statement for each item of a list that has an identifier."""
    for item in body if isinstance(body, list) else ():
        key = next((key for key in _IDENTIFIERS if key in item), None)
        if key is not None:
            yield Statement(f"{name}/{item[key]}", item)


def operation_statements(operations: Operations) -> Iterator[Statement]:
    """Yield a statement for the text of each stored operation, and of each fragment."""
    fragments: dict[str, str] = {}
    for operation in operations:
        source = operation.node.loc.source if operation.node.loc is not None else None
        if source is None:
            continue
        yield Statement(f"{_OPERATION}{operation.name}", {"document": source.body})
        for node in operation.document.definitions:
            if not isinstance(node, FragmentDefinitionNode) or node.loc is None:
                continue
            if node.loc.source.body != source.body:  # a generated one has no text of its own
                fragments[node.name.value] = node.loc.source.body
    for name, text in fragments.items():
        yield Statement(f"{_FRAGMENT}{name}", {"document": text})


def _is_content(
    operation: Operation, schema: GraphQLSchema, types: dict[str, GraphQLNamedType]
) -> bool:
    """Return whether a GET reads JSON of the content that depends on nothing but its path."""
    rest, query = operation.rest, schema.query_type
    if rest is None or query is None or not operation.is_read or _JSON not in rest.media:
        return False
    if any(v.required and v.name not in operation.path_variables for v in operation.variables):
        return False
    name = operation.root.name.value
    kind = get_named_type(query.fields[name].type)
    if is_object_type(kind):
        return kind.name in types
    return any(
        is_object_type(holder)
        and name in holder.fields
        and get_named_type(holder.fields[name].type) is kind
        for holder in types.values()
    )


def _content_types(schema: GraphQLSchema) -> dict[str, GraphQLNamedType]:
    """Return every object type that a section of the manifest holds, at any depth."""
    manifest = schema.get_type(_MANIFEST)
    fields = manifest.fields.values() if is_object_type(manifest) else ()
    marked = [f for f in fields if any(isinstance(mark, Section) for mark in marks_on(f))]
    waiting = [get_named_type(field.type) for field in marked]
    types: dict[str, GraphQLNamedType] = {_MANIFEST: manifest} if manifest is not None else {}
    while waiting:
        kind = waiting.pop()
        if is_object_type(kind) and kind.name not in types:
            types[kind.name] = kind
            waiting += [get_named_type(field.type) for field in kind.fields.values()]
    return types
