"""What every stored operation must keep, beyond being valid GraphQL."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    NonNullTypeNode,
    OperationDefinitionNode,
    VariableDefinitionNode,
    Visitor,
    visit,
)

from schema.directives import values_of
from sdl.faults import OperationFault, fault_at
from sdl.operation import Operation, path_variables

_PATH = re.compile(
    r"/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\})?(?:/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\}))*"
)


def operation_laws(document: DocumentNode, file: str) -> Iterator[OperationFault]:
    """What one operation file breaks."""
    node = document.definitions[0]
    if len(document.definitions) != 1 or not isinstance(node, OperationDefinitionNode):
        yield fault_at(node, "an operation file holds one operation and nothing else")
        return
    if node.name is None or _snake_case(node.name.value) != PurePath(file).stem:
        name = node.name.value if node.name else ""
        yield fault_at(
            node, f"the file must be named {_snake_case(name) or 'as the operation'}.graphql"
        )
    described: list[OperationDefinitionNode | VariableDefinitionNode] = [node]
    for part in (*described, *(node.variable_definitions or ())):
        if part.description is None or not part.description.value.strip():
            yield fault_at(part, "a description is missing in front of this")
    selections = node.selection_set.selections
    if len(selections) != 1 or not isinstance(selections[0], FieldNode):
        yield fault_at(node.selection_set, "an operation asks for one root field")
    conditional = _Conditions()
    visit(document, conditional)
    for directive in conditional.found:
        yield fault_at(directive, "a stored operation's shape is a promise: no @skip, no @include")


def fragment_laws(document: DocumentNode, file: str) -> Iterator[OperationFault]:
    """What one fragment file breaks."""
    node = document.definitions[0]
    if len(document.definitions) != 1 or not isinstance(node, FragmentDefinitionNode):
        yield fault_at(node, "a fragment file holds one fragment and nothing else")
    elif _snake_case(node.name.value) != PurePath(file).stem:
        yield fault_at(node, f"the file must be named {_snake_case(node.name.value)}.graphql")


def directive_laws(nodes: Sequence[OperationDefinitionNode]) -> Iterator[OperationFault]:
    """What the directives of valid operations break, each alone and between them."""
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value == "rest":
                yield from _rest_laws(node, directive)
            elif directive.name.value == "example":
                yield from _example_laws(node, directive)
    yield from _unique(nodes, "rest", _routes)
    yield from _unique(nodes, "mcp", lambda directive: [f"tool {values_of(directive)['tool']!r}"])


def each_laws(operations: Sequence[Operation]) -> Iterator[OperationFault]:
    """Where `each` does not lead to a list whose items fill the operation's path."""
    by_name = {operation.name: operation for operation in operations}
    for operation in operations:
        each = operation.rest.each if operation.rest is not None else None
        if each is None:
            continue
        name, _, member = each.partition(".")
        items = by_name[name].items(member) if name in by_name else None
        keys = {found.key for found in items.members if not found.optional} if items else set()
        if not keys.issuperset(operation.path_variables):
            wanted = ", ".join(operation.path_variables)
            message = f"each: {each!r} is no list whose items have {wanted or 'a path'}"
            yield fault_at(operation.node, message)


class _Conditions(Visitor):
    """Collects the directives that make a field come and go."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[DirectiveNode] = []

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        if node.name.value in ("skip", "include"):
            self.found.append(node)


def _rest_laws(node: OperationDefinitionNode, directive: DirectiveNode) -> Iterator[OperationFault]:
    rest = values_of(directive)
    declared = {v.variable.name.value: v for v in node.variable_definitions or ()}
    if not _PATH.fullmatch(rest["path"]):
        yield fault_at(directive, "path: write /segments of letters, digits, . _ - or {variable}")
    for name in path_variables(rest["path"]):
        if name not in declared:
            yield fault_at(directive, f"path: ${name} is not declared")
        elif not isinstance(declared[name].type, NonNullTypeNode):
            yield fault_at(declared[name], f"${name} stands in the path: it must be non-null")
    if not rest["media"]:
        yield fault_at(directive, "media: name at least one media type")
    if rest["method"] == "GET" and node.operation.value != "query":
        yield fault_at(directive, "method: GET is for queries")
    if path_variables(rest["path"]) and rest.get("each") is None:
        yield fault_at(directive, "each: name the list whose items fill the path's variables")


def _example_laws(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationFault]:
    example = values_of(directive)
    declared = {v.variable.name.value for v in node.variable_definitions or ()}
    if not isinstance(example["variables"], dict):
        yield fault_at(directive, "variables: write an object")
        return
    for name in example["variables"]:
        if name not in declared and example["status"] == 200:  # noqa: PLR2004 - HTTP's OK
            yield fault_at(directive, f"variables: ${name} is not declared")


def _routes(directive: DirectiveNode) -> list[str]:
    rest = values_of(directive)
    path = re.sub(r"\{\w+\}", "{}", rest["path"])
    return [f"{rest['method']} {path} as {media}" for media in rest["media"]]


def _unique(
    nodes: Sequence[OperationDefinitionNode],
    directive_name: str,
    names: Callable[[DirectiveNode], list[str]],
) -> Iterator[OperationFault]:
    owners: defaultdict[str, list[DirectiveNode]] = defaultdict(list)
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value == directive_name:
                for name in names(directive):
                    owners[name].append(directive)
    for name, found in owners.items():
        for directive in found[1:]:
            first = fault_at(found[0], "")
            yield fault_at(directive, f"{name} is taken by {first.file}:{first.line}")


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
