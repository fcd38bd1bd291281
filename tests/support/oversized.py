"""GraphQL documents over the limits, and other texts that are no query."""

from collections.abc import Iterator


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
            "{ projects { " + nested("related { ... on Project", "slug", n) + " }" * n + " } }",
        )
    links = [f"fragment F{i} on Project {{ related {{ ...F{i + 1} }} }}" for i in range(13)]
    links.append("fragment F13 on Project { slug }")
    yield "deep by fragments", f"{{ projects {{ ...F0 }} }} {' '.join(links)}"
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
    for n in (5, 8, 20):
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
        "{ manifest { glossary { " + nested("relatedTerms", "slug term definition", 7) + " } } }",
    )
    yield "costly by terms", "{ glossary { " + nested("relatedTerms", "slug term", 8) + " } }"
    yield (
        "costly by fragments",
        "{ glossary { ...A } } fragment A on GlossaryEntry { relatedTerms { ...B } }"
        " fragment B on GlossaryEntry { "
        + nested("relatedTerms", "slug term definition", 7)
        + " }",
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
