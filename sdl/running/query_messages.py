"""What graphql-core says of a caller's document, with the names that there are instead."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graphql import (
    BREAK,
    ArgumentNode,
    DocumentNode,
    GraphQLError,
    GraphQLNamedType,
    StringValueNode,
    Visitor,
    is_scalar_type,
    visit,
)
from graphql.language import Node

Types = Mapping[str, GraphQLNamedType]

_FOUND = re.compile(r", found: .*", re.DOTALL)
_NO_WRITES = re.compile(r"The (mutation|subscription) operation is not supported by the schema\.")


class _ArgumentOf(Visitor):
    """Finds the argument that has a value."""

    def __init__(self, value: Node) -> None:
        super().__init__()
        self.value, self.name = value, ""

    def enter_argument(self, node: ArgumentNode, *_: Any) -> Any:
        if node.value is self.value:
            self.name = node.name.value
        return BREAK if self.name else None


def with_its_argument(error: GraphQLError, document: DocumentNode) -> GraphQLError:
    """Return an error of a value with the argument that has it; others as they are."""
    if not error.message.startswith("must ") or not error.nodes:
        return error
    found = _ArgumentOf(error.nodes[0])
    visit(document, found)
    given = "" if isinstance(found.value, StringValueNode) else ", as a string in quotes"
    return (
        GraphQLError(f"{found.name}: {error.message}{given}", error.nodes) if found.name else error
    )


def _members(name: str) -> Callable[..., Iterable[str]]:
    def names_of(types: Types, kind: str) -> Iterable[str]:
        return getattr(types.get(kind), name, None) or ()

    return names_of


def _arguments(types: Types, kind: str, field: str) -> Iterable[str]:
    fields: Mapping[str, Any] = getattr(types.get(kind), "fields", {})
    return getattr(fields.get(field), "args", ())


def _scalars(types: Types) -> Iterable[str]:
    return (name for name, kind in types.items() if is_scalar_type(kind))


_HELP: tuple[tuple[re.Pattern[str], str, Callable[..., Iterable[str]]], ...] = (
    (re.compile(r"does not exist in '(\w+)' enum\."), "The values are", _members("values")),
    (
        re.compile(r"^Unknown argument '\w+' on field '(\w+)\.(\w+)'\.$"),
        "Its arguments are",
        _arguments,
    ),
    (
        re.compile(r"^Cannot query field '\w+' on type '(\w+)'\.$"),
        "Its fields are",
        _members("fields"),
    ),
    (
        re.compile(r"'(\w+)' not to include unknown field '\w+'\.$"),
        "Its members are",
        _members("fields"),
    ),
    (
        re.compile(r"of type '(\w+)!' is required, but it was not provided\.$"),
        "Its members are",
        _members("fields"),
    ),
    (re.compile(r"^Unknown type '\w+'\.$"), "The types of single values are", _scalars),
)
"""A message, and which names help: said as, and found by the groups of the pattern."""


def with_what_there_is(message: str, types: Types, writes: Sequence[str]) -> str:
    """Return a message with what is allowed; `writes` is where a read-only schema is written."""
    if message == "Validation aborted.":
        return "The document selects one field too many times; select it once."
    if writes and _NO_WRITES.search(message):
        return f"This schema has queries alone. To write or subscribe: {', '.join(writes)}."
    message = _FOUND.sub(".", message)
    for pattern, label, names_of in _HELP:
        if found := pattern.search(message):
            names = ", ".join(names_of(types, *found.groups()))
            return f"{message} {label}: {names}." if names else message
    return message
