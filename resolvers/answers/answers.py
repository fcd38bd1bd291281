"""Answers of one revision: the best lines, and whether they hold what was asked.

Every word is the owner's or fixed here. Of a question at most one word is told beside the answer.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from resolvers.answers.guard import (
    NEAR,
    YES,
    is_about_what_is_not_published,
    is_price_of_another_thing,
    likelihood,
    signs_of,
)
from resolvers.answers.kinds import unpublished_kind
from resolvers.answers.languages import holds, is_foreign
from resolvers.answers.lines import MAX_QUOTE, Basis, Line
from resolvers.answers.questions import Spelling, in_context, is_greeting, parts_of
from resolvers.answers.ranker import Ranker, Ranking
from resolvers.embeddings.tokenizer import terms
from schema.language_names import ENGLISH, is_english
from schema.services.search import Band

Answered = Literal["yes", "partly", "no"]

MAX_LINES = 3
"""How many lines answer a question; those of one field count as one."""
MAX_CLOSEST = 2
"""How many are said of a question that they do not answer, and of each part of one."""
MARGIN = 0.5
"""How much less than the best a further line may score."""
GAIN = 0.03
"""How much more of the question a further line must hold."""
SIBLINGS, MAX_SIBLINGS = 0.2, 9
"""How much less the same field of another entry may score to be said too, and how many are."""
MAX_FURTHER_LINES = 12
"""Among how many lines those are that a language model may use too."""
MAX_FURTHER = 400
"""How long a further line may be. Units: characters."""
FIRST = 12
"""Among how many lines two items of a list are looked for, which is then said as a whole."""
ABSENT = 0.5
"""The likeness up to which a word of the question counts as missing in the lines."""
_PLAIN = re.compile(r"[^\W\d_]{3,24}")


@dataclass(frozen=True)
class Answer:
    """Lines with their scores from 0 to 1, and what they are worth."""

    lines: tuple[tuple[Line, float], ...] = ()
    answered: Answered = "no"
    missing: str = ""
    """A word of the question that no line holds."""
    lacks: str = ""
    """The kind of thing that the question asks for and no line gives."""
    further: tuple[tuple[Line, float], ...] = ()
    """The lines that come next, which a language model may use too."""
    greets: bool = False
    is_foreign: bool = False
    """Whether the question is in another language than the content."""

    @property
    def basis(self) -> Basis | Literal["none"]:
        """What the answer rests on: its first line."""
        return self.lines[0][0].basis if self.lines else "none"


class Answers:
    """Answers questions about one revision. Immutable, so threads may share it."""

    def __init__(
        self,
        ranker: Ranker,
        mode: str,
        language: str = ENGLISH,
        *,
        reads_any_language: bool = False,
    ) -> None:
        """Take the lines, their language, and how the guard weighs: by `tokens` or by `words`."""
        self._reads_any_language = reads_any_language
        self.ranker = ranker
        self._mode = mode
        self._yes, self._near = YES[mode], NEAR[mode]
        self.language = language
        self._spelling = Spelling(ranker.known)
        self._names = _other_names(ranker.lines)
        self._examples: dict[str, list[int]] = {}
        for number, line in enumerate(ranker.lines):
            for ask in line.asks:
                self._examples.setdefault(_plain(ask), []).append(number)

    def answer(self, question: str, turns: Sequence[tuple[str, str]] = ()) -> Answer:
        """Return the answer; `turns` are earlier ones, as role and text. Blocks.

        Raises: ModelError.
        """
        if is_greeting(question):
            return Answer(greets=True)
        foreign = is_foreign(question, self.language, self.ranker.known)
        text = self.mended(question)
        full = in_context(text, [(role, self.mended(said)) for role, said in turns])
        found = None if full != text else self._example(text)
        if found is None and foreign and not self._reads_any_language:
            return Answer(is_foreign=True)
        found = found or self._found(text, [full] if full != text else parts_of(text))
        return replace(found, is_foreign=foreign)

    def _example(self, text: str) -> Answer | None:
        """Return the lines of which a question is an example; of texts, only if it is one."""
        numbers = self._examples.get(_plain(text), [])[:MAX_SIBLINGS]
        lines = [self.ranker.lines[number] for number in numbers]
        if not lines or (len(lines) > 1 and lines[0].basis == "definition"):
            return None
        answered: Answered = "partly" if lines[0].is_unpublished else "yes"
        return Answer(tuple((line, 1.0) for line in lines), answered)

    def _found(self, text: str, parts: Sequence[str]) -> Answer:
        """Return the best lines for the parts of a question."""
        ranked = [(part, self.ranker.rank(part)) for part in parts]
        found = [(part, ranking, self.choose(ranking)) for part, ranking in ranked]
        found = [item for item in found if item[2]]
        sure = min((self.likelihood(*item) for item in found), default=0.0)
        if sure < self._near:
            return Answer()
        limit = MAX_LINES if sure >= self._yes and len(found) == 1 else MAX_CLOSEST
        rows: dict[int, float] = {}
        for _, ranking, groups in found:
            for number in (number for group in groups[:limit] for number in group):
                rows.setdefault(number, _share(ranking, number))
        lines = tuple((self.ranker.lines[number], score) for number, score in rows.items())
        further = tuple(self._further(rows, [ranking for _, ranking, _ in found]))
        if sure >= self._yes and not lines[0][0].is_unpublished:
            return Answer(lines, "yes", further=further)
        lacks = (
            unpublished_kind(text, [line.text for line, _ in lines])
            if is_english(self.language)
            else ""
        )
        return Answer(lines, "partly", self._missing(text, found), lacks, further)

    def _further(
        self, rows: Mapping[int, float], rankings: Sequence[Ranking]
    ) -> Iterator[tuple[Line, float]]:
        """Yield the lines that come next to each part of a question, none that is said already."""
        said = [self.ranker.lines[number].text for number in rows]
        for ranking in rankings:
            for number in ranking.order[: MAX_FURTHER_LINES // len(rankings)]:
                line = self.ranker.lines[number]
                if not any(_repeats(line.text, text) for text in said):
                    said.append(line.text)
                    yield line, _share(ranking, number)

    def mended(self, question: str) -> str:
        """Return a question with misspelt words mended, and entries by their main names."""
        text = self._spelling.mend(question)
        for name, pattern in self._names:
            text = pattern.sub(name, text)
        return text

    def band(self, question: str, ranking: Ranking) -> Band:
        """Return whether the lines that come nearest to a question answer it."""
        groups = self.choose(ranking)
        sure = self.likelihood(question, ranking, groups) if groups else 0.0
        if sure >= self._yes:
            return Band.ANSWER
        return Band.CLOSEST if sure >= self._near else Band.REFUSE

    def likelihood(self, part: str, ranking: Ranking, groups: Sequence[Sequence[int]]) -> float:
        """Return how likely these lines answer a part of a question."""
        chosen = [number for group in groups for number in group]
        if not is_english(self.language):
            texts = [self.ranker.lines[number].text for number in chosen]
            return 1.0 if holds(part, texts, self.language) else self._near
        sure = likelihood(signs_of(self.ranker, part, ranking, chosen), self._mode)
        if is_about_what_is_not_published(
            self.ranker, part, ranking, chosen
        ) or is_price_of_another_thing(self.ranker, part, chosen):
            return min(sure, self._near)
        return sure

    def choose(self, ranking: Ranking) -> list[list[int]]:
        """Return the best lines that each hold more of the question, with those of one field."""
        lines, scores = self.ranker.lines, ranking.scores
        wholes = [lines[number].whole for number in ranking.order[:FIRST]]
        groups: list[list[int]] = []
        said = np.zeros(len(ranking.weights), dtype=np.float32)
        for number in ranking.order:
            if scores[number] < scores[ranking.order[0]] - MARGIN or len(groups) == MAX_LINES:
                break
            whole = lines[number].whole
            is_list = whole is not None and wholes.count(whole) > 1 and whole in ranking.nearest
            line = whole if is_list and whole is not None else number
            held = np.maximum(ranking.nearest[line], ranking.nearest[number])
            more = np.maximum(said, held)
            if groups and (
                float((more - said) @ ranking.weights) < GAIN or len(lines[line].text) > MAX_FURTHER
            ):
                continue
            chosen = {number for group in groups for number in group}
            if not any(_repeats(lines[line].text, lines[other].text) for other in chosen):
                groups.append([line, *self._siblings(line, ranking)])
                said = more
        return groups

    def _siblings(self, number: int, ranking: Ranking) -> list[int]:
        """Return the lines of the same field of other entries that fit about as well."""
        line, least = self.ranker.lines[number], ranking.scores[number] - SIBLINGS
        if line.field is None or line.entry is None or len(line.text) > MAX_QUOTE:
            return []
        same = (
            other
            for other in ranking.order
            if other != number
            and self.ranker.lines[other].field is line.field
            and self.ranker.lines[other].whole is None
            and ranking.scores[other] >= least
        )
        return list(same)[:MAX_SIBLINGS]

    def _missing(
        self, question: str, found: Sequence[tuple[str, Ranking, Sequence[Sequence[int]]]]
    ) -> str:
        """Return a word of a question that nothing published has, if the lines lack it.

        Only letters are repeated, and not many, so that no caller can have a text said.
        """
        weight: dict[str, float] = {}
        for _, ranking, groups in found:
            chosen = [number for group in groups for number in group]
            nearest = np.max([ranking.nearest[number] for number in chosen], axis=0)
            own = frozenset[str]().union(*(self.ranker.words[number] for number in chosen))
            asks = (ask for number in chosen for ask in self.ranker.lines[number].asks)
            own |= {word for ask in asks for word in terms(ask)}
            for stem, value, share in zip(ranking.stems, nearest, ranking.weights, strict=True):
                if stem and stem not in own and value < ABSENT:
                    weight[stem] = weight.get(stem, 0.0) + float(share)
        words = {_stem(word): word for word in reversed(_PLAIN.findall(question))}
        unknown = (weight.keys() & words.keys()) - self.ranker.known_stems
        stems = sorted(unknown, key=lambda stem: (-weight[stem], stem))
        return words[stems[0]] if stems else ""


def _other_names(lines: Sequence[Line]) -> list[tuple[str, re.Pattern[str]]]:
    """Return the name of each entry that has others of two words and more, and these."""
    entries = {line.entry.name: line.entry for line in lines if line.entry is not None}
    return [
        (name, re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, others))})(?!\w)", re.IGNORECASE))
        for name, entry in entries.items()
        if (others := [other for other in entry.other_names if " " in other.strip()])
    ]


def _share(ranking: Ranking, number: int) -> float:
    """Return how much of a question a line holds, from 0 to 1."""
    return min(1.0, max(0.0, float(ranking.shares[number])))


def _plain(question: str) -> str:
    return " ".join(question.casefold().split()).rstrip(" ?.!")


def _repeats(text: str, other: str) -> bool:
    return text in other or other in text


def _stem(word: str) -> str:
    """Return the stem of one word; empty if it says nothing."""
    return next(iter(terms(word)), "")
