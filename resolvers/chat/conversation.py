"""The types of a conversation, its fixed replies, and how a request becomes a question.

Everything that a caller sends is treated as data, whatever role it claims.
"""

import re
import unicodedata
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from resolvers.embeddings.tokenizer import terms
from resolvers.facts.slots import KINDS
from resolvers.search.index import Band

Reason = Literal["stop", "length", "truncated", "error"]

HISTORY_CHARACTERS = 16_000
"""How much of a conversation is kept: the question, earlier messages and preferences."""
SHORT_QUESTION_WORDS = 4
"""A question with fewer content words is searched together with the one before it."""

REFUSAL = (
    "The published content does not answer this."
    " The studio can be asked through its contact operation or by mail; a person replies."
)
"""The complete answer if nothing relevant is published."""
NEAR_MISS_REPLY = "The published content does not say this in so many words. Nearest:"
"""Introduces quotations that are close to the question and may not answer it."""
GREETING = "Good day. Any question about the studio, its work or its terms can be asked here."
"""The complete answer to a mere greeting."""
_MISSING = "What is nearest in the published content does not mention `{}`:"
"""The same, where a word of the question tells what is missing."""
_LACKS = "The published content gives no {} for this. Nearest:"
"""The same, where no line has the kind of thing that is asked for."""
CANNED_REPLIES = re.compile(
    "|".join(
        [
            *map(re.escape, (REFUSAL, NEAR_MISS_REPLY, GREETING)),
            *(re.escape(_LACKS.format(kind)) for kind in KINDS),
            re.escape(_MISSING).replace(r"\{\}", r"[^\W\d_]+"),
        ]
    )
)
"""The sentences that an answer may contain without a citation."""


def near_miss_reply(missing: str, lacks: str = "") -> str:
    """Return what introduces quotations that may not answer a question, and what they lack.

    `missing` is a word of the question that they do not have, `lacks` the kind of thing.
    """
    if lacks:
        return _LACKS.format(lacks)
    return _MISSING.format(missing) if missing else NEAR_MISS_REPLY


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
    """The question, the conversation around it and the caller's wishes about style."""

    text: str
    history: tuple[Message, ...] = ()
    preferences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Source:
    """One published entry, which the answer may cite as [n]."""

    n: int
    kind: str
    slug: str
    title: str
    url: str
    score: float
    text: str
    pointer: str | None = None
    """The place of the value that is said, in the JSON body at the URL; empty for all of it."""


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer with its spaces; joined, the pieces are the answer."""

    text: str


@dataclass(frozen=True)
class Finish:
    """The end of the answer and its reason."""

    reason: Reason
    removed: tuple[str, ...] = ()
    """For each sentence that was left out, what it had that no source has."""


class Answerer(Protocol):
    """A language model that writes answers."""

    model: str

    def stream(
        self, question: ChatRequest, sources: Sequence[Source], band: Band
    ) -> AsyncIterator[TextDelta | Finish]:
        """Yield the answer in pieces, then exactly one `Finish`.

        Raises: ModelError before the first piece, if the answer cannot be started.
        """
        ...


def request_of(query: str | None, messages: Sequence[Message]) -> ChatRequest:
    """Return the question: the query, or the last user message with the others around it.

    A conversation that is too long loses its oldest messages, each as a whole. The text of a
    `system` message is a preference and never an instruction.
    Raises: ValueError, if there is no user message.
    """
    if query is not None:
        return ChatRequest(query)
    last = max((i for i, message in enumerate(messages) if message.role == _USER), default=None)
    if last is None:
        raise ValueError("there is no user message")
    text = messages[last].content
    others = [message for i, message in enumerate(messages) if i != last]
    recent = _newest(others, HISTORY_CHARACTERS - len(text))
    return ChatRequest(
        text,
        tuple(message for message in recent if message.role != _SYSTEM),
        tuple(message.content for message in recent if message.role == _SYSTEM),
    )


def search_text(question: ChatRequest) -> str:
    """Return the text to search for: the question, after the previous one if it depends on that."""
    earlier = [message.content for message in question.history if message.role == _USER]
    if earlier and _depends_on_context(question.text):
        return f"{earlier[-1]} {question.text}"
    return question.text


def _newest(messages: Sequence[Message], max_characters: int) -> list[Message]:
    """Return the newest messages that together have at most `max_characters`."""
    newest: list[Message] = []
    for message in reversed(messages):
        max_characters -= len(message.content)
        if max_characters < 0:
            break
        newest.append(message)
    return newest[::-1]


def _depends_on_context(text: str) -> bool:
    """Return whether a question can be understood only with the one before it."""
    normalised = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(char if char.isalpha() else " " for char in normalised)
    first = letters.split(maxsplit=1)
    return len(terms(text)) < SHORT_QUESTION_WORDS or bool(first and first[0] in _PRONOUNS)
