"""A quick proof that a plain query is valid, in one walk over its fields.

It knows one query of fields, with aliases and arguments but without fragments and directives.
It may say that it is not sure of a valid document, and never that an invalid one is valid:
graphql-core validates whatever it is not sure of, and alone says what is wrong.
"""

from collections.abc import Mapping, Sequence

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    GraphQLArgument,
    GraphQLField,
    GraphQLInputType,
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
    get_named_type,
    is_input_type,
    is_leaf_type,
    is_required_argument,
    is_type_sub_type_of,
    type_from_ast,
    validate_input_literal,
)

TYPENAME = "__typename"


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
