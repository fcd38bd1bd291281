"""Ranks the operations that serve a goal in plain words, and prepares a request for each.

An operation that the goal names, by path or tool, comes first; then one that its wording asks for;
the others are ranked by similarity to their texts and example goals. A question leads to chat and
to the read that holds the answer. A mutation ranks above the reads only if the goal clearly asks
for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal
from weakref import proxy

import numpy as np
import numpy.typing as npt

from resolvers.embeddings.embedder import Embedder, Vectors
from resolvers.embeddings.tokenizer import terms
from resolvers.intent.dates import find_instant
from resolvers.intent.naming import (
    FILE,
    PATH,
    lists_and_entries,
    named_entries,
    names_file,
    names_list,
    names_operation,
    names_tool,
    names_two_reads,
    operation_at,
    value_weights,
)
from resolvers.intent.operation import FindFact, RoutableOperation
from resolvers.intent.request_builder import (
    IntentRequest,
    ToolCall,
    build_request,
    has_form,
    matched_values,
)
from resolvers.intent.rules import (
    ASK,
    SEARCH,
    is_question,
    is_served_elsewhere,
    leading_verb,
    operation_by_rule,
)
from resolvers.intent.slots import replace_names_with_roles, without_quotes
from resolvers.intent.weights import (
    CLEAR_MARGIN,
    CLEAR_SCORE,
    HALF_KEYWORD_SCORE,
    MARGIN,
    MAX_SCORE,
    MUTATION_MARGIN,
    NAMED_ENTRY_MARGIN,
    NAMED_ENTRY_SCORE,
    NAMED_SCORE,
    NEAR,
    OTHER_FORM,
    RULE_SCORE,
    SHORT_ANSWER,
    STEP,
    SURE_FACT,
    WEIGHTS,
)
from resolvers.search.bm25 import Bm25
from resolvers.search.ranking import cache_by_query

CACHED_GOALS = 500
"""Each takes about 10 KB."""
FALLBACK_OPERATIONS = (ASK, SEARCH)
"""The operations that take any goal, recommended if nothing matches."""
PULSE, CHANGES = "GetAgentPulse", "ListChangelog"
"""The operations for changes since a time: of every kind, and of one kind."""
_FORM = re.compile(
    r"(?i)\s(?:as|in) (?:json|markdown)\W*$|^\W*(?:json|markdown) (?:version|form|copy) of "
)
"""The form of an answer, which says nothing of its subject."""
_SINCE = re.compile(r"(?i)\b(?:since|after|newer than|later than|from|or later|onwards?)\b")
_ENTRIES = re.compile(r"(?i)\b(?:changelog|entry|entries)\b")
"""Words for the changelog itself, rather than for what is new."""

Confidence = Literal["high", "medium", "low"]


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
        self._entries = lists_and_entries(self._operations)
        self._offered = frozenset(
            term.removesuffix("s")
            for item in operations
            for parameter in item.parameters
            if parameter.location == "path"
            for name in (*parameter.words, *parameter.words.values())
            for term in terms(name.replace("-", " "))
        )
        self._own_goals = [np.flatnonzero(owners == index) for index in range(len(operations))]
        texts = [*(item.text for item in operations), *self._examples]
        vectors = (documents or embedder.embed_documents)(texts)
        count = len(self._operations)
        self._texts, self._goals = vectors[:count], vectors[count:]
        self._bm25 = Bm25([terms(text) for text in texts])
        own = proxy(self)  # or the cache would hold the router that holds it
        self._routed = cache_by_query(partial(IntentRouter._route, own), CACHED_GOALS)

    def route(self, goal: str, limit: int = 5) -> list[Recommendation]:
        """Return the operations that serve the goal, the best first. Blocks. Raises: ModelError."""
        return list(self._routed(goal, limit))

    def _route(self, goal: str, limit: int) -> tuple[Recommendation, ...]:
        candidates = self._rank(goal)[:limit]
        return tuple(self._recommend(rank, item, goal) for rank, item in enumerate(candidates, 1))

    def _recommend(self, rank: int, candidate: _Candidate, goal: str) -> Recommendation:
        operation = self._operations[candidate.index]
        prepared = build_request(operation, goal, candidate.path_values)
        is_half = prepared.request.body is None and (
            names_two_reads(self._operations, goal) or self._lists_more(candidate.index, goal)
        )
        is_lost = candidate.confidence == "high" and (is_half or not prepared.is_exact)
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
        scores = self._by_entry(self._order(scores), goal)
        reasons, values = self._by_wording(goal, scores)
        is_near = max(scores, default=0.0) >= self._weights.low
        if not named and not (is_near and self._is_offered(goal, scores)):
            names = [name for name in FALLBACK_OPERATIONS if name in self._index]
            places = [self._index[name] for name in names] or range(len(scores))
            return [_Candidate(place, 0.0, "low", "takes any goal", {}) for place in places]
        order = [(int(index), float(scores[index])) for index in np.argsort(-scores, kind="stable")]
        rivals = [score for index, score in order[1:3] if index != self._index.get(ASK)]
        margin = order[0][1] - rivals[0] if rivals and order else MAX_SCORE
        clear = order[0][0] if order and self._is_clear(*order[0], margin, goal) else None
        is_close = margin < MARGIN and order[0][1] < RULE_SCORE
        ranked = [
            _Candidate(
                index,
                max(score, 0.0),
                "high"
                if index == clear
                else self._confidence(
                    score, is_close=is_close or (self._acts(index) and score < RULE_SCORE)
                ),
                reasons.get(index) or self._why(index, nearest),
                values.get(index, {}),
            )
            for index, score in order
            if index not in named
        ]
        return [*named.values(), *ranked]

    def _is_offered(self, goal: str, scores: Scores) -> bool:
        """Return whether the wording asks for something that an operation can do."""
        text = replace_names_with_roles(without_quotes(goal), self._roles)
        if not is_served_elsewhere(text, self._offered):
            return True
        best, verb = self._operations[int(scores.argmax())], leading_verb(text)
        return any(leading_verb(example) == verb for example in best.goals)

    def _is_clear(self, place: int, score: float, margin: float, goal: str) -> bool:
        """Return whether a read is so far before all others that it must be meant."""
        operation = self._operations[place]
        if operation.acts or self._weights.shared:
            return False
        if named_entries(operation, goal) == 1:
            return score >= NAMED_ENTRY_SCORE and margin >= NAMED_ENTRY_MARGIN
        return score >= CLEAR_SCORE and margin >= CLEAR_MARGIN

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
            scores[rule] = max(scores[rule], RULE_SCORE, min(float(scores.max()) + STEP, MAX_SCORE))
        if ask is None or rule is not None or not is_question(text):
            return reasons, values
        best, fact = int(scores.argmax()), self._find_fact(goal)
        top = min(float(scores[best]), MAX_SCORE)
        is_read = top >= self._weights.asked and not self._operations[best].acts
        read = best if is_read else None
        found = self._index.get(fact.operation) if fact is not None else None
        is_sure = fact is not None and (fact.score >= SURE_FACT or found == read)
        if fact is not None and found is not None and not is_sure:
            near, read = max(float(scores[found]), self._weights.high - MARGIN), None
            scores[found], values[found] = min(near, RULE_SCORE - 2 * STEP), fact.path_values
            reasons[found] = "may hold the answer to the question"
        elif fact is not None and found is not None:
            read, top = found, max(top + STEP, RULE_SCORE)
            scores[read], values[read] = top, fact.path_values
            reasons[read] = "holds the answer to the question"
            if self._operations[read].tokens() > SHORT_ANSWER:
                read = None
        if ask != read:
            scores[ask] = max(top + STEP, RULE_SCORE) if read is None else top - STEP / 2
        return reasons, values

    def _lists_more(self, place: int, goal: str) -> bool:
        """Return whether a list has more than the entries that a goal names."""
        entries = (self._operations[entry] for whole, entry in self._entries if whole == place)
        return any(named_entries(entry, goal) for entry in entries)

    def _of_entry(self, place: int, goal: str) -> int:
        """Return the operation for the entry of a list that a goal names; if none, the list's."""
        entries = [entry for whole, entry in self._entries if whole == place]
        named = (entry for entry in entries if named_entries(self._operations[entry], goal) == 1)
        return next(named, place)

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
        return CHANGES if is_one_kind or _ENTRIES.search(goal) else PULSE

    def _named_operations(self, goal: str) -> Iterator[_Candidate]:
        """Yield the operations that the goal names by path, tool or operation name."""
        for match in PATH.finditer(goal):
            target = operation_at(match[1].rstrip(".,;:!?"), self._operations, goal)
            if target is not None:
                yield _Candidate(target[0], NAMED_SCORE, "high", "names the path", target[1])
        for index, operation in enumerate(self._operations):
            if operation.tool is not None and names_tool(operation.tool, goal):
                yield _Candidate(index, NAMED_SCORE, "high", "names the tool", {})
            elif names_operation(operation.operation, goal):
                yield _Candidate(index, NAMED_SCORE, "high", "names the operation", {})
            elif (file := FILE.search(operation.path)) and names_file(file[0], goal):
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
        scores += weights.known * self._value_scores(goal)
        scores -= OTHER_FORM * np.array([not has_form(item, goal) for item in self._operations])
        return np.minimum(scores, MAX_SCORE), nearest

    def _word_scores(self, goal: str) -> Scores:
        """Return how well the goal's words match each text, below 1."""
        scores = self._bm25.scores(goal).astype(np.float64)
        return scores / (scores + HALF_KEYWORD_SCORE)

    def _value_scores(self, goal: str) -> Scores:
        """Return 1 if the goal names a value for the path, 0.5 for another parameter, else 0."""
        return np.array([max(value_weights(item, goal), default=0.0) for item in self._operations])

    def _by_entry(self, scores: Scores, goal: str) -> Scores:
        """Put an entry that is named before its list, and a list that is named before one entry."""
        for whole, entry in self._entries:
            one, other = self._operations[entry], self._operations[whole]
            if other.acts:
                continue
            count = named_entries(one, goal)
            if count > 1:
                scores[whole] = max(scores[whole], min(scores[entry] + STEP, MAX_SCORE))
            elif count == 1:
                scores[entry] = max(scores[entry], min(scores[whole] + MARGIN, MAX_SCORE))
            elif names_list(other, goal):
                scores[entry] = min(scores[entry], scores[whole] - MARGIN)
        return scores

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

    def _acts(self, place: int) -> bool:
        """Return whether an operation changes something, other than to answer a question."""
        return self._operations[place].acts and place != self._index.get(ASK)

    def _confidence(self, score: float, *, is_close: bool) -> Confidence:
        if score < self._weights.low:
            return "low"
        is_high = score >= RULE_SCORE - STEP or (score >= self._weights.high and not is_close)
        return "high" if is_high else "medium"

    def _why(self, index: int, nearest: npt.NDArray[np.intp]) -> str:
        """Return the nearest example goal, or the operation's title."""
        operation = self._operations[index]
        return self._examples[nearest[index]] if operation.goals else operation.title
