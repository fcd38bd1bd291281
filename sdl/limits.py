"""How large a document from outside may be, decided before anything of it runs.

Everything is counted in one pass over the nodes; a fragment is measured once, however often it is
spread, so the time is proportional to the document's length. Nothing is judged by its name but the
two introspection fields.
"""

from collections import Counter
from collections.abc import Iterator

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableDefinitionNode,
)
from graphql.language import Node

MAX_CHARACTERS = 10_000
MAX_TOKENS = 1_000
MAX_DEPTH = 12
MAX_INTROSPECTION_DEPTH = 20
MAX_ERRORS = 10

MAX_ALIASES = 15
MAX_ROOT_FIELDS = 30
MAX_DIRECTIVES = 50
MAX_DIRECTIVES_ON_ONE = 5
MAX_OPERATIONS = 10
MAX_FRAGMENTS = 50
MAX_VARIABLES = 50

_INTROSPECTION = ("__schema", "__type")

Fragments = dict[str, FragmentDefinitionNode]


def check_limits(document: DocumentNode) -> None:
    """Nothing, for a document within the limits. Raises: GraphQLError naming the limit."""
    fragments: Fragments = {}
    operations: list[OperationDefinitionNode] = []
    for node in document.definitions:
        if isinstance(node, FragmentDefinitionNode):
            fragments[node.name.value] = node
        elif isinstance(node, OperationDefinitionNode):
            operations.append(node)
    _at_most(MAX_OPERATIONS, len(operations), "operations")
    _at_most(MAX_FRAGMENTS, len(document.definitions) - len(operations), "fragments")
    counts: Counter[str] = Counter()
    for part in _nodes(document):
        counts.update(_counted(part))
        directives = getattr(part, "directives", None) or ()
        _at_most(MAX_DIRECTIVES_ON_ONE, len(directives), "directives on one element")
    _at_most(MAX_ALIASES, counts["aliases"], "aliases")
    _at_most(MAX_DIRECTIVES, counts["directives"], "directives")
    _at_most(MAX_VARIABLES, counts["variables"], "variables")
    for name in _INTROSPECTION:
        _at_most(1, counts[name], f"{name} fields")
    measure = _Measure(fragments)
    for operation in operations:
        width, _ = measure.selection(operation.selection_set, 0, inside=False)
        _at_most(MAX_ROOT_FIELDS, width, "root fields")


def _nodes(document: DocumentNode) -> Iterator[Node]:
    stack: list[Node] = [document]
    while stack:
        node = stack.pop()
        yield node
        for key in node.keys:
            value = getattr(node, key, None)
            if isinstance(value, Node):
                stack.append(value)
            elif isinstance(value, (list, tuple)):
                stack.extend(value)


def _counted(node: Node) -> Iterator[str]:
    if isinstance(node, FieldNode):
        if node.alias is not None:
            yield "aliases"
        yield node.name.value
    elif isinstance(node, DirectiveNode):
        yield "directives"
    elif isinstance(node, VariableDefinitionNode):
        yield "variables"


def _at_most(limit: int, count: int, what: str) -> None:
    if count > limit:
        raise GraphQLError(f"The document has more than {limit} {what}.")


class _Measure:
    """The width and depth of selections; each fragment is measured once on either side."""

    def __init__(self, fragments: Fragments) -> None:
        self.fragments = fragments
        self.known: dict[tuple[str, bool], tuple[int, int]] = {}
        self.open: set[tuple[str, bool]] = set()

    def selection(
        self, selection: SelectionSetNode, depth: int, *, inside: bool
    ) -> tuple[int, int]:
        """How many fields stand side by side here, and how many levels below `depth`."""
        width = levels = 0
        for node in selection.selections:
            if isinstance(node, FieldNode):
                width += 1
                levels = max(levels, self._field(node, depth, inside=inside))
                continue
            if isinstance(node, InlineFragmentNode):
                more, below = self.selection(node.selection_set, depth, inside=inside)
            elif isinstance(node, FragmentSpreadNode):
                more, below = self._fragment(node.name.value, depth, inside=inside)
            else:
                continue
            width += more
            levels = max(levels, below)
        return width, levels

    def _field(self, node: FieldNode, depth: int, *, inside: bool) -> int:
        inside = inside or node.name.value in _INTROSPECTION
        self._check(depth + 1, inside=inside)
        if node.selection_set is None:
            return 1
        return 1 + self.selection(node.selection_set, depth + 1, inside=inside)[1]

    def _fragment(self, name: str, depth: int, *, inside: bool) -> tuple[int, int]:
        key = (name, inside)
        if name not in self.fragments:
            return 0, 0
        if key in self.open:
            raise GraphQLError("A fragment spreads itself.")
        if key not in self.known:
            self.open.add(key)
            body = self.fragments[name].selection_set
            self.known[key] = self.selection(body, depth, inside=inside)
            self.open.discard(key)
        width, levels = self.known[key]
        self._check(depth + levels, inside=inside)
        return width, levels

    def _check(self, depth: int, *, inside: bool) -> None:
        limit = MAX_INTROSPECTION_DEPTH if inside else MAX_DEPTH
        if depth > limit:
            raise GraphQLError(f"The document is nested deeper than {limit} levels.")
