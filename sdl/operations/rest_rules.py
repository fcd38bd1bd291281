"""The rules of `@rest`: the path, the method, the media types."""

import re
from collections.abc import Iterator
from typing import Any

from graphql import DirectiveNode, NonNullTypeNode, OperationDefinitionNode, OperationType

from sdl.operations.operation import path_variables
from sdl.operations.operation_problems import OperationProblem, problem_at
from sdl.types.directives import values_of

PATH = re.compile(
    r"/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\})?(?:/(?:[A-Za-z0-9._-]+|\{[A-Za-z_]\w*\}))*"
)
"""A path with its variables in braces."""

_RELATION = re.compile(r"[a-z][a-z0-9.-]*")
_SUCCESSES = (200, 201, 202)
_PROJECTION_PARAMETERS = ("fields", "limit", "offset")


def rest_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield the problems of one operation's `@rest`."""
    rest = values_of(directive)
    yield from _path_rules(node, directive, rest)
    if not rest["media"]:
        yield problem_at(directive, "media: write at least one media type")
    yield from _method_rules(node, directive, rest)
    if rest["method"] != "POST" and rest["get_parameters"]:
        yield problem_at(directive, "getParameters: only a POST has them")
    if rest.get("rel") is not None and not _RELATION.fullmatch(rest["rel"]):
        yield problem_at(directive, "rel: write a link relation, such as service-doc")


def strict_rest_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    """Yield what a strict folder may not have beyond `rest_rules`."""
    rest = values_of(directive)
    is_get = rest["method"] == "GET"
    for variable in node.variable_definitions or ():
        name = variable.variable.name.value
        if is_get and name in _PROJECTION_PARAMETERS:
            yield problem_at(variable, f"${name}: reads have a parameter of this name; rename it")
    for variable in node.variable_definitions or ():
        if is_get and variable.directives:
            yield problem_at(variable, "from: the variables of a GET are in its path and query")
    if is_get and path_variables(rest["path"]) and rest.get("each") is None:
        yield problem_at(directive, "each: write the list whose items fill the path's variables")


def _method_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    """Yield the problems of the method: a GET only reads; writes return JSON or events."""
    is_stream = node.operation is OperationType.SUBSCRIPTION
    if rest["method"] == "GET":
        yield from _get_rules(node, directive)
    elif rest["method"] != "POST" and node.operation is not OperationType.MUTATION:
        yield problem_at(directive, f"method: only a mutation can have {rest['method']}")
    if rest["method"] == "GET" and not is_stream:
        return
    allowed = [["EVENTS"]] if is_stream else [["JSON"], ["JSON", "MARKDOWN"]]
    if rest["media"] not in allowed or rest["whole"]:
        message = "a write returns JSON, or JSON and MARKDOWN; a subscription EVENTS; never `whole`"
        yield problem_at(directive, f"media: {message}")
    if rest["method"] == "DELETE":
        yield from _delete_rules(node, path_variables(rest["path"]))
    if rest["status"] not in _SUCCESSES:
        yield problem_at(directive, "status: write 200, 201 or 202")
    for other in node.directives or ():
        if other.name.value in ("sign", "cache"):
            yield problem_at(other, "only an operation with GET can have @sign or @cache")


def _get_rules(
    node: OperationDefinitionNode, directive: DirectiveNode
) -> Iterator[OperationProblem]:
    if node.operation is OperationType.MUTATION:
        yield problem_at(directive, "method: a mutation cannot have GET; write POST")


def _delete_rules(
    node: OperationDefinitionNode, names: tuple[str, ...]
) -> Iterator[OperationProblem]:
    for variable in node.variable_definitions or ():
        if variable.variable.name.value not in names and not variable.directives:
            yield problem_at(variable, "the variables of a DELETE are in its path and headers")


def _path_rules(
    node: OperationDefinitionNode, directive: DirectiveNode, rest: dict[str, Any]
) -> Iterator[OperationProblem]:
    declared = {v.variable.name.value: v for v in node.variable_definitions or ()}
    names = path_variables(rest["path"])
    if not PATH.fullmatch(rest["path"]) or {".", ".."} & {*rest["path"].split("/")}:
        yield problem_at(directive, "path: write /segments of letters, digits, . _ - or {variable}")
    if len(set(names)) != len(names):
        yield problem_at(directive, "path: a variable is in it twice")
    for name in names:
        if name not in declared:
            yield problem_at(directive, f"path: ${name} is not declared")
        elif not isinstance(declared[name].type, NonNullTypeNode):
            yield problem_at(declared[name], f"${name} is in the path, so it must be non-null")
