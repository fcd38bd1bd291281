"""The stored operations as intent sees them: what a caller can send a request to. Ranks nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphql import OperationType

from resolvers.intent.operation import Parameter, ParameterLocation, RoutableOperation
from sdl.catalog import is_answered
from sdl.input_schemas import input_schema
from sdl.json_arguments import arguments_schema
from sdl.operation import Operation, Variable
from sdl.problems import OperationProblem, problem_at
from sdl.runner import Snapshot
from sdl.shape import ObjectShape

MIN_GOALS = 4
"""How many example goals an operation needs to be found by others than who wrote it."""
_STREAM = "text/event-stream"
_CREDENTIAL = "Authorization"


def routable_operations(reading: Snapshot) -> tuple[RoutableOperation, ...]:
    """One for each address that a caller reaches and that answers with this revision."""
    answering = [each for each in reading.operations if is_answered(each, reading)]
    return tuple(_routable(twins, reading) for twins in _by_address(answering))


def missing_goals(operations: Iterable[Operation]) -> list[OperationProblem]:
    """What is wrong with operations that callers reach and that intent will hardly find."""
    counted = [(twins[0], len(_goals(twins))) for twins in _by_address(operations)]
    return [
        problem_at(each.node, f"intent: has {count} example goals; give it {MIN_GOALS} or more")
        for each, count in counted
        if count < MIN_GOALS
    ]


def _by_address(operations: Iterable[Operation]) -> list[list[Operation]]:
    """The operations at each method and path; a streamed answer is a form of the other one."""
    found: dict[tuple[str, str], list[Operation]] = {}
    for operation in filter(is_reached, operations):
        found.setdefault(_address(operation), []).append(operation)
    return [sorted(twins, key=_is_streamed) for twins in found.values()]


def is_reached(operation: Operation) -> bool:
    """Whether a caller can send it a request, be it for its signed form alone."""
    return operation.rest is not None or operation.signed_path is not None


def _address(operation: Operation) -> tuple[str, str]:
    if operation.rest is not None:
        return operation.rest.method, operation.rest.path
    return "GET", _signed(operation) or ""


def _is_streamed(operation: Operation) -> bool:
    return operation.node.operation is OperationType.SUBSCRIPTION


def _routable(twins: Sequence[Operation], reading: Snapshot) -> RoutableOperation:
    operation = twins[0]
    method, path = _address(operation)
    media = [form for each in twins for form in _media(each)]
    return RoutableOperation(
        operation=operation.name,
        title=operation.title,
        description=" ".join(operation.description.split()),
        goals=_goals(twins),
        method=method,
        path=path,
        acts=operation.node.operation is not OperationType.QUERY,
        tool=operation.mcp.tool if operation.mcp is not None else None,
        media=tuple(dict.fromkeys(media)),
        signed_path=_signed(operation),
        parameters=tuple(_members(operation, reading)),
    )


def _goals(twins: Iterable[Operation]) -> tuple[str, ...]:
    return tuple(goal for each in twins if each.intent for goal in each.intent.goals)


def _media(operation: Operation) -> list[str]:
    if _is_streamed(operation):
        return [_STREAM]
    return operation.rest.media if operation.rest is not None else ["application/json"]


def _signed(operation: Operation) -> str | None:
    path = operation.signed_path
    if path is None or operation.sign is None or operation.sign.section is None:
        return path
    return f"{path}?section={operation.sign.section}"


def _members(operation: Operation, reading: Snapshot) -> Iterator[Parameter]:
    schema = arguments_schema(operation)
    # Of several ways to fill it, the first one: the others are lists, which no goal tells.
    required = [*schema.get("required", ()), *schema.get("oneOf", [{}])[0].get("required", ())]
    has_body = operation.rest is not None and operation.rest.method == "POST"
    inside: ParameterLocation = "body" if has_body else "query"
    for name, told in schema["properties"].items():
        place: ParameterLocation = "path" if name in operation.path_variables else inside
        words = _words(operation, name, told, reading)
        yield Parameter(name, place, name in required, told, words)
    for variable in operation.variables:
        if variable.header is not None:
            yield _header(variable)


def _header(variable: Variable) -> Parameter:
    """A credential is never optional in effect, whatever the type says."""
    is_required = variable.required or variable.header == _CREDENTIAL
    return Parameter(variable.header or "", "header", is_required, input_schema(variable.type))


def _words(
    operation: Operation, name: str, schema: Mapping[str, Any], reading: Snapshot
) -> dict[str, str]:
    """The values known of a member: its enum's, its items' in a path, or those that a list has."""
    words = schema.get("enum", schema.get("items", {}).get("enum"))
    if words is not None:
        return {str(word): "" for word in words}
    if name in operation.path_variables:
        items = reading.items_of(operation)
        titles = {str(item.values[name]): item.title for item in items}
        return {word: title if title != operation.title else "" for word, title in titles.items()}
    needs = any(variable.required for variable in operation.variables)
    if needs or not operation.is_read or not _has(operation.list_item_shape(""), name):
        return {}
    found = (item.get(name) for item in reading.run(operation))
    return dict.fromkeys((value for value in found if isinstance(value, str)), "")


def _has(shape: ObjectShape | None, name: str) -> bool:
    return shape is not None and any(member.key == name for member in shape.fields)
