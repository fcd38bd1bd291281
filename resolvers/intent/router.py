"""Ranks the operations that serve a goal in plain words, and prepares a request for each.

An operation that the goal names, by path or tool, comes first; then one that its wording asks for;
the others are ranked by similarity to their texts and example goals. A question leads to chat and
to the read that holds the answer. A mutation ranks above the reads only if the goal clearly asks
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
from resolvers.embeddings.tokenizer import terms
from resolvers.intent.operation import FindFact, RoutableOperation
from resolvers.intent.request_builder import (
    IntentRequest,
    ToolCall,
    build_request,
    contains_address,
    matched_values,
    names_signed_form,
)
from resolvers.intent.rules import ASK, SEARCH, is_question, operation_by_rule
from resolvers.intent.slots import find_instant, replace_names_with_roles, without_quotes
from resolvers.search.bm25 import Bm25
from resolvers.search.ranking import cache_by_query

CACHED_GOALS = 500
"""Each takes about 10 KB."""
MUTATION_MARGIN = 0.05
"""How much higher a mutation must score than the best read, unless a rule asks for it."""
FALLBACK_OPERATIONS = (ASK, SEARCH)
"""The operations that take any goal, recommended if nothing matches."""
PULSE, CHANGES = "GetAgentPulse", "ListChangelog"
"""The operations for changes since a time: of every kind, and of one kind."""
RULE_SCORE = 0.7
"""The least score of an operation that the wording of the goal asks for."""
NEAR = 0.01
"""Of reads whose scores differ by less, the one with the shorter answer comes first."""
MARGIN = 0.03
"""How far the best must be before the next to have high confidence, unless a rule asks for it."""
STEP = 0.001
"""How much an operation is put above or below another to follow or precede it."""
SHORT_ANSWER = 600
"""An answer up to this length is read as it is, before chat is asked. Units: tokens."""
HALF_KEYWORD_SCORE = 5.0
"""The BM25 score that is mapped to 0.5."""
NAMED_SCORE = 1.0
"""The score of an operation that the goal names."""
MAX_SCORE = 0.98
"""The maximum score of all others."""
_PATH = re.compile(r"(?<![\w:/.@-])(/[^\s\"'`“”<>()]*)")
_SEGMENT = r"[A-Za-z0-9_~%-]{1,128}"
"""The value of a variable in a path."""
_FORM = re.compile(
    r"(?i)\s(?:as|in) (?:json|markdown)\W*$|^\W*(?:json|markdown) (?:version|form|copy) of "
)
"""The form of an answer, which says nothing of its subject."""
_FILE = re.compile(r"(?<=/)[\w-]+\.\w+$")
"""The name of the file in a path."""
_SINCE = re.compile(r"(?i)\b(?:since|after|newer than|later than|from)\b")
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
    asked: float
    """A question whose best read scores below this is asked in chat first."""


WEIGHTS = {
    "hybrid": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.50, asked=0.33),
    "semantic": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.50, asked=0.33),
    "lexical": ScoreWeights(example=0.3, shared=0.4, known=0.20, low=0.20, high=0.40, asked=0.30),
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
        find_fact: FindFact = lambda _: None,
    ) -> None:
        """Embed the operations; `documents` replaces the embedder's method, to use a cache.

        `roles` maps names to the words that examples use for them.
        """
        self._find_fact = find_fact
        self._index = {item.operation: index for index, item in enumerate(operations)}
        self._operations = tuple(operations)
        self._embedder = embedder
        self._roles = roles
        self._weights = WEIGHTS[embedder.mode]
        examples = [(goal, index) for index, item in enumerate(operations) for goal in item.goals]
        self._examples = tuple(goal for goal, _ in examples)
        owners = np.array([index for _, index in examples], dtype=np.intp)
        self._own_goals = [np.flatnonzero(owners == index) for index in range(len(operations))]
        texts = [*(item.text for item in operations), *self._examples]
        vectors = (documents or embedder.embed_documents)(texts)
        count = len(self._operations)
        self._texts, self._goals = vectors[:count], vectors[count:]
        self._bm25 = Bm25([terms(text) for text in texts])
        self._routed = cache_by_query(self._route, CACHED_GOALS)

    def route(self, goal: str, limit: int = 5) -> list[Recommendation]:
        """Return the operations that serve the goal, the best first. Blocks. Raises: ModelError."""
        return list(self._routed(goal, limit))

    def _route(self, goal: str, limit: int) -> tuple[Recommendation, ...]:
        candidates = self._rank(goal)[:limit]
        return tuple(self._recommend(rank, item, goal) for rank, item in enumerate(candidates, 1))

    def _recommend(self, rank: int, candidate: _Candidate, goal: str) -> Recommendation:
        operation = self._operations[candidate.index]
        prepared = build_request(operation, goal, candidate.path_values)
        is_lost = candidate.confidence == "high" and not prepared.is_exact
        return Recommendation(
            rank=rank,
            score=round(candidate.score, 4),
            confidence="medium" if is_lost else candidate.confidence,
            why=candidate.why,
            operation=operation.operation,
            title=operation.title,
            method=operation.method,
            path=operation.path,
            tool=prepared.call.name if prepared.call is not None else None,
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
        scores = self._order(scores)
        reasons, values = self._by_wording(goal, scores)
        if not named and max(scores, default=0.0) < self._weights.low:
            names = [name for name in FALLBACK_OPERATIONS if name in self._index]
            places = [self._index[name] for name in names] or range(len(scores))
            return [_Candidate(place, 0.0, "low", "takes any goal", {}) for place in places]
        order = [(int(index), float(scores[index])) for index in np.argsort(-scores, kind="stable")]
        rivals = [score for index, score in order[1:3] if index != self._index.get(ASK)]
        is_close = bool(rivals) and order[0][1] < min(rivals[0] + MARGIN, RULE_SCORE)
        ranked = [
            _Candidate(
                index,
                max(score, 0.0),
                self._confidence(score, is_close=is_close),
                reasons.get(index) or self._why(index, nearest),
                values.get(index, {}),
            )
            for index, score in order
            if index not in named
        ]
        return [*named.values(), *ranked]

    def _by_wording(
        self, goal: str, scores: Scores
    ) -> tuple[dict[int, str], dict[int, Mapping[str, str]]]:
        """Raise the scores of what the wording asks for; return the reasons and path values."""
        reasons: dict[int, str] = {}
        values: dict[int, Mapping[str, str]] = {}
        text = replace_names_with_roles(without_quotes(goal), self._roles)
        rule = self._index.get(operation_by_rule(text) or self._since(goal))
        ask = self._index.get(ASK)
        if rule is not None:
            rule = self._of_entry(rule, goal)
            scores[rule] = max(scores[rule], RULE_SCORE)
        if ask is None or rule is not None or not is_question(text):
            return reasons, values
        best, fact = int(scores.argmax()), self._find_fact(goal)
        top = min(float(scores[best]), MAX_SCORE)
        read = best if top >= self._weights.asked else None
        if fact is not None and (found := self._index.get(fact.operation)) is not None:
            read, top = found, max(top + STEP, RULE_SCORE)
            scores[read], values[read] = top, fact.path_values
            reasons[read] = "holds the answer to the question"
            if self._operations[read].tokens() > SHORT_ANSWER:
                read = None
        if ask != read:
            scores[ask] = max(top + STEP, RULE_SCORE) if read is None else top - STEP / 2
        return reasons, values

    def _of_entry(self, place: int, goal: str) -> int:
        """Return the operation for the entry of a list that a goal names; if none, the list's."""
        entry = f"{self._operations[place].path}/{{"
        for index, item in enumerate(self._operations):
            if item.path.startswith(entry) and any(
                matched_values(item, parameter, goal)
                for parameter in item.parameters
                if parameter.location == "path"
            ):
                return index
        return place

    def _since(self, goal: str) -> str:
        """Return the operation for changes since the date in a goal, or nothing."""
        if find_instant(goal) is None or not _SINCE.search(goal):
            return ""
        changes = [item for item in self._operations if item.operation == CHANGES]
        is_one_kind = any(
            parameter.words and matched_values(item, parameter, goal)
            for item in changes
            for parameter in item.parameters
        )
        return CHANGES if is_one_kind or "changelog" in goal.lower() else PULSE

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
            elif (file := _FILE.search(operation.path)) and _names_file(file[0], goal):
                yield _Candidate(index, NAMED_SCORE, "high", "names the document", {})

    def _scores(self, goal: str) -> tuple[Scores, npt.NDArray[np.intp]]:
        """Return each operation's score and the index of its nearest example goal."""
        text = _FORM.sub("", replace_names_with_roles(without_quotes(goal), self._roles))
        query = self._embedder.embed_query(text)
        weights, count = self._weights, len(self._operations)
        words, cosine_weight = self._word_scores(text), 1 - self._weights.shared
        goal_scores = cosine_weight * (self._goals @ query).clip(0, 1)
        goal_scores += weights.shared * words[count:]
        text_scores = cosine_weight * (self._texts @ query).clip(0, 1)
        text_scores += weights.shared * words[:count]
        best, nearest = np.zeros(count), np.full(count, -1, dtype=np.intp)
        for index, own in enumerate(self._own_goals):
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

    def _order(self, scores: Scores) -> Scores:
        """Lower each mutation that is hardly nearer; put the shorter of equal reads first."""
        reads = [index for index, item in enumerate(self._operations) if not item.acts]
        best = max((scores[index] for index in reads), default=0.0)
        for index, operation in enumerate(self._operations):
            if operation.acts and scores[index] < best + MUTATION_MARGIN:
                scores[index] = min(scores[index], best - 1e-4)
        near = [index for index in reads if scores[index] > best - NEAR]
        sizes = {index: self._operations[index].tokens() for index in near}
        if best >= self._weights.low and len(near) > 1 and all(sizes.values()):
            near.sort(key=sizes.__getitem__)
            scores[near] = np.sort(scores[near])[::-1] - 1e-6 * np.arange(len(near))
        return scores

    def _confidence(self, score: float, *, is_close: bool) -> Confidence:
        if score < self._weights.low:
            return "low"
        is_high = score >= RULE_SCORE - STEP or (score >= self._weights.high and not is_close)
        return "high" if is_high else "medium"

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
    if operation.signed_path is not None and names_signed_form(operation.signed_path, goal):
        yield 1.0


def _names_tool(tool: str, goal: str) -> bool:
    """Return whether a goal names a tool; an ordinary word counts only next to "tool"."""
    name = re.escape(tool)
    pattern = rf"(?<!\w){name}(?!\w)"
    if tool.isalpha():
        pattern = rf"\btool:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+tool\b"
    return re.search(pattern, goal) is not None


def _names_file(file: str, goal: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(file)}(?![\w/-])", goal, re.IGNORECASE) is not None


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
