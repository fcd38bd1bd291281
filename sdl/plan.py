"""Compiled plans: a valid query becomes one Python function over the content.

graphql-core stays the judge: whatever a plan cannot promise, and whatever fails in a plan, is run
by graphql-core, which says the error. So queries alone have plans, as running one twice changes
nothing.
"""

from collections.abc import Mapping
from typing import Any

from graphql import (
    DirectiveNode,
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    VariableNode,
    Visitor,
    get_variable_values,
    visit,
)
from graphql.execution.values import VariableValues

from sdl.plan_code import Function, PlanCode
from sdl.plan_tree import NotPlannableError, TreeBuilder

MAX_CONDITIONS = 4
"""A document with more variables in `@skip` and `@include` has no plan."""
MAX_CODES = 4
"""How many sets of values of these variables a plan is ready for at a time."""

NO_VARIABLES = VariableValues({}, {})
_CONDITIONAL = ("skip", "include")


class Planner:
    """Makes the plans of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        self.shared: dict[str, Function] = {}
        """The functions that complete all fields of an object, by the name of its type."""

    def plan(self, document: DocumentNode, operation: OperationDefinitionNode) -> "Plan":
        """Return the plan of one operation of a valid document."""
        return Plan(self, document, operation)

    def only_plan(self, document: DocumentNode) -> "Plan":
        """Return the plan of a valid document that has one operation."""
        return self.plan(document, *operations_of(document))


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
        self._conditions = _conditions(document) if self._definitions else ()
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

    def is_ready(self, values: VariableValues) -> bool:
        """Whether `run` would run the query at once, without compiling it or graphql-core."""
        return self._codes.get(self._key(values)) is not None

    def run(self, root: object, context: object, values: VariableValues) -> dict[str, Any] | None:
        """Return the data of the query; None if graphql-core must run it."""
        key = self._key(values)
        if key not in self._codes:
            if len(self._codes) == MAX_CODES:
                self._codes = {}
            self._codes[key] = self._compiled(values)
        code = self._codes[key]
        if code is None:
            return None
        try:
            return code.run(root, context, values)
        except Exception:  # noqa: BLE001 - graphql-core runs it again and says what is wrong
            return None

    def _key(self, values: VariableValues) -> tuple[object, ...]:
        return tuple(values.coerced.get(name) for name in self._conditions)

    def _compiled(self, values: VariableValues) -> PlanCode | None:
        is_query = self._operation.operation is OperationType.QUERY
        if not is_query or len(self._conditions) > MAX_CONDITIONS:
            return None
        builder = TreeBuilder(self._planner.schema, self._operation, self._fragments, values)
        try:
            return PlanCode(builder.root(), values, self._planner.shared)
        except (NotPlannableError, GraphQLError):
            return None


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
