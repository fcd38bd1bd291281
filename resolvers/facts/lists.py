"""Counts, filters and superlatives over the items of a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from resolvers.embeddings.tokenizer import STOP_WORDS
from resolvers.facts import filters
from resolvers.facts.columns import Item, heading_of, root
from resolvers.facts.fields import Entry
from resolvers.facts.filters import Condition, Reading, Word, read_words
from resolvers.facts.groups import group_asked, groups_of, said_of
from resolvers.facts.list_names import COUNTS, CUES, LISTS, Listed, ListNames, Needs, region_of
from resolvers.facts.orders import dates_of, orders_in, ranked
from resolvers.facts.router import SAME, FactRouter, ParsedQuestion, type_words
from resolvers.facts.statements import Statement, shortened, statements_of
from resolvers.facts.verdict import ADVERBS

MAX_ITEMS = 12
"""How many items are said in one answer."""
MAX_STRANGE = 0.34
"""The share of a question's words that may be strange to the list that answers it."""
_CONTRAST = re.compile(
    r"\band (?:say |tell me )?(?:which|what)\b[^,.?]*\b(?:not|no longer|\w+n['\u2019]t)\b|\bwhether\b",
    re.IGNORECASE,
)
"""What asks for those that are and those that are not: all."""
_ALL = re.compile(r"\b(?:all|every|each|list|enumerate|show)\b", re.IGNORECASE)
_VERBS = (
    "belong belongs concern concerning concerns involve involves involving relate relates related"
    " relating regarding contain contains include includes including mention happen happened use uses"
    " used using"
).split()
"""Words that only join what is listed to what is said of it."""
_SUBJECT = re.compile(
    r"\b(?:which|what|how many)\s[^,;.?]*?\b(?:does|do|did|has|have)\s+(?:the|this|your|their)\s+(\w+)\b",
    re.IGNORECASE,
)
"""Who does or has what is asked for, which is the studio, whatever it is called."""
_COMMA = re.compile(r"[,;(]")


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
    is_valued: bool = False
    """Whether the word of a value was told."""

    is_timed: bool = False
    """Whether a span of time was told."""

    @property
    def fulfils(self) -> Needs:
        """What it is enough for."""
        if self.is_valued and (self.is_exact or self.is_timed):
            return Needs.VALUE
        return Needs.EXACTNESS if self.is_exact else Needs.NOTHING


class Lists:
    """The lists of one revision. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter) -> None:
        self._table = router.table
        self._names = ListNames(router)
        self._groups = groups_of(router.table, self._names)
        self._roles = {root(word) for word in router.role_words}
        self._known = {root(word) for word in {*ADVERBS, *CUES, *_VERBS}} - {"new"} | self._roles

    def answer(self, parsed: ParsedQuestion, last: Statement | None = None) -> ListAnswer | None:
        """Return what a list says, if the question counts, filters or ranks its items.

        `last` is the list of the clause before, which is meant if none is named.
        """
        if grouped := self._grouped(parsed):
            return grouped
        for source, needs in self._names.sources(parsed, last):
            found = self._of(parsed, source, 0 if needs is Needs.VALUE else region_of(parsed.text))
            if found is not None and found.fulfils >= needs:
                return found
        return None

    def _of(self, parsed: ParsedQuestion, source: Statement, start: int) -> ListAnswer | None:
        """Return what one list says; `None` if the question says what cannot be told of it.

        The words before `start` are what callers tell of themselves.
        """
        listed, shape = self._names.of(source.field), source.field.item
        if shape is None:
            return None
        items: list[Item] = list(source.value)
        orders, is_count = orders_in(parsed.text), COUNTS.search(parsed.text) is not None
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
        is_whole = _CONTRAST.search(parsed.text) is not None
        if is_whole:
            conditions = []
        kept = [item for item in items if all(c.holds(item) for c in conditions)]
        understood = len(reading.used)
        chosen, strange = self._by_words(reading, listed, kept or items)
        end = _COMMA.search(parsed.text, start) if is_count else None
        stop = end.start() if end is not None else len(parsed.text)
        strange = [word for word in strange if start < word.end <= stop]
        count = len([w for w in reading.words if w.text not in STOP_WORDS])
        if len(strange) > MAX_STRANGE * count:
            return None
        if not kept and (strange or not any(c.is_total for c in conditions)):
            return None
        if not conditions and 0 < len(reading.used) - understood <= len(strange):
            return None  # half of what is asked of the items is unknown
        is_filtered = bool(conditions or chosen)
        is_kind = any(listed.is_kind(w.root) for w in reading.words)
        is_whole = is_whole or (is_kind and not strange and _ALL.search(parsed.text) is not None)
        is_exact = not strange and bool(is_filtered or is_whole or orders)
        part = chosen or kept
        is_cued = is_count or orders or LISTS.search(parsed.text)
        if not (is_cued or conditions or (is_exact and _begins(reading, listed))):
            return None
        dated = next(dates_of(listed.columns, {w.root for w in reading.words}), None)
        is_valued = any(c.column.is_choice and c.is_exact for c in conditions)
        is_timed = any(c.column.is_date for c in conditions)
        answer = ListAnswer((), source, None, is_exact, is_valued, is_timed)
        if orders and dated is not None and not is_count:
            text = ranked(part or items, key, dated, orders)
            return replace(answer, statements=(replace(source, text=text),)) if text else None
        is_example = not conditions and parsed.matches[0].score > SAME
        if is_whole and not (is_count or is_filtered or is_example):
            return replace(answer, statements=(shortened(source),))
        if not is_count and (not is_filtered or is_example):
            return None
        text = _said(source, part, conditions, len(items), key, is_filtered=is_filtered)
        entry = self._entry(shape.type_name, part[0].get(key)) if len(part) == 1 else None
        return replace(answer, statements=(replace(source, text=text),), entry=entry)

    def _grouped(self, parsed: ParsedQuestion) -> ListAnswer | None:
        """Return what the items have that a question asks for: who the clients are."""
        reading = read_words(parsed.text)
        group = group_asked(self._groups, parsed, reading)
        sources = () if group is None else statements_of(self._table, group.listed.field)
        for source in sources if group is not None else ():
            conditions = self._conditions(reading, group.listed, parsed)
            if conditions is None or source.field.item is None:
                return None
            key = heading_of(source.field.item)
            items = [item for item in source.value if item.get(group.field.field.key)]
            kept = [item for item in items if all(c.holds(item) for c in conditions)]
            chosen, strange = self._by_words(reading, group.listed, kept)
            said = said_of(self._table, group, [str(item.get(key)) for item in chosen or kept])
            if strange or not said:
                return None
            return ListAnswer(tuple(said), source, is_exact=True)
        return None

    def _by_words(
        self, reading: Reading, listed: Listed, items: Sequence[Item]
    ) -> tuple[list[Item], list[Word]]:
        """Return the items that have most of the words left, and the words that none has.

        The words that values are asked for, as in "which uses Rust", choose nothing unless no other
        word does.
        """
        known = self._known | listed.names
        told = known.union(*(c.words for c in listed.columns if not c.is_far))
        if match := _SUBJECT.search(reading.text):
            reading.use(match.start(1), match.end(1))
        chosen, found = filters.having(reading, listed.columns, items, told)
        if not found and all(w.root in told for _, w in reading.free()):
            chosen, found = filters.having(reading, listed.columns, items, known)
        reading.used |= found
        own = [w for _, w in reading.free() if w.root not in told and not listed.is_kind(w.root)]
        return chosen, own

    def _conditions(
        self, reading: Reading, listed: Listed, parsed: ParsedQuestion
    ) -> list[Condition] | None:
        """Return what the question says of the items; `None` if it says what cannot be told."""
        columns, names = listed.columns, listed.names
        others = [n for n in parsed.named if n.entry.type_name != listed.type_name]
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


def _begins(reading: Reading, listed: Listed) -> bool:
    """Return whether a question begins with what the list is called: `certificates from`."""
    first = next((w for w in reading.words if w.text not in STOP_WORDS), None)
    return first is not None and first.root in listed.names and first.text.endswith("s")


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
