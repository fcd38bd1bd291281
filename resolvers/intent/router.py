"""Which operations serve a goal told in plain words, and the request for each. Runs none of them.

What a goal names outright, a path or a tool, wins; else nearness in meaning to what operations say
of themselves decides. What acts is recommended only where that is plainly wanted.
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
"""How far something that acts must be above the best read, if no verb of it is in the goal."""
FALLBACK_OPERATIONS = ("GetIndex", "GetLlmsTxt")
"""The operations that lead to all others: what is recommended when nothing is near."""
HALF_KEYWORD_SCORE = 5.0
"""The score of shared words that counts as much as half of what words can."""
NAMED_SCORE = 1.0
MAX_RECOMMENDATIONS = 0.99
_PATH = re.compile(r"(?<![\w:/.@-])(/[^\s\"'`“”<>()]*)")
_GIVEN = r"[A-Za-z0-9_~%-]{1,128}"
"""What may stand in a path in place of a variable."""
_DOCUMENT = re.compile(r"\.(json|md|sig)$")

Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True)
class ScoreWeights:
    """How scores are made and read in one mode of embedding; all of it fitted to examples."""

    example: float
    """The share of the nearest example goal; the rest is the text as a whole."""
    shared: float
    """The share of the words in common, weighed by how rare they are."""
    known: float
    """What is added where the goal names a thing that the path asks for; no less than `low`."""
    low: float
    high: float


WEIGHTS = {
    "hybrid": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.45),
    "semantic": ScoreWeights(example=0.6, shared=0.0, known=0.20, low=0.20, high=0.45),
    "lexical": ScoreWeights(example=0.3, shared=0.4, known=0.20, low=0.20, high=0.40),
}

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recommendation:
    """An operation for a goal, and what to send."""

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
    """What is missing in the request before it can be sent."""
    request: IntentRequest
    mcp: ToolCall | None


@dataclass(frozen=True)
class _Candidate:
    place: int
    score: float
    confidence: Confidence
    why: str
    given: Mapping[str, str]


class IntentRouter:
    """The operations of one revision, ready to be asked for. May be used by many threads."""

    def __init__(
        self,
        posts: Sequence[RoutableOperation],
        embedder: Embedder,
        documents: Callable[[Sequence[str]], Vectors] | None = None,
        roles: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`documents` embeds in place of the embedder, if it has a memory.

        Examples speak of roles, callers of names: each name is read as its role.
        """
        self._posts = tuple(posts)
        self._embedder = embedder
        self._roles = roles
        self._scale = WEIGHTS[embedder.mode]
        examples = [(goal, place) for place, post in enumerate(posts) for goal in post.goals]
        self._examples = tuple(goal for goal, _ in examples)
        self._owners = np.array([place for _, place in examples], dtype=np.intp)
        texts = [*(post.text for post in posts), *self._examples]
        vectors = (documents or embedder.embed_documents)(texts)
        self._texts, self._goals = vectors[: len(self._posts)], vectors[len(self._posts) :]
        self._terms = Bm25([terms(text) for text in texts])
        self._verbs = [frozenset(_verbs(post)) if post.acts else frozenset() for post in posts]

    def route(self, goal: str, limit: int = 5) -> list[Recommendation]:
        """The operations that serve the goal, the best first. Blocks. Raises: ModelFault."""
        choices = self._choices(goal)[:limit]
        return [self._recommended(rank, each, goal) for rank, each in enumerate(choices, 1)]

    def _recommended(self, rank: int, choice: _Candidate, goal: str) -> Recommendation:
        post = self._posts[choice.place]
        filled = build_request(post, goal, choice.given)
        return Recommendation(
            rank=rank,
            score=round(choice.score, 4),
            confidence=choice.confidence,
            why=choice.why,
            operation=post.operation,
            title=post.title,
            method=post.method,
            path=post.path,
            tool=post.tool,
            requires=filled.requires,
            request=filled.request,
            mcp=filled.call,
        )

    def _choices(self, goal: str) -> list[_Candidate]:
        """Everything in the order in which it is recommended, or the starts alone."""
        named: dict[int, _Candidate] = {}
        for choice in self._named(goal):
            named.setdefault(choice.place, choice)  # a path is named first, and holds values
        scores, nearest = self._scores(goal)
        near = [
            _Candidate(place, score, self._confidence(score), self._why(place, nearest), {})
            for place, score in self._ordered(goal, scores)
            if place not in named
        ]
        if not named and (not near or near[0].score < self._scale.low):
            starts = [
                choice
                for choice in near
                if self._posts[choice.place].operation in FALLBACK_OPERATIONS
            ]
            return starts or near
        return [*named.values(), *near]

    def _named(self, goal: str) -> Iterator[_Candidate]:
        """What the goal names by its path, by its tool or by its own name."""
        for match in _PATH.finditer(goal):
            found = _at(match[1].rstrip(".,;:!?"), self._posts, goal)
            if found is not None:
                yield _Candidate(found[0], NAMED_SCORE, "high", "names the path", found[1])
        for place, post in enumerate(self._posts):
            if post.tool is not None and _calls(post.tool, goal):
                yield _Candidate(place, NAMED_SCORE, "high", "names the tool", {})
            elif re.search(rf"(?<!\w){post.operation}(?!\w)", goal):
                yield _Candidate(place, NAMED_SCORE, "high", "names the operation", {})

    def _scores(self, goal: str) -> tuple[Scores, npt.NDArray[np.intp]]:
        """Each operation's score, and the place of its nearest example."""
        told = replace_names_with_roles(without_quotes(goal), self._roles)
        query = self._embedder.embed_query(told)
        scale, count = self._scale, len(self._posts)
        shared = self._shared(told)
        near = (1 - scale.shared) * (self._goals @ query).clip(0, 1) + scale.shared * shared[count:]
        text = (1 - scale.shared) * (self._texts @ query).clip(0, 1) + scale.shared * shared[:count]
        best, nearest = np.zeros(count), np.full(count, -1, dtype=np.intp)
        for place in range(count):
            mine = np.flatnonzero(self._owners == place)
            if mine.size:
                nearest[place] = mine[near[mine].argmax()]
                best[place] = near[nearest[place]]
        scores = scale.example * best + (1 - scale.example) * text
        return np.minimum(scores + scale.known * self._known(goal), MAX_RECOMMENDATIONS), nearest

    def _shared(self, goal: str) -> Scores:
        """How well the goal's words fit each text, below 1."""
        scores = self._terms.scores(goal).astype(np.float64)
        return scores / (scores + HALF_KEYWORD_SCORE)

    def _known(self, goal: str) -> Scores:
        """1 where the goal names a thing that the path asks for, half where it only fills."""
        return np.array([max(_weights(post, goal), default=0.0) for post in self._posts])

    def _ordered(self, goal: str, scores: Scores) -> list[tuple[int, float]]:
        """Places by falling score; what acts, and is not plainly wanted, after the best read."""
        said = frozenset(stem(word) for word in tokenize(goal))
        reads = [scores[place] for place, post in enumerate(self._posts) if not post.acts]
        best = max(reads, default=0.0)
        for place, post in enumerate(self._posts):
            if (
                post.acts
                and not self._verbs[place] & said
                and scores[place] < best + MUTATION_MARGIN
            ):
                scores[place] = min(scores[place], best - 1e-4)
        order = np.argsort(-scores, kind="stable")
        return [(int(place), float(max(scores[place], 0.0))) for place in order]

    def _confidence(self, score: float) -> Confidence:
        if score < self._scale.low:
            return "low"
        return "high" if score >= self._scale.high else "medium"

    def _why(self, place: int, nearest: npt.NDArray[np.intp]) -> str:
        """The example that is nearest, or what the operation is for."""
        post = self._posts[place]
        return self._examples[nearest[place]] if post.goals else post.title


def _weights(post: RoutableOperation, goal: str) -> Iterator[float]:
    for member in post.parameters:
        if matched_values(post, member, goal):
            yield 1.0 if member.location == "path" else 0.5
        elif contains_address(member, goal):
            yield 0.5


def _verbs(post: RoutableOperation) -> Iterator[str]:
    """The words that its examples begin with, as far as they mean something."""
    for goal in post.goals:
        first = next(iter(tokenize(goal)), "")
        if first and first not in STOP_WORDS:
            yield stem(first)


def _calls(tool: str, goal: str) -> bool:
    """Whether the goal names a tool; a name that is a plain word must be called a tool."""
    name = re.escape(tool)
    pattern = rf"(?<!\w){name}(?!\w)"
    if tool.isalpha():
        pattern = rf"\btool:?\s+[\"'`]?{name}(?!\w)|(?<!\w){name}[\"'`]?\s+tool\b"
    return re.search(pattern, goal) is not None


def _at(
    path: str, posts: Sequence[RoutableOperation], goal: str
) -> tuple[int, Mapping[str, str]] | None:
    """The operation at a path and the values in it; of several the one whose method is named."""
    bare = _DOCUMENT.sub("", path.partition("?")[0].partition("#")[0]) or "/"
    whole = path.partition("#")[0]
    found: list[tuple[bool, int, Mapping[str, str]]] = []
    for place, post in enumerate(posts):
        if whole == post.signed_path:
            return place, {}
        for candidate in (whole, whole.partition("?")[0], bare):
            match = _pattern(post.path).fullmatch(candidate)
            if match is not None:
                is_named = re.search(rf"\b{post.method}\b", goal) is not None
                found.append((not is_named, place, match.groupdict()))
                break
    return min(found, key=lambda each: each[:2])[1:] if found else None


@lru_cache
def _pattern(template: str) -> re.Pattern[str]:
    """What fits a path's template; a variable that is still in braces has no value."""
    parts = re.split(r"\{(\w+)\}", template)
    pieces = (
        rf"(?:\{{\w+\}}|:\w+|(?P<{part}>{_GIVEN}))" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    )
    return re.compile("".join(pieces))
