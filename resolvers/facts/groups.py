"""Questions for what the entries of a list have: their clients, and which is whose."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from resolvers.embeddings.tokenizer import STOP_WORDS
from resolvers.facts.columns import key_words, root, roots
from resolvers.facts.fields import AskedField, FactTable
from resolvers.facts.filters import Reading
from resolvers.facts.list_names import CUES, Listed, ListNames
from resolvers.facts.router import ParsedQuestion
from resolvers.facts.slots import asked_phrases
from resolvers.facts.statements import Statement, statements_of
from sdl.marks import Heading
from sdl.shape import ObjectShape

_ASKS = re.compile(
    r"\b(?:who|which|what (?:are|were|is|was)|list|names?|all|how many|by|per|whose)\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:which|what|by|per|whose|and (?:its|their|the))\s+(\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class Group:
    """A member of the items of a list that has a name of its own: the client of projects."""

    listed: Listed
    field: AskedField
    names: frozenset[str]
    """The roots of the words that call it."""


def groups_of(table: FactTable, names: ListNames) -> list[Group]:
    """Return the members that can be asked for."""
    groups: list[Group] = []
    for field in table.fields:
        shape, listed = field.field.shape, names.of_type(field.owner.type_name)
        is_named = isinstance(shape, ObjectShape) and shape.field_marked(Heading) is not None
        if listed is None or not is_named or not field.asked.published:
            continue
        nouns = {root(words[-1]) for q in field.asked.questions for words in asked_phrases(q)}
        own = roots(key_words(field.field.key)) | nouns - listed.names
        groups.append(Group(listed, field, frozenset(own)))
    return groups


def group_asked(groups: Sequence[Group], parsed: ParsedQuestion, reading: Reading) -> Group | None:
    """Return what a question asks for; the words that call it are understood then.

    "Who were the clients", "which client is in ...", "which project for which client".
    """
    first = _ASKS.search(parsed.text)
    if first is None:
        return None
    words = [
        (number, word)
        for number, word in enumerate(reading.words)
        if word.start >= first.end() and word.text not in STOP_WORDS | CUES
    ]
    for group in groups:
        places = [number for number, word in words if word.root in group.names]
        kinds = [number for number, word in words if group.listed.is_kind(word.root)]
        again = {root(match[1].lower()) for match in _AGAIN.finditer(parsed.text)}
        is_first = bool(places) and words[0][0] == places[0]
        begins = is_first and {reading.words[number].root for number in kinds} <= again
        is_paired = group.listed.is_kind(_head(reading)) and bool(places) and group.names & again
        if begins or is_paired:
            reading.used |= {*places, *kinds}
            for match in _AGAIN.finditer(parsed.text, first.end()):
                reading.use(match.start(1), match.end(1))  # "which client has which boat"
            return group
    return None


def said_of(table: FactTable, group: Group, names: Sequence[str]) -> list[Statement]:
    """Return what these entries have."""
    entries = (e for e in table.entries_of(group.listed.type_name) if e.name in names)
    return [s for entry in entries for s in statements_of(table, group.field, entry)]


def _head(reading: Reading) -> str:
    words = (word.root for word in reading.words if word.text not in STOP_WORDS | CUES)
    return next(words, "")
