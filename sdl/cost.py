"""What a valid document would cost: its fields, times the lengths of the lists they stand in."""

from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    is_list_type,
    is_non_null_type,
)

from schema.declare import Output

MAX_COST = 5_000


def check_cost(schema: GraphQLSchema, document: DocumentNode, lengths: Mapping[str, int]) -> None:
    """Nothing, for a valid document that is cheap enough. Raises: GraphQLError."""
    cost = _Cost(schema, document, lengths)
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            root = schema.get_root_type(node.operation)
            if root is not None and cost.selection(node.selection_set, root) > MAX_COST:
                raise GraphQLError(
                    f"The document costs more than {MAX_COST}: one for each field, times the"
                    " lengths of the lists it stands in."
                )


def list_lengths(root: object) -> dict[str, int]:
    """The longest list of each type in the content, by the type's name."""
    longest: dict[str, int] = {}
    for name, length in _lists(root):
        longest[name] = max(length, longest.get(name, 1))
    return longest


def _lists(value: object) -> Iterator[tuple[str, int]]:
    if isinstance(value, list):
        if value and isinstance(value[0], Output):
            yield type(value[0]).__name__, len(value)
        for item in value:
            yield from _lists(item)
    elif isinstance(value, Output):
        for _, inner in value:
            yield from _lists(inner)


class _Cost:
    """Costs of selections; each fragment is weighed once."""

    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, lengths: Mapping[str, int]
    ) -> None:
        self.schema = schema
        self.lengths = lengths
        self.fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self.known: dict[str, int] = {}

    def selection(self, selection: SelectionSetNode, kind: GraphQLNamedType) -> int:
        """The cost of a selection on a type."""
        total = 0
        for node in selection.selections:
            if isinstance(node, FieldNode):
                total += self._field(node, kind)
            elif isinstance(node, InlineFragmentNode):
                total += self.selection(node.selection_set, self._condition(node, kind))
            elif isinstance(node, FragmentSpreadNode):
                total += self._fragment(node.name.value)
        return total

    def _field(self, node: FieldNode, kind: GraphQLNamedType) -> int:
        field = getattr(kind, "fields", {}).get(node.name.value)
        if node.selection_set is None or field is None:
            return 1
        named: GraphQLNamedType = get_named_type(field.type)
        outer: Any = field.type.of_type if is_non_null_type(field.type) else field.type
        times = self.lengths.get(named.name, 1) if is_list_type(outer) else 1
        return 1 + times * self.selection(node.selection_set, named)

    def _fragment(self, name: str) -> int:
        if name not in self.known:
            fragment = self.fragments[name]
            kind = self.schema.type_map[fragment.type_condition.name.value]
            self.known[name] = self.selection(fragment.selection_set, kind)
        return self.known[name]

    def _condition(self, node: InlineFragmentNode, kind: GraphQLNamedType) -> GraphQLNamedType:
        if node.type_condition is None:
            return kind
        return self.schema.type_map[node.type_condition.name.value]
