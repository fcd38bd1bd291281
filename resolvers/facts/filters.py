"""Conditions that a question sets on the items of a list, by the types of their values.

A value of an enum is meant by its word or by a word of its description, a Boolean by the words that
its field is asked for, a date by a span of time, a reference by the name of the entry, and a value
that may be missing by "no" or "without".
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from resolvers.embeddings.tokenizer import STOP_WORDS, tokenize
from resolvers.facts.columns import Column, Item, has_word, key_words, root, roots
from resolvers.facts.dates import Span, spans_in
from resolvers.facts.names import NamedEntry
from sdl.marks import Cites

MIN_PREFIX, MAX_PREFIX = 3, 4
"""The lengths between which the beginning of a word stands for a value, as `prod`; a longer word,
such as `product`, is another one."""
REACH = 4
"""How many words before another one a denial stands at most."""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_OWNED = re.compile(r"['\u2019]s$")
_DENIES = re.compile(
    r"(?:no|not|never|nor|neither|without|non|except|rather|lacks?|lacking|\w+n['\u2019]?t)$",
    re.IGNORECASE,
)
_LACKS = frozenset({"no", "without", "lack", "lacks", "lacking", "missing"})
_HAS = frozenset({"with", "has", "have", "having"})
_TURN = re.compile(r"[,;:.?!]|\b(?:but|and|or|which|what)\b", re.IGNORECASE)
"""The ends of what a denial reaches."""
_PREFIXES = ("un", "in", "non", "dis")
_PAST = frozenset(map(root, tokenize("discontinued former formerly retired past ended stopped")))
_PRESENT = frozenset(map(root, tokenize("still current currently ongoing")))
_OWN = frozenset(map(root, tokenize("your their his her hers its our own you they she he we")))


@dataclass(frozen=True)
class Word:
    """A word of a question."""

    text: str
    root: str
    start: int
    end: int


@dataclass
class Reading:
    """The words of a question, and those of them that have been understood."""

    text: str
    words: list[Word]
    used: set[int] = field(default_factory=set)

    def free(self) -> Iterator[tuple[int, Word]]:
        """Yield the words with a meaning of their own that nothing has used."""
        for number, word in enumerate(self.words):
            if number not in self.used and word.text not in STOP_WORDS:
                yield number, word

    def is_denied(self, number: int) -> bool:
        """Return whether a denial reaches a word: `not owned by the studio`."""
        end = self.words[number].start
        for before in reversed(self.words[max(0, number - REACH) : number]):
            if _TURN.search(self.text[before.end : end]) or before.text in {"but", "and", "or"}:
                return False
            if _DENIES.match(before.text):
                return True
            end = before.start
        return False

    def use(self, start: int, end: int) -> None:
        """Take the words that stand in a part of the text as understood."""
        self.used |= {n for n, w in enumerate(self.words) if start <= w.start < end}


@dataclass(frozen=True)
class Condition:
    """What the items must be."""

    column: Column
    said: str
    """It in words that follow the name of an item, such as `is afloat`."""
    holds: Callable[[Item], bool]
    is_exact: bool = True
    """Whether the word of a value is told, and not only one of its description."""
    is_total: bool = True
    """Whether all items that it leaves out are known not to be so."""

    def is_told_of(self, item: Item) -> bool:
        """Return whether an item has what decides it."""
        return not (self.column.is_date or self.column.is_flag) or bool(self.column.values(item))


def read_words(text: str) -> Reading:
    """Return the words of a question."""
    found = ((_OWNED.sub("", m[0].lower()), m.span()) for m in _WORD.finditer(text))
    return Reading(text, [Word(word, root(word), *place) for word, place in found])


def is_same(word: str, other: str) -> bool:
    """Return whether a root means a value: is it, begins with it, or is a short beginning of it."""
    longer = len(other) > MIN_PREFIX and word.startswith(other)
    shorter = MIN_PREFIX <= len(word) <= MAX_PREFIX and other.startswith(word)
    return word == other or longer or shorter


def references(
    reading: Reading, columns: Sequence[Column], named: Sequence[NamedEntry]
) -> Iterator[Condition]:
    """Yield a condition for each entry of another list that is named, and that items refer to."""
    for item in named:
        entry = item.entry
        for column in columns:
            cites = any(isinstance(mark, Cites) for mark in column.member.marks)
            if column.refers_to != entry.kind and not cites:
                continue
            slug = f"{entry.kind}/{entry.slug}" if cites else entry.slug
            reading.use(item.start, item.end)
            yield Condition(
                column, f"refers to {entry.name}", _has_any(column, {slug}), is_total=False
            )
            break


def times(
    reading: Reading,
    columns: Sequence[Column],
    known: Collection[str],
    valued: Collection[int],
    today: date,
) -> list[Condition] | None:
    """Return a condition for each span of time; `None` if no date of the items is meant by one.

    `known` are words that ask for no time of their own; `valued` the words that mean a value.
    """
    dates = [column for column in columns if column.is_date]
    conditions: list[Condition] = []
    for span in spans_in(reading.text, today):
        inside = {n for n, w in enumerate(reading.words) if span.start <= w.start < span.stop}
        if not inside or inside <= reading.used:
            continue
        if not dates:
            if span.said[:1].isdigit() or span.said.startswith(("in ", "of ", "on ", "from ")):
                continue  # the year stands in a text, if anywhere
            return None
        asked = {word.root for word in reading.words}
        column = max(dates, key=lambda c: len(asked & c.words) + len(asked & c.names))
        if not _is_time_of(reading, column, span, known, () if len(dates) == 1 else valued):
            return None
        reading.used |= inside
        conditions.append(Condition(column, _said_of(column, span.said), _lies_in(column, span)))
    return conditions


def _is_time_of(
    reading: Reading,
    column: Column,
    span: Span,
    known: Collection[str],
    valued: Collection[int],
) -> bool:
    """Return whether the word before a span asks for this date.

    "Expire before 2028" does not, nor does "finished in 2024", if `finished` is a state.
    """
    before = [n for n, w in enumerate(reading.words) if w.end <= span.start]
    number = next((n for n in reversed(before) if reading.words[n].text not in STOP_WORDS), None)
    if number is None or (number in reading.used and number not in valued):
        return True
    return number not in valued and reading.words[number].root in {*known, *column.words}


def choices(
    reading: Reading, columns: Sequence[Column], names: Collection[str], roles: Collection[str]
) -> Iterator[Condition]:
    """Yield a condition for each enum of which the question tells a value."""
    for column in columns:
        scalar = column.scalar
        if scalar is None or scalar.words is None or column.is_far:
            continue
        kind = roots(key_words(scalar.type_name))
        own = {value: roots(value) - kind for value in scalar.words.values()}
        told = _told(own, scalar.meanings, kind | set(names))
        hits = list(_hits(reading, own, told))
        exact = [hit for hit in hits if hit[2]]
        if not exact and column.names & {word.root for word in reading.words}:
            exact = list(_of_the_studio(reading, own, column, roles))
        elif any(own[value] & set(roles) for _, value, _, _ in exact):
            # "the studio" is whom callers ask about, unless they say what it has to do with it
            others = {w.root for w in reading.words}
            is_meant = column.names & others or any(d for *_, d in exact)
            kept = [h for h in exact if is_meant or not own[h[1]] & set(roles)]
            exact, hits = kept, [h for h in hits if h in kept or not h[2]]
        hits = exact or hits
        if not hits:
            continue
        wanted = {value for _, value, _, is_denied in hits if not is_denied}
        values = wanted or own.keys() - {value for _, value, *_ in hits}
        reading.used |= {number for number, *_ in hits}
        reading.used |= {n for n, w in reading.free() if w.root in column.names}
        said = f"is {' or '.join(sorted(values))}"
        yield Condition(column, said, _has_any(column, values), is_exact=bool(exact))


def flags(
    reading: Reading, columns: Sequence[Column], names: Collection[str]
) -> Iterator[Condition]:
    """Yield a condition for each Boolean that the question tells."""
    for column in columns:
        if not column.is_flag or column.is_far:
            continue
        hits = dict(_flag_hits(reading, column, names))
        words = {reading.words[number].root for number in hits}
        is_of_now = bool(_PRESENT & column.words)
        sure = {w for w in words if w in column.names or _without_prefix(w) in column.names}
        sure |= words & (_PAST | _PRESENT)
        is_told = (sure and (len(column.names) == 1 or is_of_now)) or len(words) > 1
        if (
            len(set(hits.values())) > 1
            or not hits
            or not (is_told or (is_of_now and False in hits.values()))
        ):
            continue
        wanted = False not in hits.values()
        reading.used |= hits.keys()
        said = f"is {'' if wanted else 'not '}{' '.join(map(key_words, column.path))}"
        yield Condition(column, said, _has_any(column, {wanted}))


def _flag_hits(
    reading: Reading, column: Column, names: Collection[str]
) -> Iterator[tuple[int, bool]]:
    """Yield the words that mean a Boolean, and what they say of it.

    A word that names the list too, such as `offered` of services, counts if it is denied.
    """
    is_of_now = bool(_PRESENT & column.words)
    for number, word in enumerate(reading.words):
        is_denied = reading.is_denied(number)
        is_no_longer = word.text == "longer" and is_denied
        if number in reading.used or (word.text in STOP_WORDS and not is_no_longer):
            continue
        if is_of_now and (word.root in _PAST or is_no_longer):
            yield number, False
        elif _without_prefix(word.root) in column.names:
            yield number, is_denied
        elif (
            word.root in column.names
            or (is_of_now and word.root in _PRESENT)
            or (word.root in column.words and (word.root not in names or is_denied))
        ):
            yield number, not is_denied


def presences(
    reading: Reading, columns: Sequence[Column], names: Collection[str]
) -> Iterator[Condition]:
    """Yield a condition for each value that items shall have, or have not."""
    for number, word in enumerate(reading.words):
        after = [w.text for w in reading.words[number + 1 : number + 2]]
        if word.text not in _LACKS | _HAS or _LACKS.intersection(after):
            continue
        near = reading.words[number + 1 : number + 1 + REACH]
        lacks = word.text in _LACKS
        best, most = None, (0, 0)
        for column in columns:
            if not column.member.optional or column.is_far:
                continue
            own = (column.names | roots(column.leaf.description)) - set(names)
            more = (column.words if lacks else own) - set(names)
            fit = (
                len([w for w in near if w.root in more]),
                len([w for w in near if w.root in own]),
            )
            if fit > most:
                best, most = column, fit
        if best is None or reading.used & set(range(number + 1, number + 1 + REACH)):
            continue
        reading.used |= {n for n, w in reading.free() if w in near and w.root in best.words}
        said = f"{'lacks' if lacks else 'has'} {' '.join(map(key_words, best.path))}"
        yield Condition(best, said, _is_there(best, is_there=not lacks))


def having(
    reading: Reading, columns: Sequence[Column], items: Sequence[Item], known: Collection[str]
) -> tuple[list[Item], set[int]]:
    """Return the items that have most of the words left, and those words; none if none tells."""
    for is_far in (False, True):
        texts = [c for c in columns if c.is_far is is_far and not (c.is_date or c.is_flag)]
        values = [[v for column in texts for v in column.values(item)] for item in items]
        found: dict[int, set[int]] = {}
        for number, word in reading.free():
            have = {
                place
                for place, own in enumerate(values)
                if any(has_word(v, word.text) for v in own)
            }
            if have and word.root not in known:
                found[number] = have
        if found:
            break
    telling = {number: have for number, have in found.items() if len(have) < len(items)}
    counts = [sum(place in have for have in telling.values()) for place in range(len(items))]
    best = max(counts, default=0)
    chosen = [item for item, n in zip(items, counts, strict=True) if n == best] if best else []
    if chosen and any(reading.is_denied(number) for number in telling):
        chosen = [item for item, n in zip(items, counts, strict=True) if n == 0]
    return chosen, set(found)


def _told(
    own: Mapping[str, Collection[str]], meanings: Mapping[str, str], others: Collection[str]
) -> dict[str, set[str]]:
    """Return the words of each description that no other description has."""
    words = {value: roots(meanings.get(value, "")) - set(others) for value in own}
    return {
        value: {w for w in told if not any(w in words[v] for v in own if v != value)}
        for value, told in words.items()
    }


def _hits(
    reading: Reading, own: Mapping[str, Collection[str]], told: Mapping[str, Collection[str]]
) -> Iterator[tuple[int, str, bool, bool]]:
    """Yield the words that mean a value: their number, it, if exactly, and if it is denied."""
    for number, word in reading.free():
        bare = _without_prefix(word.root)
        for value in own:
            is_denied = reading.is_denied(number)
            if any(is_same(word.root, other) for other in own[value]):
                yield number, value, True, is_denied
            elif word.root in told[value]:
                yield number, value, False, is_denied
            elif bare in own[value] or bare in told[value]:
                yield number, value, bare in own[value], not is_denied


def _of_the_studio(
    reading: Reading, own: Mapping[str, Collection[str]], column: Column, roles: Collection[str]
) -> Iterator[tuple[int, str, bool, bool]]:
    """Yield what "her own" and "you own" mean: the value that is called as the studio is."""
    has_owner = any(word.root in _OWN for word in reading.words if word.text != "own")
    for number, word in enumerate(reading.words):
        if has_owner and word.root in column.names and number not in reading.used:
            for value in own:
                if set(own[value]) & set(roles):
                    yield number, value, True, reading.is_denied(number)


def _without_prefix(word: str) -> str:
    """Return what a word denies: `finish` of `unfinish`; an empty text if it denies nothing."""
    found = (word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix))
    return next((rest for rest in found if len(rest) > MIN_PREFIX), "")


def _said_of(column: Column, span: str) -> str:
    label = " ".join(map(key_words, column.path))
    words = label.removesuffix(" at")
    when = re.sub(r"^(?:of|from|during|in)\s+(?!(?:this|last|previous)\b)", "in ", span)
    when = re.sub(r"^(?:of|from|during|in)\s+(?=(?:this|last|previous)\b)", "", when)
    when = f"in {when}" if when[:1].isdigit() else when
    return f"was {words} {when}" if label.endswith(" at") else f"has {label} {when}"


def _lies_in(column: Column, span: Span) -> Callable[[Item], bool]:
    return lambda item: any(span.has(str(value)) for value in column.values(item))


def _has_any(column: Column, wanted: Collection[object]) -> Callable[[Item], bool]:
    return lambda item: any(value in wanted for value in column.values(item))


def _is_there(column: Column, *, is_there: bool) -> Callable[[Item], bool]:
    return lambda item: bool(column.values(item)) is is_there
