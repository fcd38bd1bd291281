"""`questions.toml` names types of the schema, and fields that say what is asked for."""

import tomllib
from pathlib import Path

from graphql import GraphQLObjectType

import schema
from resolvers.executable_schema import full_schema
from sdl.types.shape import declared_questions

TABLES = tomllib.loads(Path(schema.__file__).with_name("questions.toml").read_text("utf-8"))
TYPES = full_schema()._schema.type_map  # noqa: SLF001 - Strawberry has no public name for it


def test_each_question_is_one_of_the_field_that_it_stands_below() -> None:
    for kind, fields in TABLES.items():
        for name, questions in fields.items():
            owner = TYPES[kind.replace("Site", "Query")]
            assert isinstance(owner, GraphQLObjectType)
            (asked, *_) = declared_questions(owner.fields[name])
            assert asked.questions == questions
            assert asked.says
