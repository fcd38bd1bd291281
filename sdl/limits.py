"""Size limits of a GraphQL document from a caller, checked before it is validated.

One pass counts everything, and each fragment is measured once, so the time is proportional to the
document's length.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
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
MAX_COMPUTED = 2

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
    "fields that a model computes": MAX_COMPUTED,
    "cost: one for each field, times the lengths of the lists it stands in": MAX_COST,
}
"""The limits by their names in the documentation."""

_INTROSPECTION = ("__schema", "__type")

Fragments = dict[str, FragmentDefinitionNode]


def check_limits(document: DocumentNode, costly: Collection[str] = ()) -> None:
    """Raise `GraphQLError`, which names the limit, if a document is over a limit."""
    fragments: Fragments = {}
    operations: list[OperationDefinitionNode] = []
    for definition in document.definitions:
        if isinstance(definition, FragmentDefinitionNode):
            fragments[definition.name.value] = definition
        elif isinstance(definition, OperationDefinitionNode):
            operations.append(definition)
    _at_most(MAX_OPERATIONS, len(operations), "operations")
    _at_most(MAX_FRAGMENTS, len(document.definitions) - len(operations), "fragments")
    counts: Counter[str] = Counter()
    for node in _nodes(document):
        counts.update(_countable(node))
        directives = getattr(node, "directives", None) or ()
        _at_most(MAX_DIRECTIVES_ON_ONE, len(directives), "directives on one element")
    _at_most(MAX_ALIASES, counts["aliases"], "aliases")
    _at_most(MAX_DIRECTIVES, counts["directives"], "directives")
    _at_most(MAX_VARIABLES, counts["variables"], "variables")
    for name in _INTROSPECTION:
        _at_most(1, counts[name], f"{name} fields")
    computed = sum(counts[name] for name in costly)
    _at_most(MAX_COMPUTED, computed, f"of the fields {', '.join(sorted(costly))}")
    measure = _Measure(fragments)
    for operation in operations:
        size = measure.selection(operation.selection_set, 0, inside=False)
        _at_most(MAX_ROOT_FIELDS, size.width, "root fields")


def _nodes(document: DocumentNode) -> Iterator[Node]:
    stack: list[Node] = [document]
    while stack:
        node = stack.pop()
        yield node
        for key in node.keys:
            value = getattr(node, key, None)
            if isinstance(value, Node):
                stack.append(value)
            elif isinstance(value, (list, tuple)):
                stack.extend(value)


def _countable(node: Node) -> Iterator[str]:
    """Yield what a node counts as: an alias, a field of its name, a directive, a variable."""
    if isinstance(node, FieldNode):
        if node.alias is not None:
            yield "aliases"
        yield node.name.value
    elif isinstance(node, DirectiveNode):
        yield "directives"
    elif isinstance(node, VariableDefinitionNode):
        yield "variables"


def _at_most(limit: int, count: int, what: str) -> None:
    if count > limit:
        raise GraphQLError(f"The document has more than {limit} {what}.")


@dataclass(frozen=True)
class _Size:
    """The size of a selection with its fragments."""

    width: int = 0
    """The number of fields on the first level."""
    plain: int = 0
    """The number of levels outside introspection."""
    introspection: int = 0
    """The number of levels down to the end of introspection."""


class _Measure:
    """Measures selections; each fragment once inside and once outside introspection."""

    def __init__(self, fragments: Fragments) -> None:
        self.fragments = fragments
        self.fragment_sizes: dict[tuple[str, bool], _Size] = {}
        self.open: set[tuple[str, bool]] = set()

    def selection(self, selection: SelectionSetNode, depth: int, *, inside: bool) -> _Size:
        """Return the size of a selection at a depth. Raises: GraphQLError if it is too deep."""
        sizes = [self._node(node, depth, inside=inside) for node in selection.selections]
        return _Size(
            sum(size.width for size in sizes),
            max((size.plain for size in sizes), default=0),
            max((size.introspection for size in sizes), default=0),
        )

    def _node(self, node: SelectionNode, depth: int, *, inside: bool) -> _Size:
        if isinstance(node, FieldNode):
            return self._field(node, depth, inside=inside)
        if isinstance(node, InlineFragmentNode):
            return self.selection(node.selection_set, depth, inside=inside)
        if isinstance(node, FragmentSpreadNode) and node.name.value in self.fragments:
            return self._fragment(node.name.value, depth, inside=inside)
        return _Size()

    def _field(self, node: FieldNode, depth: int, *, inside: bool) -> _Size:
        inside = inside or node.name.value in _INTROSPECTION
        own = _Size(1, 0, 1) if inside else _Size(1, 1, 0)
        _check(depth, own)
        if node.selection_set is None:
            return own
        inner = self.selection(node.selection_set, depth + 1, inside=inside)
        return _Size(
            1,
            inner.plain + 1 if own.plain else 0,
            inner.introspection + 1 if inner.introspection or inside else 0,
        )

    def _fragment(self, name: str, depth: int, *, inside: bool) -> _Size:
        key = (name, inside)
        if key in self.open:
            raise GraphQLError("A fragment spreads itself.")
        if key not in self.fragment_sizes:
            self.open.add(key)
            body = self.fragments[name].selection_set
            self.fragment_sizes[key] = self.selection(body, depth, inside=inside)
            self.open.discard(key)
        _check(depth, self.fragment_sizes[key])
        return self.fragment_sizes[key]


def _check(depth: int, size: _Size) -> None:
    for levels, limit in (
        (size.plain, MAX_DEPTH),
        (size.introspection, MAX_INTROSPECTION_DEPTH),
    ):
        if levels and depth + levels > limit:
            raise GraphQLError(f"The document is nested deeper than {limit} levels.")
