"""Which list a question is about: by the words that call it, by its entries or by its values."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.facts.columns import Column, columns_of, key_words, root, roots
from resolvers.facts.fields import AskedField
from resolvers.facts.filters import Word, is_same, read_words
from resolvers.facts.orders import orders_in
from resolvers.facts.router import FactRouter, ParsedQuestion, type_words
from resolvers.facts.slots import asked_phrases
from resolvers.facts.statements import Statement, statements_of
from sdl.shape import ObjectShape

MAX_BEHIND = 0.25
"""How much less than the best field a list may fit, to be counted or filtered."""
MIN_LIST = 0.15
"""How well a list must fit a question that names it by a word of its examples."""
COMMON_FIELDS = 3
"""A word in the examples of so many fields is no name of a list."""
MIN_SHARED = 6
"""How many first letters two words for the same thing share: `certificate`, `certification`."""
MIN_SHORT = 4
"""The length from which the beginning of a word stands for it: `cert`."""
MAX_LISTS = 2
"""How many lists that have the same name are tried."""
HEAD_REACH = 3
"""How many words behind "which" and the like the list is named."""
COUNTS = re.compile(
    r"\b(?:how many|number of)\b"
    r"|(?:^|[,:;.?]\s*|\bthe\s+)count\b(?=\s*(?:of|the|only|all|$|[,:;.]))",
    re.IGNORECASE,
)
LISTS = re.compile(
    r"\b(?:which|what|list|enumerate|names?(?! only)|show|all|every|each)\b(?=.*\w)", re.IGNORECASE
)
_OPENS = re.compile(
    r"\s*(?:why|where|when|whom?|whose|how(?! many)|can|could|do|does|did|is|are|was|were|will"
    r"|would|may|might|should|has|have)\b",
    re.IGNORECASE,
)
"""The beginnings of questions that ask for no list,"""
_LISTS_ALL_THE_SAME = re.compile(
    r"\b(?:which|how many|list|enumerate|any|are there|name (?:all|every|the))\b|\bdo you have\b"
    r"|^(?:when|how old)\b.*\b(?:last|latest|first|newest|oldest|most recent)\b",
    re.IGNORECASE,
)
"""if nothing of this follows: "could you enumerate the services", "do you have any"."""
_THEM = re.compile(
    r"\b(?:which|any|all|how many) (?:ones?|of (?:them|those|these))\b"
    r"|\bwhich(?=\s+(?:uses?|are|were|runs?|ha(?:s|ve))\b)",
    re.IGNORECASE,
)
CUES = frozenset(
    tokenize(
        "count number total list enumerate name names show newest newer latest recent recently"
        " youngest younger oldest older earliest first second third last longest running standing"
        " kind kinds item items entry entries sort sorts type types chronological order sorted date"
        " still already currently exist existing there everything ever altogether together one ones"
        " two three four five six done work works somewhere anymore"
    )
)
"""Words that ask for a list, or call what is in it."""


class Needs(IntEnum):
    """What a list must say to be the answer, by how sure it is that it is meant."""

    NOTHING = 0
    EXACTNESS = 1
    """Every word of the question is understood."""
    VALUE = 2
    """The same, and the word of a value is told: "what was removed this year"."""


@dataclass(frozen=True)
class Listed:
    """A list of one revision, and the words that name it."""

    field: AskedField
    columns: tuple[Column, ...]
    examples: frozenset[str]
    """The roots of the words that its example questions have."""
    common: frozenset[str]
    """Those that the examples of many fields have."""

    shape: ObjectShape
    """The shape of its items."""

    @property
    def type_name(self) -> str:
        """The type of its items."""
        return self.shape.type_name

    @cached_property
    def kind(self) -> frozenset[str]:
        """The roots of the words for its type."""
        return roots(f"{type_words(self.type_name)} {key_words(self.field.field.key)}")

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of the words that call it."""
        return self.examples | self.kind

    @cached_property
    def values(self) -> frozenset[str]:
        """The roots of the words that its enums have."""
        scalars = (c.scalar for c in self.columns if not c.is_far and c.scalar is not None)
        return roots(" ".join(word for own in scalars for word in (own.words or {}).values()))

    def has_value(self, words: Sequence[Word]) -> bool:
        """Return whether one of the words may be a value of an enum."""
        return any(is_same(word.root, value) for word in words for value in self.values)

    def is_own(self, word: str) -> bool:
        """Return whether a root calls it, and few other fields."""
        return self.is_kind(word) or (word in self.examples and word not in self.common)

    def is_kind(self, word: str) -> bool:
        """Return whether a root is a word for its type, or has most letters in common with one."""
        return (
            word in self.kind
            or (len(word) >= MIN_SHORT and any(own.startswith(word) for own in self.kind))
            or (
                len(word) >= MIN_SHARED
                and word in self.examples
                and any(own[:MIN_SHARED] == word[:MIN_SHARED] for own in self.kind)
            )
        )


def asks_for_list(text: str) -> bool:
    """Return whether a question may be one for a list, by how it begins."""
    return not _OPENS.match(text) or _LISTS_ALL_THE_SAME.search(text) is not None


def region_of(text: str) -> int:
    """Return where the question for a list begins, behind what callers tell before it."""
    found = COUNTS.search(text) or LISTS.search(text)
    return found.end() if found is not None else 0


class ListNames:
    """The lists of one revision by their names. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter) -> None:
        self._table = router.table
        examples = {id(f): roots(" ".join(f.asked.questions)) for f in router.table.fields}
        counts = Counter(w for f in router.table.fields if f.is_single for w in examples[id(f)])
        common = frozenset(word for word, count in counts.items() if count >= COMMON_FIELDS)
        self._lists = {
            id(field): Listed(
                field, tuple(self._columns(field.item)), examples[id(field)], common, field.item
            )
            for field in router.table.fields
            if field.item is not None
        }

    def of(self, field: AskedField) -> Listed:
        """Return the list that a field is."""
        return self._lists[id(field)]

    def of_type(self, type_name: str) -> Listed | None:
        """Return the list of all entries of a type."""
        own = (listed for listed in self._lists.values() if listed.type_name == type_name)
        return next((listed for listed in own if listed.field.is_single), None)

    def sources(
        self, parsed: ParsedQuestion, last: Statement | None
    ) -> Iterator[tuple[Statement, Needs]]:
        """Yield the lists that a question may be about, the likeliest first.

        `last` is the list of the clause before, which is meant if none is named.
        """
        if not asks_for_list(parsed.text):
            return
        kinds = Counter(item.entry.type_name for item in parsed.named)
        several = next((kind for kind, count in kinds.items() if count > 1), "")
        if orders_in(parsed.text) and (compared := self.of_type(several)) is not None:
            yield from self._said(compared, parsed, Needs.NOTHING)
            return
        if head := self._head(parsed):
            yield from self._named(parsed, head)
        elif last is not None:
            yield last, Needs.NOTHING
        else:
            yield from self._nearest(parsed)
        if LISTS.search(parsed.text) or COUNTS.search(parsed.text):
            for listed in self._lists.values():
                if listed.field.is_single and listed.has_value(read_words(parsed.text).words):
                    yield from self._said(listed, parsed, Needs.VALUE)

    def _nearest(self, parsed: ParsedQuestion) -> Iterator[tuple[Statement, Needs]]:
        """Yield the lists of the fields that come nearest, if "which ones" or "latest" is asked."""
        has_order, is_them = bool(orders_in(parsed.text)), _THEM.search(parsed.text) is not None
        for match in parsed.matches[:MAX_LISTS]:
            owner = self.of_type(match.field.owner.type_name)
            if is_them and owner is not None:
                yield from self._said(owner, parsed, Needs.EXACTNESS)
            elif has_order and match.field.item is not None and match.field.is_single:
                yield from self._said(self.of(match.field), parsed, Needs.NOTHING)

    def _named(self, parsed: ParsedQuestion, head: set[str]) -> Iterator[tuple[Statement, Needs]]:
        """Yield the lists that have these words for names."""
        scores = {id(own.field): self._score(own, parsed) for own in self._lists.values()}
        own_type = {item.entry.type_name for item in parsed.named}
        fit = [
            listed
            for listed in self._lists.values()
            if any(listed.is_kind(w) or w in listed.names for w in head)
            and (listed.field.is_single or listed.field.owner.type_name in own_type)
        ]
        fit.sort(
            key=lambda own: (
                -len([word for word in head if own.is_kind(word)]),
                -len(head & own.names),
                -scores[id(own.field)],
            )
        )
        least = max(MIN_LIST, parsed.matches[0].score - MAX_BEHIND)
        for listed in fit[:MAX_LISTS]:
            is_sure = any(map(listed.is_kind, head)) or (
                any(map(listed.is_own, head)) and scores[id(listed.field)] >= least
            )
            yield from self._said(listed, parsed, Needs.NOTHING if is_sure else Needs.EXACTNESS)

    def _said(
        self, listed: Listed, parsed: ParsedQuestion, needs: Needs
    ) -> Iterator[tuple[Statement, Needs]]:
        own = listed.field.owner.type_name
        named = (n.entry for n in parsed.named if n.entry.type_name == own)
        entry = None if listed.field.is_single else next(named, None)
        for statement in list(statements_of(self._table, listed.field, entry))[:1]:
            yield statement, needs

    def _columns(self, shape: ObjectShape) -> list[Column]:
        own = (f for f in self._table.fields if f.owner.type_name == shape.type_name)
        return columns_of(shape, {f.field.key: f for f in own if f.asked.published})

    @staticmethod
    def _score(listed: Listed, parsed: ParsedQuestion) -> float:
        """Return how well a list fits, by its own examples or those of its items' fields."""
        own = (
            match.score
            for match in parsed.matches
            if match.field is listed.field or match.field.owner.type_name == listed.type_name
        )
        return max(own, default=0.0)

    def _head(self, parsed: ParsedQuestion) -> set[str]:
        """Return the roots of the words that call the list: `changelog entries`, `projects`.

        The first word that does so soon behind "which" and the like, else the first for a type,
        else the first of all; with those that follow it at once.
        """
        start = region_of(parsed.text)
        words = [
            word
            for word in read_words(parsed.text).words
            if word.end > start
            and word.text not in STOP_WORDS | CUES
            and not any(item.start <= word.start < item.end for item in parsed.named)
        ]
        if COUNTS.search(parsed.text):  # "how many boats do you paint" counts no kinds of paint
            phrases = asked_phrases(parsed.text)
            nouns = {root(phrase[-1]) for phrase in phrases} - {root(cue) for cue in CUES}
            counted = [word for word in words if word.root in nouns or word is words[0]]
            words = counted if nouns else words
        lists = [*self._lists.values()]
        kinds = [any(own.is_kind(w.root) for own in lists) for w in words]
        owns = [any(own.is_own(w.root) for own in lists) for w in words]
        commons = [
            n == 0 and any(w.root in own.names for own in lists) for n, w in enumerate(words)
        ]
        for is_name in (kinds[:HEAD_REACH], owns[:HEAD_REACH], kinds, owns, commons):
            if True in is_name:
                return _run(parsed.text, words, is_name.index(True), kinds)
        return set()


def _run(text: str, words: list[Word], first: int, kinds: list[bool]) -> set[str]:
    """Return a word, and the last of those for types that follow it with nothing between."""
    run = [words[first]]
    for word, is_kind in zip(words[first + 1 :], kinds[first + 1 :], strict=True):
        if text[run[-1].end : word.start].strip() or not is_kind:
            break
        run.append(word)
    return {word.root for word in run[-2:]}
