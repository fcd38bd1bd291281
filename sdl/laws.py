"""What every stored operation must keep, beyond being valid GraphQL."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import Any

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
from pydantic import TypeAdapter, ValidationError

from schema.directives import values_of
from schema.words import Line
from sdl.faults import OperationFault, fault_at
from sdl.operation import Operation, path_variables

_LINE: TypeAdapter[str] = TypeAdapter(Line)
_TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_RELATION = re.compile(r"[a-z][a-z0-9.-]*")
_NARROWING = ("fields", "limit", "offset")
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
    yield from _promise_laws(document)


def fragment_laws(document: DocumentNode, file: str) -> Iterator[OperationFault]:
    """What one fragment file breaks."""
    node = document.definitions[0]
    if len(document.definitions) != 1 or not isinstance(node, FragmentDefinitionNode):
        yield fault_at(node, "a fragment file holds one fragment and nothing else")
    elif _snake_case(node.name.value) != PurePath(file).stem:
        yield fault_at(node, f"the file must be named {_snake_case(node.name.value)}.graphql")
    yield from _promise_laws(document)


def directive_laws(nodes: Sequence[OperationDefinitionNode]) -> Iterator[OperationFault]:
    """What the directives of valid operations break, each alone and between them."""
    for node in nodes:
        for directive in node.directives or ():
            if directive.name.value == "rest":
                yield from _rest_laws(node, directive)
            elif directive.name.value == "example":
                yield from _example_laws(node, directive)
            elif directive.name.value == "cache" and values_of(directive)["max_age"] < 0:
                yield fault_at(directive, "maxAge: write 0 or more seconds")
            elif directive.name.value == "mcp":
                yield from _tool_laws(directive)
            elif directive.name.value == "sign":
                yield from _sign_laws(node, directive)
    yield from _unique(nodes, "rest", _routes)
    yield from _unique(nodes, "sign", _sections)
    yield from _unique(nodes, "mcp", lambda directive: [f"tool {values_of(directive)['tool']!r}"])


def compiled_laws(operations: Sequence[Operation]) -> Iterator[OperationFault]:
    """What compiled operations break: their texts, and the lists that fill their paths."""
    yield from _each_laws(operations)
    paths = {operation.rest.path for operation in operations if operation.rest is not None}
    for operation in operations:
        if operation.signed_path in paths:
            yield fault_at(operation.node, f"sign: {operation.signed_path} is a path of its own")
        section = operation.llms.section if operation.llms else operation.title
        texts = {"first paragraph": operation.summary, "title": operation.title, "section": section}
        for what, text in texts.items():
            if not _is_line(text):
                message = f"{what}: must be plain text of 1 to 400 characters"
                yield fault_at(operation.node, message)


def _each_laws(operations: Sequence[Operation]) -> Iterator[OperationFault]:
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


def _promise_laws(document: DocumentNode) -> Iterator[OperationFault]:
    """A stored operation's shape is a promise: every key is there, and is the schema's own."""
    broken = _BrokenPromises()
    visit(document, broken)
    for node in broken.found:
        yield fault_at(node, "a stored operation has no @skip, no @include and no __ field")


class _BrokenPromises(Visitor):
    """Collects what makes a key come and go, and what is not of the studio."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[DirectiveNode | FieldNode] = []

    def enter_directive(self, node: DirectiveNode, *_: object) -> None:
        if node.name.value in ("skip", "include"):
            self.found.append(node)

    def enter_field(self, node: FieldNode, *_: object) -> None:
        if node.name.value.startswith("__"):
            self.found.append(node)


def _rest_laws(node: OperationDefinitionNode, directive: DirectiveNode) -> Iterator[OperationFault]:
    rest = values_of(directive)
    yield from _path_laws(node, directive, rest)
    if not rest["media"]:
        yield fault_at(directive, "media: name at least one media type")
    if rest["method"] != "GET":
        yield fault_at(directive, "method: only GET is answered so far")
    if rest.get("rel") is not None and not _RELATION.fullmatch(rest["rel"]):
        yield fault_at(directive, "rel: write a link relation, such as service-doc")
    for variable in node.variable_definitions or ():
        if variable.variable.name.value in _NARROWING:
            name = variable.variable.name.value
            yield fault_at(variable, f"${name} is a parameter of every read already")


def _path_laws(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationFault]:
    declared = {v.variable.name.value: v for v in node.variable_definitions or ()}
    names = path_variables(rest["path"])
    if not _PATH.fullmatch(rest["path"]) or {".", ".."} & {*rest["path"].split("/")}:
        yield fault_at(directive, "path: write /segments of letters, digits, . _ - or {variable}")
    if len(set(names)) != len(names):
        yield fault_at(directive, "path: a variable stands in it twice")
    for name in names:
        if name not in declared:
            yield fault_at(directive, f"path: ${name} is not declared")
        elif not isinstance(declared[name].type, NonNullTypeNode):
            yield fault_at(declared[name], f"${name} stands in the path: it must be non-null")
    if names and rest.get("each") is None:
        yield fault_at(directive, "each: name the list whose items fill the path's variables")


def _sign_laws(node: OperationDefinitionNode, directive: DirectiveNode) -> Iterator[OperationFault]:
    sign = values_of(directive)
    if not _PATH.fullmatch(sign["snapshots"]) or path_variables(sign["snapshots"]):
        yield fault_at(directive, "snapshots: write /segments of letters, digits, . _ -")
    if sign.get("section") is None and "rest" not in {d.name.value for d in node.directives or ()}:
        yield fault_at(directive, "section: name one, or give the operation a path by @rest")
    for variable in node.variable_definitions or ():
        if isinstance(variable.type, NonNullTypeNode) and variable.default_value is None:
            yield fault_at(variable, "what is signed is asked for without variables")


def _tool_laws(directive: DirectiveNode) -> Iterator[OperationFault]:
    if not _TOOL.fullmatch(values_of(directive)["tool"]):
        yield fault_at(directive, "tool: write lower-case letters, digits and _")


def _example_laws(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationFault]:
    example = values_of(directive)
    declared = {v.variable.name.value for v in node.variable_definitions or ()}
    if example["status"] not in range(100, 600):
        yield fault_at(directive, "status: write an HTTP status")
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


def _sections(directive: DirectiveNode) -> list[str]:
    section = values_of(directive).get("section")
    return [f"section {section!r}"] if section is not None else []


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


def _is_line(text: str) -> bool:
    try:
        _LINE.validate_python(text)
    except ValidationError:
        return False
    return True


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
