"""Size limits of a GraphQL document from a caller, checked before it is validated.

One pass counts everything, and each fragment is measured once, so the time is proportional to the
document's length.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    NameNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    VariableDefinitionNode,
)
from graphql.language import Node

MAX_CHARACTERS = 10_000
MAX_TOKENS = 1_000
MAX_DEPTH = 12
MAX_INTROSPECTION_DEPTH = 20
MAX_ERRORS = 10

MAX_ALIASES = 15
MAX_ROOT_FIELDS = 30
MAX_DIRECTIVES = 50
MAX_DIRECTIVES_ON_ONE = 5
MAX_OPERATIONS = 10
MAX_FRAGMENTS = 50
MAX_VARIABLES = 50
MAX_COST = 5_000
MAX_MODEL_FIELDS = 2

LIMITS = {
    "characters": MAX_CHARACTERS,
    "tokens and comments": MAX_TOKENS,
    "levels": MAX_DEPTH,
    "levels down to the end of introspection": MAX_INTROSPECTION_DEPTH,
    "aliases": MAX_ALIASES,
    "root fields": MAX_ROOT_FIELDS,
    "directives on one element": MAX_DIRECTIVES_ON_ONE,
    "directives": MAX_DIRECTIVES,
    "operations": MAX_OPERATIONS,
    "fragments": MAX_FRAGMENTS,
    "variables": MAX_VARIABLES,
    "fields that a model computes": MAX_MODEL_FIELDS,
    "cost: one for each field, times the lengths of the lists it stands in": MAX_COST,
}
"""The limits by their names in the documentation."""

_INTROSPECTION = ("__schema", "__type")

Fragments = dict[str, FragmentDefinitionNode]


def check_limits(document: DocumentNode, costly: Collection[str] = ()) -> set[type[Node]]:
    """Return the kinds of nodes in a document.

    Raises: GraphQLError if it is over a limit, which is named.
    """
    fragments: Fragments = {}
    operations: list[OperationDefinitionNode] = []
    for definition in document.definitions:
        if isinstance(definition, FragmentDefinitionNode):
            fragments[definition.name.value] = definition
        elif isinstance(definition, OperationDefinitionNode):
            operations.append(definition)
    _at_most(MAX_OPERATIONS, len(operations), "operations")
    _at_most(MAX_FRAGMENTS, len(document.definitions) - len(operations), "fragments")
    counts = _counted(document)
    _at_most(MAX_ALIASES, counts.aliases, "aliases")
    _at_most(MAX_DIRECTIVES, counts.directives, "directives")
    _at_most(MAX_VARIABLES, counts.variables, "variables")
    for name in _INTROSPECTION:
        _at_most(1, counts.fields[name], f"{name} fields")
    computed = sum(counts.fields[name] for name in costly)
    _at_most(MAX_MODEL_FIELDS, computed, f"of the fields {', '.join(sorted(costly))}")
    measure = _Measure(fragments)
    for operation in operations:
        size = measure.selection(operation.selection_set, 0, in_introspection=False)
        _at_most(MAX_ROOT_FIELDS, size.field_count, "root fields")
    return counts.kinds


@dataclass
class _Counts:
    """What a document has."""

    kinds: set[type[Node]]
    fields: Counter[str]
    """The fields by their names."""
    aliases: int = 0
    directives: int = 0
    variables: int = 0


def _counted(document: DocumentNode) -> _Counts:
    """Return what a document has. Raises: GraphQLError for too many directives on one element."""
    counts = _Counts(set(), Counter())
    stack: list[Node] = [document]
    while stack:
        node = stack.pop()
        counts.kinds.add(type(node))
        if isinstance(node, FieldNode):
            counts.fields[node.name.value] += 1
            counts.aliases += node.alias is not None
        elif isinstance(node, DirectiveNode):
            counts.directives += 1
        elif isinstance(node, VariableDefinitionNode):
            counts.variables += 1
        directives = getattr(node, "directives", None) or ()
        _at_most(MAX_DIRECTIVES_ON_ONE, len(directives), "directives on one element")
        for key in _keys(node):
            value = getattr(node, key, None)
            if isinstance(value, Node):
                stack.append(value)
            elif isinstance(value, (list, tuple)):
                stack.extend(value)
    return counts


_KEYS: dict[type[Node], tuple[str, ...]] = {
    FieldNode: ("arguments", "directives", "selection_set"),
    NameNode: (),
}
"""The members of a kind of node that have nodes; the names of fields are counted with them."""


def _keys(node: Node) -> tuple[str, ...]:
    kind = type(node)
    if kind not in _KEYS:  # graphql-core computes them each time
        _KEYS[kind] = tuple(node.keys)
    return _KEYS[kind]


def _at_most(limit: int, count: int, what: str) -> None:
    if count > limit:
        raise GraphQLError(f"The document has more than {limit} {what}.")


@dataclass(frozen=True)
class _Size:
    """The size of a selection with its fragments."""

    field_count: int = 0
    """The number of fields on the first level."""
    depth: int = 0
    """The number of levels outside introspection."""
    introspection: int = 0
    """The number of levels down to the end of introspection."""


_LEAF, _INNER_LEAF = _Size(1, 1, 0), _Size(1, 0, 1)
"""A field without a selection, outside introspection and in it."""


class _Measure:
    """Measures selections; each fragment once inside and once outside introspection."""

    def __init__(self, fragments: Fragments) -> None:
        self.fragments = fragments
        self.fragment_sizes: dict[tuple[str, bool], _Size] = {}
        self.in_progress: set[tuple[str, bool]] = set()

    def selection(
        self, selection: SelectionSetNode, depth: int, *, in_introspection: bool
    ) -> _Size:
        """Return the size of a selection at a depth. Raises: GraphQLError if it is too deep."""
        sizes = [
            self._node(node, depth, in_introspection=in_introspection)
            for node in selection.selections
        ]
        return _Size(
            sum(size.field_count for size in sizes),
            max((size.depth for size in sizes), default=0),
            max((size.introspection for size in sizes), default=0),
        )

    def _node(self, node: SelectionNode, depth: int, *, in_introspection: bool) -> _Size:
        if isinstance(node, FieldNode):
            return self._field(node, depth, in_introspection=in_introspection)
        if isinstance(node, InlineFragmentNode):
            return self.selection(node.selection_set, depth, in_introspection=in_introspection)
        if isinstance(node, FragmentSpreadNode) and node.name.value in self.fragments:
            return self._fragment(node.name.value, depth, in_introspection=in_introspection)
        return _Size()

    def _field(self, node: FieldNode, depth: int, *, in_introspection: bool) -> _Size:
        in_introspection = in_introspection or node.name.value in _INTROSPECTION
        own = _INNER_LEAF if in_introspection else _LEAF
        _check(depth, own)
        if node.selection_set is None:
            return own
        inner = self.selection(node.selection_set, depth + 1, in_introspection=in_introspection)
        return _Size(
            1,
            inner.depth + 1 if own.depth else 0,
            inner.introspection + 1 if inner.introspection or in_introspection else 0,
        )

    def _fragment(self, name: str, depth: int, *, in_introspection: bool) -> _Size:
        key = (name, in_introspection)
        if key in self.in_progress:
            raise GraphQLError("A fragment spreads itself.")
        if key not in self.fragment_sizes:
            self.in_progress.add(key)
            body = self.fragments[name].selection_set
            self.fragment_sizes[key] = self.selection(
                body, depth, in_introspection=in_introspection
            )
            self.in_progress.discard(key)
        _check(depth, self.fragment_sizes[key])
        return self.fragment_sizes[key]


def _check(depth: int, size: _Size) -> None:
    for levels, limit in (
        (size.depth, MAX_DEPTH),
        (size.introspection, MAX_INTROSPECTION_DEPTH),
    ):
        if levels and depth + levels > limit:
            raise GraphQLError(f"The document is nested deeper than {limit} levels.")
