"""What is generated and committed is what the classes say."""

from graphql import build_schema, parse, print_schema, validate

from studiograph.application import OPERATIONS
from studiograph.commands.dev import schema_texts


def test_the_committed_schemas_are_the_classes() -> None:
    for name, text in schema_texts().items():
        assert (OPERATIONS / name).read_text() == text, "run make sdl"


def test_the_committed_schemas_are_valid_graphql() -> None:
    for text in schema_texts().values():
        assert print_schema(build_schema(text))


def test_an_editor_knows_everything_in_the_stored_operations() -> None:
    schema = build_schema((OPERATIONS / "full.graphql").read_text())
    files = [*OPERATIONS.glob("operations/*.graphql"), *OPERATIONS.glob("fragments/*.graphql")]
    document = parse("\n".join(file.read_text() for file in files))
    assert len(document.definitions) == len(files) > 80
    unknown = [error.message for error in validate(schema, document)]
    assert set(unknown) <= {"Unknown fragment 'Sections'."}  # which the marks of sections make
