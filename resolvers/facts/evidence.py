"""All that can be said of a studio, ranked for a question: its sentences and its fields.

A sentence of the owner's and a field said alone are compared with a question in the same way, so
that what only prose holds and what only a field holds compete for the same place.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from resolvers.embeddings.disk_cache import DiskTokenCache, StoredTokens
from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.facts.fields import AskedField
from resolvers.facts.likeness import Embed
from resolvers.facts.passages import MAX_QUOTE, Passage, passages_of
from resolvers.facts.router import FactRouter, ParsedQuestion
from resolvers.facts.slots import asks_offer, asks_price, holds_price, lacks_slot
from resolvers.facts.statements import (
    MARKED,
    Statement,
    items_of,
    shortened,
    statements_of,
)
from resolvers.search.bm25 import Bm25, share_of
from resolvers.search.ranking import cache_by_query
from resolvers.search.token_index import TokenIndex, read_question
from sdl.shape import ListShape

CANDIDATES = 100
"""How many passages are compared token by token."""
_TOKENS, _WORDS, _FIELD = 1.25, 0.3, 0.8
"""The weights of tokens, of words and of a field's example questions, beside the whole text's."""
_NAME = 0.3
"""The weight of a name, beside other words: all that is said of an entry has its name."""
_PRICED = 0.2
"""What an amount of money is worth to a question for the studio's prices."""
MIN_EXAMPLE = 0.15
"""How alike a question must be to an example of a field that is to answer it."""
FIT = 0.35
"""How alike a question whether the studio would do something is to those of what it takes on."""
_FITS = re.compile(
    r"(?:^|[.?!,;:-]\s+)(?:would|could|can|will|do|does)\s+(?!i\b|we\b|my\b|our\b|it\b|this\b)\w"
    r"|\bis (?:that|this|it) (?:an?|something)\b|\bchance\b",
    re.IGNORECASE,
)
_FIT_QUESTIONS = ("which kinds of projects do they accept", "what work do they refuse")
"""What such a question asks besides: what the studio takes on, and what not."""
ANY_ENTRY = 0.4
"""How much a field counts of each entry if the question names none of them."""
TOLD = 1.4
"""The score from which a passage tells more of a state that a field says in a word."""
CACHED_QUESTIONS = 256


class Evidence:
    """The passages of one revision. Immutable, so threads may share it. Its methods block."""

    def __init__(self, router: FactRouter, embed: Embed | DiskTokenCache) -> None:
        """Embed every passage, if possible token by token. Raises: ModelError."""
        table = router.table
        fields, figures = list(_said(router)), _figures(router)
        sentences = [
            _with_figure(item, figures)
            for item in passages_of(table)
            if not MARKED.search(item.quote)
        ]
        known = {item.sentence for item in sentences}
        self.passages = [*sentences, *(p for p in fields if p.sentence not in known)]
        self._groups = _groups(self.passages)
        self._is_field = np.array([item.field is not None for item in self.passages])
        prose = {f.owner.type_name: f for f in table.fields if f.is_prose}
        self._targets: dict[tuple[int, str], list[int]] = {}
        for number, item in enumerate(self.passages):
            for key in _keys(item, prose):
                self._targets.setdefault(key, []).append(number)
        best = [router.parse(question).matches[0] for question in _FIT_QUESTIONS]
        self._of_fit = [number for m in best for number in self._targets.get((id(m.field), ""), ())]
        self.known_words = {
            word
            for text in dict.fromkeys(f"{p.title} {p.sentence}" for p in self.passages)
            for word in tokenize(text)
        }
        self._is_priced = np.array([holds_price(item.quote) for item in self.passages])
        words = [terms(f"{item.title}. {item.quote}") for item in self.passages]
        self._bm25 = Bm25(words)
        texts = [f"{item.title}. {item.sentence}" for item in self.passages]
        self._reader: _TokenReader | _WordReader = (
            _TokenReader(texts, embed)
            if isinstance(embed, DiskTokenCache)
            else _WordReader(texts, embed, words, self._bm25)
        )

    def rank(self, parsed: ParsedQuestion) -> list[tuple[float, int, float]]:
        """Return the best passages, the best first. Raises: ModelError.

        Of each its score, its number, and how alike the question is to those of its field.
        """
        scores = self._reader.likeness(parsed.text)
        scores += np.float32(_WORDS) * share_of(self._bm25.scores(parsed.text))
        examples = self._examples(parsed)
        scores += np.float32(_FIELD) * examples
        scores[self._is_field & (examples < MIN_EXAMPLE)] = -1
        near = np.sort(np.argsort(-scores, kind="stable")[:CANDIDATES])
        if not len(near):
            return []
        groups = [self._groups[number] for number in near]
        shares = self._reader.shares(parsed.text, groups, parsed.name_words)
        total = scores[near] + np.float32(_TOKENS) * shares
        if asks_price(parsed.text) and not (parsed.named or asks_offer(parsed.text)):
            total += np.float32(_PRICED) * self._is_priced[near]
        order = np.argsort(-total, kind="stable")
        return [
            (float(total[place]), int(near[place]), float(examples[near[place]])) for place in order
        ]

    def of_state(
        self, parsed: ParsedQuestion, state: AskedField
    ) -> Iterator[tuple[float, Passage]]:
        """Yield the texts of the same read that tell more of a state than its word.

        They are surely near, and hold the day, number or name that the question asks for. A day of
        another read is another's: when a project began does not tell when the next one can.
        """
        for score, number, _ in self.rank(parsed):
            passage = self.passages[number]
            if score < TOLD:
                break
            if passage.operation is not state.operation or passage.is_unpublished:
                continue
            field = passage.field
            if field is not None and (field.is_state or isinstance(field.field.shape, ListShape)):
                continue
            if not lacks_slot(parsed.text, [passage.quote], ()):
                yield score, passage

    def knows(self, word: str) -> bool:
        """Return whether a passage has a word, given by its stem."""
        return word in self._bm25

    def pieces(self, question: str, word: str) -> int:
        """Return how many pieces the model reads a word of a question in, given by its stem.

        It reads a common word as one, and spells a strange or a misspelt one.
        """
        return self._reader.pieces(question, word)

    def nearness(self, question: str, numbers: Sequence[int]) -> dict[str, float]:
        """Return how near each word of a question is to one in some passages, by its stem."""
        group = [other for number in numbers for other in self._groups[number]]
        return self._reader.nearness(question, group) if group else {}

    def _examples(self, parsed: ParsedQuestion) -> Vectors:
        """Return how alike the question is to those that each passage's field answers."""
        scores = np.zeros(len(self.passages), dtype=np.float32)
        for match in parsed.matches:
            if match.score < MIN_EXAMPLE:
                break  # they are in order
            key = (id(match.field), match.entry.name if match.entry is not None else "")
            if targets := self._targets.get(key):
                is_any = match.entry is None and not match.field.is_single
                score = match.score * (ANY_ENTRY if is_any else 1)
                scores[targets] = np.maximum(scores[targets], score)
        if _FITS.search(parsed.text):
            scores[self._of_fit] = np.maximum(scores[self._of_fit], FIT)
        return scores


class _TokenReader:
    """Compares token by token. Source: Khattab and Zaharia, "ColBERT" (2020)."""

    def __init__(self, texts: Sequence[str], cache: DiskTokenCache) -> None:
        stored: Sequence[StoredTokens] = cache.get_or_embed(texts)
        self._rows = np.array([text.vector for text in stored])
        self._tokens = TokenIndex(stored)
        self._question = cache_by_query(
            partial(read_question, embedder=cache.embedder, index=self._tokens), CACHED_QUESTIONS
        )

    def likeness(self, question: str) -> Vectors:
        likeness: Vectors = self._rows @ self._question(question).vector
        return likeness

    def shares(
        self, question: str, groups: Sequence[Sequence[int]], names: Collection[str] = ()
    ) -> Vectors:
        asked = self._question(question)
        ranges = [[self._tokens.ranges[number] for number in group] for group in groups]
        weights = asked.weights * [_NAME if term in names else 1 for term in asked.terms]
        shares: Vectors = self._tokens.likeness(asked.tokens, ranges) @ (weights / weights.sum())
        return shares

    def pieces(self, question: str, word: str) -> int:
        return [*self._question(question).terms].count(word)

    def nearness(self, question: str, group: Sequence[int]) -> dict[str, float]:
        asked = self._question(question)
        ranges = [self._tokens.ranges[number] for number in group]
        pieces: dict[str, list[float]] = {}
        for term, value in zip(
            asked.terms, self._tokens.likeness(asked.tokens, [ranges])[0], strict=True
        ):
            pieces.setdefault(term, []).append(float(value))
        return {term: sum(values) / len(values) for term, values in pieces.items() if term}


class _WordReader:
    """Compares by whole texts and by words, for embedders that tell nothing of tokens."""

    def __init__(
        self, texts: Sequence[str], embed: Embed, words: Sequence[Sequence[str]], bm25: Bm25
    ) -> None:
        self._rows = embed(texts)
        self._words = [frozenset(item) for item in words]
        self._bm25 = bm25
        self._vector = cache_by_query(lambda text: embed([text])[0], CACHED_QUESTIONS)

    def likeness(self, question: str) -> Vectors:
        likeness: Vectors = self._rows @ self._vector(question)
        return likeness

    def shares(
        self, question: str, groups: Sequence[Sequence[int]], names: Collection[str] = ()
    ) -> Vectors:
        weights = {
            word: self._bm25.idf(word) * (_NAME if word in names else 1)
            for word in sorted(set(terms(question)))
        }
        total = sum(weights.values()) or 1.0
        found = [frozenset[str]().union(*(self._words[n] for n in group)) for group in groups]
        shares = [sum(w for word, w in weights.items() if word in own) / total for own in found]
        return np.array(shares, dtype=np.float32)

    def pieces(self, question: str, word: str) -> int:  # noqa: ARG002 - it knows no language
        return 1

    def nearness(self, question: str, group: Sequence[int]) -> dict[str, float]:
        found = frozenset[str]().union(*(self._words[number] for number in group))
        return {word: float(word in found) for word in terms(question)}


def passage_of(statement: Statement) -> Passage:
    """Return what a field says as a passage."""
    entry = statement.entry
    return Passage(
        sentence=statement.text,
        quote=statement.text,
        title=entry.name if entry is not None else statement.operation.title,
        entry=entry,
        operation=statement.operation,
        url=statement.url,
        pointer=statement.pointer,
        field=statement.field,
    )


def _said(router: FactRouter) -> Iterator[Passage]:
    """Yield what each field says: of a text its opening, of a list the whole and each item.

    An item of a short list is found alone and said with the others. A list of entries that have
    addresses of their own, such as projects, must be shorter: it says little of one.
    """
    own = {entry.type_name for entry in router.table.entries if entry.single is not None}
    for field in router.table.fields:
        if router.is_answered_elsewhere(field) or field.is_foreign:
            continue
        is_of_entries = field.item is not None and field.item.type_name in own
        for statement in statements_of(router.table, field):
            passage = passage_of(shortened(statement))
            is_long = is_of_entries and len(statement.text) > MAX_QUOTE
            is_short = passage.quote == statement.text and not is_long
            for item in map(passage_of, items_of(statement)):
                if not MARKED.search(item.quote):
                    yield replace(passage, sentence=item.sentence) if is_short else item
            if passage.quote and not (is_long or MARKED.search(passage.quote)):
                yield passage


def _figures(router: FactRouter) -> dict[tuple[str, str], Statement]:
    """Return what is said of each line of an object, and of each item of a list of objects."""
    figures: dict[tuple[str, str], Statement] = {}
    for field in router.table.fields:
        if field.asked.published and not (field.is_prose or field.is_foreign):
            for statement in statements_of(router.table, field):
                parts = items_of(statement) if field.item is not None else [statement]
                figures |= {(part.url, part.pointer): part for part in parts}
    return figures


def _with_figure(passage: Passage, figures: Mapping[tuple[str, str], Statement]) -> Passage:
    """Return a passage that is quoted with its figure, if it is the note to one.

    "Road distance, July 2020." says nothing without "Longest haul: 14.2 km".
    """
    for pointer in (passage.pointer, passage.pointer.rpartition("/")[0]):
        figure = figures.get((passage.url, pointer))
        if figure is not None and passage.sentence in figure.text:
            return replace(passage, quote=figure.text, pointer=pointer)
    return passage


def _keys(passage: Passage, prose: Mapping[str, AskedField]) -> Iterator[tuple[int, str]]:
    """Yield the fields, of one entry or of all, whose examples are questions for a passage."""
    entry, field = passage.entry, passage.field
    if field is not None:
        yield id(field), ""
    elif entry is not None and entry.is_question:
        field = prose.get(entry.type_name)
    if field is not None and entry is not None:
        yield id(field), entry.name


def _groups(passages: Sequence[Passage]) -> list[list[int]]:
    """Return the numbers of the passages that stand in the quotation of each."""
    places: dict[tuple[str, str], list[int]] = {}
    for number, item in enumerate(passages):
        places.setdefault((item.url, item.pointer), []).append(number)
    return [
        sorted({number, *(n for n in places[p.url, p.pointer] if passages[n].sentence in p.quote)})
        for number, p in enumerate(passages)
    ]
