"""What callers read about operations, types and fields begins short and names none of our code."""

import re
from collections.abc import Iterator

from graphql import GraphQLEnumType, GraphQLInputObjectType, GraphQLObjectType
from local_service import stored_operations

LONGEST = 160
"""The length of a first sentence: longer ones are cut by lists of tools and of search results."""
_OURS = re.compile(r"STUDIOGRAPH_|\.py\b|\b(?:sdl|schema|resolvers|rest_bridge|mcp_bridge)[./]")


def described() -> Iterator[tuple[str, str]]:
    """Everything that has a description, with it."""
    operations = stored_operations()
    for operation in operations:
        yield operation.name, operation.description
        yield from ((f"{operation.name} ${v.name}", v.description) for v in operation.variables)
    for name, kind in operations.schema.type_map.items():
        if name.startswith("__"):
            continue
        yield name, kind.description or ""
        if isinstance(kind, GraphQLEnumType):
            yield from ((f"{name}.{n}", v.description or "") for n, v in kind.values.items())
        elif isinstance(kind, GraphQLObjectType):
            for key, field in kind.fields.items():
                yield f"{name}.{key}", field.description or ""
                for n, argument in field.args.items():
                    yield f"{name}.{key}({n}:)", argument.description or ""
        elif isinstance(kind, GraphQLInputObjectType):
            yield from ((f"{name}.{n}", f.description or "") for n, f in kind.fields.items())


def first_sentence(text: str) -> str:
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])\s(?=[A-Z`])", paragraph)[0]


def test_a_first_sentence_is_short() -> None:
    long = {
        where: len(first_sentence(text))
        for where, text in described()
        if len(first_sentence(text)) > LONGEST
    }
    assert long == {}


def test_no_description_names_our_code_or_settings() -> None:
    assert {where for where, text in described() if _OURS.search(text)} == set()


def test_the_words_of_callers_stand_in_the_first_sentences() -> None:
    firsts = " ".join(first_sentence(o.description) for o in stored_operations()).casefold()
    assert [w for w in ("price", "hir", "available", "proof", "prove") if w not in firsts] == []
