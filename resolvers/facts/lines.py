"""The lines of an answer: each says one thing and where it stands."""

from collections.abc import Iterable
from dataclasses import dataclass

from resolvers.embeddings.tokenizer import terms

REPEATED = 0.1
"""The share of a line's words that are new, up to which it says again what another line says."""


@dataclass(frozen=True)
class Line:
    """One line of an answer and what it cites."""

    text: str
    kind: str
    slug: str
    title: str
    url: str
    pointer: str
    """The place of what is said, in the body at the URL. Source: RFC 6901."""
    score: float
    """The likeness to the question, from 0 to 1."""


def without_repetition(lines: Iterable[Line]) -> list[Line]:
    """Return the lines without those that say again what one before them says.

    Two fields may hold the same words, as the hours do in "time zone and hours" and in "hours".
    """
    kept: list[tuple[Line, set[str]]] = []
    for line in lines:
        words = terms(line.text)
        new = [sum(word not in said for word in words) for _, said in kept]
        if all(count > REPEATED * len(words) for count in new):
            kept.append((line, set(words)))
    return [line for line, _ in kept]
