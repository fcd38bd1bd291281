"""Comparisons: the same fields of each of several entries that a question names."""

import re
from collections.abc import Sequence

from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.facts.columns import key_words, root, roots
from resolvers.facts.fields import AskedField, Entry, FactTable
from resolvers.facts.filters import read_words
from resolvers.facts.router import ParsedQuestion, type_words
from resolvers.facts.statements import Statement, statements_of
from sdl.marks import Summary
from sdl.shape import ScalarShape

MIN_COMPARED = 2
"""How many entries are compared at least."""
_COMPARES = re.compile(
    r"\b(?:compar\w+|versus|vs|difference|differs?|or|both|each|respectively|between)\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(
    map(root, tokenize("compare comparison comparing versus difference differ both between side"))
)
"""Words that ask for a comparison, and not of what."""


def comparison(table: FactTable, parsed: ParsedQuestion) -> list[Statement]:
    """Return the fields that a question names, of each of the entries; nothing if none are named.

    If it names no field, the nearest one is said; if it asks for nothing but to compare, then what
    they are, their states and when they began.
    """
    best = next((match for match in parsed.matches if match.entry is not None), None)
    if best is None or not _COMPARES.search(parsed.text):
        return []
    kind = best.field.owner.type_name
    entries: dict[str, Entry] = {
        n.entry.name: n.entry for n in parsed.named if n.entry.type_name == kind
    }
    if len(entries) < MIN_COMPARED:
        return []
    words = [
        word.root
        for word in read_words(parsed.text).words
        if word.text not in STOP_WORDS
        and not any(n.start <= word.start < n.end for n in parsed.named)
    ]
    own = [f for f in table.fields if f.owner.type_name == kind and f.asked.published]
    asked = [f for f in own if roots(key_words(f.field.key)) & set(words)]
    if not asked and set(words) <= _PLAIN | roots(type_words(kind)):
        asked = _profile(own)
    fields = asked or [best.field]
    return [s for f in fields for entry in entries.values() for s in statements_of(table, f, entry)]


def _profile(fields: Sequence[AskedField]) -> list[AskedField]:
    """Return what entries are best told apart by: what they are, their states and beginnings."""
    scalars = [f for f in fields if isinstance(f.field.shape, ScalarShape)]
    summaries = [f for f in scalars if f.field.is_marked(Summary)]
    states = [f for f in scalars if isinstance(f.field.shape, ScalarShape) and f.field.shape.words]
    dates = [f for f in scalars if f.field.key.endswith("At")]
    return [*summaries[:1], *states, *dates[:1]]
