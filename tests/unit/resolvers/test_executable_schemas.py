"""Two schemas of the same classes: what anybody may ask, and what stored operations may."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from graphql import (
    GraphQLError,
    GraphQLScalarType,
    GraphQLSchema,
    build_schema,
    introspection_from_schema,
    print_type,
)

from resolvers.executable_schema import full_schema, public_part, public_schema, public_sdl
from sdl.types.scalars import SCALARS

STORED_ALONE = {
    *("wordsLog", "wordsCheckpoint", "wordsConsistency", "statementProof", "statementTlogProof"),
    *("statementChanges", "statementHistory"),
    *(
        "index",
        "directory",
        "feed",
        "keySet",
        "log",
        "checkpoint",
        "inclusionProof",
        "consistencyProof",
    ),
    *(
        "introduction",
        "outreach",
        "comparison",
        "agentGuide",
        "skill",
        "autoReply",
        "embed",
        "delivery",
    ),
}
DOCUMENTS = {
    *("WordsLog", "LoggedRevision", "StatementHash", "StatementProof"),
    *("StatementChanges", "StatementHistory", "StatementVersion"),
    *("AgentGuide", "Skill", "SkillStep"),
    *("ServiceIndex", "Directory", "LinkSection", "Link", "Feed", "FeedItem", "FeedAuthor"),
    *("KeySet", "PublicKey", "RevokedKey"),
    *("TransparencyLog", "LogHead", "InclusionProof", "ConsistencyProof"),
    *("Introduction", "IntroductionLength", "Outreach", "Comparison"),
    *("Mutation", "ContactInput", "IdempotencyKey", "Receipt", "AutoReply"),
    *("Subscription", "ChatInput", "ChatMessage", "ChatRole", "ChatAnswer", "ChatEvent"),
    *("ChatMeta", "ChatToken", "ChatComplete", "Citation", "CitationLint", "FinishReason"),
    *("Answered", "Basis"),
    *("UnsupportedSentence", "RemovedSentences", "EmbedInput", "Embeddings", "Embedding", "Vector"),
    *("SubscribeInput", "Subscribed", "Unsubscription", "Unsubscribed", "Delivery"),
}

PUBLIC = build_schema(public_schema().as_str())
FULL = build_schema(full_schema().as_str())
EXECUTABLE: GraphQLSchema = full_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it


def query_fields(schema: GraphQLSchema) -> dict[str, str]:
    """The fields of the query root with their types."""
    assert schema.query_type is not None
    return {name: str(field.type) for name, field in schema.query_type.fields.items()}


def scalar(name: str) -> GraphQLScalarType:
    """A scalar as it is executed."""
    found = EXECUTABLE.type_map[name]
    assert isinstance(found, GraphQLScalarType)
    return found


def test_the_public_part_of_the_full_schema_is_the_public_schema() -> None:
    declared = public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it
    declared.directives = tuple(d for d in declared.directives if d.name != "asked")
    part = public_part(EXECUTABLE)
    assert introspection_from_schema(part) == introspection_from_schema(declared)
    assert [*part.type_map] == [*declared.type_map]


def test_the_public_text_is_that_of_its_types_without_the_example_questions() -> None:
    printed = build_schema(public_sdl())
    assert "@asked" not in public_sdl()
    for name, kind in PUBLIC.type_map.items():
        assert print_type(kind) == print_type(printed.type_map[name])


def test_the_public_one_has_queries_alone() -> None:
    assert PUBLIC.query_type is not None
    assert PUBLIC.query_type.name == "Query"
    assert PUBLIC.mutation_type is None
    assert PUBLIC.subscription_type is None


def test_what_acts_is_a_mutation_of_the_full_one() -> None:
    assert FULL.mutation_type is not None
    assert set(FULL.mutation_type.fields) == {"contact", "chat", "subscribe", "unsubscribe"}
    assert FULL.subscription_type is not None
    assert set(FULL.subscription_type.fields) == {"chat"}


def test_the_public_one_lacks_the_documents_about_the_site() -> None:
    public, full = query_fields(PUBLIC), query_fields(FULL)
    assert set(full) - set(public) == STORED_ALONE
    assert {name: full[name] for name in public} == public
    assert set(FULL.type_map) - set(PUBLIC.type_map) == DOCUMENTS


def test_every_other_type_is_the_same_in_both() -> None:
    assert set(PUBLIC.type_map) <= set(FULL.type_map)
    for name, kind in PUBLIC.type_map.items():
        if name != "Query":
            assert print_type(kind) == print_type(FULL.type_map[name])


def test_the_owner_s_unpublished_fields_are_in_neither() -> None:
    assert "github" not in query_fields(FULL)


@pytest.mark.parametrize("name", sorted({s.name for s in SCALARS} & EXECUTABLE.type_map.keys()))
def test_a_scalar_is_described_in_a_sentence(name: str) -> None:
    description = scalar(name).description or ""
    assert description[0].isupper()
    assert description.endswith(".")
    assert not description.endswith("..")


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("Slug", "Not A Slug"),
        ("Slug", 70707),
        ("DateTime", "yesterday"),
        ("DateTime", "2026-03-01T09:30:00"),
        ("Date", "2026-02-30"),
        ("Url", "javascript:alert(1)"),
        ("Wei", "1.5"),
    ],
)
def test_a_scalar_refuses_with_its_rule_and_never_repeats_the_value(name: str, wrong: Any) -> None:
    with pytest.raises(GraphQLError) as caught:
        scalar(name).parse_value(wrong)
    assert repr(wrong) not in caught.value.message
    assert "pydantic" not in caught.value.message


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("DateTime", datetime(2026, 3, 1, 9, 30, tzinfo=UTC), "2026-03-01T09:30:00Z"),
        (
            "DateTime",
            datetime(2026, 3, 1, 9, 30, 5, 999, tzinfo=timezone(timedelta(hours=2))),
            "2026-03-01T07:30:05Z",
        ),
        ("Date", date(2026, 3, 1), "2026-03-01"),
        ("Slug", "tidebook", "tidebook"),
    ],
)
def test_a_scalar_is_written_in_its_one_form(name: str, value: object, written: str) -> None:
    assert scalar(name).serialize(value) == written
    assert scalar(name).serialize(scalar(name).parse_value(written)) == written
