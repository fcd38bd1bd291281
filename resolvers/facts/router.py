"""Finds the fields that answer a question: by its entries and the nearest example question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from weakref import proxy

import numpy as np

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.tokenizer import terms
from resolvers.facts.classifier import FieldClassifier
from resolvers.facts.clauses import is_fragment
from resolvers.facts.descriptions import DescriptionFinder, described_entries
from resolvers.facts.fields import AskedField, Entry, FactTable
from resolvers.facts.likeness import Embed, Likeness
from resolvers.facts.names import NamedEntry, NameFinder, replace_names, replace_roles
from resolvers.facts.slots import asks_price
from resolvers.search.ranking import cache_by_query
from schema.further_questions import topics_without_field
from sdl.operation import Operation

EXACT = 0.7
"""The score from which a question is that of a field, whose value is then said."""
FRAGMENT = 0.8
"""The score from which the name of a thing, such as `city`, is that of a field of the studio.

Things that a studio does not publish, such as `insurance` or `parking`, score at most 0.73.
"""
SAME = 0.9
"""The score from which a question is an example, or one that the owner has answered in full."""
SAME_TOPIC = 0.7
"""The likeness from which a question of the owner's is about what a field calls unpublished."""
PRICE_TOPIC = 0.5
"""The same for a question of the owner's that asks what something costs."""
QUESTION_PENALTY = 0.1
"""How much less another question of the owner's counts: it names the same things."""
TABLE_PENALTY = 0.05
"""How much less a field of entries counts if the question names none of them."""
MIN_WORDINGS = 8
"""From how many example questions it is learned what tells a field from others."""
CACHED_QUESTIONS = 64
"""How many parsed questions are kept: to answer one, its parts are parsed more than once."""
MIN_READ_SCORE = 0.5
"""The score from which a field is worth reading for a goal."""


@dataclass(frozen=True)
class FieldMatch:
    """A field that may answer a question, of one entry if the question names one."""

    field: AskedField
    entry: Entry | None
    score: float
    """How well it fits: the likeness of the nearest example question."""


@dataclass(frozen=True)
class ParsedQuestion:
    """A question, the entries that it names, and the fields that may answer it, best first."""

    text: str
    named: tuple[NamedEntry, ...]
    matches: tuple[FieldMatch, ...]
    needed: frozenset[str] = frozenset()
    """Words of which an answer or its title has one, if no field holds what is asked for."""

    @property
    def name_words(self) -> set[str]:
        """The stems of the words that name entries."""
        return {word for n in self.named for word in terms(self.text[n.start : n.end])}


class FactRouter:
    """The example questions of all asked fields. Immutable, so threads may share it."""

    def __init__(
        self, table: FactTable, embed: Embed, roles: Mapping[str, str], warm: Embed | None = None
    ) -> None:
        """Embed the examples and statements, by `warm` if given, which may have a cache.

        `roles` maps names to the words that examples use for them.
        """
        self.table = table
        self._roles = roles
        known = {name.casefold() for name in roles}  # an account may have the studio's name
        own = (e for e in table.entries if e.name.casefold() not in known)
        self.names = NameFinder(own, roles)
        self.role_words = {word for role in roles.values() for word in terms(role)}
        self.role_words |= {word for name in roles for word in terms(name)}
        texts: list[str] = []
        self._examples: list[slice] = []
        for item in table.fields:
            examples = [replace_roles(text, roles) for text in item.questions]
            self._examples.append(_append(texts, examples))
        self._by_example: dict[str, list[AskedField]] = {}
        for item in table.fields:
            for text in item.questions:
                self._by_example.setdefault(_plain(text), []).append(item)
        self.example_words = {word for text in texts for word in terms(text)}
        self._questions = {
            (number, entry.name): (_append(texts, [replace_roles(entry.name, roles)]), entry)
            for number, entry in _questions(table)
        }
        self._topics = [
            (
                _append(texts, [replace_roles(text, roles) for text in topic.questions]),
                topic.words,
            )
            for topic in topics_without_field()
        ]
        described = [*described_entries(table.entries)]
        rows = [_append(texts, said) for _, said in described]
        self._vectors = (warm or embed)(texts)
        count = self._examples[-1].stop if self._examples else 0
        self.likeness = Likeness(embed, self._vectors[:count])
        self._classifier = self._learn()
        self._descriptions = DescriptionFinder(
            [entry for entry, _ in described],
            [self._vectors[row] for row in rows],
            self.likeness,
            self.role_words,
        )
        self._answers = dict(self._answers_of_unpublished())
        own = proxy(self)  # or the cache would hold the router that holds it
        self._parsed = cache_by_query(partial(FactRouter._parse, own), CACHED_QUESTIONS)

    def parse(self, question: str) -> ParsedQuestion:
        """Return the names in a question and the fields that may answer it. Blocks.

        Raises: ModelError.
        """
        return self._parsed(question)

    def _parse(self, question: str) -> ParsedQuestion:
        text = " ".join(question.split())
        named = self.names.find(text) or self._descriptions.find(text)
        texts = {"": replace_roles(text, self._roles)}
        for kind in dict.fromkeys(item.entry.type_name for item in named):
            of_type = [item for item in named if item.entry.type_name == kind]
            role = f"the {type_words(kind)}"
            texts[kind] = replace_roles(replace_names(text, of_type, role), self._roles)
        vectors = self.likeness.vectors([*texts.values()])
        alike = self.likeness.of(self._vectors, vectors.T)
        likeness = dict(zip(texts, alike.T, strict=True))
        nearest = {
            kind: self._by_field(likeness[kind], vector, kind)
            for kind, vector in zip(texts, vectors, strict=True)
        }
        matches: list[FieldMatch] = []
        for number, field in enumerate(self.table.fields):
            kind = field.owner.type_name
            entries = [item.entry for item in named if item.entry.type_name == kind]
            for entry in (None, *entries):
                score = nearest[kind if entry is not None else ""][number]
                if entry is None and not field.is_single:
                    score -= TABLE_PENALTY
                answer, said_of = self._answers.get(number, (field, entry))
                matches.append(FieldMatch(answer, said_of, score))
        for (number, _), (rows, entry) in self._questions.items():
            score = float(likeness[""][rows].max())
            if score < SAME:
                score -= QUESTION_PENALTY
            matches.append(FieldMatch(self.table.fields[number], entry, score))
        # The owner's answer to the same question goes before the note that a field is missing. To a
        # model of words all examples without a word of their own are alike, as "who are you".
        exact = self._by_example.get(_plain(text), ())
        matches.sort(
            key=lambda match: (
                -round(match.score, 2),
                not match.field.asked.published,
                not any(match.field is field for field in exact),
            )
        )
        needed = frozenset[str]() if named else self._needed(likeness[""], matches[0].score)
        return ParsedQuestion(text, tuple(named), tuple(matches), needed)

    def _needed(self, likeness: Vectors, best: float) -> frozenset[str]:
        """Return the words of the topic without a field that a question is about, if it is.

        It must be more like the topic than like any field, whose best score is given.
        """
        topics = ((float(likeness[rows].max()), words) for rows, words in self._topics)
        score, words = max(topics, key=lambda topic: topic[0])
        return words if score >= EXACT and score > best else frozenset()

    def parse_part(self, text: str) -> ParsedQuestion:
        """Parse a part of a question; a mere word such as `city` is taken for the studio's."""
        parsed = self.parse(text)
        if parsed.named or parsed.matches[0].score >= EXACT or not is_fragment(text):
            return parsed
        asked = self.parse(f"the studio's {text.rstrip(' ?.!')}")
        return asked if asked.matches[0].score >= FRAGMENT else parsed

    def _learn(self) -> FieldClassifier | None:
        """Return what tells the fields apart that have many example questions, if there are any."""
        rows = {
            number: examples
            for number, examples in enumerate(self._examples)
            if examples.stop - examples.start >= MIN_WORDINGS
        }
        return FieldClassifier(self._vectors, rows) if rows else None

    def _by_field(self, likeness: Vectors, question: Vectors, kind: str) -> list[float]:
        """Return how well each field fits a question about an entry of a kind, or about none.

        That is how alike the nearest of its examples is, weighed by what all examples tell.
        """
        if not self._examples:
            return []
        starts = [examples.start for examples in self._examples]
        scores: Vectors = np.maximum.reduceat(likeness[: self._examples[-1].stop], starts)
        if self._classifier is not None and scores.max() < SAME:
            fields = enumerate(self.table.fields)
            among = [number for number, f in fields if not kind or f.owner.type_name == kind]
            scores = self._classifier.weigh(scores, question, among)
        return [float(score) for score in scores]

    def is_answered_elsewhere(self, field: AskedField) -> bool:
        """Return whether a field says that something is unpublished, and the owner answers it."""
        return self.table.fields.index(field) in self._answers

    def _answers_of_unpublished(self) -> Iterator[tuple[int, tuple[AskedField, Entry]]]:
        """Yield the fields for what is unpublished where a question of the owner's says it."""
        for number, field in enumerate(self.table.fields):
            if field.asked.published or not self._questions:
                continue
            # what a field is about, without the many wordings that other questions share
            start = self._examples[number].start
            examples = self._vectors[start : start + len(field.asked.questions)]
            alike = {
                key: max(float(self.likeness.of(examples, v).max()) for v in self._vectors[rows])
                for key, (rows, _) in self._questions.items()
            }
            nearest = max(alike, key=alike.__getitem__)
            is_priced = asks_price(nearest[1])
            if alike[nearest] >= (PRICE_TOPIC if is_priced else SAME_TOPIC):
                yield number, (self.table.fields[nearest[0]], self._questions[nearest][1])

    def best_read(self, question: str) -> tuple[FieldMatch, Operation, Mapping[str, str]]:
        """Return the best field for a question, the operation that reads it and its variables.

        Blocks. Raises: ModelError.
        """
        best = self.parse(question).matches[0]
        if best.entry is None:
            return best, best.field.operation, {}
        operation, variables, _ = best.entry.read
        return best, operation, variables


def _plain(question: str) -> str:
    return question.casefold().rstrip(" ?.!")


def _append(texts: list[str], more: Sequence[str]) -> slice:
    """Append texts and return where they stand."""
    start = len(texts)
    texts += more
    return slice(start, len(texts))


def _questions(table: FactTable) -> Iterator[tuple[int, Entry]]:
    """Yield the entries whose names are questions: these are examples of their prose."""
    for number, item in enumerate(table.fields):
        if item.is_prose:
            for entry in table.entries_of(item.owner.type_name):
                if entry.is_question:
                    yield number, entry


def type_words(type_name: str) -> str:
    """Return the name of a type in words: `PracticeArea` is `practice area`."""
    return re.sub(r"(?<!^)([A-Z])", lambda match: f" {match[1]}", type_name).lower()
