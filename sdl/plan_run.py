"""What the functions of a plan run with: the resolvers' infos and arguments, and single values.

Both forms of a plan use it, the code of `sdl.plan_code` and the walk of `sdl.plan_walk`, so a value
is completed in the same way by both.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from graphql import (
    ArgumentNode,
    GraphQLEnumType,
    GraphQLLeafType,
    ListValueNode,
    ObjectValueNode,
    Undefined,
    VariableNode,
    Visitor,
    get_argument_values,
    get_nullable_type,
    is_leaf_type,
    visit,
)
from graphql.execution.values import VariableValues
from strawberry import Info
from strawberry.types.base import StrawberryMaybe
from strawberry.types.field import StrawberryField

from sdl.plan_tree import Member, NotPlannableError, Selection, class_of

Arguments: TypeAlias = dict[str, Any]
Function: TypeAlias = "Callable[[Any, Run], dict[str, Any]]"
"""Completes an object."""
Read: TypeAlias = "Callable[[Any, Run], Any]"
"""Returns the completed value of a member of an object."""
ArgumentsOf: TypeAlias = Callable[[VariableValues], Arguments]


class UncheckedValueError(Exception):
    """A resolver returned what its field's type does not promise."""


class ResolveInfo:
    """The part of graphql-core's `GraphQLResolveInfo` that a plan has: the context."""

    __slots__ = ("context",)

    def __init__(self, context: object) -> None:
        self.context = context


class Shared:
    """What the plans of one schema share; it grows."""

    def __init__(self) -> None:
        self.objects: dict[str, Function] = {}
        """The functions that complete all fields of an object, by the name of its type."""
        self.reads: dict[tuple[str, str], Read] = {}
        """The functions that read a stored field without a selection, by type and field."""


class Runnable(Protocol):
    """A plan's functions for one set of values of its conditions."""

    root: Function
    informed: list[StrawberryField]
    """The fields whose resolvers take an info."""
    arguments: list[ArgumentsOf]


class Run:
    """One run of a plan: the resolvers' infos, and their arguments."""

    __slots__ = ("arguments", "info", "infos")

    def __init__(self, code: Runnable, context: object, variables: VariableValues) -> None:
        self.info = ResolveInfo(context)
        self.infos = [Info(self.info, own) for own in code.informed]  # type: ignore[arg-type]
        self.arguments = [arguments(variables) for arguments in code.arguments]


def is_called_directly(member: Member, definition: StrawberryField) -> bool:
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


def direct_arguments_of(member: Member, variables: VariableValues) -> ArgumentsOf:
    """Return what `arguments_of` does, by the names that the resolver has for the arguments."""
    names = {
        name: argument.extensions["strawberry-definition"].python_name
        for name, argument in member.field.args.items()
    }
    make = arguments_of(member, variables)
    return lambda values: {names[name]: value for name, value in make(values).items()}


def classes_of(kind: Any, selections: tuple[Selection, ...]) -> list[type]:
    """Return the Python classes of the selections on a union, which tell its values apart.

    Raises: NotPlannableError.
    """
    classes = [class_of(selection.kind) for selection in selections]
    if len(set(classes)) < len(classes):
        raise NotPlannableError(kind.name)
    return classes


def leaf_of(kind: GraphQLLeafType) -> Callable[[Any], Any]:
    """Return the function that completes a scalar or an enum. Raises: NotPlannableError."""
    if not isinstance(kind, GraphQLEnumType):
        return _scalar(kind)
    members = getattr(kind.extensions.get("strawberry-definition"), "wrapped_cls", None)
    if members is None:
        raise NotPlannableError(kind.name)
    words = {member: kind.coerce_output_value(member) for member in members}
    return words.__getitem__


def _scalar(kind: GraphQLLeafType) -> Callable[[Any], Any]:
    coerce = kind.coerce_output_value

    def complete(value: Any) -> Any:
        result = coerce(value)
        if result is None or result is Undefined:
            raise UncheckedValueError(kind.name)
        return result

    return complete


def arguments_of(member: Member, variables: VariableValues) -> ArgumentsOf:
    """Return the function of variables to the arguments; without variables, a constant one."""
    if any(_has_variable(argument) for argument in member.node.arguments or ()):
        return lambda values: get_argument_values(member.field, member.node, values)
    constant = get_argument_values(member.field, member.node, variables)
    return lambda _: constant


def _has_variable(argument: ArgumentNode) -> bool:
    value = argument.value
    if not isinstance(value, ListValueNode | ObjectValueNode):
        return isinstance(value, VariableNode)
    finder = _VariableFinder()
    visit(value, finder)
    return finder.found


class _VariableFinder(Visitor):
    found = False

    def enter_variable(self, _: VariableNode, *__: object) -> None:
        self.found = True


def listed(value: Any) -> list[Any]:
    """Return a value that is a list. Raises: UncheckedValueError."""
    if type(value) not in (list, tuple):
        raise UncheckedValueError("list")
    return value  # type: ignore[no-any-return]


def instance_of(own: type) -> Callable[[Any], Any]:
    """Return the function that returns a value of a class, and raises for all others."""

    def check(value: Any) -> Any:
        if type(value) is not own:
            raise UncheckedValueError(own.__name__)
        return value

    return check


def missing() -> Any:
    """Refuse null. Raises: UncheckedValueError."""
    raise UncheckedValueError("null")
