"""Stored documents as a caller sends them to the public endpoint, whole or in part."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableDefinitionNode,
    print_ast,
)

from sdl.operations.operation import Operation

Path = tuple[str, ...]
WHOLE: Sequence[Path] = ((),)
"""The paths of everything."""


def public_query(operation: Operation, paths: Sequence[Path] = WHOLE) -> str:
    """Return the document with what lies on these paths below its root field alone.

    It has no directives, which only our compiler understands, and no fragments.
    """
    document = operation.document.definitions
    fragments = {n.name.value: n for n in document if isinstance(n, FragmentDefinitionNode)}
    [executed] = [node for node in document if isinstance(node, OperationDefinitionNode)]
    node = OperationDefinitionNode(
        operation=executed.operation,
        name=executed.name,
        variable_definitions=tuple(
            VariableDefinitionNode(variable=v.variable, type=v.type, default_value=v.default_value)
            for v in executed.variable_definitions or ()
        ),
        selection_set=SelectionSetNode(selections=(_narrowed(operation.root, fragments, paths),)),
    )
    return print_ast(node)


def _narrowed(
    node: FieldNode, fragments: Mapping[str, FragmentDefinitionNode], paths: Sequence[Path]
) -> FieldNode:
    """Return a field with what lies on paths below it."""
    inner = None
    if node.selection_set is not None:
        found = []
        for each in _fields(node.selection_set, fragments):
            key = (each.alias or each.name).value
            below = WHOLE if () in paths else [path[1:] for path in paths if path[0] == key]
            found += [_narrowed(each, fragments, below)] if below else []
        inner = SelectionSetNode(selections=tuple(found))
    return FieldNode(
        name=node.name, alias=node.alias, arguments=node.arguments, selection_set=inner
    )


def _fields(
    selection: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode]
) -> Iterator[FieldNode]:
    for node in selection.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(fragments[node.name.value].selection_set, fragments)
        else:
            raise TypeError(node)


def with_enum_names(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables with the names of enum values in place of their words."""
    types = {variable.name: variable.type for variable in operation.variables}
    return {name: _named(types[name], value) for name, value in values.items()}


def _named(kind: Any, value: Any) -> Any:
    if isinstance(kind, GraphQLNonNull):
        return _named(kind.of_type, value)
    if isinstance(kind, GraphQLList) and isinstance(value, list):
        return [_named(kind.of_type, each) for each in value]
    if isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        types = {name: own.type for name, own in kind.fields.items()}
        return {name: _named(types.get(name), each) for name, each in value.items()}
    if isinstance(kind, GraphQLEnumType):
        return next((name for name, own in kind.values.items() if own.value == value), value)
    return value
