"""Makes the `RoutableOperation`s of a snapshot from its stored operations and its index."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphql import OperationType

from resolvers.intent.operation import Parameter, ParameterLocation, RoutableOperation
from sdl.arguments.input_schemas import PAGE_PARAMETERS, arguments_schema, input_schema
from sdl.arguments.projection import names
from sdl.operations.catalog import IndexEntry, is_answered
from sdl.operations.operation import Operation
from sdl.operations.rules import OperationProblem, problem_at
from sdl.running.runner import Snapshot

MIN_GOALS = 4
"""How many example goals an operation needs to be found reliably."""


def routable_operations(
    snapshot: Snapshot, entries: Iterable[IndexEntry] = ()
) -> tuple[RoutableOperation, ...]:
    """Return one operation for each method and path that answers in this revision.

    Of `entries`, those with goals follow: addresses at which no stored operation answers.
    """
    available = [item for item in snapshot.operations if is_answered(item, snapshot)]
    stored = [_routable(group, snapshot) for group in _by_address(available)]
    documents = (
        RoutableOperation(each.name, each.title, each.note, each.goals, "GET", each.path, media=())
        for each in entries
        if each.goals
    )
    return (*stored, *documents)


def missing_goals(operations: Iterable[Operation]) -> list[OperationProblem]:
    """Return a problem for each reachable operation with too few example goals."""
    counts = [(group[0], len(_goals(group))) for group in _by_address(operations)]
    return [
        problem_at(item.node, f"intent: has {count} example goals; give it {MIN_GOALS} or more")
        for item, count in counts
        if count < MIN_GOALS
    ]


def _by_address(operations: Iterable[Operation]) -> list[list[Operation]]:
    """Group the operations by method and path; a streamed form comes after the plain one."""
    groups: dict[tuple[str, str], list[Operation]] = {}
    for operation in filter(is_reached, operations):
        groups.setdefault(_address(operation), []).append(operation)
    return [sorted(group, key=_is_streamed) for group in groups.values()]


def is_reached(operation: Operation) -> bool:
    """Return whether a caller can request the operation, at least in its signed form."""
    return operation.rest is not None or operation.signed_path is not None


def _address(operation: Operation) -> tuple[str, str]:
    if operation.rest is not None:
        return operation.rest.method, operation.rest.path
    return "GET", _signed(operation) or ""


def _is_streamed(operation: Operation) -> bool:
    return operation.node.operation is OperationType.SUBSCRIPTION


def _routable(group: Sequence[Operation], snapshot: Snapshot) -> RoutableOperation:
    operation = group[0]
    method, path = _address(operation)
    media = [form for item in group for form in _media(item)]
    return RoutableOperation(
        operation=operation.name,
        title=operation.title,
        description=" ".join(operation.description.split()),
        goals=_goals(group),
        method=method,
        path=path,
        acts=operation.node.operation is not OperationType.QUERY,
        tool=_tool(operation, snapshot),
        section=operation.section,
        signed_section=operation.signed_section,
        media=tuple(dict.fromkeys(media)),
        signed_path=_signed(operation),
        parameters=tuple(_parameters(operation, snapshot)),
    )


def _tool(operation: Operation, snapshot: Snapshot) -> str | None:
    """Return the operation's tool; of a write without one, that of another form of the same field.

    Such a form has an argument where HTTP has a header, as the secret of a subscription.
    """
    field = operation.root.name.value
    forms = [o for o in snapshot.operations if o.rest is None and o.root.name.value == field]
    own = [operation, *([] if operation.is_query else forms)]
    return next((form.mcp.tool for form in own if form.mcp is not None), None)


def _goals(group: Iterable[Operation]) -> tuple[str, ...]:
    return tuple(goal for item in group if item.intent for goal in item.intent.goals)


def _media(operation: Operation) -> list[str]:
    if _is_streamed(operation):
        return ["text/event-stream"]
    return operation.rest.media if operation.rest is not None else ["application/json"]


def _signed(operation: Operation) -> str | None:
    path = operation.signed_path
    if path is None or operation.sign is None or operation.sign.section is None:
        return path
    return f"{path}?section={operation.sign.section}"


def _parameters(operation: Operation, snapshot: Snapshot) -> Iterator[Parameter]:
    arguments = arguments_schema(operation)
    # Of several alternatives the first: the others are lists, which a goal does not contain.
    option = arguments.get("oneOf", [{}])[0]
    required = {*arguments.get("required", ()), *option.get("required", ())}
    has_body = operation.rest is not None and operation.rest.method == "POST"
    inside: ParameterLocation = "body" if has_body else "query"
    for name, value in arguments["properties"].items():
        location: ParameterLocation = "path" if name in operation.path_variables else inside
        words = _known_values(operation, name, value, snapshot)
        yield Parameter(name, location, name in required, value, words)
    for name in names(operation) if operation.is_read and not has_body else ():
        if name in PAGE_PARAMETERS:
            yield Parameter(name, "query", schema=PAGE_PARAMETERS[name][1])
    for item in operation.variables:
        if item.header is not None:  # a credential is required, whatever its type says
            is_required = item.required or item.header == "Authorization"
            yield Parameter(item.header, "header", is_required, input_schema(item.type))


def _known_values(
    operation: Operation, name: str, schema: Mapping[str, Any], snapshot: Snapshot
) -> dict[str, str]:
    """Return the known values of a parameter: of its enum, of its path, or in the listed items."""
    words = schema.get("enum", schema.get("items", {}).get("enum"))
    if words is not None:
        return {str(word): "" for word in words}
    if name in operation.path_variables:
        items = snapshot.items_of(operation)
        titles = {str(item.values[name]): item.title for item in items}
        return {word: title if title != operation.title else "" for word, title in titles.items()}
    needs_values = any(variable.required for variable in operation.variables)
    shape = operation.list_item_shape("")
    if needs_values or not operation.is_read or shape is None:
        return {}
    if all(field.key != name for field in shape.fields):
        return {}
    values = (item.get(name) for item in snapshot.run(operation))
    return dict.fromkeys((value for value in values if isinstance(value, str)), "")
