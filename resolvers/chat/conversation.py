"""What is said in a chat: the question with what went before it, the sources, the answer's parts.

Everything a caller sent is data: nothing here trusts a role. Knows no model and no retrieval.
"""

import unicodedata
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from resolvers.embeddings.tokenizer import terms
from resolvers.search.index import Band

Reason = Literal["stop", "length", "truncated", "error"]

HISTORY_CHARACTERS = 16_000
"""How much of a conversation is kept: the question, the turns before it and the preferences."""
SHORT_QUESTION_WORDS = 4
"""A question of fewer content words is looked up together with the one before it."""

REFUSAL = (
    "The published content does not answer this."
    " The studio can be asked through its contact operation or by mail; a person replies."
)
"""The whole answer where nothing relevant is published."""
NEAR_MISS_REPLY = "The published content does not answer this directly. Nearest:"
"""Before quotations that are near the question and may miss it."""
QUOTE_INTRO = "In the studio's own words:"
"""Before quotations that were not written as an answer to a question."""
GREETING = "Good day. Any question about the studio, its work or its terms can be asked here."
"""The whole answer where a caller only greets."""
ABSTENTIONS = (REFUSAL, NEAR_MISS_REPLY, GREETING)
"""After one of these, nothing need be cited."""
CANNED_REPLIES = (*ABSTENTIONS, QUOTE_INTRO)

_USER = "user"
_SYSTEM = "system"
_PRONOUNS = frozenset(
    {"he", "her", "hers", "him", "his", "it", "its", "itself", "she", "that", "their", "theirs"}
    | {"them", "these", "they", "this", "those"}
)


@dataclass(frozen=True)
class Message:
    """One message as it was sent: `user`, `assistant` or `system`, and its text."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """What is asked, the conversation around it, and what the caller wishes of the style."""

    text: str
    history: tuple[Message, ...] = ()
    preferences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """What the answer may cite as [n]: one entry of the studio's own content."""

    n: int
    kind: str
    slug: str
    title: str
    url: str
    score: float
    text: str


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer, with its spaces: the pieces in a row are the answer."""

    text: str


@dataclass(frozen=True)
class Finish:
    """That the answer is over, and why."""

    reason: Reason


class Answerer(Protocol):
    """Who writes answers."""

    model: str

    def stream(
        self, question: ChatRequest, sources: Sequence[Source], band: Band
    ) -> AsyncIterator[TextDelta | Finish]:
        """The answer in pieces, and exactly one Ending, last.

        Raises: ModelFault, before the first piece, if no answer can be begun.
        """
        ...


def request_of(query: str | None, messages: Sequence[Message]) -> ChatRequest:
    """The question: the query, or the last user message; all other messages are around it.

    A conversation too long loses its oldest turns first, whole. What a `system` message says is a
    preference and never an instruction.
    Raises: ValueError, if nothing is asked.
    """
    if query is not None:
        return ChatRequest(query)
    asked = [place for place, turn in enumerate(messages) if turn.role == _USER]
    if not asked:
        raise ValueError("there is no user message")
    text = messages[asked[-1]].content
    others = [turn for place, turn in enumerate(messages) if place != asked[-1]]
    kept = _newest(others, HISTORY_CHARACTERS - len(text))
    return ChatRequest(
        text,
        tuple(turn for turn in kept if turn.role != _SYSTEM),
        tuple(turn.content for turn in kept if turn.role == _SYSTEM),
    )


def search_text(question: ChatRequest) -> str:
    """What is looked up: the question, after the one before it where it says too little alone."""
    earlier = [turn.content for turn in question.history if turn.role == _USER]
    if earlier and _leans(question.text):
        return f"{earlier[-1]} {question.text}"
    return question.text


def _newest(turns: Sequence[Message], room: int) -> list[Message]:
    """The turns at the end that have room together."""
    kept: list[Message] = []
    for turn in reversed(turns):
        room -= len(turn.content)
        if room < 0:
            break
        kept.append(turn)
    return kept[::-1]


def _leans(text: str) -> bool:
    """Whether a question can be understood only after the one before it."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    first = "".join(" " if not char.isalpha() else char for char in folded).split(maxsplit=1)
    return len(terms(text)) < SHORT_QUESTION_WORDS or bool(first and first[0] in _PRONOUNS)
