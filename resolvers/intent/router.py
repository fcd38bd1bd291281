"""Ranks the operations that serve a goal in plain words, and prepares a request for each.

Operations that the goal names, by path, tool, name or document, come first. The others are ranked
by their likeness to the goal and by the values of their parameters that it names. A question that
no read is near leads to chat.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import terms
from resolvers.intent.choices import name_pattern
from resolvers.intent.naming import named_operations
from resolvers.intent.operation import RoutableOperation
from resolvers.intent.request_builder import (
    SIGNED,
    IntentRequest,
    ToolCall,
    build_request,
    finds_format,
    matched_values,
)
from resolvers.intent.values import QUOTED, is_question
from resolvers.search.bm25 import Bm25

ASK, SEARCH = "Ask", "SearchContent"
FALLBACK_OPERATIONS = (ASK, SEARCH)
"""The operations that take any goal, recommended if nothing matches."""

# The numbers below are fitted to the goals of the evaluation's tune half for the sample studio.
MUTATION = 0.02
"""Taken from an operation that acts, so that it comes after a read that is as near."""
CLEAR_SCORE, CLEAR_MARGIN = 0.35, 0.08
"""What scores so much, and so much more than the next, is clearly meant. Less is often wrong."""
NAMED_MARGIN = 0.15
"""The margin of an entry that the goal names, which has `KNOWN` already."""
HIGH_MARGIN = 0.03
"""The margin that is enough from the score `high` on."""
KNOWN = 0.20
"""Added for an entry or an address that the goal names, half of it for a word of a choice."""
UNKNOWN = 0.08
"""Taken from a read that needs a value that the goal does not name, as the proofs of statements."""
STEP = 0.001
"""How much an operation is put above or below another to follow or precede it."""
HALF_KEYWORD_SCORE = 5.0
"""The BM25 score that is mapped to 0.5."""
MAX_SCORE = 0.98
"""The maximum score of an operation that the goal does not name."""
LOW = 0.20
"""Scores below this have low confidence."""


class ScoreWeights(NamedTuple):
    """The weights and thresholds for one mode of embeddings.

    `example` is the weight of the nearest example goal against that of the operation's text,
    `words` that of common words against the cosine. From the score `high` on, the confidence is
    high if no other is close; a question whose best read is below `asked` is asked in chat first.
    """

    example: float
    words: float
    high: float
    asked: float


_VECTORS = ScoreWeights(example=0.6, words=0.0, high=0.50, asked=0.33)
_LEXICAL = ScoreWeights(example=0.3, words=0.4, high=0.40, asked=0.30)
WEIGHTS = {"hybrid": _VECTORS, "semantic": _VECTORS, "lexical": _LEXICAL}

Confidence = Literal["high", "medium", "low"]
Scores = npt.NDArray[np.float64]
_Candidate = tuple[float, Confidence, str, Mapping[str, str]]
"""The score, how sure it is, why, and the values of the path."""


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
        # Of a list and its entry that are as near, the list comes first.
        operations = sorted(operations, key=lambda item: "{" in item.path)
        self._index = {item.operation: index for index, item in enumerate(operations)}
        self._operations = tuple(operations)
        self._embedder = embedder
        self._roles = roles
        self._weights = WEIGHTS[embedder.mode]
        owners = [index for index, item in enumerate(operations) for _ in item.goals]
        self._own_goals = [np.flatnonzero(np.array(owners) == i) for i in range(len(operations))]
        self._examples = tuple(goal for item in operations for goal in item.goals)
        texts = [*(item.text for item in operations), *self._examples]
        self._vectors = (documents or embedder.embed_documents)(texts)
        self._bm25 = Bm25([terms(text) for text in texts])

    def route(self, goal: str, limit: int = 5) -> list[Recommendation]:
        """Return the operations that serve the goal, the best first. Blocks. Raises: ModelError."""
        ranked = [*self._rank(goal).items()][:limit]
        return [self._recommend(rank, *item, goal) for rank, item in enumerate(ranked, 1)]

    def _recommend(self, rank: int, index: int, candidate: _Candidate, goal: str) -> Recommendation:
        operation, (score, confidence, why, path_values) = self._operations[index], candidate
        prepared = build_request(operation, goal, path_values)
        return Recommendation(
            rank=rank,
            score=round(score, 4),
            confidence="medium" if confidence == "high" and not prepared.is_exact else confidence,
            why=why,
            operation=operation.operation,
            title=operation.title,
            method=operation.method,
            path=operation.path,
            tool=prepared.call.name if prepared.call is not None else None,
            requires=prepared.requires,
            request=prepared.request,
            mcp=prepared.call,
        )

    def _rank(self, goal: str) -> dict[int, _Candidate]:
        """Return the places of all operations in order, or of the fallbacks if none matches."""
        found: dict[int, _Candidate] = {}
        for index, why, values in named_operations(self._operations, goal):
            found.setdefault(index, (1.0, "high", why, values))
        scores, reasons = self._scores(goal)
        is_chat = ASK in self._index and is_question(goal)
        if not found and not is_chat and scores.max(initial=0.0) < LOW:
            places = [self._index[name] for name in FALLBACK_OPERATIONS if name in self._index]
            places = places or [*range(len(scores))]
            return {place: (0.0, "low", "takes any goal", {}) for place in places}
        is_far = is_chat and self._put_chat_in_order(scores)
        order = [int(index) for index in np.argsort(-scores, kind="stable")]
        is_sure = not found and bool(order) and (is_far or self._is_sure(order, scores, goal))
        for index in order:
            confidence: Confidence = "low" if scores[index] < LOW else "medium"
            confidence = "high" if is_sure and index == order[0] else confidence
            found.setdefault(index, (max(float(scores[index]), 0), confidence, reasons[index], {}))
        return found

    def _scores(self, goal: str) -> tuple[Scores, list[str]]:
        """Return each operation's score and its nearest example goal, or its title."""
        text = QUOTED.sub(" ", goal)
        text = text if terms(text) else goal
        for name, role in self._roles.items():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", role, text)
        weights, count = self._weights, len(self._operations)
        words = self._bm25.scores(text).astype(np.float64)
        likeness = (1 - weights.words) * (self._vectors @ self._embedder.embed_query(text))
        likeness = likeness.clip(0, 1) + weights.words * words / (words + HALF_KEYWORD_SCORE)
        scores, reasons = (1 - weights.example) * likeness[:count], []
        for index, (item, own) in enumerate(zip(self._operations, self._own_goals, strict=True)):
            nearest = own[likeness[count + own].argmax()] if own.size else None
            reasons.append(item.title if nearest is None else self._examples[nearest])
            scores[index] += 0 if nearest is None else weights.example * likeness[count + nearest]
            scores[index] += KNOWN * max(_known(item, goal), default=0.0)
            scores[index] -= MUTATION * item.acts + UNKNOWN * _needs_more(item, goal)
        return np.minimum(scores, MAX_SCORE), reasons

    def _put_chat_in_order(self, scores: Scores) -> bool:
        """Put chat first, if no read is near, or second; return whether nothing is near at all."""
        ask, best = self._index[ASK], int(scores.argmax())
        top = float(scores[best])
        is_first = top < self._weights.asked
        if ask != best:
            scores[ask] = top + STEP if is_first else max(float(scores[ask]), top - STEP / 2)
        return is_first and top < LOW

    def _is_sure(self, order: Sequence[int], scores: Scores, goal: str) -> bool:
        """Return whether the best is so far before all others that it must be meant."""
        rivals = [index for index in order[1:3] if index != self._index.get(ASK)]
        score = float(scores[order[0]])
        margin = score - float(scores[rivals[0]]) if rivals else MAX_SCORE
        if _named_entries(self._operations[order[0]], goal):
            return score >= CLEAR_SCORE and margin >= NAMED_MARGIN
        is_clear = score >= CLEAR_SCORE and margin >= CLEAR_MARGIN and not self._weights.words
        return is_clear or (score >= self._weights.high and margin >= HIGH_MARGIN)


def _named_entries(operation: RoutableOperation, goal: str) -> int:
    """Return how many of the entries that a read is for a goal names."""
    paths = [item for item in operation.parameters if item.location == "path"]
    return max((len(matched_values(operation, item, goal)) for item in paths), default=0)


def _needs_more(operation: RoutableOperation, goal: str) -> bool:
    """Return whether a read of no section's entry needs a value that the goal does not name."""
    needed = [p.name for p in operation.parameters if p.location == "query" and p.is_required]
    return bool(needed) and not {*needed}.isdisjoint(build_request(operation, goal, {}).requires)


def _known(operation: RoutableOperation, goal: str) -> Iterator[float]:
    """Yield 1 for each value of a parameter that a goal clearly names, 0.5 for other values."""
    for parameter in operation.parameters:
        if values := matched_values(operation, parameter, goal):
            if parameter.location == "path":
                yield float(len(values) == 1)  # for two entries, their list is read
            else:
                yield 1.0 if any(" " in value for value in values) else 0.5
        elif finds_format(parameter, goal):
            yield 1.0 if parameter.is_required else 0.5
    verb = operation.tool or operation.operation
    if operation.method != "GET" and re.match(rf"(?i)\W*(?:please )?{verb}\b", goal):
        yield 1.0  # "search for", "ask them", "subscribe", "unsubscribe"
    if operation.signed_path is not None and SIGNED.search(goal):
        section = re.split(r"[=./]", operation.signed_path.removesuffix(".sig"))[-1]
        if re.search(name_pattern(section, is_entry=False), goal, re.IGNORECASE):
            yield 1.0
