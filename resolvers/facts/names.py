"""Finds the entries that a question names, exactly or with one wrong letter."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from resolvers.embeddings.tokenizer import STOP_WORDS
from resolvers.facts.fields import Entry

MIN_TYPO_LENGTH = 5
"""The length from which a word may have one wrong letter."""
MAX_NAME_WORDS = 10
"""A longer name is a sentence, such as the question of a FAQ entry."""
MIN_PART_WORDS = 2
"""How many words a part of a name has that stands for it."""
MAX_WHOLE_WORDS = 5
"""A name with more words is a sentence, whose parts are no names; "the Almanac" is called by its
last word if no other name has it."""
_PRONOUNS = {
    **dict.fromkeys(("you", "they", "them", "we", "us", "she", "he", "him"), "the studio"),
    **dict.fromkeys(("your", "yours", "their", "theirs", "her", "his", "hers"), "the studio's"),
}
"""What pronouns stand for; the studio is one person, so it answers for her or him too."""
_THE_STUDIO = re.compile(
    r"\b(?:the|this|that|your|their)\s+(?:company|firm|business|workshop|agency|outfit|shop|office"
    r"|enterprise|consultancy|supplier|vendor|contractor|organi[sz]ation)\b(?!\s+(?:of|in|for)\b)",
    re.IGNORECASE,
)
"""What callers call the studio whose name they do not know."""
_IT = re.compile(
    r"\b(does|did|has|is|was|will|would|can|could|may|might|reach|contact|hire)\s+it\b",
    re.IGNORECASE,
)
"""What a question is about that names nothing, or whose names have become roles."""
_PRONOUN = re.compile(rf"\b(?:{'|'.join(_PRONOUNS)})\b", re.IGNORECASE)
_ARTICLES = {("the",), ("a",), ("an",)}
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class NamedEntry:
    """An entry and the part of the question that names it."""

    entry: Entry
    start: int
    end: int


class NameFinder:
    """The names of all entries. Immutable, so threads may share it."""

    def __init__(self, entries: Iterable[Entry], others: Iterable[str] = ()) -> None:
        """Read the names; those of `others` never stand for an entry whose name begins alike."""
        self._entries: dict[tuple[str, ...], list[Entry]] = {}
        entries = list(entries)
        counts = Counter(
            word.removesuffix("s") for e in entries if _is_own(e) for word in set(_words(e.name))
        )
        for entry in entries:
            names = {entry.name, *entry.other_names, entry.slug.replace("-", " ")}
            if entry.is_question:
                names = set(entry.other_names)
            words_of_names = {_words(name) for name in names}
            words_of_names |= {words[1:] for words in words_of_names if words[:1] in _ARTICLES}
            *first, last = _words(entry.name) or ("",)
            is_one = counts[last.removesuffix("s")] == 1
            if is_one and 0 < len(first) < MAX_WHOLE_WORDS and _is_own(entry):
                words_of_names.add(("the", last))
            for words in sorted(words_of_names):
                if len(words) <= MAX_NAME_WORDS and any(w not in STOP_WORDS for w in words):
                    self._entries.setdefault(words, []).append(entry)
        foreign = {_words(name) for name in others}
        for words, entry in _parts_of_names(entries):
            if words not in foreign:
                self._entries.setdefault(words, [entry])
        self._words = {word for words in self._entries for word in words}
        self._longest = max(map(len, self._words), default=0)
        self._near: dict[str, list[str]] = {}
        """The words by what is left of them without one letter."""
        for word in sorted(self._words, key=lambda word: (len(word), word)):
            for part in without_one_letter(word) if len(word) >= MIN_TYPO_LENGTH else ():
                self._near.setdefault(part, []).append(word)
        self._lengths = sorted({len(words) for words in self._entries}, reverse=True)

    def find(self, question: str) -> list[NamedEntry]:
        """Return the named entries in the order of the question; of overlaps, the longest name."""
        tokens = list(_WORD.finditer(_plain(question)))
        words = [self._spelled(token.group().casefold()) for token in tokens]
        taken: set[int] = set()
        named: list[NamedEntry] = []
        for length in self._lengths:
            for position in range(len(words) - length + 1):
                places = range(position, position + length)
                if taken.intersection(places):
                    continue
                for entry in self._entries.get(tuple(words[position : position + length]), ()):
                    start, end = tokens[position].start(), tokens[position + length - 1].end()
                    named.append(NamedEntry(entry, start, end))
                    taken.update(places)
        return sorted(named, key=lambda item: item.start)

    def _spelled(self, word: str) -> str:
        """Return the word of a name that this is: itself, its singular, or one letter away."""
        if word in self._words or word in STOP_WORDS:
            return word
        if word.endswith("s") and word[:-1] in self._words:
            return word[:-1]
        if not MIN_TYPO_LENGTH <= len(word) <= self._longest + 1:
            return word
        near = {other for part in without_one_letter(word) for other in self._near.get(part, ())}
        candidates = sorted(near, key=lambda other: (len(other), other))
        return next((other for other in candidates if is_one_letter_away(word, other)), word)


def replace_names(question: str, named: Sequence[NamedEntry], role: str) -> str:
    """Return the question with the named parts replaced by a role."""
    plain = _plain(question)
    for item in sorted({(n.start, n.end) for n in named}, reverse=True):
        plain = f"{plain[: item[0]]}{role}{plain[item[1] :]}"
    return plain


def replace_roles(question: str, roles: Mapping[str, str]) -> str:
    """Replace the names of the studio and its founder, and pronouns, by what they stand for.

    Callers say "you", "they" or the name; example questions say it in one way.
    """
    for name, role in roles.items():
        question = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", role, question, flags=re.IGNORECASE)
    question = _IT.sub(r"\1 the studio", _THE_STUDIO.sub("the studio", question))
    return _PRONOUN.sub(lambda match: _PRONOUNS[match[0].lower()], question)


def is_one_letter_away(one: str, other: str) -> bool:
    """Return whether one word becomes the other by one wrong, missing or swapped letter."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    rests = (one[start + 1 :], other[start + 1 :])
    swapped = one[start : start + 2] == other[start : start + 2][::-1]
    return (
        rests[0] == rests[1]
        or one[start:] == rests[1]
        or rests[0] == other[start:]
        or (swapped and one[start + 2 :] == other[start + 2 :])
    )


def without_one_letter(word: str) -> set[str]:
    """Return the word, and what is left of it without each of its letters.

    Of two words that are one letter away from each other, one of these is the same.
    """
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def _is_own(entry: Entry) -> bool:
    """Return whether an entry has an address of its own, and a name that is no question."""
    return entry.single is not None and not entry.is_question


def _parts_of_names(entries: Iterable[Entry]) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Yield the parts of names that only one entry has: "market hall" of "Larne Market Hall".

    Only entries with an address of their own are called so, and no sentence is.
    """
    owners: dict[tuple[str, ...], dict[str, Entry]] = {}
    for entry in entries:
        words = _words(entry.name)
        if not _is_own(entry) or len(words) > MAX_WHOLE_WORDS:
            continue
        for start, end in combinations(range(len(words) + 1), 2):
            ends = {words[start], words[end - 1]}
            if end - start >= MIN_PART_WORDS and not ends & STOP_WORDS:
                owners.setdefault(words[start:end], {})[entry.name] = entry
    for part, own in owners.items():
        if len(own) == 1:
            yield part, next(iter(own.values()))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("\u2019", "'")


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_plain(text).casefold()))
