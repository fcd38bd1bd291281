"""The selections of one operation as a tree of fields, as graphql-core would collect them.

graphql-core itself says which keys a selection has and in which order: with its aliases, merged
fields, fragments and conditions. What a plan cannot promise has no tree.
"""

from collections.abc import Sequence
from typing import NamedTuple

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLBoolean,
    GraphQLField,
    GraphQLID,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLString,
    OperationDefinitionNode,
    TypeNameMetaFieldDef,
    get_named_type,
    is_abstract_type,
)
from graphql.execution.collect_fields import (  # no public name collects without executing
    FieldDetails,
    FragmentDetails,
    collect_fields,
    collect_subfields,
)
from graphql.execution.values import VariableValues
from strawberry.types.field import StrawberryField

from sdl.types.declare import Output
from sdl.types.shape import IS_TEXT, is_plain


class NotPlannableError(Exception):
    """The operation has a part that only graphql-core runs."""


class Selection(NamedTuple):
    """A selection on one object type."""

    kind: GraphQLObjectType
    members: tuple["Member", ...]
    stored: int
    """How many members it begins with that are all that the type's objects hold, in the type's own
    order and names; 0 if it does not begin so."""

    @property
    def selects_all(self) -> bool:
        """Whether it selects all that the type's objects hold and nothing besides."""
        return 0 < self.stored == len(self.members)

    @property
    def beginning(self) -> "Selection":
        """The selection of the members that it begins with."""
        return Selection(self.kind, self.members[: self.stored], self.stored)

    @property
    def rest(self) -> "Selection":
        """The selection of the other members."""
        return Selection(self.kind, self.members[self.stored :], 0)


class Member(NamedTuple):
    """One key of a selection."""

    key: str
    node: FieldNode
    field: GraphQLField
    definition: StrawberryField | None
    """The Python field behind it; None for `__typename`."""
    selections: tuple[Selection, ...]
    """The selection on each type that the field may return; empty for a scalar or an enum."""
    attribute: str | None
    """The attribute whose value is that of the member as it is; None if there is none."""


def member_of(
    key: str, node: FieldNode, field: GraphQLField, selections: tuple[Selection, ...]
) -> Member:
    """Return the member of a field. Raises: NotPlannableError if only graphql-core may run it."""
    if field is TypeNameMetaFieldDef:
        return Member(key, node, field, None, (), None)
    definition = field.extensions.get("strawberry-definition")
    if not isinstance(definition, StrawberryField) or definition.is_async:
        raise NotPlannableError(node.name.value)
    if definition.base_resolver is not None:
        return Member(key, node, field, definition, selections, None)
    if not _is_checked(definition):
        raise NotPlannableError(node.name.value)
    attribute = definition.python_name if is_same_in_json(field.type) else None
    return Member(key, node, field, definition, selections, attribute)


def stored_names(kind: GraphQLObjectType) -> tuple[str, ...]:
    """Return the names of all fields that a type's objects hold."""
    return tuple(name for name, own in kind.fields.items() if is_plain(own))


def stored_in(members: Sequence[Member], names: Sequence[str]) -> int:
    """Return what a selection has as `stored`, if these are the names of what objects hold."""
    if len(members) < len(names):
        return 0
    is_whole = all(
        member.key == name == member.node.name.value
        and all(selection.selects_all for selection in member.selections)
        for member, name in zip(members, names, strict=False)
    )
    return len(names) if is_whole else 0


class TreeBuilder:
    """Builds the tree of an operation, for one set of values of its conditions."""

    def __init__(
        self,
        schema: GraphQLSchema,
        operation: OperationDefinitionNode,
        fragments: Sequence[FragmentDefinitionNode],
        variables: VariableValues,
    ) -> None:
        self.schema = schema
        self.operation = operation
        self.fragments = {node.name.value: FragmentDetails(node) for node in fragments}
        self.variables = variables

    def root(self) -> Selection:
        """Return the selection on the root. Raises: NotPlannableError, GraphQLError."""
        root = self.schema.query_type
        if root is None:
            raise NotPlannableError
        collected = collect_fields(
            self.schema, self.fragments, self.variables, root, self.operation
        )
        return self._selection(root, collected.grouped_field_set)

    def _selection(
        self, kind: GraphQLObjectType, grouped: dict[str, list[FieldDetails]]
    ) -> Selection:
        members = tuple(self._member(kind, key, details) for key, details in grouped.items())
        return Selection(kind, members, stored_in(members, stored_names(kind)))

    def _member(self, kind: GraphQLObjectType, key: str, details: list[FieldDetails]) -> Member:
        node = details[0].node
        own = self.schema.get_field(kind, node.name.value)
        if own is None:
            raise NotPlannableError(node.name.value)
        selections = () if own is TypeNameMetaFieldDef else tuple(self._below(own, details))
        return member_of(key, node, own, selections)

    def _below(self, own: GraphQLField, details: list[FieldDetails]) -> list[Selection]:
        inner = get_named_type(own.type)
        if isinstance(inner, GraphQLObjectType):
            return [self._selection_on(inner, details)]
        if not is_abstract_type(inner):
            return []
        return [self._selection_on(kind, details) for kind in self.schema.get_possible_types(inner)]

    def _selection_on(self, kind: GraphQLObjectType, details: list[FieldDetails]) -> Selection:
        if not issubclass(class_of(kind), Output):
            raise NotPlannableError(kind.name)
        collected = collect_subfields(
            self.schema, self.fragments, self.variables, self.operation, kind, details
        )
        return self._selection(kind, collected.grouped_field_set)


def class_of(kind: GraphQLObjectType) -> type:
    """Return the Python class behind an object type. Raises: NotPlannableError."""
    origin = getattr(kind.extensions.get("strawberry-definition"), "origin", None)
    if not isinstance(origin, type):
        raise NotPlannableError(kind.name)
    return origin


def _is_checked(definition: StrawberryField) -> bool:
    """Whether pydantic has checked the values of a field."""
    origin = definition.origin
    if not isinstance(origin, type) or not issubclass(origin, Output):
        return False
    return definition.python_name in origin.model_fields


def is_same_in_json(kind: GraphQLOutputType) -> bool:
    """Whether a checked value of a type is its own JSON."""
    if isinstance(kind, GraphQLNonNull | GraphQLList):
        return is_same_in_json(kind.of_type)
    extensions = getattr(kind, "extensions", {})
    return kind in (GraphQLString, GraphQLID, GraphQLBoolean) or bool(extensions.get(IS_TEXT))
