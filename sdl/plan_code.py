"""Translates a tree of selections into Python functions, one for each selection.

A function returns what graphql-core would return, or it raises: whoever calls it then asks
graphql-core. A stored field of an `Output` holds a value that pydantic has checked, so it is not
checked again; what a resolver returns is.
"""

from collections.abc import Callable
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLID,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLString,
    Undefined,
    VariableNode,
    Visitor,
    get_argument_values,
    is_abstract_type,
    is_leaf_type,
    visit,
)
from graphql.execution.values import VariableValues
from strawberry import Info
from strawberry.types.field import StrawberryField

from sdl.declare import ROW
from sdl.plan_tree import Member, NotPlannableError, Selection, class_of
from sdl.shape import IS_TEXT

Arguments = dict[str, Any]
Function = Callable[[Any, "Run"], dict[str, Any]]


class UncheckedValueError(Exception):
    """A resolver returned what its field's type does not promise."""


class ResolveInfo:
    """The part of graphql-core's `GraphQLResolveInfo` that a plan has: the context."""

    __slots__ = ("context",)

    def __init__(self, context: object) -> None:
        self.context = context


class Run:
    """One run of a plan: the resolvers' infos, and their arguments."""

    __slots__ = ("arguments", "info", "infos")

    def __init__(self, code: "PlanCode", context: object, variables: VariableValues) -> None:
        self.info = ResolveInfo(context)
        self.infos = [Info(self.info, own) for own in code.informed]  # type: ignore[arg-type]
        self.arguments = [arguments(variables) for arguments in code.arguments]


class PlanCode:
    """The functions of one operation, for one set of values of its conditions."""

    def __init__(
        self, root: Selection, variables: VariableValues, shared: dict[str, Function]
    ) -> None:
        """Translate the tree. Raises: NotPlannableError, GraphQLError.

        `shared` has the functions that complete all fields of a type, by its name; it grows.
        """
        self.informed: list[StrawberryField] = []
        """The fields whose resolvers take an info."""
        self.arguments: list[Callable[[VariableValues], Arguments]] = []
        self._variables = variables
        self._shared = shared
        self._names: dict[str, Any] = {}
        self._lines: list[str] = []
        name = self._selected(root)
        # The only texts of a caller in it are keys, which are names of GraphQL, in quotes.
        exec("\n".join(self._lines), self._names)  # noqa: S102 - as above
        self.root: Function = self._names[name]

    def run(self, root: object, context: object, variables: VariableValues) -> dict[str, Any]:
        """Return the data of the operation; raise anything if graphql-core must say what it is."""
        return self.root(root, Run(self, context, variables))

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
        name = selection.kind.name
        if name not in self._shared:
            code = PlanCode(selection, self._variables, self._shared)
            self._shared[name] = _remembered(code.root, class_of(selection.kind))
        return self._named("all", self._shared[name])

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
        is_method = resolver is not None and resolver.self_parameter is not None
        if resolver is None or not is_method or member.field.args or definition.extensions:
            self.arguments.append(_arguments(member, self._variables))
            resolve = self._named("resolve", member.field.resolve)
            return f"{resolve}(o, run.info, **run.arguments[{len(self.arguments) - 1}])"
        function = self._named("resolver", resolver.wrapped_func)
        if resolver.info_parameter is None:
            return f"{function}(o)"
        self.informed.append(definition)
        return f"{function}(o, {resolver.info_parameter.name}=run.infos[{len(self.informed) - 1}])"

    def _stored(self, kind: GraphQLOutputType, value: str, member: Member) -> str:
        """Return the expression that completes a checked value."""
        inner = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        if _is_same_in_json(inner):
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
            items = self._named("listed", _listed)
            completed = f"[{self._resolved(inner.of_type, 'i', member)} for i in {items}({value})]"
        elif is_leaf_type(inner) or is_abstract_type(inner):
            completed = self._completed(inner, value, member)
        else:
            check = self._named("instance", _instance_of(class_of(member.selections[0].kind)))
            completed = self._completed(inner, f"{check}({value})", member)
        if inner is not kind:
            return f"{self._named('missing', _missing)}() if {value} is None else {completed}"
        return f"(None if {value} is None else {completed})"

    def _completed(self, kind: Any, value: str, member: Member) -> str:
        """Return the expression that completes a value that is neither null nor a list."""
        if is_leaf_type(kind):
            return f"{self._leaf(kind)}({value})"
        functions = [self._object(selection) for selection in member.selections]
        if not is_abstract_type(kind):
            return f"{functions[0]}({value}, run)"
        classes = [class_of(selection.kind) for selection in member.selections]
        if len(set(classes)) < len(classes):
            raise NotPlannableError(kind.name)
        pairs = [
            f"{self._named('Class', own)}: {function}"
            for own, function in zip(classes, functions, strict=True)
        ]
        cases = self._named("cases")
        self._lines.append(f"{cases} = {{{', '.join(pairs)}}}")
        return f"{cases}[type({value})]({value}, run)"

    def _leaf(self, kind: GraphQLLeafType) -> str:
        """Return the name of the function that completes a scalar or an enum."""
        if not isinstance(kind, GraphQLEnumType):
            return self._named("leaf", _leaf(kind))
        members = getattr(kind.extensions.get("strawberry-definition"), "wrapped_cls", None)
        if members is None:
            raise NotPlannableError(kind.name)
        words = {member: kind.coerce_output_value(member) for member in members}
        return self._named("word", words.__getitem__)


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


def _is_same_in_json(kind: GraphQLOutputType) -> bool:
    """Whether a checked value of a type is its own JSON."""
    if isinstance(kind, GraphQLNonNull | GraphQLList):
        return _is_same_in_json(kind.of_type)
    extensions = getattr(kind, "extensions", {})
    return kind in (GraphQLString, GraphQLID, GraphQLBoolean) or bool(extensions.get(IS_TEXT))


def _leaf(kind: GraphQLLeafType) -> Callable[[Any], Any]:
    coerce = kind.coerce_output_value

    def complete(value: Any) -> Any:
        result = coerce(value)
        if result is None or result is Undefined:
            raise UncheckedValueError(kind.name)
        return result

    return complete


def _arguments(member: Member, variables: VariableValues) -> Callable[[VariableValues], Arguments]:
    """Return the function of variables to the arguments; without variables, a constant one."""
    if any(_has_variable(argument) for argument in member.node.arguments or ()):
        return lambda values: get_argument_values(member.field, member.node, values)
    constant = get_argument_values(member.field, member.node, variables)
    return lambda _: constant


def _has_variable(node: Any) -> bool:
    finder = _VariableFinder()
    visit(node, finder)
    return finder.found


class _VariableFinder(Visitor):
    found = False

    def enter_variable(self, _: VariableNode, *__: object) -> None:
        self.found = True


def _listed(value: Any) -> list[Any]:
    if type(value) not in (list, tuple):
        raise UncheckedValueError("list")
    return value  # type: ignore[no-any-return]


def _instance_of(own: type) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if type(value) is not own:
            raise UncheckedValueError(own.__name__)
        return value

    return check


def _missing() -> Any:
    raise UncheckedValueError("null")
