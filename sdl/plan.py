"""Plans: a valid query becomes one Python function over the content.

graphql-core stays the judge: whatever a plan cannot promise, and whatever fails in a plan, is run
by graphql-core, which says the error. So queries alone have plans, as running one twice changes
nothing. The plan of a caller's document is compiled when the document comes again.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    DirectiveNode,
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    get_variable_values,
    visit,
)
from graphql.execution.values import VariableValues

from sdl.plan_code import PlanCode
from sdl.plan_run import Run, Shared
from sdl.plan_tree import NotPlannableError, Selection, TreeBuilder
from sdl.plan_walk import PlanWalk

MAX_CONDITIONS = 4
"""A document with more variables in `@skip` and `@include` has no plan."""
MAX_CODES = 4
"""How many sets of values of these variables a plan is ready for at a time."""
WALKED_RUNS = 1
"""How often a document of a caller is run before its plan is compiled."""

NO_VARIABLES = VariableValues({}, {})
_CONDITIONAL = ("skip", "include")

MakeTree = Callable[[VariableValues], Selection]
"""Makes the tree of a query for the values of its conditions.

Raises: NotPlannableError, GraphQLError."""


class BoundPlan(NamedTuple):
    """A plan with all that it runs with."""

    run: Callable[[], dict[str, Any]]
    """Returns the data of the query; raises anything if graphql-core must run it."""
    is_compiled: bool


class Planner:
    """Makes the plans of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        self.shared = Shared()

    def plan(
        self,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        *,
        is_stored: bool = True,
    ) -> "Plan":
        """Return the plan of one operation of a valid document.

        That of a stored operation is compiled when it is run first.
        """
        fragments = [n for n in document.definitions if isinstance(n, FragmentDefinitionNode)]
        definitions = tuple(operation.variable_definitions or ())
        conditions = _conditions(document) if definitions else ()

        def tree(values: VariableValues) -> Selection:
            if operation.operation is not OperationType.QUERY:
                raise NotPlannableError
            return TreeBuilder(self.schema, operation, fragments, values).root()

        walked_runs = 0 if is_stored else WALKED_RUNS
        return Plan(self, definitions, conditions, tree, walked_runs)

    def plain_plan(self, definitions: Sequence[VariableDefinitionNode], tree: Selection) -> "Plan":
        """Return the plan of a caller's query whose tree is known and has no conditions."""
        return Plan(self, tuple(definitions), (), lambda _: tree, WALKED_RUNS)

    def only_plan(self, document: DocumentNode) -> "Plan":
        """Return the plan of a valid document that has one operation."""
        [operation] = operations_of(document)
        return self.plan(document, operation)


class Plan:
    """The plan of one operation of a valid document."""

    def __init__(
        self,
        planner: Planner,
        definitions: tuple[VariableDefinitionNode, ...],
        conditions: tuple[str, ...],
        tree: MakeTree,
        walked_runs: int,
    ) -> None:
        self._planner = planner
        self._definitions = definitions
        self._conditions = conditions
        self._tree = tree
        self._walked_runs = walked_runs
        self._codes: dict[tuple[object, ...], PlanCode | None] = {}

    def values(self, variables: Mapping[str, Any]) -> VariableValues | None:
        """Return the variables as values; None if graphql-core must say what is wrong with them."""
        if not self._definitions:
            return NO_VARIABLES
        try:
            values = get_variable_values(self._planner.schema, self._definitions, dict(variables))
        except Exception:  # noqa: BLE001 - as in `run`
            return None
        return None if isinstance(values, list) else values

    def bound(
        self,
        root: object,
        context: object,
        values: VariableValues,
        *,
        may_walk: bool = True,
        may_compile: bool = True,
    ) -> BoundPlan | None:
        """Return the plan with what it runs with; None if graphql-core must run the query.

        None, too, if the plan is not compiled and may not be walked or compiled now.
        """
        key = tuple([values.coerced.get(name) for name in self._conditions])
        code: PlanCode | PlanWalk | None = self._codes.get(key)
        if code is None:
            if key in self._codes or not (may_walk if self._walked_runs else may_compile):
                return None
            code = self._made(key, values)
            if code is None:
                return None
        try:
            run = Run(code, context, values)
        except Exception:  # noqa: BLE001 - as in `run`
            return None
        return BoundPlan(partial(code.root, root, run), type(code) is PlanCode)

    def run(self, root: object, context: object, values: VariableValues) -> dict[str, Any] | None:
        """Return the data of the query; None if graphql-core must run it."""
        bound = self.bound(root, context, values)
        if bound is None:
            return None
        try:
            return bound.run()
        except Exception:  # noqa: BLE001 - graphql-core runs it again and says what is wrong
            return None

    def _made(self, key: tuple[object, ...], values: VariableValues) -> PlanCode | PlanWalk | None:
        """Return what runs the query, which is kept if it is compiled or cannot be."""
        code: PlanCode | None = None
        if len(self._conditions) <= MAX_CONDITIONS:
            try:
                tree = self._tree(values)
                if self._walked_runs:
                    self._walked_runs -= 1
                    return PlanWalk(tree, values, self._planner.shared)
                code = PlanCode(tree, values, self._planner.shared)
            except (NotPlannableError, GraphQLError):
                code = None
        if len(self._codes) == MAX_CODES:
            self._codes = {}
        self._codes[key] = code
        return code


def operations_of(document: DocumentNode) -> list[OperationDefinitionNode]:
    """Return the operations of a document."""
    return [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]


def _conditions(document: DocumentNode) -> tuple[str, ...]:
    """Return the variables that decide what is selected, and so what a plan does."""
    finder = _ConditionFinder()
    visit(document, finder)
    return tuple(sorted(finder.names))


class _ConditionFinder(Visitor):
    """Collects the variables in the conditions of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        values = [argument.value for argument in node.arguments or ()]
        if node.name.value in _CONDITIONAL:
            self.names |= {own.name.value for own in values if isinstance(own, VariableNode)}
