"""What the `@rest` of a stored operation must keep: its path, its method, its media types."""

import re
from collections.abc import Iterator
from typing import Any

from graphql import DirectiveNode, NonNullTypeNode, OperationDefinitionNode, OperationType

from sdl.directives import values_of
from sdl.operation import path_variables
from sdl.problems import OperationProblem, problem_at

PATH = re.compile(
    r"/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\})?(?:/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\}))*"
)
"""A path, whose variables stand in braces."""

_RELATION = re.compile(r"[a-z][a-z0-9.-]*")
_SUCCESSES = (200, 201, 202)
_NARROWING = ("fields", "limit", "offset")


def rest_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """What the directive of one operation breaks."""
    rest = values_of(directive)
    yield from _path_rules(node, directive, rest)
    if not rest["media"]:
        yield problem_at(directive, "media: name at least one media type")
    yield from _method_rules(node, directive, rest)
    if rest.get("rel") is not None and not _RELATION.fullmatch(rest["rel"]):
        yield problem_at(directive, "rel: write a link relation, such as service-doc")
    for variable in node.variable_definitions or ():
        name = variable.variable.name.value
        if rest["method"] == "GET" and name in _NARROWING:
            yield problem_at(variable, f"${name} is a parameter of every read already")


def _method_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    """A GET asks and leaves no trace; what acts answers JSON, or a subscription its events."""
    if rest["method"] == "GET":
        yield from _get_rules(node, directive)
        return
    media = "EVENTS" if node.operation is OperationType.SUBSCRIPTION else "JSON"
    if rest["media"] != [media] or rest["whole"]:
        message = "what acts answers JSON alone, a subscription EVENTS alone, the field's value"
        yield problem_at(directive, f"media: {message}")
    named = path_variables(rest["path"])
    if rest["method"] == "POST" and named:
        yield problem_at(directive, "path: the path of a POST has no variables")
    if rest["method"] == "DELETE":
        yield from _delete_rules(node, directive, named)
    if rest["status"] not in _SUCCESSES:
        yield problem_at(directive, "status: write 200, 201 or 202")
    for other in node.directives or ():
        if other.name.value in ("sign", "cache"):
            yield problem_at(other, "only what is reached by GET is signed or kept")


def _get_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    if node.operation is not OperationType.QUERY:
        yield problem_at(directive, "method: only a query is reached by GET; write POST")
    for variable in node.variable_definitions or ():
        if variable.directives:
            yield problem_at(variable, "from: a GET takes its variables from path and query")


def _delete_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, named: tuple[str, ...]
) -> Iterator[OperationProblem]:
    if node.operation is not OperationType.MUTATION:
        yield problem_at(directive, "method: only a mutation deletes")
    for variable in node.variable_definitions or ():
        if variable.variable.name.value not in named and not variable.directives:
            yield problem_at(variable, "a DELETE takes its variables from path and headers")


def _path_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    declared = {v.variable.name.value: v for v in node.variable_definitions or ()}
    names = path_variables(rest["path"])
    if not PATH.fullmatch(rest["path"]) or {".", ".."} & {*rest["path"].split("/")}:
        yield problem_at(directive, "path: write /segments of letters, digits, . _ - or {variable}")
    if len(set(names)) != len(names):
        yield problem_at(directive, "path: a variable stands in it twice")
    for name in names:
        if name not in declared:
            yield problem_at(directive, f"path: ${name} is not declared")
        elif not isinstance(declared[name].type, NonNullTypeNode):
            yield problem_at(declared[name], f"${name} stands in the path: it must be non-null")
    if names and rest["method"] == "GET" and rest.get("each") is None:
        yield problem_at(directive, "each: name the list whose items fill the path's variables")
