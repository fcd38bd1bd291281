"""Ranks the operations that serve a goal in plain words, and prepares a request for each.

An operation that the goal names, by path or tool, comes first; the others are ranked by similarity
to their texts and example goals. A mutation ranks above the reads only if the goal clearly asks
for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import STOP_WORDS, stem, terms, tokenize
from resolvers.intent.operation import RoutableOperation
from resolvers.intent.request_builder import (
    IntentRequest,
    ToolCall,
    build_request,
    contains_address,
    matched_values,
)
from resolvers.intent.slots import replace_names_with_roles, without_quotes
from resolvers.search.bm25 import Bm25

MUTATION_MARGIN = 0.05
"""How much higher a mutation must score than the best read, if the goal has none of its verbs."""
FALLBACK_OPERATIONS = ("GetIndex", "GetLlmsTxt")
"""The operations that lead to all others, recommended if nothing matches."""
HALF_KEYWORD_SCORE = 5.0
"""The BM25 score that is mapped to 0.5."""
NAMED_SCORE = 1.0
"""The score of an operation that the goal names."""
MAX_SCORE = 0.99
"""The maximum score of all others."""
_PATH = re.compile(r"(?<![\w:/.@-])(/[^\s\"'`“”<>()]*)")
_SEGMENT = r"[A-Za-z0-9_~%-]{1,128}"
"""The value of a variable in a path."""
_DOCUMENT = re.compile(r"\.(json|md|sig)$")

Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True)
class ScoreWeights:
    """The weights and thresholds for one mode of embeddings, fitted to examples."""

    example: float
    """The weight of the nearest example goal; the rest is that of the operation's text."""
    shared: float
    """The weight of common words, by rarity, against that of the cosine."""
    known: float
    """Added if the goal names a value for the path; not less than `low`."""
    low: float
    """Scores below this have low confidence."""
    high: float
    """Scores from this on have high confidence."""


WEIGHTS = {
    "hybrid": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.45),
    "semantic": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.45),
    "lexical": ScoreWeights(example=0.3, shared=0.4, known=0.20, low=0.20, high=0.40),
}

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recommendation:
    """A recommended operation and its request."""

    rank: int
    score: float
    confidence: Confidence
    why: str
    operation: str
    title: str
    method: str
    path: str
    tool: str | None
    requires: tuple[str, ...]
    """The parameters that the request still needs."""
    request: IntentRequest
    mcp: ToolCall | None


@dataclass(frozen=True)
class _Candidate:
    index: int
    score: float
    confidence: Confidence
    why: str
    path_values: Mapping[str, str]


class IntentRouter:
    """Recommends operations of one revision. Immutable, so threads may share it."""

    def __init__(
        self,
        operations: Sequence[RoutableOperation],
        embedder: Embedder,
        documents: Callable[[Sequence[str]], Vectors] | None = None,
        roles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Embed the operations; `documents` replaces the embedder's method, to use a cache.

        `roles` maps names to the words that examples use for them.
        """
        self._operations = tuple(operations)
        self._embedder = embedder
        self._roles = roles
        self._weights = WEIGHTS[embedder.mode]
        examples = [(goal, index) for index, item in enumerate(operations) for goal in item.goals]
        self._examples = tuple(goal for goal, _ in examples)
        self._owners = np.array([index for _, index in examples], dtype=np.intp)
        texts = [*(item.text for item in operations), *self._examples]
        vectors = (documents or embedder.embed_documents)(texts)
        count = len(self._operations)
        self._texts, self._goals = vectors[:count], vectors[count:]
        self._bm25 = Bm25([terms(text) for text in texts])
        self._verbs = [frozenset(_verbs(item)) if item.acts else frozenset() for item in operations]

    def route(self, goal: str, limit: int = 5) -> list[Recommendation]:
        """Return the operations that serve the goal, the best first. Blocks. Raises: ModelError."""
        candidates = self._rank(goal)[:limit]
        return [self._recommend(rank, item, goal) for rank, item in enumerate(candidates, 1)]

    def _recommend(self, rank: int, candidate: _Candidate, goal: str) -> Recommendation:
        operation = self._operations[candidate.index]
        prepared = build_request(operation, goal, candidate.path_values)
        return Recommendation(
            rank=rank,
            score=round(candidate.score, 4),
            confidence=candidate.confidence,
            why=candidate.why,
            operation=operation.operation,
            title=operation.title,
            method=operation.method,
            path=operation.path,
            tool=operation.tool,
            requires=prepared.requires,
            request=prepared.request,
            mcp=prepared.call,
        )

    def _rank(self, goal: str) -> list[_Candidate]:
        """Return all operations in order, or only the fallbacks if none matches."""
        named: dict[int, _Candidate] = {}
        for candidate in self._named_operations(goal):
            named.setdefault(candidate.index, candidate)  # paths come first, as they hold values
        scores, nearest = self._scores(goal)
        others = [
            _Candidate(index, score, self._confidence(score), self._why(index, nearest), {})
            for index, score in self._order(goal, scores)
            if index not in named
        ]
        if not named and (not others or others[0].score < self._weights.low):
            fallbacks = [
                candidate
                for candidate in others
                if self._operations[candidate.index].operation in FALLBACK_OPERATIONS
            ]
            return fallbacks or others
        return [*named.values(), *others]

    def _named_operations(self, goal: str) -> Iterator[_Candidate]:
        """Yield the operations that the goal names by path, tool or operation name."""
        for match in _PATH.finditer(goal):
            target = _operation_at(match[1].rstrip(".,;:!?"), self._operations, goal)
            if target is not None:
                yield _Candidate(target[0], NAMED_SCORE, "high", "names the path", target[1])
        for index, operation in enumerate(self._operations):
            if operation.tool is not None and _names_tool(operation.tool, goal):
                yield _Candidate(index, NAMED_SCORE, "high", "names the tool", {})
            elif re.search(rf"(?<!\w){operation.operation}(?!\w)", goal):
                yield _Candidate(index, NAMED_SCORE, "high", "names the operation", {})

    def _scores(self, goal: str) -> tuple[Scores, npt.NDArray[np.intp]]:
        """Return each operation's score and the index of its nearest example goal."""
        text = replace_names_with_roles(without_quotes(goal), self._roles)
        query = self._embedder.embed_query(text)
        weights, count = self._weights, len(self._operations)
        words, cosine_weight = self._word_scores(text), 1 - self._weights.shared
        goal_scores = cosine_weight * (self._goals @ query).clip(0, 1)
        goal_scores += weights.shared * words[count:]
        text_scores = cosine_weight * (self._texts @ query).clip(0, 1)
        text_scores += weights.shared * words[:count]
        best, nearest = np.zeros(count), np.full(count, -1, dtype=np.intp)
        for index in range(count):
            own = np.flatnonzero(self._owners == index)
            if own.size:
                nearest[index] = own[goal_scores[own].argmax()]
                best[index] = goal_scores[nearest[index]]
        scores = weights.example * best + (1 - weights.example) * text_scores
        return np.minimum(scores + weights.known * self._value_scores(goal), MAX_SCORE), nearest

    def _word_scores(self, goal: str) -> Scores:
        """Return how well the goal's words match each text, below 1."""
        scores = self._bm25.scores(goal).astype(np.float64)
        return scores / (scores + HALF_KEYWORD_SCORE)

    def _value_scores(self, goal: str) -> Scores:
        """Return 1 if the goal names a value for the path, 0.5 for another parameter, else 0."""
        return np.array([max(_value_weights(item, goal), default=0.0) for item in self._operations])

    def _order(self, goal: str, scores: Scores) -> list[tuple[int, float]]:
        """Sort by score; a mutation that is not clearly wanted comes after the best read."""
        words = frozenset(stem(word) for word in tokenize(goal))
        reads = [scores[index] for index, item in enumerate(self._operations) if not item.acts]
        best = max(reads, default=0.0)
        for index, operation in enumerate(self._operations):
            if (
                operation.acts
                and not self._verbs[index] & words
                and scores[index] < best + MUTATION_MARGIN
            ):
                scores[index] = min(scores[index], best - 1e-4)
        order = np.argsort(-scores, kind="stable")
        return [(int(index), float(max(scores[index], 0.0))) for index in order]

    def _confidence(self, score: float) -> Confidence:
        if score < self._weights.low:
            return "low"
        return "high" if score >= self._weights.high else "medium"

    def _why(self, index: int, nearest: npt.NDArray[np.intp]) -> str:
        """Return the nearest example goal, or the operation's title."""
        operation = self._operations[index]
        return self._examples[nearest[index]] if operation.goals else operation.title


def _value_weights(operation: RoutableOperation, goal: str) -> Iterator[float]:
    for parameter in operation.parameters:
        if matched_values(operation, parameter, goal):
            yield 1.0 if parameter.location == "path" else 0.5
        elif contains_address(parameter, goal):
            yield 0.5


def _verbs(operation: RoutableOperation) -> Iterator[str]:
    """Yield the stems of the words that begin the example goals, without stop words."""
    for goal in operation.goals:
        first = next(iter(tokenize(goal)), "")
        if first and first not in STOP_WORDS:
            yield stem(first)


def _names_tool(tool: str, goal: str) -> bool:
    """Return whether a goal names a tool; an ordinary word counts only next to "tool"."""
    name = re.escape(tool)
    pattern = rf"(?<!\w){name}(?!\w)"
    if tool.isalpha():
        pattern = rf"\btool:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+tool\b"
    return re.search(pattern, goal) is not None


def _operation_at(
    path: str, operations: Sequence[RoutableOperation], goal: str
) -> tuple[int, Mapping[str, str]] | None:
    """Return the operation at a path and its values; of several, one whose method is named."""
    bare = _DOCUMENT.sub("", path.partition("?")[0].partition("#")[0]) or "/"
    full = path.partition("#")[0]
    matches: list[tuple[bool, int, Mapping[str, str]]] = []
    for index, operation in enumerate(operations):
        if full == operation.signed_path:
            return index, {}
        for variant in (full, full.partition("?")[0], bare):
            match = _pattern(operation.path).fullmatch(variant)
            if match is not None:
                is_named = re.search(rf"\b{operation.method}\b", goal) is not None
                matches.append((not is_named, index, match.groupdict()))
                break
    return min(matches, key=lambda item: item[:2])[1:] if matches else None


@lru_cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return a pattern for a path template; a variable that is still in braces has no value."""
    parts = re.split(r"\{(\w+)\}", template)
    pieces = (
        rf"(?:\{{\w+\}}|:\w+|(?P<{part}>{_SEGMENT}))" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    )
    return re.compile("".join(pieces))
