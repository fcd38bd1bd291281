"""Runs a tree of selections by functions that are put together instead of compiled.

Putting them together costs a tenth of compiling them, and each run about twice as much: right for a
document that may come but once. Values are completed as `sdl.plan_code` completes them.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from graphql import GraphQLList, GraphQLNonNull, GraphQLOutputType, is_abstract_type, is_leaf_type
from graphql.execution.values import VariableValues
from strawberry.types.field import StrawberryField

from sdl.plan_code import complete_object
from sdl.plan_run import (
    ArgumentsOf,
    Function,
    Read,
    Run,
    Shared,
    arguments_of,
    classes_of,
    direct_arguments_of,
    instance_of,
    is_called_directly,
    leaf_of,
    listed,
    missing,
)
from sdl.plan_tree import Member, NotPlannableError, Selection, class_of, is_same_in_json

Complete: TypeAlias = Callable[[Any, Run], Any]
"""Completes a value."""


class PlanWalk:
    """The functions of one operation, for one set of values of its conditions."""

    def __init__(self, root: Selection, variables: VariableValues, shared: Shared) -> None:
        """Put the functions together. Raises: NotPlannableError, GraphQLError."""
        self.informed: list[StrawberryField] = []
        """The fields whose resolvers take an info."""
        self.arguments: list[ArgumentsOf] = []
        self._variables = variables
        self._shared = shared
        self.root: Function = self._selected(root)

    def _object(self, selection: Selection) -> Function:
        """Return the function that completes an object of one type."""
        if selection.selects_all:
            return complete_object(selection, self._variables, self._shared)
        return self._selected(selection)

    def _selected(self, selection: Selection) -> Function:
        """Return the function of a selection."""
        if 0 < selection.stored < len(selection.members):
            beginning = complete_object(selection.beginning, self._variables, self._shared)
            rest = self._members(selection.kind.name, selection.members[selection.stored :])
            return lambda o, run: {**beginning(o, run), **rest(o, run)}
        return self._members(selection.kind.name, selection.members)

    def _members(self, kind: str, members: tuple[Member, ...]) -> Function:
        plain = [(member.key, name) for member in members if (name := member.attribute) is not None]
        if len(plain) == len(members):
            return lambda o, _: _attributes(o.__dict__, plain)
        reads = [(member.key, self._member(kind, member)) for member in members]
        return lambda o, run: {key: read(o, run) for key, read in reads}

    def _member(self, kind: str, member: Member) -> Read:
        """Return the function that reads a member and completes it."""
        definition = member.definition
        if definition is None:
            return lambda _, __: kind
        if definition.base_resolver is None:
            if member.selections:
                return self._stored_read(member, definition.python_name)
            key, reads = (kind, member.node.name.value), self._shared.reads
            if key not in reads:
                reads[key] = self._stored_read(member, definition.python_name)
            return reads[key]
        call = self._call(member, definition)
        complete = self._resolved(member.field.type, member)
        return lambda o, run: complete(call(o, run), run)

    def _stored_read(self, member: Member, name: str) -> Read:
        stored = self._stored(member.field.type, member)
        if stored is None:
            return lambda o, _: o.__dict__[name]
        return lambda o, run: stored(o.__dict__[name], run)

    def _call(self, member: Member, definition: StrawberryField) -> Read:
        """Return the function that calls a member's resolver."""
        resolver = definition.base_resolver
        at, info_at = len(self.arguments), len(self.informed)
        if resolver is None or not is_called_directly(member, definition):
            resolve = member.field.resolve
            if resolve is None:  # graphql-core's own resolver reads an attribute
                raise NotPlannableError(member.key)
            self.arguments.append(arguments_of(member, self._variables))
            return lambda o, run: resolve(o, run.info, **run.arguments[at])
        function: Any = resolver.wrapped_func
        name = resolver.info_parameter.name if resolver.info_parameter is not None else None
        if name is not None:
            self.informed.append(definition)
        self.arguments.append(direct_arguments_of(member, self._variables))
        if name is None:
            return lambda o, run: function(o, **run.arguments[at])
        return lambda o, run: function(o, **{name: run.infos[info_at]}, **run.arguments[at])

    def _stored(self, kind: GraphQLOutputType, member: Member) -> Complete | None:
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
            leaf = leaf_of(kind)
            return lambda v, _: leaf(v)
        functions = [self._object(selection) for selection in member.selections]
        if not is_abstract_type(kind):
            return functions[0]
        cases = dict(zip(classes_of(kind, member.selections), functions, strict=True))
        return lambda v, run: cases[type(v)](v, run)


def _attributes(stored: dict[str, Any], names: list[tuple[str, str]]) -> dict[str, Any]:
    return {key: stored[name] for key, name in names}


def _each(complete: Complete | None) -> Complete:
    """Return the function that completes a list; every item is complete as it is without one."""
    if complete is None:
        return lambda v, _: list(v)
    return lambda v, run: [complete(i, run) for i in v]


def _each_listed(complete: Complete) -> Complete:
    return lambda v, run: [complete(i, run) for i in listed(v)]


def _or_null(complete: Complete) -> Complete:
    return lambda v, run: None if v is None else complete(v, run)


def _or_refused(complete: Complete) -> Complete:
    return lambda v, run: missing() if v is None else complete(v, run)


def _of_class(own: type, complete: Complete) -> Complete:
    check = instance_of(own)
    return lambda v, run: complete(check(v), run)
