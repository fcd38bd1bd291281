"""The rules of `@asked`: every field of a section answers a question or says that it does not."""

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
_MISSING = "declare the questions that it answers, or `asked()` for none"


def asked_rules(schema: GraphQLSchema) -> Iterator[OperationProblem]:
    """Yield the problems of the types that the sections of a schema consist of.

    A type none of whose fields declares questions is said by the fields that hold it.
    """
    root = schema.query_type
    for name, field in _sections(schema).items():
        if root is not None and not questions_of(field):
            yield _problem(root, name, _MISSING)
    for kind in _section_types(schema):
        plain = {name: field for name, field in kind.fields.items() if is_plain(field)}
        declared = {name for name, field in plain.items() if questions_of(field)}
        for name, field in plain.items():
            if declared and name not in declared:
                yield _problem(kind, name, _MISSING)
            yield from _template_problems(kind, name, field)


def _template_problems(
    kind: GraphQLObjectType, name: str, field: GraphQLField
) -> Iterator[OperationProblem]:
    for asked in questions_of(field):
        if bool(asked.questions) != bool(asked.says):
            yield _problem(kind, name, "questions and the sentence that answers them go together")
            continue
        try:
            template = parse_template(asked.says)
        except ValueError as error:
            yield _problem(kind, name, str(error))
            continue
        for unknown in template.problems(_shape(kind, ())):
            yield _problem(kind, name, f"{asked.says!r}: {kind.name} has no {unknown!r}")


def _sections(schema: GraphQLSchema) -> dict[str, GraphQLField]:
    fields = schema.query_type.fields if schema.query_type is not None else {}
    return {
        name: field
        for name, field in fields.items()
        if any(isinstance(mark, Section) for mark in marks_on(field))
    }


def _section_types(schema: GraphQLSchema) -> list[GraphQLObjectType]:
    """Return the types that the sections consist of."""
    found: dict[str, GraphQLObjectType] = {}
    waiting = [get_named_type(field.type) for field in _sections(schema).values()]
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
