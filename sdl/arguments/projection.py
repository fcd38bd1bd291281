"""Parts of a body, selected by `fields`, and by `limit` and `offset` for lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sdl.arguments.input_schemas import MAX_LIMIT, MAX_OFFSET, field_paths
from sdl.arguments.values import unknown_name, variables_from_text
from sdl.errors import FieldProblem, InvalidInputError
from sdl.operations.operation import Operation
from sdl.types.directives import MEDIA_TYPES
from sdl.types.shape import ListShape, ObjectShape, ScalarShape, Shape, to_plain_json

MAX_FIELDS = 50

_JSON, _MARKDOWN = MEDIA_TYPES["JSON"], MEDIA_TYPES["MARKDOWN"]

Paths = frozenset[tuple[str, ...]]


@dataclass
class Projection:
    """The part of a body that a request selects; `problems` lists its invalid parameters."""

    paths: set[tuple[str, ...]] = field(default_factory=set)
    limit: int | None = None
    offset: int = 0
    problems: list[FieldProblem] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.paths) or self.limit is not None or self.offset > 0

    @property
    def key(self) -> tuple[frozenset[tuple[str, ...]], int | None, int]:
        """A hashable key: two projections with equal keys select the same part of a body."""
        return frozenset(self.paths), self.limit, self.offset

    def shape(self, shape: Shape) -> Shape:
        """Return the shape of the selected part."""
        return _projected(shape, frozenset(self.paths)) if self.paths else shape

    def body(self, shape: Shape, value: Any) -> Any:
        """Return the selected part of a body; `shape` is the shape of that part."""
        return _picked(shape, self.sliced(shape, value))

    def write(self, shape: Shape, result: Any) -> Any:
        """Return the selected part of a result as plain JSON; the rest of it is never made."""
        return to_plain_json(shape, self.sliced(shape, result))

    def sliced(self, shape: Shape, value: Any) -> Any:
        """Return the items from `offset` on, at most `limit` of them; what is no list as it is."""
        if not isinstance(shape, ListShape) or value is None:
            return value
        end = None if self.limit is None else self.offset + self.limit
        return value[self.offset : end]


def names(operation: Operation) -> tuple[str, ...]:
    """Return the names of the projection parameters that an operation has.

    An operation that limits its list by itself has no `offset` unless it declares one: items would
    be skipped of those that its resolver has left.
    """
    media = {*operation.rest.media} if operation.rest is not None else set[str]()
    if not operation.is_read or not {_JSON, _MARKDOWN} <= media:
        return ()
    own = operation.argument_names
    parameters = ["fields"] if _object(operation.shape) is not None else []
    is_paged = isinstance(operation.shape, ListShape) and "limit" not in own
    parameters += ["limit", "offset"] if is_paged else []
    return tuple(name for name in parameters if name not in own)


def read_parameters(
    operation: Operation, path: Mapping[str, str], query: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], Projection]:
    """Return the variables and the projection. Raises: InvalidInputError with every problem."""
    allowed = names(operation)
    projection = projection_of(operation, allowed, query)
    rest = [(name, text) for name, text in query if name not in allowed]
    try:
        variables = variables_from_text(operation, path, rest, allowed)
    except InvalidInputError as error:
        raise InvalidInputError(error.detail, [*error.problems, *projection.problems]) from None
    if projection.problems:
        raise InvalidInputError("Some parameters are not valid.", projection.problems)
    return variables, projection


def projection_of(
    operation: Operation, allowed: Sequence[str], query: Iterable[tuple[str, str]]
) -> Projection:
    """Return what the `allowed` parameters of a query select, and what is wrong with them."""
    projection = Projection()
    seen: set[str] = set()
    for name, text in query:
        if name not in allowed:
            continue
        if name in seen and name != "fields":
            projection.problems.append(FieldProblem(name, "must be given once"))
        seen.add(name)
        if name == "fields":
            paths = text.split(",")
            if len(paths) > MAX_FIELDS:
                projection.problems.append(
                    FieldProblem(name, f"must be at most {MAX_FIELDS} fields")
                )
            # What says that the answer is a failure is never cut off.
            for path in (*paths[:MAX_FIELDS], *operation.failure_paths):
                _add(projection, operation.shape, path)
        elif name == "limit":
            projection.limit = _number(projection, name, text, 1, MAX_LIMIT)
        else:
            projection.offset = _number(projection, name, text, 0, MAX_OFFSET)
    return projection


def _number(projection: Projection, name: str, text: str, minimum: int, maximum: int) -> int:
    is_short = text.isascii() and text.isdigit() and len(text) <= len(str(maximum))
    number = int(text) if is_short else -1
    if not minimum <= number <= maximum:
        rule = f"must be a whole number from {minimum} to {maximum}"
        projection.problems.append(FieldProblem(name, rule))
        return minimum
    return number


def _add(projection: Projection, shape: Shape, path: str) -> None:
    """Add a path of `fields` to the projection, or a problem if the shape does not have it."""
    for part in path.split("."):
        members = {member.key: member for member in getattr(_object(shape), "fields", ())}
        if part not in members:
            problem = unknown_name("field", part, [*members])
            deeper = next((p for p in field_paths(shape) if p.endswith(f".{part}")), None)
            rule = f"unknown field; did you mean {deeper!r}?" if deeper else problem.rule
            if part.isascii() and part.isidentifier():  # nothing that a text could be broken with
                rule = rule.replace("unknown field", f"unknown field {part[:64]!r}", 1)
            projection.problems.append(replace(problem, path="fields", rule=rule))
            return
        shape = members[part].shape
    projection.paths.add(tuple(path.split(".")))


def _object(shape: Shape) -> ObjectShape | None:
    while isinstance(shape, ListShape):
        shape = shape.item
    return shape if isinstance(shape, ObjectShape) else None


def _projected(shape: Shape, paths: Paths) -> Shape:
    if () in paths or isinstance(shape, ScalarShape):
        return shape
    if isinstance(shape, ListShape):
        return replace(shape, item=_projected(shape.item, paths))
    inner = {m.key: frozenset(path[1:] for path in paths if path[0] == m.key) for m in shape.fields}
    fields = [
        replace(m, shape=_projected(m.shape, inner[m.key])) for m in shape.fields if inner[m.key]
    ]
    return replace(shape, fields=tuple(fields))


def _picked(shape: Shape, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(shape, ListShape):
        return [_picked(shape.item, item) for item in value]
    if isinstance(shape, ObjectShape):
        return {m.key: _picked(m.shape, value[m.key]) for m in shape.fields if m.key in value}
    return value
