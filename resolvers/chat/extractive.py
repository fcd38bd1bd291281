"""The built-in answerer: it quotes the studio's own sentences, each with its source.

It writes no word of its own but fixed phrases, and none of the caller's: whatever a caller says
can only change which of the owner's sentences are quoted.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from resolvers.chat.conversation import (
    GREETING,
    NEAR_MISS_REPLY,
    QUOTE_INTRO,
    REFUSAL,
    ChatRequest,
    Source,
    search_text,
)
from resolvers.chat.sentence_facts import is_list
from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.memory_cache import VectorCache
from resolvers.embeddings.tokenizer import terms, tokenize
from resolvers.search.index import Band
from resolvers.search.sentences import split_sentences

MODEL = "extractive-v1"
_MEANING = 0.55
_ENTRY = 0.60
_WORDS = 0.15
_DIVERSITY = 0.35
_STOP = 0.90
"""What scores less than this share of the best sentence is not quoted."""
_SOURCES = 5
_QUOTES = 3
_CLOSEST_QUOTES = 2
_ASKED = 0.70
"""How near a question must be to a frequent one to be answered as that one is."""
_LONGEST = 420
"""How many characters of a frequent question's answer are quoted, if it has several sentences."""
_SHORTEST_WORDS = 4
_REMEMBERED = 1024
"""How many entries' sentences are kept at hand."""
_LEANING = re.compile(
    r"(?:It|Its|They|Their|Them|This|That|These|Those|He|She|His|Her|Both|Each|Such|Neither|There"
    r"|So|But|And|Then|Thus|Otherwise|Here|Some)\b"
)
"""How a sentence begins that is understood only after the one before it."""
_MARKED = re.compile(r"\[\d+\]|!\[|<[a-zA-Z/!?]")
"""What would be read as a citation, or shown as an image or as HTML, is not quoted."""
_GREETINGS = frozenset(
    {"hello", "hi", "hey", "good", "morning", "afternoon", "evening", "day", "greetings", "there"}
)

_Quote = tuple[Source, str]


@dataclass(frozen=True)
class _QueryFeatures:
    """What is looked for: its words, what they weigh together, and its meaning."""

    words: frozenset[str]
    weight: float
    vector: Vectors


@dataclass(frozen=True)
class _SentenceFeatures:
    """A sentence of an entry."""

    text: str
    before: str
    """The sentence before it, where it is not understood without."""
    place: int
    words: frozenset[str]
    embedded: str
    """What its vector is of: its title says what it is about."""


@dataclass(frozen=True)
class _Candidate:
    """A sentence that may be quoted: of which source, and what it is worth."""

    source: Source
    said: _SentenceFeatures
    score: float
    vector: Vectors


class Extractive:
    """Answers that are quotations. The same question on the same content has the same answer."""

    model = MODEL

    def __init__(self, embedder: Embedder, idf: Callable[[str], float]) -> None:
        self._embedder = embedder
        self._idf = idf
        self.vectors = VectorCache(embedder.embed_documents)

    def answer(self, question: ChatRequest, sources: Sequence[Source], band: Band) -> str:
        """The whole answer. Blocks. Raises: ModelFault."""
        if band == "refuse" or not sources:
            return GREETING if _is_greeting(question.text) else REFUSAL
        text = search_text(question)
        words = frozenset(terms(text))
        asked = _QueryFeatures(words, self._weight(words), self._embedder.embed_query(text))
        if band == "closest":
            quotes = self._quotes(asked, sources, _CLOSEST_QUOTES)
            return f"{NEAR_MISS_REPLY} {_joined(quotes)}" if quotes else REFUSAL
        opening = _opening(sources[0]) if self._is_asked(asked.vector, sources[0]) else []
        if opening:
            return _joined([(sources[0], said) for said in opening])
        quotes = self._quotes(asked, sources, _QUOTES)
        return f"{QUOTE_INTRO} {_joined(quotes)}" if quotes else REFUSAL

    def warm(
        self, sources: Sequence[Source], documents: Callable[[Sequence[str]], Vectors]
    ) -> None:
        """Nothing, once what answers from these sources need is embedded. Blocks.

        `documents` embeds, and may know some texts already. Raises: ModelFault.
        """
        said = [said for source in sources for said in _read(source.title, source.text)]
        texts = [*(source.title for source in sources), *(one.embedded for one in said)]
        self.vectors.update(texts, documents(texts))

    def _is_asked(self, asked: Vectors, source: Source) -> bool:
        """Whether the question is the frequent one that this entry answers."""
        if source.kind != "faq":
            return False
        return float(self.vectors([source.title])[0] @ asked) >= _ASKED

    def _quotes(self, asked: _QueryFeatures, sources: Sequence[Source], most: int) -> list[_Quote]:
        """What is quoted of each source: the best sentence's first, each in its own order."""
        candidates = [
            candidate
            for source in sources[:_SOURCES]
            for candidate in self._candidates(asked, source)
        ]
        found: dict[int, list[_Candidate]] = {}
        for candidate in _spread(candidates, most):
            most -= 2 if candidate.said.before else 1
            if most >= 0 or not found:
                found.setdefault(candidate.source.n, []).append(candidate)
        return [quote for chosen in found.values() for quote in _in_order(chosen)]

    def _candidates(self, asked: _QueryFeatures, source: Source) -> Iterator[_Candidate]:
        read = _read(source.title, source.text)
        vectors = self.vectors([said.embedded for said in read])
        for said, vector in zip(read, vectors, strict=True):
            held = self._weight(asked.words & said.words)
            score = _MEANING * float(vector @ asked.vector) + _ENTRY * source.score
            score += _WORDS * held / asked.weight if asked.weight > 0 else 0.0
            yield _Candidate(source, said, score, vector)

    def _weight(self, words: Collection[str]) -> float:
        return sum(self._idf(word) for word in sorted(words))  # sorted: sums do not vary


@lru_cache(maxsize=_REMEMBERED)
def _read(title: str, text: str) -> tuple[_SentenceFeatures, ...]:
    """The sentences of an entry that say something alone."""
    heading = frozenset(terms(title))
    sentences = split_sentences(text)
    leant = [last if _LEANING.match(said) else "" for last, said in pairwise(["", *sentences])]
    return tuple(
        _SentenceFeatures(said, before, place, heading | frozenset(terms(said)), f"{title}. {said}")
        for place, (before, said) in enumerate(zip(leant, sentences, strict=True))
        if not (is_list(said) or _MARKED.search(f"{before} {said}"))
        and len(tokenize(said)) >= _SHORTEST_WORDS
    )


def _spread(candidates: Sequence[_Candidate], most: int) -> list[_Candidate]:
    """The best candidates that do not repeat each other.

    Source: Carbonell and Goldstein, "The Use of MMR" (1998).
    """
    chosen: list[_Candidate] = []
    least = _STOP * max((candidate.score for candidate in candidates), default=0.0)
    left = [candidate for candidate in candidates if candidate.score >= least]
    while left and len(chosen) < most:
        best = max(
            left, key=lambda candidate: candidate.score - _DIVERSITY * _alike(candidate, chosen)
        )
        chosen.append(best)
        left.remove(best)
    return chosen


def _alike(candidate: _Candidate, chosen: Sequence[_Candidate]) -> float:
    return max((float(candidate.vector @ other.vector) for other in chosen), default=0.0)


def _in_order(chosen: Sequence[_Candidate]) -> Iterator[_Quote]:
    """The sentences of one source as they stand there, each once."""
    given = ""
    for candidate in sorted(chosen, key=lambda candidate: candidate.said.place):
        if candidate.said.before and candidate.said.before != given:
            yield candidate.source, candidate.said.before
        yield candidate.source, candidate.said.text
        given = candidate.said.text


def _opening(source: Source) -> list[str]:
    """The first sentences of an answer: up to a few, of its first paragraph."""
    paragraph = source.text.split("\n\n", 1)[0]
    opening: list[str] = []
    for said in split_sentences(paragraph)[:_QUOTES]:
        if _MARKED.search(said) or (opening and sum(map(len, opening)) + len(said) > _LONGEST):
            break
        opening.append(said)
    return opening


def _joined(quotes: Sequence[_Quote]) -> str:
    """The quotations, each with its number; a line for each source."""
    lines: dict[int, list[str]] = {}
    for source, said in quotes:
        lines.setdefault(source.n, []).append(f"{said} [{source.n}]")
    return "\n".join(" ".join(line) for line in lines.values())


def _is_greeting(text: str) -> bool:
    words = tokenize(text)
    return bool(words) and all(word in _GREETINGS for word in words)
