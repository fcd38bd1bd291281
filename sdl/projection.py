"""Less of an answer, by its shape: `fields`, and `limit` and `offset` for lists."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sdl.directives import MEDIA_TYPES
from sdl.errors import FieldProblem, InvalidInputError
from sdl.operation import Operation
from sdl.shape import ListShape, ObjectShape, ScalarShape, Shape
from sdl.text_variables import unknown_name, variables_from_text

MAX_LIMIT = 200
MAX_OFFSET = 1_000_000
MAX_FIELDS = 50

_JSON, _MARKDOWN = MEDIA_TYPES["JSON"], MEDIA_TYPES["MARKDOWN"]

Paths = frozenset[tuple[str, ...]]


@dataclass
class Projection:
    """What a request asks to leave out; `faults` says what it asks wrongly."""

    paths: set[tuple[str, ...]] = field(default_factory=set)
    limit: int | None = None
    offset: int = 0
    faults: list[FieldProblem] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.paths) or self.limit is not None or self.offset > 0

    def shape(self, shape: Shape) -> Shape:
        """The shape of what is left."""
        return _projected(shape, frozenset(self.paths)) if self.paths else shape

    def body(self, shape: Shape, value: Any) -> Any:
        """What is left of a body with the narrowed shape."""
        if isinstance(shape, ListShape):
            end = None if self.limit is None else self.offset + self.limit
            value = value[self.offset : end]
        return _picked(shape, value)


def names(operation: Operation) -> tuple[str, ...]:
    """The parameters by which this operation's answer can be narrowed; a document's cannot."""
    if operation.rest is None or not {_JSON, _MARKDOWN} <= {*operation.rest.media}:
        return ()
    own = {variable.name for variable in operation.variables}
    found = ["fields"] if _object(operation.shape) is not None else []
    found += ["limit", "offset"] if isinstance(operation.shape, ListShape) else []
    return tuple(name for name in found if name not in own)


def read_parameters(
    operation: Operation, path: Mapping[str, str], query: Sequence[tuple[str, str]]
) -> tuple[dict[str, Any], Projection]:
    """The variables and what to leave out. Raises: InvalidInput with every fault of both."""
    known = names(operation)
    wanted = _projection(operation, known, query)
    rest = [(name, text) for name, text in query if name not in known]
    try:
        variables = variables_from_text(operation, path, rest, known)
    except InvalidInputError as error:
        raise InvalidInputError(error.detail, [*error.problems, *wanted.faults]) from None
    if wanted.faults:
        raise InvalidInputError(
            "The request's parameters do not fit this operation.", wanted.faults
        )
    return variables, wanted


def _projection(
    operation: Operation, known: Sequence[str], query: Iterable[tuple[str, str]]
) -> Projection:
    made = Projection()
    seen: set[str] = set()
    for name, text in query:
        if name not in known:
            continue
        if name in seen and name != "fields":
            made.faults.append(FieldProblem(name, "must be given once"))
        seen.add(name)
        if name == "fields":
            paths = text.split(",")
            if len(paths) > MAX_FIELDS:
                made.faults.append(FieldProblem(name, f"must be at most {MAX_FIELDS} fields"))
            for path in paths[:MAX_FIELDS]:
                _add(made, operation.shape, path)
        elif name == "limit":
            made.limit = _number(made, name, text, 1, MAX_LIMIT)
        else:
            made.offset = _number(made, name, text, 0, MAX_OFFSET)
    return made


def _number(made: Projection, name: str, text: str, least: int, most: int) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= len(str(most)) else -1
    if not least <= number <= most:
        made.faults.append(FieldProblem(name, f"must be a whole number from {least} to {most}"))
        return least
    return number


def _add(made: Projection, shape: Shape, path: str) -> None:
    here = shape
    for part in path.split("."):
        members = {member.key: member for member in getattr(_object(here), "fields", ())}
        if part not in members:
            made.faults.append(replace(unknown_name("field", part, [*members]), path="fields"))
            return
        here = members[part].shape
    made.paths.add(tuple(path.split(".")))


def _object(shape: Shape) -> ObjectShape | None:
    while isinstance(shape, ListShape):
        shape = shape.item
    return shape if isinstance(shape, ObjectShape) else None


def _projected(shape: Shape, paths: Paths) -> Shape:
    if () in paths or isinstance(shape, ScalarShape):
        return shape
    if isinstance(shape, ListShape):
        return ListShape(_projected(shape.item, paths))
    below = {m.key: frozenset(path[1:] for path in paths if path[0] == m.key) for m in shape.fields}
    kept = [
        replace(m, shape=_projected(m.shape, below[m.key])) for m in shape.fields if below[m.key]
    ]
    return replace(shape, fields=tuple(kept))


def _picked(shape: Shape, value: Any) -> Any:
    if isinstance(shape, ListShape):
        return [_picked(shape.item, item) for item in value]
    if isinstance(shape, ObjectShape):
        return {m.key: _picked(m.shape, value[m.key]) for m in shape.fields if m.key in value}
    return value
