"""How entries are cited: by a kind and a slug, such as `project/tidebook`."""

from functools import lru_cache

from graphql import GraphQLSchema, get_named_type, is_object_type

from sdl.operations.operation import Operation, section_of
from sdl.running.runner import Operations
from sdl.types.marks import Citable
from sdl.types.shape import marks_on


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
