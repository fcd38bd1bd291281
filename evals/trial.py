"""Runs one trial: asks the service all questions and goals and records the results.

Nothing is asked twice in the same words, so that no time is that of a cache.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from evals.material import Chat, Goal, Material, Search
from evals.system import Answered, Found, Recommended, Service

WARM_UP = ("Tell me something.", "storm", "How do ledgers work?", "rust", "Who are you?")
OTHER_WORDS = " Thank you."
"""Put after a question that was asked before."""


@dataclass(frozen=True)
class Chatted:
    """A question of an author and its answer."""

    author: str
    asked: Chat
    answer: Answered

    @property
    def missed(self) -> list[str]:
        """What makes the answer wrong: patterns, or that it claims to be one; empty if right."""
        found = [f"no {p.pattern}" for p in self.asked.must if not p.search(self.answer.words)]
        found += [p.pattern for p in self.asked.must_not if p.search(self.answer.words)]
        # a service that does not say whether it answered has not said that it did not
        if self.asked.unanswerable and self.answer.answered not in {"no", "partly"}:
            found.append(f"answered {self.answer.answered}")
        return found


@dataclass(frozen=True)
class Searched:
    """A query of an author and its results."""

    author: str
    asked: Search
    found: Found


@dataclass(frozen=True)
class Routed:
    """A goal of an author and its recommendations, the best first."""

    author: str
    asked: Goal
    recommended: tuple[Recommended, ...]

    @property
    def operations(self) -> list[str]:
        """The recommended operations."""
        return [item.operation for item in self.recommended]

    @property
    def ready(self) -> Recommended | None:
        """The first recommendation that a caller would send as it is."""
        return next((item for item in self.recommended if item.ready), None)

    @property
    def is_exact(self) -> bool:
        """Whether that is the request that the goal asks for, as far as its author told it."""
        goal, ready = self.asked, self.ready
        return (
            ready is not None
            and (goal.path is None or _address(ready.path) == _address(goal.path))
            and (goal.body is None or _unordered(ready.body or {}) == _unordered(goal.body))
        )


@dataclass(frozen=True)
class Trial:
    """The results of a trial; `first_bytes` has the times until streamed answers began."""

    chatted: tuple[Chatted, ...]
    searched: tuple[Searched, ...]
    routed: tuple[Routed, ...]
    first_bytes: tuple[float, ...]


def _address(path: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a path and its query, decoded; the order of the query's parts means nothing."""
    parts = urlsplit(path)
    return unquote(parts.path), sorted(parse_qsl(parts.query, keep_blank_values=True))


def _unordered(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body with its kinds as a set."""
    return {
        name: frozenset(value) if name == "kinds" and isinstance(value, list) else value
        for name, value in body.items()
    }


def trial(service: Service, materials: Sequence[Material]) -> Trial:
    """Run a trial. Raises: MeasuredSystemError."""
    for text in WARM_UP:
        service.search(text)
        service.chat(text)
        service.first_byte(text)
        service.route(text)
    chats = [(item.author, chat) for item in materials for chat in item.chats]
    return Trial(
        tuple(Chatted(name, c, service.chat(c.text, c.history)) for name, c in chats),
        tuple(
            Searched(item.author, asked, service.search(asked.text))
            for item in materials
            for asked in item.searches
        ),
        tuple(
            Routed(item.author, goal, service.route(goal.text))
            for item in materials
            for goal in item.goals
        ),
        tuple(service.first_byte(c.text + OTHER_WORDS, c.history) for _, c in chats),
    )
