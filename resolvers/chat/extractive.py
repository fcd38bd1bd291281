"""The built-in answerer: it quotes the studio's own sentences, each with its source.

Besides quotations it writes only fixed phrases. A caller's text can change which sentences are
quoted, but never appears in the answer.
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
_SIMILARITY_WEIGHT = 0.55
_ENTRY_WEIGHT = 0.60
_WORDS_WEIGHT = 0.15
_REPETITION_PENALTY = 0.35
_MIN_SHARE_OF_BEST = 0.90
"""A sentence that scores less than this share of the best one is not quoted."""
_MAX_SOURCES = 5
_MAX_QUOTES = 3
_MAX_CLOSEST_QUOTES = 2
_SAME_QUESTION = 0.70
"""The cosine from which a question counts as the one that a FAQ entry answers."""
_MAX_FAQ_CHARACTERS = 420
"""How many characters of a FAQ answer are quoted, if it has several sentences."""
_MIN_WORDS = 4
_CACHED_ENTRIES = 1024
"""For how many entries the sentences are kept in memory."""
_DEPENDENT = re.compile(
    r"(?:It|Its|They|Their|Them|This|That|These|Those|He|She|His|Her|Both|Each|Such|Neither|There"
    r"|So|But|And|Then|Thus|Otherwise|Here|Some)\b"
)
"""The beginnings of sentences that can be understood only after the one before."""
_MARKED = re.compile(r"\[\d+\]|!\[|<[a-zA-Z/!?]")
"""Text that would be read as a citation, an image or HTML; it is not quoted."""
_GREETINGS = frozenset(
    {"hello", "hi", "hey", "good", "morning", "afternoon", "evening", "day", "greetings", "there"}
)

_Quote = tuple[Source, str]


@dataclass(frozen=True)
class _QueryFeatures:
    """The words of a question, their total weight, and its vector."""

    words: frozenset[str]
    weight: float
    vector: Vectors


@dataclass(frozen=True)
class _SentenceFeatures:
    """A sentence of an entry."""

    text: str
    previous: str
    """The sentence before it, if it cannot be understood without."""
    position: int
    words: frozenset[str]
    embedding_text: str
    """The text that is embedded: the entry's title gives the context."""


@dataclass(frozen=True)
class _Candidate:
    """A sentence that may be quoted, its source and its score."""

    source: Source
    sentence: _SentenceFeatures
    score: float
    vector: Vectors


class Extractive:
    """Answers with quotations. The same question on the same content has the same answer."""

    model = MODEL

    def __init__(self, embedder: Embedder, idf: Callable[[str], float]) -> None:
        self._embedder = embedder
        self._idf = idf
        self.vectors = VectorCache(embedder.embed_documents)

    def answer(self, question: ChatRequest, sources: Sequence[Source], band: Band) -> str:
        """Return the complete answer. Blocks. Raises: ModelError."""
        if band == "refuse" or not sources:
            return GREETING if _is_greeting(question.text) else REFUSAL
        text = search_text(question)
        words = frozenset(terms(text))
        query = _QueryFeatures(words, self._weight(words), self._embedder.embed_query(text))
        if band == "closest":
            quotes = self._quotes(query, sources, _MAX_CLOSEST_QUOTES)
            return f"{NEAR_MISS_REPLY} {_numbered_lines(quotes)}" if quotes else REFUSAL
        opening = _opening(sources[0]) if self._is_faq(query.vector, sources[0]) else []
        if opening:
            return _numbered_lines([(sources[0], sentence) for sentence in opening])
        quotes = self._quotes(query, sources, _MAX_QUOTES)
        return f"{QUOTE_INTRO} {_numbered_lines(quotes)}" if quotes else REFUSAL

    def warm(
        self, sources: Sequence[Source], documents: Callable[[Sequence[str]], Vectors]
    ) -> None:
        """Embed the titles and sentences of these sources. Blocks. Raises: ModelError.

        `documents` embeds; it may have a cache.
        """
        sentences = [
            sentence.embedding_text
            for source in sources
            for sentence in _sentences(source.title, source.text)
        ]
        texts = [*(source.title for source in sources), *sentences]
        self.vectors.update(texts, documents(texts))

    def _is_faq(self, query: Vectors, source: Source) -> bool:
        """Return whether the source is a FAQ entry that answers this very question."""
        if source.kind != "faq":
            return False
        return float(self.vectors([source.title])[0] @ query) >= _SAME_QUESTION

    def _quotes(self, query: _QueryFeatures, sources: Sequence[Source], limit: int) -> list[_Quote]:
        """Return the quotes grouped by source, beginning with the source of the best sentence."""
        candidates = [
            candidate
            for source in sources[:_MAX_SOURCES]
            for candidate in self._candidates(query, source)
        ]
        by_source: dict[int, list[_Candidate]] = {}
        for candidate in _diverse(candidates, limit):
            limit -= 2 if candidate.sentence.previous else 1
            if limit >= 0 or not by_source:
                by_source.setdefault(candidate.source.n, []).append(candidate)
        return [quote for selection in by_source.values() for quote in _in_order(selection)]

    def _candidates(self, query: _QueryFeatures, source: Source) -> Iterator[_Candidate]:
        sentences = _sentences(source.title, source.text)
        vectors = self.vectors([sentence.embedding_text for sentence in sentences])
        for sentence, vector in zip(sentences, vectors, strict=True):
            shared = self._weight(query.words & sentence.words)
            score = _SIMILARITY_WEIGHT * float(vector @ query.vector)
            score += _ENTRY_WEIGHT * source.score
            score += _WORDS_WEIGHT * shared / query.weight if query.weight > 0 else 0.0
            yield _Candidate(source, sentence, score, vector)

    def _weight(self, words: Collection[str]) -> float:
        return sum(self._idf(word) for word in sorted(words))  # sorted: equal rounding


@lru_cache(maxsize=_CACHED_ENTRIES)
def _sentences(title: str, text: str) -> tuple[_SentenceFeatures, ...]:
    """Return the sentences of an entry that can be quoted."""
    heading = frozenset(terms(title))
    sentences = split_sentences(text)
    needed = [
        previous if _DEPENDENT.match(sentence) else ""
        for previous, sentence in pairwise(["", *sentences])
    ]
    return tuple(
        _SentenceFeatures(
            sentence,
            previous,
            position,
            heading | frozenset(terms(sentence)),
            f"{title}. {sentence}",
        )
        for position, (previous, sentence) in enumerate(zip(needed, sentences, strict=True))
        if not (is_list(sentence) or _MARKED.search(f"{previous} {sentence}"))
        and len(tokenize(sentence)) >= _MIN_WORDS
    )


def _diverse(candidates: Sequence[_Candidate], limit: int) -> list[_Candidate]:
    """Return the best candidates that do not repeat each other.

    Source: Carbonell and Goldstein, "The Use of MMR" (1998).
    """
    selection: list[_Candidate] = []
    minimum = _MIN_SHARE_OF_BEST * max((item.score for item in candidates), default=0.0)
    remaining = [candidate for candidate in candidates if candidate.score >= minimum]
    while remaining and len(selection) < limit:
        best = max(
            remaining,
            key=lambda item: item.score - _REPETITION_PENALTY * _similarity(item, selection),
        )
        selection.append(best)
        remaining.remove(best)
    return selection


def _similarity(candidate: _Candidate, selection: Sequence[_Candidate]) -> float:
    return max((float(candidate.vector @ other.vector) for other in selection), default=0.0)


def _in_order(selection: Sequence[_Candidate]) -> Iterator[_Quote]:
    """Yield the selection sentences of one source in the order of its text, without repeats."""
    last = ""
    for candidate in sorted(selection, key=lambda candidate: candidate.sentence.position):
        if candidate.sentence.previous and candidate.sentence.previous != last:
            yield candidate.source, candidate.sentence.previous
        yield candidate.source, candidate.sentence.text
        last = candidate.sentence.text


def _opening(source: Source) -> list[str]:
    """Return the first few sentences of the source's first paragraph."""
    paragraph = source.text.split("\n\n", 1)[0]
    opening: list[str] = []
    for sentence in split_sentences(paragraph)[:_MAX_QUOTES]:
        length = sum(map(len, opening)) + len(sentence)
        if _MARKED.search(sentence) or (opening and length > _MAX_FAQ_CHARACTERS):
            break
        opening.append(sentence)
    return opening


def _numbered_lines(quotes: Sequence[_Quote]) -> str:
    """Return the quotations with their numbers, one line for each source."""
    lines: dict[int, list[str]] = {}
    for source, sentence in quotes:
        lines.setdefault(source.n, []).append(f"{sentence} [{source.n}]")
    return "\n".join(" ".join(line) for line in lines.values())


def _is_greeting(text: str) -> bool:
    words = tokenize(text)
    return bool(words) and all(word in _GREETINGS for word in words)
