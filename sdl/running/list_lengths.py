"""How many objects each field returns, measured once per snapshot; documents are weighed by it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    execute_sync,
    get_named_type,
    is_composite_type,
    is_required_argument,
    parse,
)

from sdl.errors import AiUnavailableError
from sdl.running.plan import NO_VARIABLES, Plan, Planner
from sdl.running.query_limits import Lengths
from sdl.running.runner import Snapshot
from sdl.types.shape import declared_errors, is_plain


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
