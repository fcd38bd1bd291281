"""What a valid document would cost: its fields, times the lengths of the lists they stand in.

The lengths are those of the content: once a revision, one query asks every object for its lists.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    InlineFragmentNode,
    NamedTypeNode,
    OperationDefinitionNode,
    SelectionSetNode,
    execute_sync,
    get_named_type,
    is_composite_type,
    is_required_argument,
    parse,
)

from sdl.errors import AiUnavailableError
from sdl.limits import MAX_COST
from sdl.runner import Snapshot
from sdl.shape import declared_errors, is_plain

Lengths = Mapping[tuple[str, str], Mapping[str, float]]
"""How many objects of each type a field leads to on average, by type and field name."""


def check_cost(schema: GraphQLSchema, document: DocumentNode, lengths: Lengths) -> None:
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


def costly_fields(schema: GraphQLSchema) -> frozenset[str]:
    """The root fields that a model computes: those that say it may be away."""
    root = schema.query_type
    fields = root.fields.items() if root is not None else ()
    return frozenset(
        name for name, field in fields if AiUnavailableError.code in declared_errors(field)
    )


def list_lengths(schema: GraphQLSchema, reading: Snapshot) -> Lengths:
    """How many objects each field leads to, in this revision of the content."""
    root = schema.query_type
    if root is None:
        return {}
    query = parse(f"{{ {' '.join(_probes(root, is_root=True))} }}")
    found = execute_sync(schema, query, reading.data, reading.context)
    asked: Counter[tuple[str, str]] = Counter()
    led: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for key, types in _edges(root, found.data):
        asked[key] += 1
        led[key].update(types)
    return {
        key: {name: count / asked[key] for name, count in types.items()}
        for key, types in led.items()
    }


def _probes(kind: GraphQLObjectType, *, is_root: bool = False) -> Iterator[str]:
    """A selection that reaches every list: plain fields to their end, the others one step."""
    yield "__typename"
    for name, field in kind.fields.items():
        inner = get_named_type(field.type)
        if any(is_required_argument(argument) for argument in field.args.values()):
            continue
        if isinstance(inner, GraphQLObjectType) and (is_root or is_plain(field)):
            yield f"{name} {{ {' '.join(_probes(inner))} }}"
        elif is_composite_type(inner):
            yield f"{name} {{ __typename }}"


def _edges(kind: GraphQLObjectType, value: Any) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """For each field of each object: the types of the objects it leads to."""
    for name, inner in (value or {}).items():
        if name not in kind.fields:
            continue
        items = inner if isinstance(inner, list) else [inner]
        yield (kind.name, name), [item["__typename"] for item in items if item is not None]
        below = get_named_type(kind.fields[name].type)
        for item in items if isinstance(below, GraphQLObjectType) else ():
            yield from _edges(below, item)


class _Cost:
    """Costs of selections; each fragment is weighed once."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, lengths: Lengths) -> None:
        self.schema = schema
        self.lengths = lengths
        self.fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self.known: dict[tuple[str, str], float] = {}

    def selection(self, selection: SelectionSetNode, kind: GraphQLNamedType) -> float:
        """The cost of a selection on one object of a type."""
        total = 0.0
        for node in selection.selections:
            if isinstance(node, FieldNode):
                total += self._field(node, kind)
            elif isinstance(node, InlineFragmentNode):
                if self._applies(node.type_condition, kind):
                    total += self.selection(node.selection_set, kind)
            elif isinstance(node, FragmentSpreadNode):
                total += self._fragment(node.name.value, kind)
        return total

    def _field(self, node: FieldNode, kind: GraphQLNamedType) -> float:
        fields: dict[str, GraphQLField] = getattr(kind, "fields", {})
        field = fields.get(node.name.value)
        if node.selection_set is None or field is None:
            return 1
        named = get_named_type(field.type).name
        led = self.lengths.get((kind.name, node.name.value), {named: 1})
        return 1 + sum(
            times * self.selection(node.selection_set, self.schema.type_map[name])
            for name, times in led.items()
        )

    def _fragment(self, name: str, kind: GraphQLNamedType) -> float:
        fragment = self.fragments[name]
        if not self._applies(fragment.type_condition, kind):
            return 0
        if (name, kind.name) not in self.known:
            self.known[name, kind.name] = self.selection(fragment.selection_set, kind)
        return self.known[name, kind.name]

    def _applies(self, condition: NamedTypeNode | None, kind: GraphQLNamedType) -> bool:
        if condition is None or condition.name.value == kind.name:
            return True
        union = self.schema.type_map[condition.name.value]
        return isinstance(union, GraphQLUnionType) and kind in union.types
