"""Counts in memory that wait to be written to the database."""

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeVar

MAX_WAITING = 500
"""How many different kinds of requests, paths and questions wait to be written."""

Key = TypeVar("Key", "RequestKind", "MissingPath", "Question")


class RequestKind(NamedTuple):
    """What requests are counted by."""

    day: str
    """The date in UTC; in the minute after midnight it may be the day before."""
    operation: str
    """The path of the endpoint; over MCP `/mcp#` and the tool."""
    agent: str
    """The family of the agent, as it declares itself."""
    status: int


class MissingPath(NamedTuple):
    """A path that was asked for and that there is not."""

    day: str
    path: str


class Asked(StrEnum):
    """What a caller asked."""

    QUESTION = "question"
    SEARCH = "search"
    GOAL = "goal"


class Question(NamedTuple):
    """A redacted question of one caller."""

    day: str
    text: str
    kind: Asked
    channel: str
    """`http`, `mcp` or `mail`."""
    answered: bool
    caller: int
    """Two bytes of a keyed hash: enough to tell a few callers apart, too little to find one."""


@dataclass
class Counts:
    """How often each was asked for since the last write."""

    requests: Counter[RequestKind] = field(default_factory=Counter)
    paths: Counter[MissingPath] = field(default_factory=Counter)
    questions: Counter[Question] = field(default_factory=Counter)

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self.requests or self.paths or self.questions)

    def update(self, other: "Counts") -> None:
        """Add the counts of another."""
        self.requests.update(other.requests)
        self.paths.update(other.paths)
        self.questions.update(other.questions)


def count(counter: Counter[Key], key: Key) -> None:
    """Add one, unless the key is new and too many wait."""
    if key in counter or len(counter) < MAX_WAITING:
        counter[key] += 1
