"""The interface of rankings: how the documents of a revision are ordered for a question."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Concatenate, ParamSpec, Protocol, TypeVar

MAX_CACHED_QUERY = 500
"""Longer queries are rarely repeated and would take memory. Units: characters."""

Rest = ParamSpec("Rest")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Ranked:
    """A document that was found, named by its number in `Passages`, as its chunk is."""

    document: int
    score: float
    """How well it matches, from 0 to 1."""
    chunk: int
    begin: int
    """Where the sentence that matches best begins in the chunk. Units: characters."""


class Ranking(Protocol):
    """Orders documents and sentences. Immutable, so threads may share it. Its methods block."""

    @property
    def refuse(self) -> float:
        """The score below which a document has nothing to do with a question."""
        ...

    @property
    def outstanding(self) -> float:
        """How far above the second a score is if its document alone is about the question."""
        ...

    def rank(self, query: str, limit: int, kinds: tuple[str, ...]) -> list[Ranked]:
        """Return the nearest documents of these kinds, or of all if there are none, best first.

        Raises: ModelError.
        """
        ...


def cache_by_query(
    function: Callable[Concatenate[str, Rest], Value], size: int
) -> Callable[Concatenate[str, Rest], Value]:
    """Return the function with a cache for this many queries, of those that are not too long.

    The cache is thread-safe; at worst, a value is computed twice at the same time.
    """
    kept = lru_cache(size)(function)

    def call(query: str, /, *rest: Rest.args, **named: Rest.kwargs) -> Value:
        if len(query) > MAX_CACHED_QUERY:
            return function(query, *rest, **named)
        return kept(query, *rest, **named)  # type: ignore[arg-type]  # they are strings or numbers

    return call
