"""A query that is a name finds what it names, also if a letter of it is wrong."""

import pytest

from resolvers.search.documents import Document
from resolvers.search.names import NameIndex


def document(title: str, *aliases: str) -> Document:
    return Document("glossary", title.lower(), title, f"/{title}", f"{title}.", aliases=aliases)


TITLES = ["Tidebook", "Double entry", "Break", "RFC 9162", "What is Quillmere?", "the of", "Tide"]
NAMES = NameIndex([*map(document, TITLES), document("Posting", "Ledger line", "break")])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tidebook", [0]),
        ("TIDEBOOK?", [0]),
        ("What is Tidebook?", [0]),
        ("Tidebok", [0]),
        ("Tidebbook", [0]),
        ("Tidebonk", [0]),
        ("Tideboko", [0]),
        ("Tidebo", []),
        ("double-entry", [1]),
        ("duoble entry", [1]),
        ("break", [2, 7]),
        ("breaks", [2, 7]),
        ("braek", [2, 7]),
        ("rfc-9162", [3]),
        ("RFC 9163", []),
        ("quillmere", [4]),
        ("ledger line", [7]),
        ("ledger lane", []),
        ("Tibe", []),
        ("Tidebook price", []),
        ("the of", []),
        ("?", []),
    ],
)
def test_a_name_is_recognised(query: str, expected: list[int]) -> None:
    assert NAMES.named(query) == expected
