"""Translates a tree of selections into Python functions, one for each selection.

A function returns what graphql-core would return, or it raises: whoever calls it then asks
graphql-core. A stored field of an `Output` holds a value that pydantic has checked, so it is not
checked again; what a resolver returns is.
"""

from typing import Any

from graphql import GraphQLList, GraphQLNonNull, GraphQLOutputType, is_abstract_type, is_leaf_type
from graphql.execution.values import VariableValues
from strawberry.types.field import StrawberryField

from sdl.declare import ROW
from sdl.plan_run import (
    ArgumentsOf,
    Function,
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
from sdl.plan_tree import Member, Selection, class_of, is_same_in_json


class PlanCode:
    """The functions of one operation, for one set of values of its conditions."""

    def __init__(self, root: Selection, variables: VariableValues, shared: Shared) -> None:
        """Translate the tree. Raises: NotPlannableError, GraphQLError."""
        self.informed: list[StrawberryField] = []
        """The fields whose resolvers take an info."""
        self.arguments: list[ArgumentsOf] = []
        self._variables = variables
        self._shared = shared
        self._names: dict[str, Any] = {}
        self._lines: list[str] = []
        name = self._selected(root)
        # The only texts of a caller in it are keys, which are names of GraphQL, in quotes.
        exec("\n".join(self._lines), self._names)  # noqa: S102 - as above
        self.root: Function = self._names[name]

    def _named(self, prefix: str, value: object = None) -> str:
        """Return a new global name for a value, or for a function that is to be written."""
        name = f"{prefix}{len(self._names)}"
        self._names[name] = value
        return name

    def _object(self, selection: Selection) -> str:
        """Return the name of the function that completes an object of one type."""
        return (
            self._complete_object(selection) if selection.selects_all else self._selected(selection)
        )

    def _complete_object(self, selection: Selection) -> str:
        """Return the name of the function that all plans share for all fields of a type."""
        return self._named("all", complete_object(selection, self._variables, self._shared))

    def _selected(self, selection: Selection) -> str:
        """Write the function of a selection; return its name."""
        begins = 0 < selection.stored < len(selection.members)
        parts = [f"**{self._complete_object(selection.beginning)}(o, run)"] if begins else []
        parts += [
            f"{member.key!r}: {self._member(selection, member)}"
            for member in selection.members[selection.stored if begins else 0 :]
        ]
        name = self._named("object")
        self._lines += [
            f"def {name}(o, run):",
            " d = o.__dict__",
            f" return {{{', '.join(parts)}}}",
        ]
        return name

    def _member(self, selection: Selection, member: Member) -> str:
        """Return the expression of a member's completed value."""
        definition = member.definition
        if definition is None:
            return repr(selection.kind.name)
        if definition.base_resolver is None:
            return self._stored(member.field.type, f"d[{definition.python_name!r}]", member)
        call = self._call(member, definition)
        completed = self._resolved(member.field.type, "v", member)
        name = self._named("field")
        self._lines += [f"def {name}(o, run):", f" v = {call}", f" return {completed}"]
        return f"{name}(o, run)"

    def _call(self, member: Member, definition: StrawberryField) -> str:
        """Return the expression that calls a member's resolver on the object `o`."""
        resolver = definition.base_resolver
        if resolver is None or not is_called_directly(member, definition):
            self.arguments.append(arguments_of(member, self._variables))
            resolve = self._named("resolve", member.field.resolve)
            return f"{resolve}(o, run.info, **run.arguments[{len(self.arguments) - 1}])"
        parts = ["o"]
        if resolver.info_parameter is not None:
            parts.append(f"{resolver.info_parameter.name}=run.infos[{len(self.informed)}]")
            self.informed.append(definition)
        if member.field.args:
            parts.append(f"**run.arguments[{len(self.arguments)}]")
            self.arguments.append(direct_arguments_of(member, self._variables))
        return f"{self._named('resolver', resolver.wrapped_func)}({', '.join(parts)})"

    def _stored(self, kind: GraphQLOutputType, value: str, member: Member) -> str:
        """Return the expression that completes a checked value."""
        inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if is_same_in_json(inner):
            return value
        if isinstance(inner, GraphQLList):
            completed = f"[{self._stored(inner.of_type, 'i', member)} for i in {value}]"
        else:
            completed = self._completed(inner, value, member)
        return completed if inner is not kind else f"(None if {value} is None else {completed})"

    def _resolved(self, kind: GraphQLOutputType, value: str, member: Member) -> str:
        """Return the expression that checks and completes what a resolver returned."""
        inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if isinstance(inner, GraphQLList):
            items = self._named("listed", listed)
            completed = f"[{self._resolved(inner.of_type, 'i', member)} for i in {items}({value})]"
        elif is_leaf_type(inner) or is_abstract_type(inner):
            completed = self._completed(inner, value, member)
        else:
            check = self._named("instance", instance_of(class_of(member.selections[0].kind)))
            completed = self._completed(inner, f"{check}({value})", member)
        if inner is not kind:
            return f"{self._named('missing', missing)}() if {value} is None else {completed}"
        return f"(None if {value} is None else {completed})"

    def _completed(self, kind: Any, value: str, member: Member) -> str:
        """Return the expression that completes a value that is neither null nor a list."""
        if is_leaf_type(kind):
            return f"{self._named('leaf', leaf_of(kind))}({value})"
        functions = [self._object(selection) for selection in member.selections]
        if not is_abstract_type(kind):
            return f"{functions[0]}({value}, run)"
        classes = classes_of(kind, member.selections)
        pairs = [
            f"{self._named('Class', own)}: {function}"
            for own, function in zip(classes, functions, strict=True)
        ]
        cases = self._named("cases")
        self._lines.append(f"{cases} = {{{', '.join(pairs)}}}")
        return f"{cases}[type({value})]({value}, run)"


def complete_object(selection: Selection, variables: VariableValues, shared: Shared) -> Function:
    """Return the function that all plans share for all fields of a type, which has no arguments."""
    name = selection.kind.name
    if name not in shared.objects:
        code = PlanCode(selection, variables, shared)
        shared.objects[name] = _remembered(code.root, class_of(selection.kind))
    return shared.objects[name]


def _remembered(make: Function, own: type) -> Function:
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
