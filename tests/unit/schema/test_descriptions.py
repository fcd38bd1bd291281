"""An agent understands the API from introspection alone: everything in the schema is described."""

import re
from collections.abc import Iterator

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    is_specified_directive,
    is_specified_scalar_type,
)

from resolvers.executable_schema import full_schema
from sdl.types.directives import DECLARED

SCHEMA: GraphQLSchema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it


def own_types() -> Iterator[GraphQLNamedType]:
    """Every type that GraphQL itself does not bring along."""
    for name, kind in SCHEMA.type_map.items():
        if not name.startswith("__") and not is_specified_scalar_type(kind):
            yield kind


def described() -> Iterator[tuple[str, str | None]]:
    """The coordinate and description of everything in the schema."""
    for kind in own_types():
        yield kind.name, kind.description
        if isinstance(kind, (GraphQLObjectType, GraphQLInterfaceType)):
            for name, field in kind.fields.items():
                yield f"{kind.name}.{name}", field.description
                for argument, given in field.args.items():
                    yield f"{kind.name}.{name}({argument}:)", given.description
        elif isinstance(kind, GraphQLInputObjectType):
            for name, taken in kind.fields.items():
                yield f"{kind.name}.{name}", taken.description
        elif isinstance(kind, GraphQLEnumType):
            for name, member in kind.values.items():
                yield f"{kind.name}.{name}", member.description


DESCRIBED = dict(described())


def test_the_walk_meets_every_kind_of_thing() -> None:
    assert {"Project", "Slug", "ChangeKind", "Query"} <= set(DESCRIBED)
    assert {"Project.slug", "ChangeKind.ADDED", "Query.project(slug:)"} <= set(DESCRIBED)
    assert len(DESCRIBED) > 250


def test_everything_is_described() -> None:
    assert [where for where, text in DESCRIBED.items() if not (text or "").strip()] == []


def test_a_description_is_made_of_sentences() -> None:
    sentences = re.compile(r"[A-Z`].*[^.\s]\.", re.DOTALL)
    assert [where for where, text in DESCRIBED.items() if not sentences.fullmatch(text or "")] == []


def test_directives_of_the_schema_are_described() -> None:
    own = [directive for directive in SCHEMA.directives if not is_specified_directive(directive)]
    assert [directive.name for directive in own if not directive.description] == []


@pytest.mark.parametrize("name", DECLARED)
def test_directives_of_operations_are_described_with_their_arguments(name: str) -> None:
    directive = DECLARED[name]
    assert directive.description
    assert [key for key, given in directive.args.items() if not given.description] == []
