"""Counts, filters and superlatives over the items of a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.facts import filters
from resolvers.facts.columns import Item, heading_of, root
from resolvers.facts.fields import Entry
from resolvers.facts.filters import Condition, Reading, Word, read_words
from resolvers.facts.groups import group_asked, groups_of, said_of
from resolvers.facts.list_names import COUNTS, CUES, LISTS, Listed, ListNames, Needs, region_of
from resolvers.facts.orders import dates_of, event_of, orders_in, ranked
from resolvers.facts.router import SAME, FactRouter, ParsedQuestion, type_words
from resolvers.facts.statements import Statement, shortened, statements_of
from resolvers.facts.verdict import ADVERBS

MAX_ITEMS = 12
"""How many items are said in one answer."""
MAX_STRANGE = 0.34
"""The share of a question's words that may be strange to the list that answers it."""
_CONTRAST = re.compile(
    r"\band (?:say |tell me )?(?:which|what)\b[^,.?]*\b(?:not|no longer|\w+n['\u2019]t)\b"
    r"|\bwhether\b",
    re.IGNORECASE,
)
"""What asks for those that are and those that are not: all."""
_ALL = re.compile(r"\b(?:all|every|each|list|enumerate|show)\b", re.IGNORECASE)
_VERBS = tokenize(
    "belong belongs concern concerning concerns involve involves involving relate relates related"
    " relating regarding contain contains include includes including mention use uses"
    " used using except excluding apart rather instead"
)
"""Words that only join what is listed to what is said of it."""
_SUBJECT = re.compile(
    r"\b(?:which|what|how many)\s[^,;.?]*?\b(?:does|do|did|has|have)\s+(?:the|this|your|their)"
    r"\s+(\w+)\b",
    re.IGNORECASE,
)
"""Who does or has what is asked for, which is the studio, whatever it is called."""
_COMMA = re.compile(r"[,;(]")
_MOST = re.compile(
    r"\b(?:most(?! (?:recent|of))|(?<!at )least|best|worst|(?:high|low|larg|bigg|small|short|cheap"
    r"|fast|slow|strong|hard|easi|long)est(?![ -](?:running|standing|serving)))\b",
    re.IGNORECASE,
)
"""What asks for the ends of a list in another order than that of dates."""


@dataclass(frozen=True)
class ListAnswer:
    """What a list says."""

    statements: tuple[Statement, ...]
    source: Statement
    """The whole list."""
    entry: Entry | None = None
    """The only item that is left, if there is one."""
    fulfils: Needs = Needs.EXACTNESS
    """How well the question was understood."""

    @property
    def is_exact(self) -> bool:
        """Whether every word that asks something of the items was understood."""
        return self.fulfils >= Needs.EXACTNESS


@dataclass(frozen=True)
class _Chosen:
    """The items of a list that a question asks for."""

    items: Sequence[Item]
    of: int
    """The number of those from which they are chosen."""
    reading: Reading
    conditions: Sequence[Condition]
    by_words: bool
    """Whether words that no condition used have chosen them."""
    is_all: bool
    """Whether the whole list is asked for."""
    strange: bool
    """Whether a word was not understood."""
    untold: int
    """Of how many items it is not told whether they are what is asked for."""

    @property
    def is_filtered(self) -> bool:
        return bool(self.conditions or self.by_words)

    @property
    def fulfils(self) -> Needs:
        is_valued = any(c.column.is_choice and c.is_exact for c in self.conditions)
        if is_valued and (not self.strange or any(c.column.is_date for c in self.conditions)):
            return Needs.VALUE
        is_asked = self.is_filtered or self.is_all or bool(orders_in(self.reading.text))
        return Needs.EXACTNESS if is_asked and not self.strange else Needs.NOTHING


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
            start = 0 if needs is Needs.VALUE else region_of(parsed.text)
            chosen = self._chosen(parsed, source, start)
            if chosen is None or chosen.fulfils < needs:
                continue
            if (found := self._said(parsed, source, chosen)) is not None:
                return found
        return None

    def _chosen(self, parsed: ParsedQuestion, source: Statement, start: int) -> _Chosen | None:
        """Return the items that a question asks for; `None` if it says what cannot be told.

        The words before `start` are what callers tell of themselves.
        """
        listed, items = self._names.of(source.field), _among_named(parsed, source)
        reading = read_words(parsed.text)
        conditions = self._conditions(reading, listed, parsed) if items else None
        is_other_order = _MOST.search(parsed.text) is not None and not orders_in(parsed.text)
        if conditions is None or is_other_order:
            return None
        is_all = _CONTRAST.search(parsed.text) is not None
        conditions = [] if is_all else conditions
        kept = [item for item in items if all(c.holds(item) for c in conditions)]
        understood = len(reading.used)
        by_words, left = self._by_words(reading, listed, kept or items)
        comma = _COMMA.search(parsed.text, start) if COUNTS.search(parsed.text) else None
        stop = comma.start() if comma is not None else len(parsed.text)
        strange = [word for word in left if start < word.end <= stop]
        count = len([word for word in reading.words if word.text not in STOP_WORDS])
        is_half = not conditions and 0 < len(reading.used) - understood <= len(strange)
        is_none_known = not strange and any(c.is_total for c in conditions)
        if len(strange) > MAX_STRANGE * count or is_half or not (kept or is_none_known):
            return None
        is_kind = any(listed.is_kind(word.root) for word in reading.words)
        is_all = is_all or (is_kind and not strange and _ALL.search(parsed.text) is not None)
        return _Chosen(
            items=by_words or kept,
            of=len(items),
            reading=reading,
            conditions=conditions,
            by_words=bool(by_words),
            is_all=is_all,
            strange=bool(strange),
            untold=len([item for item in items if not all(c.is_told_of(item) for c in conditions)]),
        )

    def _said(
        self, parsed: ParsedQuestion, source: Statement, chosen: _Chosen
    ) -> ListAnswer | None:
        """Return the items that were chosen in words, if the question asks for a list of them."""
        text, reading, listed = parsed.text, chosen.reading, self._names.of(source.field)
        orders, is_count = orders_in(text), COUNTS.search(text) is not None
        is_begun = chosen.fulfils is not Needs.NOTHING and _begins(reading, listed)
        is_cued = is_count or orders or LISTS.search(text) or chosen.conditions or is_begun
        dated = next(dates_of(listed.columns, {word.root for word in reading.words}), None)
        key = heading_of(listed.shape)
        is_example = not chosen.conditions and parsed.matches[0].score > SAME
        entry: Entry | None = None
        if not is_cued:
            return None
        if orders and dated is not None and not is_count:
            event = event_of(text)
            if event and event not in STOP_WORDS and root(event) not in self._known | dated.words:
                return None  # "finished last" asks for no date of theirs
            said = ranked(chosen.items, key, dated, orders)
        elif is_count or (chosen.is_filtered and not is_example):
            said = _counted(source, chosen, key)
            names = [item.get(key) for item in chosen.items]
            own = self._table.entries_of(listed.type_name) if len(names) == 1 else ()
            entry = next((entry for entry in own if entry.name in names), None)
        else:
            said = shortened(source).text if chosen.is_all and not is_example else ""
        statements = (replace(source, text=said),)
        return ListAnswer(statements, source, entry, chosen.fulfils) if said else None

    def _grouped(self, parsed: ParsedQuestion) -> ListAnswer | None:
        """Return what the items have that a question asks for: who the clients are."""
        reading = read_words(parsed.text)
        group = group_asked(self._groups, parsed, reading)
        if group is None:
            return None
        source = next(statements_of(self._table, group.listed.field), None)
        conditions = self._conditions(reading, group.listed, parsed)
        if source is None or conditions is None:
            return None
        named = _among_named(parsed, source)
        items = [item for item in named if item.get(group.field.field.key)]
        kept = [item for item in items if all(c.holds(item) for c in conditions)]
        by_words, strange = self._by_words(reading, group.listed, kept)
        key = heading_of(group.listed.shape)
        said = said_of(self._table, group, [str(item.get(key)) for item in by_words or kept])
        if COUNTS.search(parsed.text) and said:
            different = {str(statement.value) for statement in said}
            said[0] = replace(said[0], text=f"{len(different)} in all. {said[0].text}")
        return ListAnswer(tuple(said), source) if said and not strange else None

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
        known, today = self._known | names, datetime.now(UTC).date()
        times = filters.times(reading, columns, known, valued, today)
        return None if times is None else [*conditions, *times]


def _among_named(parsed: ParsedQuestion, source: Statement) -> list[Item]:
    """Return the items of a list: those that the question names, if it ranks two or more."""
    items: list[Item] = list(source.value)
    shape = source.field.item
    if shape is None:
        return []
    key = heading_of(shape)
    names = {n.entry.name for n in parsed.named if n.entry.type_name == shape.type_name}
    named = [item for item in items if item.get(key) in names]
    if not named:
        return items
    return named if len(named) > 1 and orders_in(parsed.text) else []


def _begins(reading: Reading, listed: Listed) -> bool:
    """Return whether a question begins with what the list is called: `certificates from`."""
    first = next((w for w in reading.words if w.text not in STOP_WORDS), None)
    return first is not None and first.root in listed.names and first.text.endswith("s")


def _counted(source: Statement, chosen: _Chosen, key: str) -> str:
    """Return how many items are left, and which."""
    if not chosen.items:
        kind = type_words(source.field.item.type_name) if source.field.item is not None else ""
        said = " and ".join(condition.said for condition in chosen.conditions)
        untold = f" Of {chosen.untold} it is not told." if chosen.untold else ""
        return f"None of {chosen.of}: no {kind} {said}.{untold}"
    part = chosen.items[:MAX_ITEMS]
    dated = [c.column for c in chosen.conditions if c.column.is_date]
    said = source.field.template.fill({**source.owner, source.field.field.key: part}) or ""
    if dated or any(str(item.get(key)) not in said for item in part):  # a template may say few
        days = (", ".join(str(v) for c in dated for v in c.values(item)) for item in part)
        said = "; ".join(
            f"{item.get(key)} ({own})" if own else str(item.get(key))
            for item, own in zip(part, days, strict=True)
        )
        said = f"{said}."
    of = f" of {chosen.of}" if chosen.is_filtered else " in all"
    rest = len(chosen.items) - len(part)
    return f"{len(chosen.items)}{of}. {said}{f' And {rest} more.' if rest else ''}"
