"""Finds the entries that a question describes instead of naming them: "the tide forecasts"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from resolvers.embeddings.embedder import Vectors
from resolvers.embeddings.tokenizer import STOP_WORDS, terms
from resolvers.facts.fields import Entry
from resolvers.facts.likeness import Likeness
from resolvers.facts.names import NamedEntry
from resolvers.search.sentences import split_sentences
from sdl.code_in_text import prose_of
from sdl.marks import Prose, Summary

ALIKE = 0.4
"""The likeness from which a phrase describes an entry; set on the half of `evals/` to tune."""
AHEAD = 0.15
"""How much more it must be like that entry than like any other; set on the same half."""
SENTENCES = 3
"""How many sentences of an entry's text say what it is; those after it tell details."""
MIN_WORDS = 2
MAX_WORDS = 4
_PHRASE = re.compile(r"\b(?:the|this|that|your|their)((?:\s+[^\W\d_][\w'-]*){1,4})", re.IGNORECASE)
"""The words behind an article: who describes a thing takes it for known."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class _Phrase:
    """A part of a question that may describe an entry."""

    text: str
    start: int
    end: int


def described_entries(entries: Iterable[Entry]) -> Iterator[tuple[Entry, list[str]]]:
    """Yield the entries that have an address and a summary, and the texts that say what each is.

    These are its summary and the first sentences of its other texts. An entry without a summary is
    an opinion or a term, whose definition is about the things of other entries.
    """
    for entry in entries:
        has_summary = any(member.is_marked(Summary) for member in entry.shape.fields)
        if entry.single is not None and has_summary and (texts := [*_texts(entry)]):
            yield entry, texts


class DescriptionFinder:
    """What each entry says it is, as vectors. Immutable, so threads may share it."""

    def __init__(
        self,
        entries: Sequence[Entry],
        vectors: Sequence[Vectors],
        likeness: Likeness,
        role_words: set[str],
    ) -> None:
        """`vectors` are those of the texts of each entry.

        `role_words` are the stems of the words that stand for the studio, which is no entry.
        """
        self._entries = entries
        self._vectors = vectors
        self._likeness = likeness
        self._role_words = role_words

    def find(self, question: str) -> list[NamedEntry]:
        """Return the one entry that a part of the question describes, if any. Blocks.

        Raises: ModelError.
        """
        phrases = [
            p for p in _phrases(question) if not self._role_words.intersection(terms(p.text)[:1])
        ]
        if not phrases or not self._entries:
            return []
        best: tuple[float, NamedEntry] | None = None
        vectors = self._likeness.vectors([phrase.text for phrase in phrases])
        for phrase, vector in zip(phrases, vectors, strict=True):
            scores = [float(self._likeness.of(own, vector).max()) for own in self._vectors]
            score = max(scores)
            entry = self._entries[scores.index(score)]
            beside = (
                other_score
                for other, other_score in zip(self._entries, scores, strict=True)
                if other.type_name == entry.type_name and other is not entry
            )
            is_clear = score >= ALIKE and score - max(beside, default=0.0) >= AHEAD
            if is_clear and (best is None or score > best[0]):
                best = score, NamedEntry(entry, phrase.start, phrase.end)
        return [best[1]] if best is not None else []


def _phrases(question: str) -> Iterator[_Phrase]:
    """Yield the phrases of two to four words behind an article, without those that are names."""
    for match in _PHRASE.finditer(question):
        words = [*_WORD.finditer(question, match.start(1), match.end(1))]
        if words[0].group()[0].isupper():
            continue
        for last in words[MIN_WORDS - 1 :]:
            if last.group().casefold() not in STOP_WORDS:
                start, end = words[0].start(), last.end()
                yield _Phrase(question[start:end], start, end)


def _texts(entry: Entry) -> Iterator[str]:
    for member in entry.shape.fields:
        value = entry.value.get(member.key)
        if isinstance(value, str) and member.is_marked(Prose):
            yield from split_sentences(prose_of(value))[:SENTENCES]
        elif isinstance(value, str) and member.is_marked(Summary):
            yield value
