"""The cost of a valid document: its fields, each multiplied by the lengths of the lists around it.

The lengths are those of the content, measured once per snapshot.
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
from sdl.plan import NO_VARIABLES, Plan, Planner
from sdl.query_limits import MAX_COST
from sdl.runner import Snapshot
from sdl.shape import declared_errors, is_plain

Lengths = Mapping[tuple[str, str], Mapping[str, float]]
"""The average number of objects of each type that a field returns, by type and field name."""


def check_cost(schema: GraphQLSchema, document: DocumentNode, lengths: Lengths) -> None:
    """Raise `GraphQLError` if a valid document costs more than `MAX_COST`."""
    cost = _Cost(schema, document, lengths)
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode):
            root = schema.get_root_type(node.operation)
            if root is not None and cost.selection(node.selection_set, root) > MAX_COST:
                raise GraphQLError(
                    f"The document costs more than {MAX_COST}. Each field counts once, multiplied"
                    " by the lengths of the lists around it."
                )


def costly_fields(schema: GraphQLSchema) -> frozenset[str]:
    """Return the root fields that a model computes: those that declare `AiUnavailableError`."""
    root = schema.query_type
    fields = root.fields.items() if root is not None else ()
    return frozenset(
        name for name, field in fields if AiUnavailableError.code in declared_errors(field)
    )


class ListLengths:
    """Measures how many objects each field returns; made once for a schema."""

    def __init__(self, schema: GraphQLSchema, planner: Planner) -> None:
        self._schema = schema
        self._planner = planner
        self._probes: list[tuple[DocumentNode, Plan]] = []
        self._inner_kinds: dict[GraphQLObjectType, dict[str, GraphQLNamedType]] = {}

    def of(self, snapshot: Snapshot) -> Lengths:
        """Return the lengths in a snapshot."""
        root = self._schema.query_type
        if root is None:
            return {}
        parents: Counter[tuple[str, str]] = Counter()
        children: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for data in self._data(root, snapshot):
            self._count(root, data or {}, parents, children)
        return {
            key: {name: count / parents[key] for name, count in types.items()}
            for key, types in children.items()
        }

    def _count(
        self,
        kind: GraphQLObjectType,
        value: Mapping[str, Any],
        parents: Counter[tuple[str, str]],
        children: Mapping[tuple[str, str], Counter[str]],
    ) -> None:
        """Count each field of each object, and the types of the objects that it returns."""
        if (inner_kinds := self._inner_kinds.get(kind)) is None:
            fields = kind.fields.items()
            inner_kinds = {name: get_named_type(field.type) for name, field in fields}
            self._inner_kinds[kind] = inner_kinds
        for name, inner in value.items():
            if name not in inner_kinds:
                continue
            key, inner_kind = (kind.name, name), inner_kinds[name]
            parents[key] += 1
            types = children[key]
            for item in inner if isinstance(inner, list) else [inner]:
                if item is not None:
                    types[item["__typename"]] += 1
                    if isinstance(inner_kind, GraphQLObjectType):
                        self._count(inner_kind, item, parents, children)

    def _data(self, root: GraphQLObjectType, snapshot: Snapshot) -> Iterator[Any]:
        """Yield the data of each root field; a field without a plan costs only its own time."""
        if not self._probes:
            documents = [parse(f"{{ {probe} }}") for probe in _probes(root, is_root=True)]
            self._probes = [(own, self._planner.only_plan(own)) for own in documents]
        for document, plan in self._probes:
            data = plan.run(snapshot.data, snapshot.context, NO_VARIABLES)
            if data is None:
                data = execute_sync(self._schema, document, snapshot.data, snapshot.context).data
            yield data


def _probes(kind: GraphQLObjectType, *, is_root: bool = False) -> Iterator[str]:
    """Yield a selection that reaches every list: all plain fields, and one level of the others."""
    yield "__typename"
    for name, field in kind.fields.items():
        inner = get_named_type(field.type)
        if any(is_required_argument(argument) for argument in field.args.values()):
            continue
        if isinstance(inner, GraphQLObjectType) and (is_root or is_plain(field)):
            yield f"{name} {{ {' '.join(_probes(inner))} }}"
        elif is_composite_type(inner):
            yield f"{name} {{ __typename }}"


class _Cost:
    """Computes the cost of selections; each fragment is computed once per type."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, lengths: Lengths) -> None:
        self.schema = schema
        self.lengths = lengths
        self.fragments = {
            node.name.value: node
            for node in document.definitions
            if isinstance(node, FragmentDefinitionNode)
        }
        self.fragment_costs: dict[tuple[str, str], float] = {}

    def selection(self, selection: SelectionSetNode, kind: GraphQLNamedType) -> float:
        """Return the cost of a selection on one object of a type."""
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
        type_name = get_named_type(field.type).name
        lengths = self.lengths.get((kind.name, node.name.value), {type_name: 1})
        return 1 + sum(
            length * self.selection(node.selection_set, self.schema.type_map[name])
            for name, length in lengths.items()
        )

    def _fragment(self, name: str, kind: GraphQLNamedType) -> float:
        fragment = self.fragments[name]
        if not self._applies(fragment.type_condition, kind):
            return 0
        if (name, kind.name) not in self.fragment_costs:
            self.fragment_costs[name, kind.name] = self.selection(fragment.selection_set, kind)
        return self.fragment_costs[name, kind.name]

    def _applies(self, condition: NamedTypeNode | None, kind: GraphQLNamedType) -> bool:
        if condition is None or condition.name.value == kind.name:
            return True
        union = self.schema.type_map[condition.name.value]
        return isinstance(union, GraphQLUnionType) and kind in union.types
