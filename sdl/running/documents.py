"""GraphQL documents of callers: parsed, held to the limits, validated and weighed once."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    GraphQLArgument,
    GraphQLError,
    GraphQLField,
    GraphQLInputType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    ListValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    execute_sync,
    get_named_type,
    is_composite_type,
    is_input_type,
    is_leaf_type,
    is_required_argument,
    is_type_sub_type_of,
    parse,
    type_from_ast,
    validate,
    validate_input_literal,
)

from sdl.errors import AiUnavailableError
from sdl.running.plan import NO_VARIABLES, Plan, Planner, operations_of
from sdl.running.query_limits import MAX_CHARACTERS, MAX_ERRORS, MAX_TOKENS, Lengths, check_limits
from sdl.running.query_messages import with_its_argument
from sdl.running.runner import Snapshot
from sdl.tools.byte_cache import ByteCache
from sdl.types.shape import TYPENAME, declared_errors, is_plain


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
    for name, own in kind.fields.items():
        inner = get_named_type(own.type)
        if any(is_required_argument(argument) for argument in own.args.values()):
            continue
        if isinstance(inner, GraphQLObjectType) and (is_root or is_plain(own)):
            yield f"{name} {{ {' '.join(_probes(inner))} }}"
        elif is_composite_type(inner):
            yield f"{name} {{ __typename }}"


def is_surely_valid(schema: GraphQLSchema, document: DocumentNode) -> bool:
    """Whether graphql-core would surely find no error in a document that it has parsed."""
    first, *others = document.definitions
    if others or not isinstance(first, OperationDefinitionNode) or first.directives:
        return False
    if first.operation is not OperationType.QUERY or schema.query_type is None:
        return False
    variables = _variable_types(schema, first.variable_definitions or ())
    if variables is None:
        return False
    proof = _Proof(schema, variables)
    is_valid = proof.selection(first.selection_set, schema.query_type)
    return is_valid and proof.used == set(variables)


def _variable_types(
    schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]
) -> dict[str, GraphQLInputType] | None:
    """Return the types of the variables; None if it is not sure of a definition."""
    types: dict[str, GraphQLInputType] = {}
    for node in definitions:
        name, kind = node.variable.name.value, type_from_ast(schema, node.type)
        if name in types or node.default_value or node.directives or not is_input_type(kind):
            return None
        types[name] = kind
    return types


class _Proof:
    """The walk over one query with variables of these types."""

    def __init__(self, schema: GraphQLSchema, variables: Mapping[str, GraphQLInputType]) -> None:
        self._schema = schema
        self._variables = variables
        self.used: set[str] = set()
        """The variables that arguments have had so far."""

    def selection(self, selection: SelectionSetNode, kind: GraphQLObjectType) -> bool:
        """Whether a selection on an object type is surely valid.

        Each key stands in it once, so no two fields need to be merged.
        """
        nodes, keys = selection.selections, set()
        for node in nodes:
            if not isinstance(node, FieldNode) or not self._field(node, kind):
                return False
            keys.add((node.alias or node.name).value)
        return len(keys) == len(nodes)

    def _field(self, node: FieldNode, kind: GraphQLObjectType) -> bool:
        if node.directives:
            return False
        name, below = node.name.value, node.selection_set
        field = kind.fields.get(name)
        if field is None:
            return name == TYPENAME and below is None and not node.arguments
        if (node.arguments or field.args) and not self._holds(node.arguments or (), field):
            return False
        inner = get_named_type(field.type)
        if below is None:
            return is_leaf_type(inner)
        return isinstance(inner, GraphQLObjectType) and self.selection(below, inner)

    def _holds(self, nodes: Sequence[ArgumentNode], field: GraphQLField) -> bool:
        """Whether the arguments of a field are surely valid."""
        values = {own.name.value: own.value for own in nodes}
        if len(values) < len(nodes) or not values.keys() <= field.args.keys():
            return False
        return all(
            self._value(values[name], own) if name in values else not is_required_argument(own)
            for name, own in field.args.items()
        )

    def _value(self, node: ValueNode, argument: GraphQLArgument) -> bool:
        if isinstance(node, VariableNode):
            kind = self._variables.get(node.name.value)
            self.used.add(node.name.value)
            return kind is not None and is_type_sub_type_of(self._schema, kind, argument.type)
        if isinstance(node, ListValueNode | ObjectValueNode):  # there may be variables in it
            return False
        errors: list[object] = []
        validate_input_literal(node, argument.type, lambda error, _: errors.append(error))
        return not errors


CACHE_BYTES = 8 * 2**20
BYTES_BESIDES = 2_048
BYTES_PER_CHARACTER = 250
MAX_BYTES_OF_ONE = 2**20
"""What a document with its plan takes in memory: measured, and bounded by `MAX_TOKENS`."""


@dataclass
class CheckedDocument:
    """A document that may be run, or the errors for which it is refused."""

    text: str
    lengths: Lengths
    """The lengths of lists by which it was weighed."""
    errors: tuple[GraphQLError, ...] = ()
    document: DocumentNode = field(default_factory=DocumentNode, repr=False)
    cost: float = 0.0
    plans: Mapping[str | None, Plan] = field(default_factory=dict)
    """The plan of each operation by its name; of the only one also by None."""


class Documents:
    """The documents of one public schema; those that are asked again are remembered."""

    def __init__(
        self, schema: GraphQLSchema, planner: Planner, max_bytes: int = CACHE_BYTES
    ) -> None:
        self._schema = schema
        self._planner = planner
        self._costly = costly_fields(schema)
        self._cache: ByteCache[CheckedDocument] = ByteCache(max_bytes)

    def known(self, text: str, lengths: Lengths) -> CheckedDocument | None:
        """Return a document that was checked before and may be run by these lengths, too.

        None if there is none: a valid one is weighed anew when lists have grown or shrunk, and what
        was refused then is checked from the beginning, as that may have been for its cost.
        """
        found = self._cache.get(text)
        if found is None or found.lengths is lengths:
            return found
        if found.lengths != lengths:
            if found.errors:
                return None
            try:
                found.cost = check_limits(self._schema, found.document, lengths, self._costly)
            except GraphQLError:
                return None
        found.lengths = lengths
        return found

    def plain(self, text: str, lengths: Lengths) -> CheckedDocument | None:
        """Return a new document that is surely valid; None for all others, which take longer."""
        try:
            document, cost = self._within_limits(text, lengths)
        except GraphQLError:
            return None
        if not is_surely_valid(self._schema, document):
            return None
        return self._valid(text, lengths, document, cost)

    def check(self, text: str, lengths: Lengths) -> CheckedDocument:
        """Return a new document, checked by these lengths."""
        try:
            document, cost = self._within_limits(text, lengths)
        except GraphQLError as error:
            error.__traceback__ = None  # it holds the parser
            return self._kept(CheckedDocument(text, lengths, (error,)))
        if not is_surely_valid(self._schema, document):
            errors = validate(self._schema, document, max_errors=MAX_ERRORS - 1)
            if errors:
                named = tuple(with_its_argument(error, document) for error in errors)
                return self._kept(CheckedDocument(text, lengths, named))
        return self._valid(text, lengths, document, cost)

    def _within_limits(self, text: str, lengths: Lengths) -> tuple[DocumentNode, float]:
        """Return the parsed document and its cost. Raises: GraphQLError."""
        document = parse(
            text,
            max_source_length=MAX_CHARACTERS,
            max_tokens=MAX_TOKENS,
            allow_empty_selection_sets=False,
        )
        return document, check_limits(self._schema, document, lengths, self._costly)

    def _valid(
        self, text: str, lengths: Lengths, document: DocumentNode, cost: float
    ) -> CheckedDocument:
        plans = self._plans(document)
        return self._kept(CheckedDocument(text, lengths, (), document, cost, plans))

    def _kept(self, checked: CheckedDocument) -> CheckedDocument:
        length = len(checked.text)
        size = min(BYTES_BESIDES + BYTES_PER_CHARACTER * length, MAX_BYTES_OF_ONE)
        self._cache.add(checked.text, checked, size)
        return checked

    def _plans(self, document: DocumentNode) -> dict[str | None, Plan]:
        nodes = operations_of(document)
        plans: dict[str | None, Plan] = {
            node.name.value if node.name else None: self._planner.plan(document, node)
            for node in nodes
        }
        if len(nodes) == 1:
            plans[None] = next(iter(plans.values()))
        return plans
