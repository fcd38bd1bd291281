"""Plans: a valid query becomes functions over the content, put together once for a document.

graphql-core stays the judge: whatever a plan cannot promise, and whatever fails in a plan, is run
by graphql-core, which says the error. So queries alone have plans, as running one twice changes
nothing. A stored field of an `Output` holds a value that pydantic has checked, so it is not checked
again; what a resolver returns is. All that an object holds is completed once and kept at it, in
`Output._row`, as it is frozen: that makes a run 60 times as quick as graphql-core.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLID,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLString,
    ListValueNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    TypeNameMetaFieldDef,
    Undefined,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_argument_values,
    get_named_type,
    get_nullable_type,
    get_variable_values,
    is_abstract_type,
    is_leaf_type,
)
from graphql.execution.collect_fields import (  # no public name collects without executing
    FieldDetails,
    FragmentDetails,
    collect_fields,
    collect_subfields,
)
from graphql.execution.values import VariableValues
from strawberry import Info
from strawberry.types.base import StrawberryMaybe
from strawberry.types.field import StrawberryField

from sdl.types.declare import ROW, Output
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


MAX_CONDITIONS = 4
"""A document with more Boolean variables has no plan: `@skip` and `@include` may have them."""
MAX_WALKS = 4
"""How many sets of values of these variables a plan is ready for at a time."""

NO_VARIABLES = VariableValues({}, {})

Arguments: TypeAlias = dict[str, Any]
ArgumentsOf: TypeAlias = Callable[[VariableValues], Arguments]
Complete: TypeAlias = "Callable[[Any, Run], Any]"
"""Completes a value, or reads a member of an object and completes it."""
Function: TypeAlias = "Callable[[Any, Run], dict[str, Any]]"
"""Completes an object."""


class UncheckedValueError(Exception):
    """A resolver returned what its field's type does not promise."""


class Planner:
    """Makes the plans of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        self.objects: dict[str, Function] = {}
        """The functions that complete all fields of an object, by the name of its type."""
        self.reads: dict[tuple[str, str], Complete] = {}
        """The functions that read a stored field without a selection, by type and field."""

    def plan(self, document: DocumentNode, operation: OperationDefinitionNode) -> "Plan":
        """Return the plan of one operation of a valid document; it is made when it is run first."""
        return Plan(self, document, operation)

    def only_plan(self, document: DocumentNode) -> "Plan":
        """Return the plan of a valid document that has one operation."""
        [operation] = operations_of(document)
        return self.plan(document, operation)


class Plan:
    """The plan of one operation of a valid document."""

    def __init__(
        self, planner: Planner, document: DocumentNode, operation: OperationDefinitionNode
    ) -> None:
        self._planner = planner
        self._operation = operation
        nodes = document.definitions
        self._fragments = [node for node in nodes if isinstance(node, FragmentDefinitionNode)]
        self._definitions = tuple(operation.variable_definitions or ())
        conditions = filter(_is_condition, self._definitions)
        self._conditions = [definition.variable.name.value for definition in conditions]
        self._walks: dict[tuple[object, ...], _Walk | None] = {}

    def values(self, variables: Mapping[str, Any]) -> VariableValues | None:
        """Return the variables as values; None if graphql-core must say what is wrong with them."""
        if not self._definitions:
            return NO_VARIABLES
        try:
            values = get_variable_values(self._planner.schema, self._definitions, dict(variables))
        except Exception:  # noqa: BLE001 - as in `run`
            return None
        return None if isinstance(values, list) else values

    def run(self, root: object, context: object, values: VariableValues) -> dict[str, Any] | None:
        """Return the data of the query; None if graphql-core must run it."""
        key = tuple([values.coerced.get(name) for name in self._conditions])
        walks = self._walks
        if key not in walks:
            if len(walks) >= MAX_WALKS:
                walks = self._walks = {}
            walks[key] = self._walk(values)
        if (walk := walks[key]) is None:
            return None
        try:
            return walk.root(root, Run(walk, context, values))
        except Exception:  # noqa: BLE001 - graphql-core runs it again and says what is wrong
            return None

    def _walk(self, values: VariableValues) -> "_Walk | None":
        is_query = self._operation.operation is OperationType.QUERY
        if not is_query or len(self._conditions) > MAX_CONDITIONS:
            return None
        schema = self._planner.schema
        try:
            tree = TreeBuilder(schema, self._operation, self._fragments, values).root()
            return _Walk(tree, values, self._planner)
        except Exception:  # noqa: BLE001 - as in `run`
            return None


class Run:
    """One run of a plan: the resolvers' infos, and their arguments."""

    __slots__ = ("arguments", "info", "infos")

    def __init__(self, walk: "_Walk", context: object, variables: VariableValues) -> None:
        self.info = _ResolveInfo(context)
        self.infos = [Info(self.info, own) for own in walk.informed]  # type: ignore[arg-type]
        self.arguments = [arguments(variables) for arguments in walk.arguments]


class _ResolveInfo:
    """The part of graphql-core's `GraphQLResolveInfo` that a plan has: the context."""

    __slots__ = ("context",)

    def __init__(self, context: object) -> None:
        self.context = context


class _Walk:
    """The functions of one operation, for one set of values of its conditions."""

    def __init__(self, root: Selection, variables: VariableValues, planner: Planner) -> None:
        """Put the functions together. Raises: NotPlannableError, GraphQLError."""
        self.informed: list[StrawberryField] = []
        """The fields whose resolvers take an info."""
        self.arguments: list[ArgumentsOf] = []
        self._variables = variables
        self._planner = planner
        self.root: Function = self._selected(root)

    def _object(self, selection: Selection) -> Function:
        """Return the function that completes an object of one type."""
        return self._whole(selection) if selection.selects_all else self._selected(selection)

    def _whole(self, selection: Selection) -> Function:
        """Return the function that all plans share for all that objects of a type hold."""
        name, objects = selection.kind.name, self._planner.objects
        if name not in objects:
            objects[name] = _kept(self._members(selection), class_of(selection.kind))
        return objects[name]

    def _selected(self, selection: Selection) -> Function:
        """Return the function of a selection."""
        if 0 < selection.stored < len(selection.members):
            beginning = self._whole(selection.beginning)
            rest = self._members(selection.rest)
            return lambda o, run: {**beginning(o, run), **rest(o, run)}
        return self._members(selection)

    def _members(self, selection: Selection) -> Function:
        members, kind = selection.members, selection.kind.name
        plain = [(member.key, name) for member in members if (name := member.attribute) is not None]
        if len(plain) == len(members):
            return lambda o, _: _attributes(o.__dict__, plain)
        reads = [(member.key, self._member(kind, member)) for member in members]
        return lambda o, run: {key: read(o, run) for key, read in reads}

    def _member(self, kind: str, member: Member) -> Complete:
        """Return the function that reads a member and completes it."""
        definition = member.definition
        if definition is None:
            return lambda _, __: kind
        if definition.base_resolver is None:
            if member.selections:
                return self._stored_read(member, definition.python_name)
            key, reads = (kind, member.node.name.value), self._planner.reads
            if key not in reads:
                reads[key] = self._stored_read(member, definition.python_name)
            return reads[key]
        call = self._call(member, definition)
        complete = self._resolved(member.field.type, member)
        return lambda o, run: complete(call(o, run), run)

    def _stored_read(self, member: Member, name: str) -> Complete:
        stored = self._stored(member.field.type, member)
        if stored is None:
            return lambda o, _: o.__dict__[name]
        return lambda o, run: stored(o.__dict__[name], run)

    def _call(self, member: Member, definition: StrawberryField) -> Complete:
        """Return the function that calls a member's resolver."""
        resolver = definition.base_resolver
        at, info_at = len(self.arguments), len(self.informed)
        if resolver is None or not _is_called_directly(member, definition):
            resolve = member.field.resolve
            if resolve is None:  # graphql-core's own resolver reads an attribute
                raise NotPlannableError(member.key)
            self.arguments.append(_arguments_of(member, self._variables))
            return lambda o, run: resolve(o, run.info, **run.arguments[at])
        function: Any = resolver.wrapped_func
        name = resolver.info_parameter.name if resolver.info_parameter is not None else None
        if name is not None:
            self.informed.append(definition)
        self.arguments.append(_direct_arguments_of(member, self._variables))
        if name is None:
            return lambda o, run: function(o, **run.arguments[at])
        return lambda o, run: function(o, **{name: run.infos[info_at]}, **run.arguments[at])

    def _stored(self, kind: GraphQLOutputType, member: Member) -> "Complete | None":
        """Return the function that completes a checked value; None for a value that is complete."""
        inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if is_same_in_json(inner):
            return None
        if isinstance(inner, GraphQLList):
            complete = _each(self._stored(inner.of_type, member))
        else:
            complete = self._completed(inner, member)
        return complete if inner is not kind else _or_null(complete)

    def _resolved(self, kind: GraphQLOutputType, member: Member) -> Complete:
        """Return the function that checks and completes what a resolver returned."""
        inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if isinstance(inner, GraphQLList):
            complete = _each_listed(self._resolved(inner.of_type, member))
        else:
            complete = self._completed(inner, member)
            if not (is_leaf_type(inner) or is_abstract_type(inner)):
                complete = _of_class(class_of(member.selections[0].kind), complete)
        return _or_refused(complete) if inner is not kind else _or_null(complete)

    def _completed(self, kind: Any, member: Member) -> Complete:
        """Return the function that completes a value that is neither null nor a list."""
        if is_leaf_type(kind):
            leaf = _leaf_of(kind)
            return lambda v, _: leaf(v)
        functions = [self._object(selection) for selection in member.selections]
        if not is_abstract_type(kind):
            return functions[0]
        classes = [class_of(selection.kind) for selection in member.selections]
        if len(set(classes)) < len(classes):  # they must tell the values of a union apart
            raise NotPlannableError(kind.name)
        cases = dict(zip(classes, functions, strict=True))
        return lambda v, run: cases[type(v)](v, run)


def _kept(make: Function, own: type) -> Function:
    """Return the function that keeps what `make` returns at the object, as that is frozen."""
    get, keep = ROW.__get__, ROW.__set__

    def cached(value: Any, run: Run) -> dict[str, Any]:
        if type(value) is not own:  # the value of a subclass may be complete in another way
            return make(value, run)
        try:
            return get(value)  # type: ignore[no-any-return]
        except AttributeError:
            result = make(value, run)
            keep(value, result)
            return result

    return cached


def _attributes(stored: dict[str, Any], names: list[tuple[str, str]]) -> dict[str, Any]:
    return {key: stored[name] for key, name in names}


def _each(complete: "Complete | None") -> Complete:
    """Return the function that completes a list; every item is complete as it is without one."""
    if complete is None:
        return lambda v, _: list(v)
    return lambda v, run: [complete(i, run) for i in v]


def _each_listed(complete: Complete) -> Complete:
    def each(value: Any, run: Run) -> list[Any]:
        if type(value) not in (list, tuple):
            raise UncheckedValueError("list")
        return [complete(item, run) for item in value]

    return each


def _or_null(complete: Complete) -> Complete:
    return lambda v, run: None if v is None else complete(v, run)


def _or_refused(complete: Complete) -> Complete:
    def refused(value: Any, run: Run) -> Any:
        if value is None:
            raise UncheckedValueError("null")
        return complete(value, run)

    return refused


def _of_class(own: type, complete: Complete) -> Complete:
    def checked(value: Any, run: Run) -> Any:
        if type(value) is not own:
            raise UncheckedValueError(own.__name__)
        return complete(value, run)

    return checked


def _leaf_of(kind: GraphQLLeafType) -> Callable[[Any], Any]:
    """Return the function that completes a scalar or an enum. Raises: NotPlannableError."""
    coerce = kind.coerce_output_value
    if isinstance(kind, GraphQLEnumType):
        members = getattr(kind.extensions.get("strawberry-definition"), "wrapped_cls", None)
        if members is None:
            raise NotPlannableError(kind.name)
        words = {member: coerce(member) for member in members}
        return words.__getitem__

    def complete(value: Any) -> Any:
        result = coerce(value)
        if result is None or result is Undefined:
            raise UncheckedValueError(kind.name)
        return result

    return complete


def _is_called_directly(member: Member, definition: StrawberryField) -> bool:
    """Whether a member's resolver is a method that takes the arguments as graphql-core has them.

    Strawberry makes objects of inputs, copies of lists and maybes of what may be left out.
    """
    resolver = definition.base_resolver
    if resolver is None or resolver.self_parameter is None or definition.extensions:
        return False
    own = (argument.type for argument in definition.arguments)
    return not any(isinstance(kind, StrawberryMaybe) for kind in own) and all(
        is_leaf_type(get_nullable_type(argument.type)) for argument in member.field.args.values()
    )


def _direct_arguments_of(member: Member, variables: VariableValues) -> ArgumentsOf:
    """Return what `_arguments_of` does, by the names that the resolver has for the arguments."""
    names = {
        name: argument.extensions["strawberry-definition"].python_name
        for name, argument in member.field.args.items()
    }
    make = _arguments_of(member, variables)
    return lambda values: {names[name]: value for name, value in make(values).items()}


def _arguments_of(member: Member, variables: VariableValues) -> ArgumentsOf:
    """Return a function from variables to a field's arguments; constant if they use none."""
    if any(_has_variable(argument.value) for argument in member.node.arguments or ()):
        return lambda values: get_argument_values(member.field, member.node, values)
    constant = get_argument_values(member.field, member.node, variables)
    return lambda _: constant


def _has_variable(value: ValueNode) -> bool:
    if isinstance(value, ListValueNode):
        return any(map(_has_variable, value.values))
    if isinstance(value, ObjectValueNode):
        return any(_has_variable(field.value) for field in value.fields)
    return isinstance(value, VariableNode)


def operations_of(document: DocumentNode) -> list[OperationDefinitionNode]:
    """Return the operations of a document."""
    return [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]


def _is_condition(definition: VariableDefinitionNode) -> bool:
    """Whether a variable may decide what is selected, and so what a plan does: a Boolean may."""
    kind = definition.type
    inner = kind.type if isinstance(kind, NonNullTypeNode) else kind
    return isinstance(inner, NamedTypeNode) and inner.name.value == "Boolean"
