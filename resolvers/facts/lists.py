"""Counts, filters and superlatives over the items of a list, and comparisons of entries."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from resolvers.embeddings.tokenizer import STOP_WORDS, stem, terms
from resolvers.facts import filters
from resolvers.facts.columns import Column, Item, columns_of, heading_of, key_words, root, roots
from resolvers.facts.fields import AskedField, Entry
from resolvers.facts.filters import Condition, Reading, Word, read_words
from resolvers.facts.orders import dates_of, orders_in, ranked
from resolvers.facts.router import SAME, FactRouter, ParsedQuestion, type_words
from resolvers.facts.statements import Statement, statements_of
from resolvers.facts.verdict import ADVERBS

MAX_ITEMS = 12
"""How many items are said in one answer."""
MAX_BEHIND = 0.25
"""How much less than the best field a list may fit, to be counted or filtered."""
MAX_STRANGE = 0.34
"""The share of a question's words that may be strange to the list that answers it."""
MIN_LIST = 0.15
"""How well a list must fit a question that names it."""
COMMON_FIELDS = 3
"""A word in the examples of so many fields is no name of a list."""
MIN_SHARED = 6
"""How many first letters two words for the same thing share: `certificate`, `certification`."""
MAX_LISTS = 2
"""How many lists that have the same name are tried."""
HEAD_REACH = 3
"""How many words behind "which" and the like the list is named."""
_COUNTS = re.compile(r"\b(?:how many|number of|count)\b", re.IGNORECASE)
_LISTS = re.compile(r"\b(?:which|what|list|enumerate|name|show|all|every|each)\b", re.IGNORECASE)
_ASKS = re.compile(rf"{_COUNTS.pattern}|{_LISTS.pattern}", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:compare|versus|vs|difference|differ|or|both)\b", re.IGNORECASE)
_THEM = re.compile(r"\b(?:which|any|all|how many) (?:ones?|of (?:them|those|these))\b", re.I)
_CUES = frozenset(
    "count number total list enumerate name names show newest newer latest recent recently youngest"
    " younger oldest older earliest first second third last longest running standing kind kinds item"
    " items entry entries sort sorts type types chronological order sorted date still already"
    " currently exist existing there everything ever altogether together one ones two three four"
    " five six done work works".split()  # noqa: SIM905
)
"""Words that ask for a list, or call what is in it."""


@dataclass(frozen=True)
class ListAnswer:
    """What a list says."""

    statements: tuple[Statement, ...]
    source: Statement
    """The whole list."""
    entry: Entry | None = None
    """The only item that is left, if there is one."""
    is_exact: bool = False
    """Whether every word of the question was understood, and something is asked of the items."""


@dataclass(frozen=True)
class Listed:
    """A list of one revision, and the words that name it."""

    field: AskedField
    columns: tuple[Column, ...]
    examples: frozenset[str]
    """The roots of the words that its example questions have."""
    common: frozenset[str]
    """Those that the examples of many fields have."""

    @cached_property
    def kind(self) -> frozenset[str]:
        """The roots of the words for its type."""
        own = self.field.item.type_name if self.field.item is not None else ""
        return roots(f"{type_words(own)} {key_words(self.field.field.key)}")

    @cached_property
    def names(self) -> frozenset[str]:
        """The roots of the words that call it."""
        return self.examples | self.kind

    def is_own(self, word: str) -> bool:
        """Return whether a root calls it, and few other fields."""
        return word in self.names and (word in self.kind or word not in self.common)

    def is_kind(self, word: str) -> bool:
        """Return whether a root is a word for its type, or has most letters in common with one."""
        return word in self.kind or (
            len(word) >= MIN_SHARED
            and word in self.examples
            and any(own[:MIN_SHARED] == word[:MIN_SHARED] for own in self.kind)
        )


class Lists:
    """The lists of one revision. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter) -> None:
        self._table = router.table
        self._roles = {root(word) for word in router.role_words}
        examples = {id(f): roots(" ".join(f.asked.questions)) for f in router.table.fields}
        counts = Counter(w for f in router.table.fields if f.is_single for w in examples[id(f)])
        common = {word for word, count in counts.items() if count >= COMMON_FIELDS}
        self._lists = {
            id(f): Listed(f, tuple(self._columns(f)), examples[id(f)], frozenset(common))
            for f in router.table.fields
            if f.item is not None
        }
        self._known = {root(word) for word in {*ADVERBS, *_CUES}} - {"new"} | self._roles

    def _columns(self, field: AskedField) -> list[Column]:
        if field.item is None:
            return []
        own = {
            f.field.key: f
            for f in self._table.fields
            if f.owner.type_name == field.item.type_name and f.asked.published
        }
        return columns_of(field.item, own)

    def answer(self, parsed: ParsedQuestion, last: Statement | None = None) -> ListAnswer | None:
        """Return what a list says, if the question counts, filters or ranks its items.

        `last` is the list of the clause before, which is meant if none is named.
        """
        is_cued = bool(orders_in(parsed.text)) or _ASKS.search(parsed.text) is not None
        for source, is_sure in self._sources(parsed, last, is_cued=is_cued):
            found = self._of(parsed, source, is_cued=is_cued)
            if found is not None and (is_sure or found.is_exact):
                return found
        return None

    def _of(self, parsed: ParsedQuestion, source: Statement, *, is_cued: bool) -> ListAnswer | None:
        """Return what one list says; `None` if the question says what cannot be told of it."""
        listed, shape = self._lists[id(source.field)], source.field.item
        if shape is None:
            return None
        items: list[Item] = list(source.value)
        orders, is_count = orders_in(parsed.text), _COUNTS.search(parsed.text) is not None
        key = heading_of(shape)
        names = {n.entry.name for n in parsed.named if n.entry.type_name == shape.type_name}
        if any(item.get(key) in names for item in items):
            items = [item for item in items if item.get(key) in names]
            if len(items) < 2 or not orders:  # noqa: PLR2004 - two are compared
                return None
        reading = read_words(parsed.text)
        conditions = self._conditions(reading, listed, parsed)
        if conditions is None:
            return None
        kept = [item for item in items if all(c.holds(item) for c in conditions)]
        chosen, strange = self._by_words(reading, listed, kept or items)
        count = len([w for w in reading.words if w.text not in STOP_WORDS])
        if len(strange) > MAX_STRANGE * count or (strange and not kept):
            return None
        is_filtered = bool(conditions or chosen)
        is_exact = is_filtered and not strange
        part = chosen or kept
        if not (is_cued or conditions or (is_exact and self._begins(reading, listed))):
            return None
        dated = next(dates_of(listed.columns, {w.root for w in reading.words}), None)
        if orders and dated is not None and not is_count:
            text = ranked(part or items, key, dated, orders)
            said = (replace(source, text=text),)
            return ListAnswer(said, source, is_exact=is_exact) if text else None
        is_example = not conditions and parsed.matches[0].score > SAME
        if not is_count and (not is_filtered or is_example):
            return None
        text = _said(source, part, conditions, len(items), key, is_filtered=is_filtered)
        entry = self._entry(shape.type_name, part[0].get(key)) if len(part) == 1 else None
        return ListAnswer((replace(source, text=text),), source, entry, is_exact)

    def _by_words(
        self, reading: Reading, listed: Listed, items: Sequence[Item]
    ) -> tuple[list[Item], list[Word]]:
        """Return the items that have most of the words left, and the words that none has.

        The words that values are asked for, as in "which uses Rust", choose nothing unless no other
        word does.
        """
        known = self._known | listed.names
        told = known.union(*(c.words for c in listed.columns if not c.is_far))
        chosen, found = filters.having(reading, listed.columns, items, told)
        if not found and all(w.root in told for _, w in reading.free()):
            chosen, found = filters.having(reading, listed.columns, items, known)
        reading.used |= found
        own = [w for _, w in reading.free() if w.root not in told]
        return chosen, [w for w in own if w.end > _region(reading.text)]

    @staticmethod
    def _begins(reading: Reading, listed: Listed) -> bool:
        """Return whether a question begins with what the list is called: `certificates from`."""
        first = next((w for w in reading.words if w.text not in STOP_WORDS), None)
        return first is not None and first.root in listed.names and first.text.endswith("s")

    def _conditions(
        self, reading: Reading, listed: Listed, parsed: ParsedQuestion
    ) -> list[Condition] | None:
        """Return what the question says of the items; `None` if it says what cannot be told."""
        columns, names = listed.columns, listed.names
        others = [
            n
            for n in parsed.named
            if listed.field.item is None or n.entry.type_name != listed.field.item.type_name
        ]
        conditions = [*filters.references(reading, columns, others)]
        referred = set(reading.used)
        conditions += filters.choices(reading, columns, names, self._roles)
        valued = reading.used - referred
        conditions += filters.flags(reading, columns, names)
        conditions += filters.presences(reading, columns, names)
        known = self._known | names
        times = filters.times(reading, columns, known, valued, date.today())
        return None if times is None else [*conditions, *times]

    def _entry(self, type_name: str, name: Any) -> Entry | None:
        own = self._table.entries_of(type_name)
        return next((entry for entry in own if entry.name == name), None)

    def _sources(
        self, parsed: ParsedQuestion, last: Statement | None, *, is_cued: bool
    ) -> Iterator[tuple[Statement, bool]]:
        """Yield the lists that the question may name, and whether that is sure."""
        scores = self._scores(parsed)
        head = self._head(parsed)
        best = parsed.matches[0].score
        lists = [listed for listed in self._lists.values() if self._is_whole(listed, parsed)]
        if head:
            fit = [listed for listed in lists if head & listed.names]
            fit.sort(
                key=lambda own: (
                    -len([w for w in head if own.is_kind(w)]),
                    -len(head & own.names),
                    -scores.get(id(own.field), 0.0),
                )
            )
            for listed in fit[:MAX_LISTS]:
                is_named = any(listed.is_kind(word) for word in head)
                is_own = any(listed.is_own(word) for word in head)
                is_near = scores[id(listed.field)] >= max(MIN_LIST, best - MAX_BEHIND)
                for statement in self._statement(listed, parsed):
                    yield statement, is_named or (is_own and is_near)
        elif last is not None and is_cued and id(last.field) in self._lists:
            yield last, True
        else:
            nearest = parsed.matches[0].field.owner.type_name
            for listed in lists:
                is_near = listed.field.item is not None and (
                    listed.field.item.type_name == nearest and _THEM.search(parsed.text) is not None
                )
                has_kinds = any(c.is_choice for c in listed.columns)
                if is_near or (has_kinds and any(c.is_date for c in listed.columns)):
                    for statement in self._statement(listed, parsed):
                        yield statement, False

    def _statement(self, listed: Listed, parsed: ParsedQuestion) -> Iterator[Statement]:
        own = listed.field.owner.type_name
        named = (n.entry for n in parsed.named if n.entry.type_name == own)
        entry = None if listed.field.is_single else next(named, None)
        yield from list(statements_of(self._table, listed.field, entry))[:1]

    @staticmethod
    def _is_whole(listed: Listed, parsed: ParsedQuestion) -> bool:
        """Return whether a list stands once in the content, or in an entry that is named."""
        own = listed.field.owner.type_name
        return listed.field.is_single or any(n.entry.type_name == own for n in parsed.named)

    def _scores(self, parsed: ParsedQuestion) -> dict[int, float]:
        """Return how well each list fits, by its own examples or those of its items' fields."""
        scores: dict[int, float] = {}
        for listed in self._lists.values():
            item = listed.field.item
            fits = (
                match.score
                for match in parsed.matches
                if match.field is listed.field
                or (item is not None and match.field.owner.type_name == item.type_name)
            )
            scores[id(listed.field)] = max(fits, default=0.0)
        return scores

    def _head(self, parsed: ParsedQuestion) -> set[str]:
        """Return the roots of the words that call the list: `changelog entries`, `projects`.

        The first word that does so behind "which" and the like, else the first for a type, else
        the first of all; with those that follow it at once.
        """
        reading = read_words(parsed.text)
        start = _region(parsed.text)
        words = [w for w in reading.words if w.end > start and w.text not in STOP_WORDS]
        words = [w for w in words if w.text not in _CUES]
        lists = list(self._lists.values())
        tiers = (
            lambda n, w: n < HEAD_REACH and any(own.is_kind(w.root) for own in lists),
            lambda n, w: n < HEAD_REACH and any(own.is_own(w.root) for own in lists),
            lambda _, w: any(own.is_kind(w.root) for own in lists),
            lambda _, w: any(own.is_own(w.root) for own in lists),
            lambda n, w: n < 1 and any(w.root in own.names for own in lists),
        )
        for tier in tiers:
            for number, word in enumerate(words):
                if tier(number, word):
                    run = [word]
                    for after in words[number + 1 :]:
                        gap = parsed.text[run[-1].end : after.start]
                        if gap.strip() or not any(own.is_kind(after.root) for own in lists):
                            break
                        run.append(after)
                    return {w.root for w in run[-2:]} if len(run) > 1 else {word.root}
        return set()


def comparison(parsed: ParsedQuestion, lists: Lists) -> list[Statement]:
    """Return the same field of each of several named entries; nothing if none are compared."""
    table = lists._table  # noqa: SLF001
    best = next((match for match in parsed.matches if match.entry is not None), None)
    if best is None or not _COMPARES.search(parsed.text):
        return []
    kind = best.field.owner.type_name
    entries: dict[str, Entry] = {
        n.entry.name: n.entry for n in parsed.named if n.entry.type_name == kind
    }
    if len(entries) < 2:  # noqa: PLR2004 - two are compared
        return []
    return [s for entry in entries.values() for s in statements_of(table, best.field, entry)]


def _region(text: str) -> int:
    """Return where the question for a list begins, behind what callers tell before it."""
    found = _COUNTS.search(text) or _LISTS.search(text)
    return found.end() if found is not None else 0


def _said(
    source: Statement,
    part: Sequence[Item],
    conditions: Sequence[Condition],
    count: int,
    key: str,
    *,
    is_filtered: bool,
) -> str:
    """Return how many items are left, and which."""
    if not part:
        kind = type_words(source.field.item.type_name) if source.field.item is not None else ""
        said = " and ".join(c.said for c in conditions)
        return f"None of {count}: no {kind} {said}."
    dated = [c.column for c in conditions if c.column.is_date]
    said = source.field.template.fill({**source.owner, source.field.field.key: part[:MAX_ITEMS]})
    is_short = said is None or any(str(item.get(key)) not in said for item in part[:MAX_ITEMS])
    if dated or is_short:
        days = ([str(v) for c in dated for v in c.values(item)] for item in part[:MAX_ITEMS])
        names = (
            f"{item.get(key)} ({', '.join(own)})" if own else str(item.get(key))
            for item, own in zip(part, days, strict=False)
        )
        said = "; ".join(names) + "."
    of = f" of {count}" if is_filtered else " in all"
    more = f" And {len(part) - MAX_ITEMS} more." if len(part) > MAX_ITEMS else ""
    return f"{len(part)}{of}. {said}{more}"
