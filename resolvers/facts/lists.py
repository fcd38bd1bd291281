"""Counts, filters and superlatives over the items of a list, and comparisons of entries."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from resolvers.embeddings.tokenizer import STOP_WORDS, stem, terms, tokenize
from resolvers.facts.fields import AskedField, Entry, FactTable
from resolvers.facts.router import ParsedQuestion, type_words
from resolvers.facts.slots import asked_phrases
from resolvers.facts.statements import Statement, statements_of
from sdl.marks import Heading
from sdl.shape import ObjectShape, ScalarShape

MAX_ITEMS = 12
"""How many items are said in one answer."""
SHORT_VALUE = 60
"""The length up to which a value can be a filter. Units: characters."""
MIN_PREFIX = 3
"""The length from which the beginning of a word stands for it, as `dev` for `development`."""
MAX_BEHIND = 0.25
"""How much less than the best field a list may fit, to be counted or filtered."""
MAX_STRANGE = 0.5
"""The share of a question's words that may be strange to the list that answers it."""
MIN_LIST = 0.15
"""How well a list must fit a question that names it."""
COMMON_FIELDS = 3
"""A word in the examples of so many fields is no name of a list."""
_COUNTS = re.compile(r"\b(?:how many|number of|count)\b", re.IGNORECASE)
_LISTS = re.compile(r"\b(?:which|what|list|enumerate|name|show|all|every|each)\b", re.IGNORECASE)
_RANKS = (
    (
        "Newest",
        re.compile(r"\b(?:new(?:est|er)|latest|most recent|young(?:est|er))\b", re.IGNORECASE),
    ),
    (
        "Oldest",
        re.compile(
            r"\b(?:old(?:est|er)|earliest|first|longest[ -](?:running|standing|serving))\b",
            re.IGNORECASE,
        ),
    ),
)
_COMPARES = re.compile(r"\b(?:compare|versus|vs|difference|differ|or|both)\b", re.IGNORECASE)
_DENIES = re.compile(
    r"\b(?:not|no longer|never|(?:is|are|was|were|do|does|has)n['\u2019]?t)\b", re.IGNORECASE
)
_DATES = frozenset({"Date", "DateTime", "YearMonth", "DateOrDateTime"})
_CUES = frozenset(
    terms(
        "count number total list enumerate name show newest newer latest recent youngest younger"
        " oldest older earliest first longest running standing kind item entry"
    )
)
"""Words that ask for a list, or call what is in it."""
_CACHED_VALUES = 4096
_Item = Mapping[str, Any]


@dataclass(frozen=True)
class ListAnswer:
    """What a list says."""

    statement: Statement
    source: Statement
    """The whole list."""
    entry: Entry | None
    """The only item that is left, if there is one."""


class Lists:
    """The lists of one revision, and the words that name them."""

    def __init__(self, table: FactTable) -> None:
        self._table = table
        fields = Counter(
            word
            for field in table.fields
            if field.is_single
            for word in {w for question in field.asked.questions for w in terms(question)}
        )
        self._common = {word for word, count in fields.items() if count >= COMMON_FIELDS}

    def answer(self, parsed: ParsedQuestion, last: Statement | None = None) -> ListAnswer | None:
        """Return what a list says, if the question counts, filters or ranks its items.

        `last` is the list of the clause before, which is meant if none is named.
        """
        is_count = _COUNTS.search(parsed.text) is not None
        ranks = [word for word, cue in _RANKS if cue.search(parsed.text)]
        is_list = is_count or ranks or _LISTS.search(parsed.text)
        source = self._list_of(parsed) or last if is_list else None
        if source is None or source.field.item is None:
            return None
        shape, items = source.field.item, list(source.value)
        key = _heading(shape)
        names = {item.entry.name for item in parsed.named}
        if any(item.get(key) in names for item in items):
            items = [item for item in items if item.get(key) in names]
            if len(items) < 2 or not ranks:  # noqa: PLR2004 - two are compared
                return None
        words = self._filter_words(parsed.text, source.field)
        strange = [w for w in words if not any(_has(item, w) for item in items)]
        if MAX_STRANGE * len(set(terms(parsed.text))) < len(strange):
            return None
        chosen = _filtered(items, words, shape, is_denied=_DENIES.search(parsed.text) is not None)
        dated = _date_key(shape)
        if ranks and dated is not None and not is_count:
            # Else one word of many, such as "day", would choose an item by its title.
            is_about = len(words) > 2 * len(strange)
            text = _ranked(chosen if chosen and is_about else items, key, dated, ranks)
            return ListAnswer(replace(source, text=text), source, None) if text else None
        if not is_count and not chosen:
            return None
        part = chosen or items
        said = source.field.template.fill(
            {**source.owner, source.field.field.key: part[:MAX_ITEMS]}
        )
        of = f" of {len(items)}" if chosen else " in all"
        statement = replace(source, text=f"{len(part)}{of}. {said}")
        entry = self._entry(shape.type_name, part[0].get(key)) if len(part) == 1 else None
        return ListAnswer(statement, source, entry)

    def _entry(self, type_name: str, name: Any) -> Entry | None:
        own = self._table.entries_of(type_name)
        return next((entry for entry in own if entry.name == name), None)

    def _list_of(self, parsed: ParsedQuestion) -> Statement | None:
        """Return the list that the question names."""
        words = set(terms(parsed.text))
        if _COUNTS.search(parsed.text):  # "how many boats do you paint" counts no kinds of paint
            words = {phrase[-1] for phrase in asked_phrases(parsed.text)} - _CUES or words
        best = parsed.matches[0]
        for match in parsed.matches[:8]:
            field = match.field
            if match.score < max(MIN_LIST, best.score - MAX_BEHIND):
                break
            if field.item is None or _heading(field.item) == "":
                fields = [f for f in self._table.fields if _is_list_of(f, field.owner.type_name)]
            else:
                fields = [field]
            for candidate in fields:
                if words & self._names(candidate):
                    entry = match.entry if candidate is field else None
                    return next(statements_of(self._table, candidate, entry), None)
        return None

    def _names(self, field: AskedField) -> frozenset[str]:
        """Return the words that name a list: of its type, its key and its examples."""
        return _example_words(field) - self._common | _type_words(field)

    @staticmethod
    def _filter_words(text: str, field: AskedField) -> list[str]:
        """Return the words of a question that are not about the list as a whole."""
        names = _example_words(field) | _type_words(field) | _CUES
        plain = _DENIES.sub(" ", text)
        words = (word for word in dict.fromkeys(tokenize(plain)) if word not in STOP_WORDS)
        return [word for word in words if stem(word) not in names]


def comparison(table: FactTable, parsed: ParsedQuestion) -> list[Statement]:
    """Return the same field of each of several named entries; nothing if none are compared."""
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


def _example_words(field: AskedField) -> frozenset[str]:
    return _words_of(tuple(field.asked.questions))


@lru_cache(_CACHED_VALUES)
def _words_of(questions: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for question in questions for word in terms(question))


def _type_words(field: AskedField) -> set[str]:
    kind = field.item.type_name if field.item is not None else ""
    return set(terms(f"{type_words(kind)} {field.field.key}"))


def _is_list_of(field: AskedField, type_name: str) -> bool:
    return field.item is not None and field.item.type_name == type_name


def _heading(shape: ObjectShape) -> str:
    member = shape.field_marked(Heading)
    return member.key if member is not None else ""


def _date_key(shape: ObjectShape) -> str | None:
    for member in shape.fields:
        if isinstance(member.shape, ScalarShape) and member.shape.type_name in _DATES:
            return member.key
    return None


def _ranked(items: Sequence[_Item], key: str, dated: str, ranks: Sequence[str]) -> str:
    ordered = sorted((i for i in items if i.get(dated)), key=lambda item: str(item[dated]))
    if not ordered:
        return ""
    picked = {"Newest": ordered[-1], "Oldest": ordered[0]}
    return "; ".join(f"{word}: {picked[word][key]} ({picked[word][dated]})" for word in ranks) + "."


def _filtered(
    items: Sequence[_Item], words: Sequence[str], shape: ObjectShape, *, is_denied: bool
) -> list[_Item]:
    """Return the items that have most of the words; nothing if no word tells items apart.

    A word for the value of an enum, such as a status, or of its description counts before all
    others, and chooses the items without it if the question denies it ("not finished").
    """
    enums = {
        field.key: field.shape.meanings
        for field in shape.fields
        if isinstance(field.shape, ScalarShape) and field.shape.words
    }
    of_enums = [
        {key: [item.get(key), meanings.get(str(item.get(key)))] for key, meanings in enums.items()}
        for item in items
    ]
    if chosen := _having(items, of_enums, words):
        return [item for item in items if item not in chosen] if is_denied else chosen
    return _having(items, [{f.key: item.get(f.key) for f in shape.fields} for item in items], words)


def _having(items: Sequence[_Item], parts: Sequence[_Item], words: Sequence[str]) -> list[_Item]:
    telling = [word for word in words if 0 < sum(_has(part, word) for part in parts) < len(parts)]
    counts = [sum(_has(part, word) for word in telling) for part in parts]
    best = max(counts, default=0)
    return [i for i, n in zip(items, counts, strict=True) if n == best] if best else []


def _has(value: Any, word: str) -> bool:
    """Return whether a short text in a value has the word, or a word that it begins."""
    if not isinstance(value, str):
        inner = value.values() if isinstance(value, Mapping) else value
        return isinstance(value, Mapping | list) and any(_has(item, word) for item in inner)
    if len(value) > SHORT_VALUE:
        return False
    return stem(word) in _stems(value) or (
        len(word) >= MIN_PREFIX and any(part.startswith(word) for part in _parts(value))
    )


@lru_cache(_CACHED_VALUES)
def _parts(value: str) -> tuple[str, ...]:
    """Return the words of a short text of the content, which every question is compared with."""
    return tuple(tokenize(value))


@lru_cache(_CACHED_VALUES)
def _stems(value: str) -> frozenset[str]:
    return frozenset(map(stem, _parts(value)))
