"""The rules of `@asked`: questions have a sentence, whose names are those of its type."""

from collections.abc import Iterator

from graphql import (
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    get_named_type,
    is_object_type,
)

from sdl.operations.answer_template import parse_template
from sdl.operations.rules import OperationProblem
from sdl.types.marks import Section
from sdl.types.shape import Field, ListShape, ObjectShape, ScalarShape, Shape, is_plain, marks_on
from sdl.types.shape import declared_questions as questions_of

_FILE = "schema"


def asked_rules(schema: GraphQLSchema) -> Iterator[OperationProblem]:
    """Yield the problems of the types that the sections of a schema consist of."""
    for kind in _section_types(schema):
        for name, field in kind.fields.items():
            yield from _template_problems(kind, name, field)


def _template_problems(
    kind: GraphQLObjectType, name: str, field: GraphQLField
) -> Iterator[OperationProblem]:
    for asked in questions_of(field):
        if bool(asked.questions) != bool(asked.says):
            yield _problem(kind, name, "`Says` and the questions in questions.toml go together")
            continue
        try:
            template = parse_template(asked.says)
        except ValueError as error:
            yield _problem(kind, name, str(error))
            continue
        for unknown in template.problems(_shape(kind, ())):
            yield _problem(kind, name, f"{asked.says!r}: {kind.name} has no {unknown!r}")


def _section_types(schema: GraphQLSchema) -> list[GraphQLObjectType]:
    """Return the types that the sections consist of."""
    found: dict[str, GraphQLObjectType] = {}
    fields = schema.query_type.fields if schema.query_type is not None else {}
    sections = (f for f in fields.values() if any(isinstance(m, Section) for m in marks_on(f)))
    waiting = [get_named_type(field.type) for field in sections]
    while waiting:
        kind = waiting.pop()
        if is_object_type(kind) and kind.name not in found:
            found[kind.name] = kind
            waiting += [get_named_type(f.type) for f in kind.fields.values() if is_plain(f)]
    return list(found.values())


def _shape(kind: GraphQLObjectType, path: tuple[str, ...]) -> ObjectShape:
    """Return the shape of a type with all of its stored fields."""
    fields = tuple(
        Field(name, _inner(field.type, (*path, kind.name)), optional=True, description="", marks=())
        for name, field in kind.fields.items()
        if is_plain(field)
    )
    return ObjectShape(kind.name, "", fields)


def _inner(kind: GraphQLOutputType, path: tuple[str, ...]) -> Shape:
    if isinstance(kind, GraphQLNonNull):
        return _inner(kind.of_type, path)
    if isinstance(kind, GraphQLList):
        return ListShape(_inner(kind.of_type, path))
    if isinstance(kind, GraphQLObjectType) and kind.name not in path:
        return _shape(kind, path)
    return ScalarShape(str(kind))


def _problem(kind: GraphQLObjectType, name: str, message: str) -> OperationProblem:
    return OperationProblem(_FILE, 1, 1, f"{kind.name}.{name}: {message}")
