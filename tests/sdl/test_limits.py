"""Documents larger than documents may be are refused before anything of them runs."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from graphql import GraphQLSchema

from resolvers.executable import public_schema
from sdl.inquiry import Answer, Inquiry, answer
from sdl.runner import Reading


class Untouched:
    """A root whose every field is a failure: nothing of a refused document may run."""

    def __getattr__(self, name: str) -> Any:
        pytest.fail(f"a resolver ran: {name}")


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    """The public schema."""
    return public_schema()._schema  # noqa: SLF001 - Strawberry has no public name for it


@pytest.fixture(scope="module")
def untouched(reading: Reading, schema: GraphQLSchema) -> Reading:
    """A reading that knows how long the lists are and whose root must not be asked."""
    answer(schema, reading, Inquiry("{ __typename }"))
    return Reading(
        reading.operations, Untouched(), reading.context, reading.modified, dict(reading.kept)
    )


def nested(field: str, inner: str, times: int) -> str:
    """`inner` inside so many of `field`."""
    return f"{field} {{ " * times + inner + " }" * times


def chain(length: int, last: str) -> str:
    """Fragments that spread each other in a row."""
    links = [f"fragment F{i} on Query {{ ...F{i + 1} }}" for i in range(length)]
    return " ".join([*links, f"fragment F{length} on Query {{ {last} }}"])


def doubling(levels: int) -> str:
    """Fragments each of which spreads the next one twice, under different fields."""
    links = [
        f"fragment F{i} on Project {{ related {{ ...F{i + 1} }} domains {{ projects"
        f" {{ ...F{i + 1} }} }} }}"
        for i in range(levels)
    ]
    return " ".join([*links, f"fragment F{levels} on Project {{ slug }}"])


def too_many(count: int, text: str) -> str:
    """The text so many times, `%` being the number."""
    return " ".join(text.replace("%", str(i)) for i in range(count))


def over_counts() -> Iterator[tuple[str, str]]:
    """Too many of something."""
    sizes = (16, 30, 100, 240)
    for n in sizes:
        yield f"{n} aliases", "{ " + too_many(n, "a%: thesis") + " }"
        yield f"{n} aliases of one object", "{ " + too_many(n, "a%: faq { q }") + " }"
        fields = "{ ...F } fragment F on Query { " + too_many(n, "a%: thesis") + " }"
        yield f"{n} aliases in a fragment", fields
    for n in (31, 100, 900):
        yield f"{n} root fields", "{ " + "thesis " * n + "}"
        yield (
            f"{n} root fields by fragment",
            "{ ...F } fragment F on Query { " + "thesis " * n + "}",
        )


def nested_and_chained() -> Iterator[tuple[str, str]]:
    """Too deep, in circles, or multiplied."""
    for n in (13, 40, 150):
        yield f"{n} deep", "{ projects { " + nested("related", "slug", n) + " } }"
        yield (
            f"{n} deep in inline fragments",
            "{ projects { "
            + nested("related { ... on Project", "slug", n // 2)
            + " }" * (n // 2)
            + " } }",
        )
    yield (
        "deep by fragments",
        "{ projects { ...F0 } } "
        + too_many(14, "fragment F% on Project { related { ...G% } }")
        + too_many(14, " fragment G% on Project { slug }"),
    )
    yield "a cycle of one", "{ ...F } fragment F on Query { ...F }"
    yield "a cycle of two", "{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }"
    yield (
        "a cycle below a field",
        "{ projects { ...F } } fragment F on Project { related { ...F } }",
    )
    yield "an unused cycle", "{ thesis } fragment F on Query { ...F }"
    for n in (51, 120):
        yield f"{n} fragments", "{ ...F0 } " + chain(n, "thesis")
        yield (
            f"{n} unused fragments",
            "{ thesis } " + too_many(n, "fragment F% on Query { thesis }"),
        )
    for n in (3, 5, 20):
        yield f"{n} doublings", "{ projects { ...F0 } } " + doubling(n)


def over_numbers() -> Iterator[tuple[str, str]]:
    """Too many operations, directives, variables."""
    for n in (11, 100):
        yield f"{n} operations", too_many(n, "query Q% { thesis }")
        yield f"{n} anonymous operations", too_many(n, "{ thesis }")
    for n in (6, 51, 120):
        yield f"{n} directives on one field", "{ thesis " + "@include(if: true) " * n + "}"
        yield f"{n} unknown directives", "{ thesis " + too_many(n, "@d%") + " }"
        yield f"{n} directives on the query", "query Q " + too_many(n, "@d%") + " { thesis }"
    yield "60 directives", "{ " + "thesis @skip(if: false) @include(if: true) " * 30 + "}"
    for n in (51, 120):
        variables = too_many(n, "$v%: String")
        uses = too_many(min(n, 14), "a%: certifications(category: $v%) { title }")
        yield f"{n} variables", f"query Q({variables}) {{ {uses} }}"


def over_lengths() -> Iterator[tuple[str, str]]:
    """Too long."""
    for n in (1_001, 3_000):
        yield f"{n} tokens", "{ " + "a " * n + "}"
        yield f"{n} comments", "#\n" * n + "{ thesis }"
    for n in (10_001, 100_000):
        yield f"{n} characters of spaces", "{" + " " * n + "thesis }"
        yield f"{n} characters of commas", "{" + "," * n + "thesis }"
        yield f"{n} characters of comment", "#" + "x" * n + "\n{ thesis }"
        yield f"{n} characters of name", "{ " + "x" * n + " }"
        yield f"{n} characters of string", '{ project(slug: "' + "x" * n + '") { slug } }'
        yield f"{n} open braces", "{" * n
        yield f"{n} open brackets", "{ a(b: " + "[" * n
        yield f"{n} quotes", '"' * n
    for n in (400, 900):
        yield f"{n} open braces within the limit", "{a" * n
        yield f"{n} open lists within the limit", "{ a(b: " + "[" * n
        yield f"{n} open objects within the limit", "{ a(b: " + "{c:" * (n // 2)


def by_nature() -> Iterator[tuple[str, str]]:
    """Named to deceive, too costly, or no query at all."""
    yield (
        "named as introspection",
        "query __schema { projects { " + nested("related", "slug", 14) + " } }",
    )
    yield (
        "a fragment named as introspection",
        (
            "{ projects { ...__schema } } fragment __schema on Project { "
            + nested("related", "slug", 13)
            + " }"
        ),
    )
    yield (
        "a fragment named __type",
        "{ ...__type } fragment __type on Query { " + too_many(16, "a%: thesis") + " }",
    )
    yield (
        "an alias named as introspection",
        "{ __schema: projects { " + nested("related", "slug", 13) + " } }",
    )
    yield "__schema twice", "{ __schema { queryType { name } } b: __schema { queryType { name } } }"
    yield "__type twice", '{ a: __type(name: "A") { name } b: __type(name: "B") { name } }'
    yield (
        "introspection of lists in lists",
        (
            "{ __schema { types { fields { type { fields { type { fields { type { fields { name }"
            " } } } } } } } } }"
        ),
    )
    yield (
        "introspection too deep",
        "{ __schema { types { " + nested("ofType", "name", 25) + " } } }",
    )
    yield (
        "costly by lists",
        "{ projects { domains { projects { domains { projects { domains {"
        " slug name tagline } } } } } } }",
    )
    yield "costly by terms", "{ glossary { relatedTerms { relatedTerms { term } } } }"
    yield (
        "costly by fragments",
        (
            "{ glossary { ...A } } fragment A on GlossaryEntry { relatedTerms { ...B } }"
            " fragment B on GlossaryEntry { relatedTerms { slug term definition } }"
        ),
    )
    yield (
        "costly in an operation that is not asked for",
        "query A { thesis } query B { glossary { "
        + nested("relatedTerms", "slug term definition", 8)
        + " } }",
    )
    yield "a mutation", "mutation { thesis }"
    yield "a subscription", "subscription { thesis }"
    yield "a mutation beside a query", "query A { thesis } mutation B { thesis }"
    yield "a definition", "type Query { a: Int }"
    yield "a definition beside a query", "{ thesis } type A { a: Int }"
    yield "an extension", "{ thesis } extend type Query { a: Int }"
    yield "nothing", ""
    yield "a comment alone", "# nothing"
    yield "an empty selection", "{ }"
    yield "an empty selection inside", "{ projects { } }"
    yield "deferred", "{ ... @defer { thesis } }"
    yield "streamed", "{ projects @stream { slug } }"
    yield "a lone surrogate", "{ \ud800 }"
    yield "a NUL", "{ thesis \x00 }"
    yield "a byte order mark amid", "{ thesis } \ufeff }"
    yield "overlapping fields", "{ " + too_many(14, "a: projects { slug } a: faq { q }") + " }"


CASES = [
    *over_counts(),
    *nested_and_chained(),
    *over_numbers(),
    *over_lengths(),
    *by_nature(),
]


def test_there_are_at_least_a_hundred_cases() -> None:
    assert len(CASES) >= 100
    assert len({name for name, _ in CASES}) == len(CASES)


@pytest.mark.parametrize("document", [d for _, d in CASES], ids=[n for n, _ in CASES])
def test_it_is_refused_and_nothing_runs(
    schema: GraphQLSchema, untouched: Reading, document: str
) -> None:
    began = time.process_time()
    found = answer(schema, untouched, Inquiry(document, operation_name="A"))
    spent = time.process_time() - began
    assert not found.executed
    assert "data" not in found.body
    assert 1 <= len(found.body["errors"]) <= 10
    assert all(error["message"] for error in found.body["errors"])
    assert spent < 1.0, "far more than any of these may take"


def ask(schema: GraphQLSchema, reading: Reading, query: str, **options: Any) -> Answer:
    """The answer to a query."""
    return answer(schema, reading, Inquiry(query, **options))


@pytest.mark.parametrize(
    "document",
    [
        "{ " + too_many(15, "a%: thesis") + " }",
        "{ " + "thesis " * 30 + "}",
        "{ projects { " + nested("related { domains {", "slug", 0) + " slug } }",
        "{ thesis " + "@include(if: true) " * 1 + "}",
        too_many(10, "query Q% { thesis }"),
        "query __schema { thesis }",
        "{ ...__type } fragment __type on Query { thesis }",
        "#\n" * 900 + "{ thesis }",
        "{" + " " * 9_000 + "thesis }",
    ],
)
def test_what_is_just_within_the_limits_runs(
    schema: GraphQLSchema, reading: Reading, document: str
) -> None:
    name = "Q0" if "Q0" in document else None
    found = ask(schema, reading, document, operation_name=name)
    assert found.executed, found.body


def test_the_cost_is_that_of_the_content(schema: GraphQLSchema, reading: Reading) -> None:
    everything = "{ glossary { slug term definition aliases related relatedTerms { term } } }"
    assert ask(schema, reading, everything).executed
