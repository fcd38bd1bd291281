"""What is generated and committed is what the classes say."""

from graphql import build_schema, print_schema

from studiograph.application import OPERATIONS
from studiograph.commands.schema import schema_texts


def test_the_committed_schemas_are_the_classes() -> None:
    for name, text in schema_texts().items():
        assert (OPERATIONS / name).read_text() == text, "run make sdl"


def test_the_committed_schemas_are_valid_graphql() -> None:
    for text in schema_texts().values():
        assert print_schema(build_schema(text))
