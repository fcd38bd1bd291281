"""Whether passages answer a part of a question, and what they lack of what it asks for."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.facts.asked_words import ASKED_NEARNESS, ASKS_OPENLY, POLAR, AskedWords
from resolvers.facts.evidence import Evidence
from resolvers.facts.fields import Entry
from resolvers.facts.passages import Passage
from resolvers.facts.router import SAME, FactRouter
from resolvers.facts.slots import asks_price, lacks_slot
from resolvers.search.sentences import split_sentences
from resolvers.search.unknown_names import unknown_names

SURE = 1.05
"""A passage that scores less is no answer, whatever else speaks for it."""
MAX_FIELDS = 2
"""How many of these are fields."""
_PLAIN_WORD = re.compile(r"\b[^\W\d_]{3,24}\b")
ADVERBS = frozenset(
    terms(
        "right really still already actually currently today please moment far yet short quick"
        " exactly precisely roughly basically simply briefly hi hello hey thanks thank"
    )
)
"""Words that tell nothing of what a question is about."""


@dataclass(frozen=True)
class Part:
    """What answers one part of a question."""

    question: str
    passages: tuple[tuple[float, Passage], ...]
    numbers: tuple[int, ...] = ()
    """The passages by their numbers, where they come near."""
    needed: frozenset[str] = frozenset()
    """Words of which a passage that answers has one, or its title; if none, any passage may."""


class Verdict:
    """Judges what is said of a revision. Immutable, so threads may share it."""

    def __init__(self, router: FactRouter, evidence: Evidence) -> None:
        self._router = router
        self._evidence = evidence
        self._asked = AskedWords(router, evidence)

    def held(
        self, part: Part, names: Collection[str], name_words: Collection[str]
    ) -> tuple[tuple[float, Passage], ...]:
        """Return the passages that answer a part of a question; none if it is not answered."""
        question, rows = part.question, part.passages
        if not part.numbers and rows[0][0] >= SAME:
            return rows
        lacks = self._lacks(part)
        held = tuple(row for row, words in zip(rows, lacks, strict=True) if not words)
        if part.needed:
            held = tuple(row for row in held if part.needed & _words_of(row[1]))
        if part.numbers and not any(score >= SURE for score, _ in held):
            return ()
        entry = rows[0][1].entry
        is_priced = entry is not None and entry.is_question and asks_price(entry.name) and not names
        lines = [passage.quote for _, passage in held]
        if lacks_slot(question, lines[:MAX_FIELDS], names):
            return held if is_priced and asks_price(question) else ()
        if not self._is_about(part, held, name_words):
            return ()
        return tuple(
            row
            for row in rows
            if row in held or row is rows[0] or _is_of(row[1].entry, entry, names)
        )

    def missing(self, question: str, parts: Sequence[Part]) -> str:
        """Return a word of the question that nothing said is about, to be told to the caller.

        Only letters are repeated, and not many, so that no caller can have a text said.
        """
        stems = set(self._unknown_names(question))
        stems |= {word for part in parts for word in set.intersection(*self._lacks(part))}
        words = (word for word in _PLAIN_WORD.findall(question) if stems & {word, *terms(word)})
        return next(words, "")

    def names_unknown(self, question: str) -> bool:
        """Return whether a question asks about a name that the content does not have."""
        return any(self._unknown_names(sentence) for sentence in split_sentences(question))

    def _lacks(self, part: Part) -> list[set[str]]:
        """Return of each passage of a part what it lacks of what is asked for."""
        return self._asked.lacks(part.question, part.numbers, [p for _, p in part.passages])

    def _is_about(
        self, part: Part, rows: Sequence[tuple[float, Passage]], names: Collection[str]
    ) -> bool:
        """Return whether a question for yes or no, which no field answers, has a word that is said.

        Words that example questions have, such as `work`, do not tell what "do they ..." is about.
        """
        if not (POLAR.match(part.question) and part.numbers):
            return True
        known = {*ADVERBS, *self._router.role_words, *names}
        words = [word for word in dict.fromkeys(terms(part.question)) if word not in known]
        special = [word for word in words if word not in self._router.example_words]
        if 2 * len(special) <= len(words):
            return True
        said = {word for _, p in rows for word in terms(f"{p.title} {p.quote}")}
        near = self._evidence.nearness(part.question, part.numbers)
        return any(word in said or near.get(word, 0) >= ASKED_NEARNESS for word in special)

    def _unknown_names(self, sentence: str) -> list[str]:
        """Return the names in a sentence that the content does not have, if the sentence asks.

        After "which" and the like, capitals such as `URL` are no names.
        """
        is_polar = POLAR.match(sentence) is not None
        if not (is_polar or ASKS_OPENLY.match(sentence) or sentence.endswith("?")):
            return []
        names = unknown_names(sentence, self._evidence.known_words)
        return [name for name in names if is_polar or not name.isupper()]


def _words_of(passage: Passage) -> set[str]:
    return {*tokenize(f"{passage.title} {passage.quote}")}


def _is_of(entry: Entry | None, best: Entry | None, names: Collection[str]) -> bool:
    """Return whether an entry is the best passage's or is asked about by its name.

    The sentence that has the words of a question is often not the one that answers it.
    """
    return entry is not None and (entry == best or entry.name in names)
