"""The limits of a GraphQL document from a caller, checked before it is validated.

One pass counts all nodes and one measures what is selected: its depth, and its cost, which is each
field multiplied by the lengths of the lists around it. Each fragment is measured once for each type
that it is spread on, so the time is proportional to the document's length.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    NamedTypeNode,
    NameNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    VariableDefinitionNode,
    get_named_type,
    is_abstract_type,
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
Lengths = Mapping[tuple[str, str], Mapping[str, float]]
"""The average number of objects of each type that a field returns, by type and field name."""


def check_limits(
    schema: GraphQLSchema, document: DocumentNode, lengths: Lengths, costly: Collection[str] = ()
) -> float:
    """Return the cost of a document, that of its dearest operation.

    `costly` are the fields that a model computes. Raises: GraphQLError if it is over a limit, which
    is named.
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
    measure, most = _Measure(schema, fragments, lengths), 0.0
    for operation in operations:
        root = schema.get_root_type(operation.operation)
        size = measure.selection(operation.selection_set, root, 0, in_introspection=False)
        _at_most(MAX_ROOT_FIELDS, size.field_count, "root fields")
        most = max(most, size.cost)
    if most > MAX_COST:
        raise GraphQLError(
            f"The document costs more than {MAX_COST}. Each field counts once, multiplied by the"
            " lengths of the lists around it."
        )
    return most


@dataclass
class _Counts:
    """How many fields, aliases, directives and variables a document has."""

    fields: Counter[str]
    """How often a field is selected, by its name."""
    aliases: int = 0
    directives: int = 0
    variables: int = 0


def _counted(document: DocumentNode) -> _Counts:
    """Return a document's counts. Raises: GraphQLError for too many directives on one element."""
    counts = _Counts(Counter())
    stack: list[Node] = [document]
    while stack:
        node = stack.pop()
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


class _Size(NamedTuple):
    """The size of a selection with its fragments."""

    field_count: int = 0
    """The number of fields on the first level."""
    depth: int = 0
    """The number of levels outside introspection."""
    introspection: int = 0
    """The number of levels down to the end of introspection."""
    cost: float = 0.0
    """Its fields, each multiplied by the lengths of the lists around it."""


_LEAF, _INNER_LEAF = _Size(1, 1, 0, 1.0), _Size(1, 0, 1, 1.0)
"""A field without a selection, outside introspection and in it."""
Kind: TypeAlias = GraphQLNamedType | None
"""The type that a selection is on; None if there is no such type."""


class _Measure:
    """Measures selections; each fragment once for a type, inside and outside introspection."""

    def __init__(self, schema: GraphQLSchema, fragments: Fragments, lengths: Lengths) -> None:
        self.schema = schema
        self.fragments = fragments
        self.lengths = lengths
        self.fragment_sizes: dict[tuple[str, Kind, bool], _Size] = {}
        self.in_progress: set[tuple[str, Kind, bool]] = set()

    def selection(
        self, selection: SelectionSetNode, kind: Kind, depth: int, *, in_introspection: bool
    ) -> _Size:
        """Return the size of a selection at a depth. Raises: GraphQLError if it is too deep."""
        count, levels, introspection, cost = 0, 0, 0, 0.0
        for node in selection.selections:
            size = self._node(node, kind, depth, in_introspection=in_introspection)
            count += size.field_count
            levels = max(levels, size.depth)
            introspection = max(introspection, size.introspection)
            cost += size.cost
        return _Size(count, levels, introspection, cost)

    def _node(
        self, node: SelectionNode, kind: Kind, depth: int, *, in_introspection: bool
    ) -> _Size:
        if isinstance(node, FieldNode):
            return self._field(node, kind, depth, in_introspection=in_introspection)
        if isinstance(node, InlineFragmentNode):
            condition, body = node.type_condition, node.selection_set
            size = self.selection(body, kind, depth, in_introspection=in_introspection)
        elif isinstance(node, FragmentSpreadNode) and node.name.value in self.fragments:
            condition = self.fragments[node.name.value].type_condition
            size = self._fragment(node.name.value, kind, depth, in_introspection=in_introspection)
        else:
            return _Size()
        return size if self._applies(condition, kind) else size._replace(cost=0.0)

    def _field(self, node: FieldNode, kind: Kind, depth: int, *, in_introspection: bool) -> _Size:
        name = node.name.value
        in_introspection = in_introspection or name in _INTROSPECTION
        own = _INNER_LEAF if in_introspection else _LEAF
        _check(depth, own)
        if node.selection_set is None:
            return own
        inner, cost = _Size(), 1.0
        for kind_below, length in self._below(kind, name):
            inner = self.selection(
                node.selection_set, kind_below, depth + 1, in_introspection=in_introspection
            )
            cost += length * inner.cost
        return _Size(
            1,
            inner.depth + 1 if own.depth else 0,
            inner.introspection + 1 if inner.introspection or in_introspection else 0,
            cost,
        )

    def _below(self, kind: Kind, name: str) -> list[tuple[Kind, float]]:
        """Return the types that a field returns, with the number of objects of each."""
        fields: dict[str, GraphQLField] = getattr(kind, "fields", {})
        if kind is None or name not in fields:
            return [(None, 0.0)]
        inner = get_named_type(fields[name].type)
        lengths = self.lengths.get((kind.name, name), {inner.name: 1.0})
        types = self.schema.type_map
        return [(types[own], length) for own, length in lengths.items()] or [(inner, 0.0)]

    def _fragment(self, name: str, kind: Kind, depth: int, *, in_introspection: bool) -> _Size:
        key = (name, kind, in_introspection)
        if key in self.in_progress:
            raise GraphQLError(f"The fragment {name!r} spreads itself.", self.fragments[name])
        if key not in self.fragment_sizes:
            self.in_progress.add(key)
            body = self.fragments[name].selection_set
            self.fragment_sizes[key] = self.selection(
                body, kind, depth, in_introspection=in_introspection
            )
            self.in_progress.discard(key)
        _check(depth, self.fragment_sizes[key])
        return self.fragment_sizes[key]

    def _applies(self, condition: NamedTypeNode | None, kind: Kind) -> bool:
        if condition is None or kind is None or condition.name.value == kind.name:
            return True
        other = self.schema.type_map.get(condition.name.value)
        return is_abstract_type(other) and kind in self.schema.get_possible_types(other)


def _check(depth: int, size: _Size) -> None:
    for levels, limit in (
        (size.depth, MAX_DEPTH),
        (size.introspection, MAX_INTROSPECTION_DEPTH),
    ):
        if levels and depth + levels > limit:
            raise GraphQLError(f"The document is nested deeper than {limit} levels.")
